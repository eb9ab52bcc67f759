/// Where black ends and white begins, for each block of 8 by 8 pixels: light falls unevenly on paper and screens. No binary picture is
/// ever made: who wants a pixel compares it when they look at it.
final class ThresholdMap {
  /// Blocks in a row.
  private(set) var across = 0
  /// Rows of blocks.
  private(set) var down = 0

  private let weights = PixelBuffer<UInt32>(filledWith: 0)
  private let levels = PixelBuffer<UInt32>(filledWith: 0)
  private let floors = PixelBuffer<UInt8>(filledWith: 0)
  private let thresholds = PixelBuffer<UInt8>(filledWith: 0)
  private let sums = PixelBuffer<UInt32>(filledWith: 0)

  /// Up to this range of brightness a block shows one thing only, and noise; and so much more is as good as any.
  private static let flatRange: UInt32 = 12
  private static let fullRange: UInt32 = 48
  /// What 25 blocks must weigh together to tell a threshold.
  private static let leastWeight: UInt32 = 24

  /// Elements that are kept.
  var capacity: Int { weights.capacity + levels.capacity + floors.capacity + thresholds.capacity + sums.capacity }

  /// Measures a picture of 8 by 8 pixels or more; thresholds of its blocks, row by row, valid until the next call.
  func measure(_ image: GreyImage) -> UnsafePointer<UInt8> {
    across = (image.width + 7) / 8
    down = (image.height + 7) / 8
    let count = across * down
    let weights = weights.reserve(count)
    let levels = levels.reserve(count)
    let floors = floors.reserve(count)
    for row in 0..<down { measureBlocks(row, of: image, weights, levels, floors) }
    return UnsafePointer(smooth(weights, levels, floors))
  }

  /// Two blocks at a time. A block that would reach over an edge lies inside it: it shares pixels with its neighbour.
  private func measureBlocks(
    _ row: Int, of image: GreyImage, _ weights: UnsafeMutablePointer<UInt32>, _ levels: UnsafeMutablePointer<UInt32>,
    _ floors: UnsafeMutablePointer<UInt8>
  ) {
    let top = min(row * 8, image.height - 8)
    let base = UnsafeRawPointer(image.pixels + top * image.stride)
    let last = image.width - 8
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
        let darkest = UInt32(half == 0 ? lows.0 : lows.1)
        let brightest = UInt32(half == 0 ? highs.0 : highs.1)
        let mean = UInt32(truncatingIfNeeded: totals[half] >> 6)
        let range = brightest &- darkest
        let place = row * across + column + half
        // What shows one thing only tells nothing; what shows two tells it the better, the more they differ, up to a point.
        let weight = range <= Self.flatRange ? 0 : min(range &- Self.flatRange, Self.fullRange)
        weights[place] = weight
        levels[place] = weight &* mean
        floors[place] = UInt8(truncatingIfNeeded: darkest)
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

  /// The mean of 5 by 5 blocks, each by its weight; at edges of the nearest five that are all inside. Where nothing tells, all is white.
  private func smooth(
    _ weights: UnsafeMutablePointer<UInt32>, _ levels: UnsafeMutablePointer<UInt32>,
    _ floors: UnsafeMutablePointer<UInt8>
  ) -> UnsafeMutablePointer<UInt8> {
    let count = across * down
    let out = thresholds.reserve(count)
    let sums = sums.reserve(2 * count)
    let (weightSums, levelSums) = (sums, sums + count)
    let wide = min(5, across)
    let tall = min(5, down)
    for row in 0..<down {
      for column in 0..<across {
        let first = row * across + max(0, min(column - 2, across - 5))
        var weight: UInt32 = 0
        var level: UInt32 = 0
        for index in first..<(first + wide) {
          weight &+= weights[index]
          level &+= levels[index]
        }
        weightSums[row * across + column] = weight
        levelSums[row * across + column] = level
      }
    }
    for row in 0..<down {
      let first = max(0, min(row - 2, down - 5))
      for column in 0..<across {
        var weight: UInt32 = 0
        var level: UInt32 = 0
        for index in first..<(first + tall) {
          weight &+= weightSums[index * across + column]
          level &+= levelSums[index * across + column]
        }
        let place = row * across + column
        out[place] = weight < Self.leastWeight ? floors[place] / 2 : UInt8(truncatingIfNeeded: level / weight)
      }
    }
    return out
  }
}
