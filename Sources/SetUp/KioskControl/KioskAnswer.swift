internal import WireText
internal import ScanModel
internal import TicketTransport

/// An answer of the kiosk service, taken out of whichever envelope it came in:
///
///     {"success":true,"data":{…},"timestamp":…}          the document
///     {…}                                                the real servers
///     {"success":false,"error":{"code":…,"message":…}}   the document's refusal
///     {"error":"…","errorCode":…}, {"message":"…"}       the real servers'
///
/// Pure. Everything in it that people see is cleaned, bounded, and without the secrets that it was made with.
struct KioskAnswer: Sendable {
  /// What the body is.
  enum Body: Sendable, Equatable {
    /// Nothing.
    case empty
    /// A JSON object: the whole of it, and what is in its envelope.
    case object(JSONValue, content: JSONValue)
    /// JSON, and no object; or an envelope with none in it.
    case otherJSON
    /// Says that it is JSON, and is not.
    case broken
    /// Says that it is something else, or nothing of itself.
    case notJSON
  }

  let status: Int
  let host: String
  let body: Body
  /// The code of an error in capital letters; empty where there is none.
  let code: String
  /// The text of an error in small letters, for telling errors apart; empty where there is none.
  let lowerText: String
  /// The text of an error, made fit for staff; `nil` where there is none.
  let shown: String?
  /// How the two clocks differ, in a sentence; empty where they agree.
  let clockWords: String
  private let retryAfter: Duration?

  /// Opens an answer of the service at `host`.
  /// - Parameter secrets: what the service's text must not show, should it repeat it.
  init(_ answer: HTTPAnswer, host: String, hiding secrets: [Redaction]) {
    status = answer.status
    self.host = host
    retryAfter = answer.retryAfter
    body = Self.open(answer)
    clockWords = Self.words(answer, host: host)
    guard case .object(let document, let content) = body else {
      (code, lowerText, shown) = ("", "", nil)
      return
    }
    let error = document["error"] ?? content["error"]
    func text(_ values: JSONValue?...) -> String { values.lazy.compactMap { $0?.string }.first { !$0.isEmpty } ?? "" }
    // Only what is compared: a code is short.
    code = String(text(error?["code"], document["errorCode"], document["code"]).prefix(64)).uppercased()
    let said = text(error?["message"], error, document["message"], content["message"])
    lowerText = String(said.prefix(StaffText.longest)).lowercased()
    // A token that it gives just now is as secret as one that we showed it.
    let given = [document["token"], content["token"]].compactMap { $0?.string }.filter { $0.utf8.count >= 4 }
    shown = StaffText.clean(said, hiding: secrets + given.map { Redaction($0, shownAs: "(token)") })
  }

  /// Whether the status says that it went well.
  var isSuccess: Bool { (200...299).contains(status) }

  /// What is in the envelope of an answer that went well and is an object that takes nothing back; `nil` otherwise.
  var content: JSONValue? {
    guard isSuccess, case .object(_, let content) = body, !saysNo else { return nil }
    return content
  }

  /// Whether the body says that it did not go well, whatever the status says.
  var saysNo: Bool {
    guard case .object(let document, let content) = body else { return false }
    func isNo(_ value: JSONValue?) -> Bool { value != nil && value != .null && value != .bool(true) }
    if isNo(document["success"]) || isNo(content["success"]) { return true }
    guard let error = document["error"], error != .null else { return false }
    // Beside a clear yes, an empty text is none; any other one contradicts it.
    return document["success"] != .bool(true) || error != .string("")
  }

  private static func open(_ answer: HTTPAnswer) -> Body {
    guard !answer.body.isEmpty else { return .empty }
    guard answer.isJSON else { return .notJSON }
    guard let document = try? JSONValue(answer.body) else { return .broken }
    guard case .object = document else { return .otherJSON }
    switch document["data"] {
    case nil, .null?: return .object(document, content: document)
    case .object(let members)?: return .object(document, content: .object(members))
    default: return .otherJSON
    }
  }

