internal import WireText

/// What a sealed record has in it that could be a secret: tokens, keys and sessions lie beside addresses and names. Pure.
enum RecordStrings {
  /// From so many bytes on a text without blanks is taken for a secret, whatever it is called.
  private static let long = 16
  /// From so many on what is called so is one.
  private static let short = 4
  private static let names = ["key", "token", "secret", "password", "session", "cookie"]

  /// The texts of a record that could be secrets.
  /// - Returns: `nil` where the record is no JSON.
  static func secrets(in bytes: [UInt8]) -> [String]? {
    guard let document = try? JSONValue(bytes) else { return nil }
    var found: [String] = []
    gather(document, isCalledSo: false, into: &found)
    return found
  }

  private static func gather(_ value: JSONValue, isCalledSo: Bool, into found: inout [String]) {
    switch value {
    case .string(let text):
      let isLong = text.utf8.count >= long && !text.contains("://") && !text.contains(" ")
      if isLong || isCalledSo && text.utf8.count >= short { found.append(text) }
    case .array(let elements): for one in elements { gather(one, isCalledSo: isCalledSo, into: &found) }
    case .object(let members):
      for (name, member) in members {
        let small = name.lowercased()
        gather(member, isCalledSo: isCalledSo || names.contains { small.contains($0) }, into: &found)
      }
    case .null, .bool, .number: break
    }
  }
}
