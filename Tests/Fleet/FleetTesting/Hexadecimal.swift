extension [UInt8] {
  /// Bytes of hexadecimal digits, two each; what is none counts as 0.
  package init(hex: String) {
    let digits = Array<Character>(hex)
    self = stride(from: 0, to: digits.count, by: 2).map {
      UInt8(String(digits[$0..<Swift.min($0 + 2, digits.count)]), radix: 16) ?? 0
    }
  }

  /// Two digits each.
  package var hex: String {
    map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }
}
