/// A hash that is the same in every process and on every machine (FNV-1a, 64 bits): for names of files and descriptors, and
/// to find damage. No protection against somebody who means it.
package enum StableHash {
  /// The hash of bytes.
  package static func of(_ bytes: some Sequence<UInt8>) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// The hash of a text's UTF-8 as 16 hexadecimal digits.
  package static func digits(_ text: String) -> String { String(of(text.utf8), digits: 16, radix: 16) }
}

extension String {
  /// A whole number that is not negative, with so many digits at least.
  package init(_ value: some BinaryInteger, digits: Int, radix: Int = 10, uppercase: Bool = false) {
    let text = String(value, radix: radix, uppercase: uppercase)
    self = String(repeating: "0", count: Swift.max(0, digits - text.utf8.count)) + text
  }
}
