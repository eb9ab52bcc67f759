internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// What the service says of an error: `{"error":…}`, `{"message":…}`, or `{"success":false}` with either or none.
struct BoxOfficeError {
  /// `nil` where it does not say what.
  let message: String?
  /// Whether it is one whatever the status is.
  let isFailure: Bool

  /// Reads a document; `nil` where it is no error of the service's.
  init?(_ document: JSONValue) {
    guard case .object = document else { return nil }
    let error = document["error"]
    let words = [error?.string, error?["message"]?.string, document["message"]?.string].compactMap(\.self)
    message = words.first { $0.contains { !$0.isWhitespace } }
    isFailure = document["success"] == .bool(false)
    if message == nil, !isFailure { return nil }
  }

  /// As it follows a sentence of ours; empty where it says nothing.
  func quoted(hiding secrets: [Redaction]) -> String {
    message.flatMap { StaffText.clean($0, hiding: secrets) }.map { ": “\($0)”" } ?? ""
  }
}

/// How the booking service words what a box office is told.
struct BoxOfficeManner: DeskManner {
  /// The least that a limit of the service lasts, where it does not say for how long.
  private static let usualWait = "a quarter of an hour"

  /// Whether an answer may come from a cache.
  let mayBeCached: Bool

  func lacks(_ answer: HTTPAnswer) -> Bool { answer.status == 405 || answer.status == 404 && !isRefusal(answer) }

  func foreign(_ answer: HTTPAnswer, host: String) -> String? {
    guard !mayBeCached, answer.headers.has("Age"), answer.headers["Age"].flatMap({ Int64($0) }) != 0 else {
      return nil
    }
    let age = answer.headers["Age"].flatMap { StaffText.clean($0) } ?? ""
    return "\(host) did not answer itself: what came is from a cache on the way (Age: \(age)). Try again."
  }

  func isRefusal(_ answer: HTTPAnswer) -> Bool {
    (400...499).contains(answer.status) && answer.status != 408 && error(answer) != nil
  }

  func quoted(_ answer: HTTPAnswer, hiding secrets: [Redaction]) -> String {
    error(answer)?.quoted(hiding: secrets) ?? ""
  }

  func refusal(_ answer: HTTPAnswer, host: String, hiding secrets: [Redaction], words: ServerWords) -> String {
    let said = quoted(answer, hiding: secrets)
    let wait = answer.retryAfter.map { $0 <= .seconds(90) ? "\($0.milliseconds / 1_000 + 1) s" : $0.asAge }
    switch answer.status {
    case 401:
      return
        "\(host) does not know us (401)\(said). Sign in, with the right password, or again where the session has ended: "
        + "scangate booking sign-in"
    case 403: return "\(host) does not allow that (403)\(said)." + (wait.map { " Try again in \($0)." } ?? "")
    case 404: return "\(host) has nothing of that name (404)\(said)."
    case 409: return "\(host) cannot do that now (409)\(said). Somebody else may have been quicker: look again."
    case 429:
      return "\(host) gets more requests than it allows (429)\(said). Try again in \(wait ?? Self.usualWait)."
    default: return "\(host) does not take it (\(answer.status))\(said)."
    }
  }

  private func error(_ answer: HTTPAnswer) -> BoxOfficeError? {
    guard answer.isJSON, let document = try? JSONValue(answer.body) else { return nil }
    return BoxOfficeError(document)
  }
}
