/// Bytes as the standards write them: digits of base 16, with spaces wherever they like.
func hex(_ digits: String) -> [UInt8] {
  let digits = digits.compactMap(\.hexDigitValue)
  return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// All the ways to turn one bit.
func withOneBitTurned(_ bytes: [UInt8]) -> [[UInt8]] {
  (0..<(bytes.count * 8)).map { bit in
    var turned = bytes
    turned[bit / 8] ^= 1 << UInt8(bit % 8)
    return turned
  }
}
