internal import FoundationEssentials

/// Identifiers as servers spell them: events, ticket types and the venue of an event are told in base64 of the number and an offset,
/// all else by the number itself.
enum PublicID {
  private static let offset: Int64 = 389_278

  /// The number behind an identifier, in either spelling; `nil` for one of another kind, which is compared as it is.
  static func number(_ text: String) -> Int64? {
    if let number = plain(text) { return number }
    let padded = text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard text.utf8.count <= 32, let data = Data(base64Encoded: padded),
      let number = plain(String(decoding: data, as: UTF8.self)), number > offset
    else { return nil }
    return number - offset
  }

  /// The base64 spelling of a number; of anything else, itself.
  static func encoded(_ text: String) -> String {
    guard let number = plain(text) else { return text }
    return Data("\(number + offset)".utf8).base64EncodedString()
  }

  /// Whether both name the same.
  static func areSame(_ one: String, _ other: String) -> Bool {
    if one == other { return true }
    guard let one = number(one), let other = number(other) else { return false }
    return one == other
  }

  /// At most 15 digits: nothing that is added to it overflows.
  private static func plain(_ text: String) -> Int64? {
    guard (1...15).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), !text.hasPrefix("0")
    else { return nil }
    return Int64(text)
  }
}
