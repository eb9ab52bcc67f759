internal import ScanModel
internal import TicketTransport
internal import WireText

extension HTTPAnswer {
  /// What the service itself says of an error: JSON with `error` or `message`; `nil` for everything else.
  var said: String? {
    guard isJSON, let document = try? JSONValue(body) else { return nil }
    let text = document["error"]?.string ?? document["error"]?["message"]?.string ?? document["message"]?.string
    return text.flatMap { $0.contains { !$0.isWhitespace } ? $0 : nil }
  }

  /// Whether it says that it gets more calls from here than it allows: this service does so with 403.
  var isOfRation: Bool {
    status == 429 || status == 403 && (retryAfter != nil || headers.has("Retry-After"))
  }

  /// Whether it says that nobody is signed in, or no more; in the service's own form.
  var refusesSession: Bool {
    guard isJSON, status == 401 || status == 403, !isOfRation else { return false }
    if status == 401 { return true }
    guard let words = said?.lowercased() else { return false }
    let others = ["permission", "origin", "referer", "referrer", "mobile", "you can only", "device"]
    guard !others.contains(where: { words.contains($0) }) else { return false }
    return ["authentic", "session", "sign in", "signed in", "log in", "logged in", "login"].contains {
      words.contains($0)
    }
  }
}

/// What says nothing of a booking: the account, the way to the service, the service itself. Pure.
enum DoorFault {
  /// What happened, to which host, and what to do.
  /// - Parameters:
  ///   - what: was asked for: `the door list`.
  ///   - isDenied: whether a session was refused for which it had just signed us in: the password is right.
  static func fault(
    _ answer: HTTPAnswer, host: String, hiding secrets: [Redaction], words: ServerWords, asking what: String,
    isDenied: Bool = false
  ) -> TransportFault {
    let said = answer.said.flatMap { StaffText.clean($0, hiding: secrets) }.map { ": “\($0)”" } ?? ""
    if answer.isOfRation {
      let wait =
        answer.retryAfter.map { " It may be asked again in \(max(1, ($0.milliseconds + 59_999) / 60_000)) min." } ?? ""
      return TransportFault(
        .rateLimited, "\(host) gets more calls from here than it allows (\(answer.status)).\(wait)",
        retryAfter: answer.retryAfter)
    }
    if answer.refusesSession, isDenied, answer.status == 403 {
      return TransportFault(
        .keyRefused,
        "\(host) does not take our session (403)\(said), though it has just signed us in: the account may not ask for \(what). "
          + "Give it (staff.email) the venue's door list and ticket checks.")
    }
    if answer.refusesSession {
      return TransportFault(
        .keyRefused, "\(host) does not take our session (\(answer.status))\(said). \(words.keyCure)")
    }
    switch answer.status {
    case 403 where answer.isJSON:
      return TransportFault(
        .accessDenied,
        "\(host) does not let us ask for \(what) (403)\(said). Give the account (staff.email) the venue's door list and ticket checks, "
          + "and write the website that the service knows under origin. \(words.addressCure)")
    case 408, 500...599: return TransportFault(.unreachable, "\(host) is out of order (\(answer.status)).")
    case 300...399:
      return TransportFault(
        .badAnswer,
        "\(host) wants to send us elsewhere (\(answer.status)). The address in the configuration must be the final one. "
          + words.addressCure)
    case _ where !answer.isJSON:
      return TransportFault(
        .badAnswer,
        "\(host) answered \(what) with a page (\(answer.status)): the service may be asleep, or a firewall, proxy or portal has "
          + "answered in its place. Check the way to it. " + words.addressCure)
    default:
      return TransportFault(
        .badAnswer,
        "\(host) answered \(what) with \(answer.status), which is no answer of its API\(said). \(words.addressCure)"
      )
    }
  }
}
