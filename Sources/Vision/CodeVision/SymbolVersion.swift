/// What a QR code's version fixes (ISO/IEC 18004): its size, and what is in it whatever it says.
struct SymbolVersion: Equatable {
  /// 1 to 40.
  let number: Int

  /// The version of this number, the nearest that there is.
  init(number: Int) { self.number = max(1, min(40, number)) }

  /// The version of this many modules a side, the nearest that there is.
  init(nearest modules: Float) {
    self.init(number: modules.isFinite ? Int(((max(0, min(400, modules)) - 17) / 4).rounded()) : 1)
  }

  /// Modules a side: 21 to 177.
  var side: Int { 17 + 4 * number }

  /// Where the middles of alignment patterns are, across and down; the three in the corners of finder patterns do not exist.
  var alignment: [Int] {
    guard number > 1 else { return [] }
    let count = number / 7 + 2
    let last = side - 7
    // The distances are even and equal but for the first, which takes what is left.
    let step = number == 32 ? 26 : (number * 4 + count * 2 + 1) / (count * 2 - 2) * 2
    return [6] + (0..<count - 1).reversed().map { last - $0 * step }
  }

  /// The version's eighteen bits, with their correction; only from version 7 on.
  var bits: UInt32 {
    var remainder = UInt32(number)
    for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
    return UInt32(number) << 12 | remainder
  }

  /// The version whose bits differ least from these, in at most three places.
  init?(bits: UInt32) {
    for number in 7...40 {
      let version = SymbolVersion(number: number)
      if (version.bits ^ bits).nonzeroBitCount <= 3 {
        self = version
        return
      }
    }
    return nil
  }

  /// What a module is whatever the symbol says; `nil` where it says something, or tells the format.
  func fixed(column: Int, row: Int) -> Bool? {
    let last = side - 1
    for (x, y) in [(3, 3), (last - 3, 3), (3, last - 3)] {
      let ring = max(abs(column - x), abs(row - y))
      if ring <= 3 { return ring != 2 }
      if ring == 4 { return false }
    }
    if column == 8 && row == side - 8 { return true }
    if column == 6 { return row & 1 == 0 }
    if row == 6 { return column & 1 == 0 }
    if number >= 7 {
      // Three columns of six beside each of two finder patterns.
      if row < 6 && (side - 11..<side - 8).contains(column) {
        return bits >> UInt32(row * 3 + column - (side - 11)) & 1 == 1
      }
      if column < 6 && (side - 11..<side - 8).contains(row) {
        return bits >> UInt32(column * 3 + row - (side - 11)) & 1 == 1
      }
    }
    return nil
  }
}
