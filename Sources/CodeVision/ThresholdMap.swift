/// Where black ends and white begins, for each block of 8 by 8 pixels: light falls unevenly on paper and screens. No binary picture is
/// ever made: who wants a pixel compares it when they look at it.
final class ThresholdMap {
  /// Blocks in a row.
  private(set) var across = 0
  /// Rows of blocks.
  private(set) var down = 0

  private let levels = PixelBuffer<UInt8>(filledWith: 0)
  private let thresholds = PixelBuffer<UInt8>(filledWith: 0)
  private let sums = PixelBuffer<UInt16>(filledWith: 0)

  /// Below this range of brightness a block shows one thing only, and noise.
  private static let flatRange = 24

  /// Measures a picture of 8 by 8 pixels or more; thresholds of its blocks, row by row, valid until the next call.
  func measure(_ image: GreyImage) -> UnsafePointer<UInt8> {
    across = (image.width + 7) / 8
    down = (image.height + 7) / 8
    let levels = levels.reserve(across * down)
    for row in 0..<down { measureBlocks(row, of: image, into: levels) }
    return UnsafePointer(smooth(levels))
  }

  /// Two blocks at a time. A block that would reach over an edge lies inside it: it shares pixels with its neighbour.
  private func measureBlocks(_ row: Int, of image: GreyImage, into levels: UnsafeMutablePointer<UInt8>) {
    let top = min(row * 8, image.height - 8)
    let base = UnsafeRawPointer(image.pixels + top * image.stride)
    let last = image.width - 8
    let out = levels + row * across
    var column = 0
    while column < across {
      let left = min(column * 8, last)
      let right = min(column * 8 + 8, last)
      var low = SIMD16<UInt8>(repeating: 255)
      var high = SIMD16<UInt8>(repeating: 0)
      var sum = SIMD8<UInt16>(repeating: 0)
      for line in 0..<8 {
        let start = base + line * image.stride
        let words = SIMD2<UInt64>(
          (start + left).loadUnaligned(as: UInt64.self), (start + right).loadUnaligned(as: UInt64.self))
        let bytes = unsafeBitCast(words, to: SIMD16<UInt8>.self)
        low = low.replacing(with: bytes, where: bytes .< low)
        high = high.replacing(with: bytes, where: bytes .> high)
        let pairs = unsafeBitCast(words, to: SIMD8<UInt16>.self)
        sum = sum &+ (pairs & 0xFF) &+ (pairs &>> 8)
      }
      let lows = fold(low) { $0.replacing(with: $1, where: $1 .< $0) }
      let highs = fold(high) { $0.replacing(with: $1, where: $1 .> $0) }
      // Four sums of 16 bits in each half; 64 pixels of 255 fit.
      let totals = (unsafeBitCast(sum, to: SIMD2<UInt64>.self) &* 0x0001_0001_0001_0001) &>> 48
      for half in 0..<min(2, across - column) {
        let place = column + half
        let darkest = Int(half == 0 ? lows.0 : lows.1)
        let brightest = Int(half == 0 ? highs.0 : highs.1)
        var level = Int(totals[half] >> 6)
        if brightest - darkest <= Self.flatRange {
          // One thing only: white, unless its neighbours, which show more, call it black.
          level = darkest / 2
          if row > 0 && place > 0 {
            let around = (Int(out[place - across]) + 2 * Int(out[place - 1]) + Int(out[place - across - 1])) / 4
            if darkest < around { level = around }
          }
        }
        out[place] = UInt8(truncatingIfNeeded: level)
      }
      column += 2
    }
  }

  /// The first of eight lanes, of each half, after all eight were combined.
  @inline(__always)
  private func fold(
    _ lanes: SIMD16<UInt8>, _ combine: (SIMD16<UInt8>, SIMD16<UInt8>) -> SIMD16<UInt8>
  ) -> (UInt8, UInt8) {
    var lanes = lanes
    for shift in [32, 16, 8] as [UInt64] {
      let shifted = unsafeBitCast(lanes, to: SIMD2<UInt64>.self) &>> SIMD2(repeating: shift)
      lanes = combine(lanes, unsafeBitCast(shifted, to: SIMD16<UInt8>.self))
    }
    return (lanes[0], lanes[8])
  }

  /// The mean of 5 by 5 blocks, or of what there is; at edges of the nearest five that are all inside.
  private func smooth(_ levels: UnsafeMutablePointer<UInt8>) -> UnsafeMutablePointer<UInt8> {
    let out = thresholds.reserve(across * down)
    let sums = sums.reserve(across * down)
    let wide = min(5, across)
    let tall = min(5, down)
    for row in 0..<down {
      let from = levels + row * across
      let to = sums + row * across
      for column in 0..<across {
        let first = max(0, min(column - 2, across - 5))
        var sum: UInt16 = 0
        for index in first..<(first + wide) { sum &+= UInt16(from[index]) }
        to[column] = sum
      }
    }
    let count = UInt32(wide * tall)
    // Exact for sums up to 25 × 255.
    let reciprocal = (65_536 + count - 1) / count
    for row in 0..<down {
      let first = max(0, min(row - 2, down - 5))
      let to = out + row * across
      for column in 0..<across {
        var sum: UInt32 = 0
        for index in first..<(first + tall) { sum &+= UInt32(sums[index * across + column]) }
        to[column] = UInt8(truncatingIfNeeded: min(255, (sum &* reciprocal) &>> 16))
      }
    }
    return out
  }
}
