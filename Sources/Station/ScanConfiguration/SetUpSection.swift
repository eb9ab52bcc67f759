package import TicketSystemKit

/// How the station takes set-up codes: `setUp`.
package struct SetUpConfiguration: Sendable, Equatable {
  /// The list of servers and organiser's keys that codes may name; without it only the server of `control` is trusted.
  package var trust: FileReference?
  /// How long codes are taken after the start, while something is missing; zero for only by hand.
  package var window = Duration.seconds(600)
  /// Certificates to trust for servers that codes name, instead of the system's.
  package var caFile: FileReference?

  /// Makes what holds where the file says nothing.
  package init() {}
}

enum SetUpSection {
  static let key = "setUp"

  private static let trust = SchemaKey<String>.optional(
    "trust", .path(.trustList, example: "/boot/firmware/scangate-trust.txt"),
    "The list of servers and organiser's keys that codes may name. Without it only the server of `control` is trusted.")
  private static let window = SchemaKey.key(
    "window", .duration(.zero ... .seconds(3_600), example: "10 min"), default: SetUpConfiguration().window,
    "How long codes are taken after the start, while something is missing; `0 s` for only by hand.")
  private static let caFile = SchemaKey<String>.optional(
    "caFile", .path(.certificates, example: "/etc/scangate/venue-ca.pem"),
    "Certificates in PEM. When given, only these are trusted for servers that codes name, not the system's.")

  private static let held = "remove it: a set-up code is held to the station's scanner and stands in no file"

  static let schema = SectionSchema(
    key, trust, window, caFile,
    refused: [
      "code": held, "activation": held, "activationCode": held, "activation_code": held, "enrolment": held,
      "secret": held, "token": held, "apiKey": held, "key": held, "password": held,
    ])

  static func read(_ reader: SectionReader) -> SetUpConfiguration? {
    let trust = reader.read(trust)
    let window = reader.read(window)
    let caFile = reader.read(caFile)
    guard let window else { return nil }
    var setUp = SetUpConfiguration()
    setUp.trust = trust.map { FileReference(path: $0, role: .trustList, position: reader.position(of: "trust")) }
    setUp.window = window
    setUp.caFile = caFile.map { FileReference(path: $0, role: .certificates, position: reader.position(of: "caFile")) }
    return setUp
  }
}
