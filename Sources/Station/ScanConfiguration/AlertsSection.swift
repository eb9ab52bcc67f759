internal import TicketSystemKit
package import TicketTransport

/// Whom the console tells when something is wrong: `console.alerts`.
package struct AlertsConfiguration: Sendable, Equatable {
  /// Where alerts are posted.
  package var url: ServerAddress
  /// What follows the address: a slash at its end, which some receivers want and others do not; else nothing.
  package var path: String
  /// The token that is shown there; `nil` where none is wanted.
  package var token: ConsoleCredential?
  /// What is told.
  package var on: Set<AlertCondition>
  /// Certificates to trust instead of the system's.
  package var caFile: ConsoleCredential?
}

/// What somebody who is not at the station is told of. The raw values are the words in the file.
package enum AlertCondition: String, Sendable, CaseIterable {
  /// The service does not run, or does not answer. It is told whatever the file chooses.
  case service
  /// A gate's outputs do not let it admit.
  case gate
  /// A reader is not plugged in, or cannot be used.
  case reader
  /// A ticket system is away, or cannot be believed.
  case ticketSystem
  /// A ticket system does not accept our key.
  case key
  /// Admissions have waited for more than an hour to be told, or staff hold them.
  case outbox
  /// A ticket system has contradicted an admission.
  case conflict
  /// The journal keeps nothing, or its disk is nearly full.
  case disk
  /// The machine's clock is wrong, or nobody vouches for it.
  case clock
  /// A certificate ends within 30 days.
  case certificate

  /// What the file chooses among.
  package static let chosen = allCases.filter { $0 != .service }
}

enum AlertsSection {
  static let key = "alerts"

  /// An address to post to, and the slash at its end.
  private struct Address: Sendable {
    var server: ServerAddress
    var path: String
  }

  private static let example = "https://ntfy.example/gate"

  private static let url = SchemaKey.required(
    "url",
    ValueKind<Address>(summary: "`https://` address", example: example, show: { $0.server.description + $0.path }) {
      node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      // Who knows the address may be all that is asked of whoever posts to it: it is not repeated.
      guard let server = try? ServerAddress(text, allowPlainHTTP: true) else {
        findings.error(
          at: node.position, "\(quoted(node.path)) is no address to post to",
          "write scheme, host and perhaps a port and a path, without user, query or fragment: \(example)")
        return nil
      }
      guard server.isSecure || server.isLoopback else {
        findings.error(
          at: node.position, "alerts would go through the network in plain HTTP",
          "write https://; http:// is for this machine alone")
        return nil
      }
      return Address(server: server, path: text.hasSuffix("/") ? "/" : "")
    }, "Where alerts are posted, as plain text: a topic of ntfy, or whatever takes a POST. No redirect is followed.")
  private static let token = SchemaKey<ConsoleCredential>.optional(
    "token", .consoleCredential(example: "ntfy"),
    "The file with the token that is shown there (`Authorization: Bearer`), where one is wanted.")
  private static let on = SchemaKey.key(
    "on",
    .list(
      of: .choice(of: AlertCondition.chosen) { $0.rawValue }, count: 1...AlertCondition.chosen.count,
      noun: "conditions"), default: AlertCondition.chosen,
    "What is told. That the service does not run is told always.")
  private static let caFile = SchemaKey<ConsoleCredential>.optional(
    "caFile", .consoleCredential(example: "venue-ca.pem"),
    "The file with certificates in PEM. When given, only these are trusted for this server, not the system's.")

  private static let inlineSecret =
    "put the token into a file in /etc/scangate/console and write token: with that file's name"

  static let schema = SectionSchema(
    "console.alerts", url, token, on, caFile,
    refused: [
      "password": inlineSecret, "secret": inlineSecret, "key": inlineSecret, "authorization": inlineSecret,
      "allowPlainHTTP": "remove it: alerts go over https, or to this machine",
    ])

  static func read(_ reader: SectionReader) -> AlertsConfiguration? {
    let (url, token) = (reader.read(url), reader.read(token))
    let (on, caFile) = (reader.read(on), reader.read(caFile))
    if let url, !url.server.isSecure, let place = reader.keyPosition(of: "caFile") {
      reader.findings.warning(at: place, "caFile has no effect with plain HTTP", "write https://, or remove caFile")
    }
    guard let url, let on else { return nil }
    return AlertsConfiguration(url: url.server, path: url.path, token: token, on: Set(on), caFile: caFile)
  }
}
