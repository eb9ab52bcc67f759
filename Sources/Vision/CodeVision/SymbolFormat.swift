/// The format of a symbol, told twice beside its finder patterns: of no interest to us but for how unlike any it is, since what no
/// format resembles is no symbol.
enum SymbolFormat {
  /// The 32 that there are: five bits, their correction, and a mask.
  private static let all: [UInt32] = (0..<32).map { data in
    var remainder = UInt32(data)
    for _ in 0..<10 { remainder = remainder << 1 ^ (remainder >> 9) * 0x537 }
    return (UInt32(data) << 10 | remainder) ^ 0x5412
  }

  /// In how many of thirty bits the symbol is unlike the nearest format; one of the two may be destroyed. `samples` are its modules, row by row, black above 0.
  static func distance(_ samples: UnsafePointer<Float>, side: Int, isMirrored: Bool) -> Int {
    func bit(_ column: Int, _ row: Int) -> UInt32 {
      samples[isMirrored ? column * side + row : row * side + column] > 0 ? 1 : 0
    }
    var first: UInt32 = 0
    var second: UInt32 = 0
    for index in 0..<15 {
      switch index {
      case 0...5: first |= bit(8, index) << UInt32(index)
      case 6, 7: first |= bit(8, index + 1) << UInt32(index)
      case 8: first |= bit(7, 8) << 8
      default: first |= bit(14 - index, 8) << UInt32(index)
      }
      second |= (index < 8 ? bit(side - 1 - index, 8) : bit(8, side - 15 + index)) << UInt32(index)
    }
    return all.reduce(30) { nearest, format in
      let distances = ((format ^ first).nonzeroBitCount, (format ^ second).nonzeroBitCount)
      return min(nearest, distances.0 + distances.1, 4 + 4 * min(distances.0, distances.1))
    }
  }
}
