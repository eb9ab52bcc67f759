@testable import CodeVision

/// Bytes of a symbol → text.
func fuzzText(_ input: inout FuzzInput) {
  let bytes = input.remainder()
  let text = TextDecision.text(bytes)
  property(String(validating: Array(text.utf8), as: UTF8.self) == text, "a text is UTF-8")
  property(
    bytes.isEmpty == text.isEmpty || bytes.count <= 3, "of bytes there is a text, but of a mark of byte order alone")
  if let own = String(validating: bytes, as: UTF8.self), !bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
    property(Array(text.utf8) == Array(own.utf8), "UTF-8 is itself")
  }
  property(text.unicodeScalars.count <= bytes.count, "no character of less than a byte")
  let plain = bytes.map { $0 & 0x7F }
  property(Array(TextDecision.text(plain).utf8) == plain, "ASCII is itself")
}
