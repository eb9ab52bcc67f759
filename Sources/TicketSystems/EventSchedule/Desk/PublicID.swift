internal import FoundationEssentials

/// Identifiers as servers spell them: events, ticket types and the venue of an event are told in base64 of the number and an offset,
/// all else by the number itself. What they have in common is `EventID`'s to say.
enum PublicID {
  /// The number behind an identifier, in either spelling; `nil` for one of another kind, which is compared as it is.
  static func number(_ text: String) -> Int64? { EventID(text).number }

  /// The base64 spelling of a number; of anything else, itself.
  static func encoded(_ text: String) -> String {
    guard let number = number(text), text == "\(number)" else { return text }
    return Data("\(number + EventID.added)".utf8).base64EncodedString()
  }

  /// Whether both name the same.
  static func areSame(_ one: String, _ other: String) -> Bool { EventID(one) == EventID(other) }
}
