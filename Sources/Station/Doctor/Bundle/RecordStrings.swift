internal import WireText

/// What a sealed record has in it that could be a secret: tokens, keys and sessions lie beside addresses and names, and none is told from
/// the other by its place. Pure.
enum RecordStrings {
  /// What is shorter is a word.
  private static let shortest = 12

  /// The texts of a record that are no addresses, and of some length.
  /// - Returns: `nil` where the record is no JSON.
  static func secrets(in bytes: [UInt8]) -> [String]? {
    guard let document = try? JSONValue(bytes) else { return nil }
    var found: [String] = []
    gather(document, into: &found)
    return found
  }

  private static func gather(_ value: JSONValue, into found: inout [String]) {
    switch value {
    case .string(let text): if isSecret(text) { found.append(text) }
    case .array(let elements): for one in elements { gather(one, into: &found) }
    case .object(let members): for one in members.values { gather(one, into: &found) }
    case .null, .bool, .number: break
    }
  }

  private static func isSecret(_ text: String) -> Bool {
    text.utf8.count >= shortest && !text.contains("://") && !text.contains(" ")
  }
}
