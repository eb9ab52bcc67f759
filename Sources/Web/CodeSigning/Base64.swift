internal import FoundationEssentials

/// Base64 (RFC 4648, 4), strict: one text for each sequence of bytes; the padding may be left out, as pasting often does.
package enum Base64 {
  /// The text of `bytes`, padded.
  package static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// The bytes that `text` stands for; `nil` where it is not what `text(_:)` writes for any.
  package static func bytes(_ text: String) -> [UInt8]? {
    let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
    guard let bytes = Data(base64Encoded: text + padding) else { return nil }
    let whole = bytes.base64EncodedString()
    return text == whole || text == whole.prefix { $0 != "=" } ? [UInt8](bytes) : nil
  }
}
