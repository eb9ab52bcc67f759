import ScanTesting

extension SeededGenerator {
  /// A text with what is awkward in JSON, in headers and on terminals.
  mutating func text() -> String {
    let alphabet = Array("ab\"\\/\n\t é😀[]{},:\u{1}\u{7F}")
    return String(
      (0..<Int.random(in: 0...8, using: &self)).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &self)] })
  }
}
