/// Where bars are likely: a region of blocks whose gradients agree on a direction.
struct LinearRegion {
  /// Centre, in pixels.
  var x: Float
  var y: Float
  /// Unit vector across the bars, along which a line has to be read.
  var alongX: Float
  var alongY: Float
  /// From the centre to both ends across the bars, in pixels.
  var halfLength: Float
  /// From the centre to both ends along the bars, in pixels.
  var halfHeight: Float
  /// Sum of what the blocks agree on: the more, the likelier.
  var energy: Float
}

/// Finds regions of parallel bars at any rotation, by the structure tensor of blocks.
///
/// Of each block three sums are made over the diagonal differences `a` and `b` of 2 x 2 pixels: aa, bb and ab. They give the mean
/// direction of the gradient (twice its angle has the cosine 2ab and the sine aa - bb) and how far the block agrees on it. Noise adds
/// the same to aa and bb and nothing to ab, so it moves no direction; what it adds to their sum is taken from the quietest quarter.
final class LinearFinder {
  /// Regions at most.
  static let most = 8

  /// Edge of a block in pixels.
  private(set) var block = 16
  private var columns = 0
  private var rows = 0

  private struct Block {
    /// aa + bb.
    var total: Float = 0
    /// Twice the gradient's angle, as a vector as long as what the block agrees on.
    var cosine: Float = 0
    var sine: Float = 0
    var strength: Float = 0
    var isBars = false
  }

  private let blocks = PixelBuffer(filledWith: Block())
  private let stack = PixelBuffer<Int32>(filledWith: 0)
  private let members = PixelBuffer<Int32>(filledWith: 0)
  private let histogram = PixelBuffer<Int32>(filledWith: 0)
  private(set) var regions: [LinearRegion] = []

  init() { regions.reserveCapacity(Self.most + 1) }

  /// Finds the regions of a picture, the likeliest first.
  func find(_ image: GreyImage) {
    regions.removeAll(keepingCapacity: true)
    block = image.width >= 2_000 ? 32 : 16
    columns = (image.width - 1) / block
    rows = (image.height - 1) / block
    guard columns >= 2, rows >= 2 else { return }
    sum(image, rowStep: image.width >= 1_000 ? 4 : 2)
    mark()
    fill()
  }

  /// The three sums of each block. Reads pixels of the columns to `columns * block` and the rows to `rows * block`, both inside.
  private func sum(_ image: GreyImage, rowStep: Int) {
    let blocks = blocks.reserve(columns * rows)
    let scale = Float(rowStep) / Float(block * block)
    for row in 0..<rows {
      for column in 0..<columns {
        var aa: Int32 = 0
        var bb: Int32 = 0
        var ab: Int32 = 0
        var upper = image.pixels + (row * block * image.stride + column * block)
        var line = 0
        while line < block {
          let lower = upper + image.stride
          var x = 0
          while x < block {
            Self.add(upper + x, lower + x, &aa, &bb, &ab)
            x &+= 16
          }
          upper += rowStep &* image.stride
          line &+= rowStep
        }
        let cosine = 2 * Float(ab) * scale
        let sine = Float(aa &- bb) * scale
        blocks[row * columns + column] = Block(
          total: Float(aa &+ bb) * scale, cosine: cosine, sine: sine,
          strength: (cosine * cosine + sine * sine).squareRoot())
      }
    }
  }

  /// Adds the products of 16 pixels; written so that it becomes vector instructions.
  @inline(__always)
  private static func add(
    _ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>, _ aa: inout Int32, _ bb: inout Int32,
    _ ab: inout Int32
  ) {
    var i = 0
    while i < 16 {
      let a = Int32(lower[i &+ 1]) &- Int32(upper[i])
      let b = Int32(upper[i &+ 1]) &- Int32(lower[i])
      aa &+= a &* a
      bb &+= b &* b
      ab &+= a &* b
      i &+= 1
    }
  }

  /// Decides which blocks are bars.
  private func mark() {
    let count = columns * rows
    let blocks = blocks.reserve(count)
    let floor = quietest(count)
    for index in 0..<count {
      let total = max(blocks[index].total - floor, 1)
      blocks[index].isBars =
        blocks[index].strength > Self.leastStrength && blocks[index].strength > total * Self.leastCoherence
    }
  }

