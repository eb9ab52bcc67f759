/// What the parts of an activation code look like, in whatever form it comes.
enum ActivationText {
  /// For whoever makes codes.
  static let rule =
    "An activation code has 4 to 32 letters, digits and dashes; a kiosk's identifier 1 to 64 letters, digits and - . _ :"

  /// Whether `text` can be a code: 4 to 32 letters, digits and dashes, and not dashes alone.
  static func isCode(_ text: String) -> Bool {
    (4...32).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.lowercased.isSmallLetter || $0.isDigit || $0 == UInt8(ascii: "-") }
      && text.utf8.contains { $0 != UInt8(ascii: "-") }
  }

  /// Whether `text` can be what a service calls a kiosk.
  static func isKioskID(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { $0.lowercased.isSmallLetter || $0.isDigit || "-._:".utf8.contains($0) }
  }

  /// What a caps lock makes of a text, and of that the text again.
  static func turned(_ text: String) -> String {
    String(decoding: text.utf8.map { $0.isSmallLetter ? $0 - 0x20 : $0.lowercased }, as: UTF8.self)
  }
}
