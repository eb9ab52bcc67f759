internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// What the service says of an error: always a message, and for 422 a field and a code, which the document writes nested, and for a
/// link beside the message.
struct OfficeError: Equatable {
  let message: String
  let field: String?
  let code: String?

  /// Reads the body of an error; `nil` where it is none of the service's.
  init?(_ body: [UInt8]) {
    guard let document = Self.document(body), let message = document["message"]?.string else { return nil }
    var place = document
    if let error = document["error"], case .object = error { place = error }
    self.message = message
    field = place["field"]?.string
    code = place["code"]?.identifier
  }

  /// A handler that goes on after it has refused writes a second text behind the first, which is the one that counts.
  private static func document(_ body: [UInt8]) -> JSONValue? {
    if let document = try? JSONValue(body) { return document }
    guard let end = firstObject(body) else { return nil }
    return try? JSONValue([UInt8](body[..<end]))
  }

  /// Where the first object ends; `nil` where the body does not begin with one.
  private static func firstObject(_ body: [UInt8]) -> Int? {
    var (depth, inString, isEscaped) = (0, false, false)
    for (index, byte) in body.enumerated() {
      if inString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          inString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): inString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth <= 0 { return depth == 0 ? index + 1 : nil }
      default: break
      }
    }
    return nil
  }

  /// What is to be done about it, where that is known.
  var cure: String? {
    switch (field, code) {
    case ("iap_membership", "already_linked"), ("originalTxId", "linked_to_other_ftc"):
      "The subscription is an account's already: unlink it there first."
    case ("ftc_membership", "already_linked"): "The account has another subscription: unlink that one first."
    case ("ftcId", "linked_to_other_iap"):
      "The account has another subscription: unlink that one first, or put this one in its place with --force."
    case ("ftc_membership", "valid_non_iap"), ("ftcId", "has_valid_non_iap"):
      "The account has a membership that was not bought there and has not ended: a link would end it."
    case ("originalTxId", "already_expired"): "The subscription has ended. Was it renewed? scangate membership refresh"
    case ("status", "21007"): "It is a test account's receipt: ask the address for those (/api/sandbox)."
    case ("status", "21008"): "It is a customer's receipt: ask the address for those (/api/v1)."
    case ("status", "21002"), ("status", "21003"): "Is the file a receipt, and whole?"
    default: nil
    }
  }
}

/// How the subscription service words what an office is told.
struct OfficeManner: DeskManner {
  /// Whether the command has an option by which a user is named.
  let takesUser: Bool

  func lacks(_ answer: HTTPAnswer) -> Bool { answer.status == 405 || answer.status == 404 && !isRefusal(answer) }

  func foreign(_ answer: HTTPAnswer, host: String) -> String? { answer.cacheWords(host: host) }

  func isRefusal(_ answer: HTTPAnswer) -> Bool {
    (400...499).contains(answer.status) && answer.status != 408 && answer.isJSON && OfficeError(answer.body) != nil
  }

  func quoted(_ answer: HTTPAnswer, hiding secrets: [Redaction]) -> String {
    guard answer.isJSON, let error = OfficeError(answer.body) else { return "" }
    return Self.quoted(error, secrets)
  }

  private static func quoted(_ error: OfficeError, _ secrets: [Redaction]) -> String {
    StaffText.clean(error.message, hiding: secrets).map { ": “\($0)”" } ?? ""
  }

  func refusal(_ answer: HTTPAnswer, host: String, hiding secrets: [Redaction], words: ServerWords) -> String {
    guard let error = OfficeError(answer.body) else { return "\(host) refuses it (\(answer.status))." }
    let said = Self.quoted(error, secrets)
    switch answer.status {
    case 401, 403:
      let isToken = error.message.lowercased().contains("token")
      if isToken { return "\(host) does not take our access token (\(answer.status))\(said). \(words.keyCure)" }
      if answer.status == 403 { return "\(host) does not let our access token do that (403)\(said)." }
      return takesUser
        ? "\(host) wants to know whose (401)\(said). Say it with --user."
        : "\(host) does not let us do that (401)\(said). It may be the access token: \(words.keyCure)"
    case 404: return "\(host) has nothing of that name (404)\(said)."
    case 422:
      let place = [error.field, error.code].compactMap { $0.flatMap { StaffText.clean($0, hiding: secrets) } }
      return "\(host) does not take it (422)\(said)" + (place.isEmpty ? "." : ", \(place.joined(separator: "/")).")
        + (error.cure.map { " \($0)" } ?? "")
    case 429:
      return "\(host), or what stands before it, gets more requests than it allows (429). Try again in a minute."
    default: return "\(host) refuses it (\(answer.status))\(said)."
    }
  }
}