  /// What a block agrees on, in squared grey values a pixel, to be bars.
  static let leastStrength: Float = 60
  /// The share of its gradient that does.
  static let leastCoherence: Float = 0.5
  /// The cosine of twice the angle by which neighbours may differ.
  static let leastAgreement: Float = 0.7

  /// The 25th percentile of the blocks' sums, to a quarter of a power of two.
  private func quietest(_ count: Int) -> Float {
    let blocks = blocks.reserve(count)
    let histogram = histogram.reserve(80)
    for slot in 0..<80 { histogram[slot] = 0 }
    for index in 0..<count {
      // The exponent and the two highest bits of the fraction are the logarithm, near enough.
      let slot = Int(max(blocks[index].total, 1).bitPattern >> 21) &- (127 << 2)
      histogram[min(slot, 79)] += 1
    }
    var seen: Int32 = 0
    for slot in 0..<80 {
      seen += histogram[slot]
      if Int(seen) * 4 >= count { return Float(bitPattern: UInt32((127 << 2) + slot) << 21) }
    }
    return 0
  }

  /// Joins neighbouring blocks of one direction to regions.
  private func fill() {
    let count = columns * rows
    let blocks = blocks.reserve(count)
    let stack = stack.reserve(count)
    let members = members.reserve(count)
    for start in 0..<count where blocks[start].isBars {
      blocks[start].isBars = false
      stack[0] = Int32(start)
      var depth = 1
      var size = 0
      var cosine: Float = 0
      var sine: Float = 0
      while depth > 0 {
        depth &-= 1
        let index = Int(stack[depth])
        members[size] = Int32(index)
        size &+= 1
        let here = blocks[index]
        cosine += here.cosine
        sine += here.sine
        let column = index % columns
        let row = index / columns
        for dy in -1...1 {
          for dx in -1...1 where column + dx >= 0 && column + dx < columns && row + dy >= 0 && row + dy < rows {
            let next = index + dy * columns + dx
            guard blocks[next].isBars else { continue }
            let agreement = here.cosine * blocks[next].cosine + here.sine * blocks[next].sine
            guard agreement > Self.leastAgreement * here.strength * blocks[next].strength else { continue }
            blocks[next].isBars = false
            stack[depth] = Int32(next)
            depth &+= 1
          }
        }
      }
      add(members: size, cosine: cosine, sine: sine)
    }
  }

  /// Makes a region of the first `size` members, if it can be a code.
  private func add(members size: Int, cosine: Float, sine: Float) {
    guard size >= 3 else { return }
    let strength = (cosine * cosine + sine * sine).squareRoot()
    guard strength > 0 else { return }
    // Half the angle, by its cosine and sine.
    let alongX = ((1 + cosine / strength) / 2).squareRoot()
    let alongY = (((1 - cosine / strength) / 2).squareRoot()) * (sine < 0 ? -1 : 1)
    let edge = Float(block)
    let members = members.reserve(size)
    var least = (along: Float.infinity, across: Float.infinity)
    var most = (along: -Float.infinity, across: -Float.infinity)
    for member in 0..<size {
      let x = (Float(Int(members[member]) % columns) + 0.5) * edge
      let y = (Float(Int(members[member]) / columns) + 0.5) * edge
      let along = x * alongX + y * alongY
      let across = y * alongX - x * alongY
      least = (min(least.along, along), min(least.across, across))
      most = (max(most.along, along), max(most.across, across))
    }
    let length = most.along - least.along + edge
    let height = most.across - least.across + edge
    // The edge of a table or of a letter is coherent as well, but short across its direction.
    guard length >= 3 * edge, Float(size) * edge * edge > 0.25 * length * height else { return }
    let along = (most.along + least.along) / 2
    let across = (most.across + least.across) / 2
    let region = LinearRegion(
      x: along * alongX - across * alongY, y: along * alongY + across * alongX, alongX: alongX, alongY: alongY,
      halfLength: length / 2, halfHeight: height / 2, energy: strength)
    let place = regions.firstIndex { $0.energy < region.energy } ?? regions.count
    guard place < Self.most else { return }
    regions.insert(region, at: place)
    if regions.count > Self.most { regions.removeLast() }
  }
}