  // MARK: Faults

  /// Why an answer that is not what was asked for is none.
  /// - Parameters:
  ///   - what: what was asked, as it follows “to” (`the question for its health`).
  ///   - isOfStation: whether “not found” can mean this station, rather than the place.
  func fault(_ what: String, isOfStation: Bool = true) -> ControlFault {
    if status == 404, !isOfStation {
      return ControlFault(
        .unknown, "\(host) has no place for \(what) (404)\(quoted) Is this the control service's address?",
        status: status)
    }
    let (kind, words) = judged(what)
    return ControlFault(kind, words, status: status, retryAfter: retryAfter)
  }

  /// What kind of fault an error's code names; `nil` where it is not known.
  private var kindOfCode: ControlFaultKind? {
    func has(_ parts: String...) -> Bool { parts.contains { code.contains($0) } }
    if has("TOKEN", "UNAUTHORI", "AUTHENTICATION", "FORBIDDEN") { return .authentication }
    if has("KIOSK_NOT_FOUND", "UNKNOWN_KIOSK", "NOT_REGISTERED", "INVALID_KIOSK", "CONFIG") { return .configuration }
    if has("TOO_MANY", "RATE_LIMIT", "INTERNAL", "SERVER_ERROR", "UNAVAILABLE", "STARTING") { return .server }
    return nil
  }

  /// The service's text as it follows a sentence of ours.
  var quoted: String { shown.map { ": “\($0)”." } ?? "." }

  private func judged(_ what: String) -> (ControlFaultKind, String) {
    switch status {
    case 401, 403: return (.authentication, refusedToken)
    case 404:
      return (
        .configuration,
        "\(host) answered \(what) that it is not known there (404)\(quoted) Check the address, and whether this station is "
          + "registered: scangate kiosk register."
      )
    case 408: return (.network, "\(host) did not get the whole of our request in time (408)\(quoted)")
    case 429: return (.server, "\(host) gets more requests than it allows (429)\(quoted)")
    case 500...599: return (.server, "\(host) is out of order (\(status))\(quoted)")
    case 300...399:
      return (
        .unknown,
        "\(host) wants to send us elsewhere (\(status)); nothing follows. The address in the configuration must be the final one."
      )
    case 200...299: return judgedSuccess(what)
    default:
      if kindOfCode == .authentication { return (.authentication, refusedToken) }
      return (kindOfCode ?? .unknown, "\(host) answered \(status) to \(what)\(quoted)")
    }
  }

  private var refusedToken: String {
    "\(host) does not accept this station's token (\(status))\(quoted)\(clockWords) If it stays so, activate the station again: "
      + "scangate kiosk activate --again."
  }

  /// A good status with a body that is not good.
  private func judgedSuccess(_ what: String) -> (ControlFaultKind, String) {
    switch body {
    case .empty: return (.unknown, "\(host) answered \(what) with nothing.")
    case .notJSON:
      return (
        .unknown, "\(host) answered \(what) with something else than JSON. Is this the control service's address?"
      )
    case .broken: return (.unknown, "\(host) answered \(what) with JSON that cannot be read.")
    case .otherJSON: return (.unknown, "\(host) answered \(what) with something else than an object.")
    case .object:
      guard saysNo else { return (.unknown, "\(host) answered \(what) with an object that does not say so.") }
      if kindOfCode == .authentication { return (.authentication, refusedToken) }
      return (kindOfCode ?? .unknown, "\(host) said no to \(what)\(quoted)")
    }
  }

  private static func words(_ answer: HTTPAnswer, host: String) -> String {
    guard answer.isClockWrong, let ahead = answer.clockAhead else { return "" }
    let minutes = abs(ahead.milliseconds / 60_000)
    let difference = minutes < 120 ? "\(minutes) min" : "\((minutes + 30) / 60) h"
    return
      " This machine's clock is \(difference) \(ahead > .zero ? "ahead of" : "behind") that of \(host): set it first."
  }
}
