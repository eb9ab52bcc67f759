internal import ScanModel

/// How a strip of a region is sampled.
struct StripLook: Equatable {
  /// What is done to each line.
  enum Filter: Equatable {
    /// So much of the difference to the mean of so many samples each way is added.
    case sharpen(amount: Float, radius: Int)
    /// Black below the mean of so many samples each way, white above it.
    case threshold(radius: Int)

    var isThreshold: Bool { if case .threshold = self { true } else { false } }
  }

  /// Lines, spread over the bars' height.
  var lines: Int
  /// Samples along the bars that a line is the mean of; odd.
  var taps: Int
  /// Pixels from one sample of a line to the next.
  var step: Float
  var filter: Filter?
}

/// Straightens a region: lines across the bars become rows, whatever the bars' direction, and noise is averaged along the bars.
final class StripSampler {
  /// Samples in a line at most; what is longer is sampled more coarsely.
  static let longest = 2_400

  /// Rows that a line of the strip takes; only the last of them is meant to be read. With a density of 1, zbar would drop EAN that
  /// fewer than four lines read: we count ourselves, and over several looks.
  static let rowsPerLine = 2

  /// The row to read of a line.
  static func row(ofLine line: Int) -> Int { rowsPerLine * line + rowsPerLine - 1 }

  private let pixels = PixelBuffer<UInt8>(filledWith: 128)
  private let sums = PixelBuffer<Int32>(filledWith: 0)
  private var width = 0
  private var lines = 0

  /// The strip of a region, valid until the next one. Every place is clamped into the picture, so a region may reach beyond it.
  /// `nil` in a picture of less than 2 by 2 pixels.
  func sample(_ image: GreyImage, _ region: LinearRegion, _ look: StripLook) -> GreyImage? {
    guard image.width >= 2, image.height >= 2, look.lines > 0 else { return nil }
    guard region.halfLength > 0, region.halfLength < 1e5, region.halfHeight < 1e5, abs(region.x) < 1e5,
      abs(region.y) < 1e5
    else { return nil }
    let step = max(look.step, 2 * region.halfLength / Float(Self.longest))
    width = max(16, Int(2 * region.halfLength / step))
    lines = look.lines
    let (ax, ay) = (region.alongX, region.alongY)
    let start = -0.5 * step * Float(width - 1)
    let pitch = lines > 1 ? 2 * region.halfHeight / Float(lines - 1) : 0
    let rows = pixels.reserve(width * lines * Self.rowsPerLine)
    let sums = sums.reserve(width)
    for line in 0..<lines {
      for i in 0..<width { sums[i] = 0 }
      for tap in 0..<look.taps {
        let across = Float(line) * pitch - (lines > 1 ? region.halfHeight : 0) + Float(tap) - Float(look.taps - 1) / 2
        Self.add(
          image, to: sums, count: width, x: region.x + ax * start - ay * across, y: region.y + ay * start + ax * across,
          stepX: ax * step, stepY: ay * step)
      }
      write(sums, to: rows + Self.row(ofLine: line) * width, look)
    }
    return GreyImage(inside: rows, width: width, height: lines * Self.rowsPerLine, stride: width)
  }

  /// How often the strip's lines change between dark and light, at most: bars do so more often than anything else.
  ///
  /// Of three lines; what changes by less than a fifth of the line's range is noise.
  func alternations() -> Int {
    let rows = pixels.reserve(width * lines * Self.rowsPerLine)
    var most = 0
    for share in 1...3 {
      most = max(most, Self.alternations(rows + Self.row(ofLine: lines * share / 4) * width, count: width))
    }
    return most
  }

  private static func alternations(_ row: UnsafeMutablePointer<UInt8>, count: Int) -> Int {
    var least: UInt8 = 255
    var greatest: UInt8 = 0
    for i in 0..<count {
      least = min(least, row[i])
      greatest = max(greatest, row[i])
    }
    guard greatest > least, greatest &- least > 8 else { return 0 }
    let swing = Int16(max(6, (greatest &- least) / 5))
    var changes = 0
    var isRising = false
    var extreme = Int16(row[0])
    for i in 0..<count {
      let value = Int16(row[i])
      if isRising {
        if value > extreme {
          extreme = value
        } else if value < extreme &- swing {
          (isRising, extreme, changes) = (false, value, changes &+ 1)
        }
      } else if value < extreme {
        extreme = value
      } else if value > extreme &+ swing {
        (isRising, extreme, changes) = (true, value, changes &+ 1)
      }
    }
    return changes
  }

  /// Adds one line of bilinear samples (times 256) to `sums`.
  private static func add(
    _ image: GreyImage, to sums: UnsafeMutablePointer<Int32>, count: Int, x: Float, y: Float, stepX: Float, stepY: Float
  ) {
    // In 1/65536 pixels; clamped to leave a right and a lower neighbour inside the picture.
    let mostX = (image.width - 2) << 16 | 0xFFFF
    let mostY = (image.height - 2) << 16 | 0xFFFF
    var fx = Int(x * 65_536)
    var fy = Int(y * 65_536)
    let dx = Int(stepX * 65_536)
    let dy = Int(stepY * 65_536)
    let pixels = image.pixels
    let stride = image.stride
    for i in 0..<count {
      let px = min(max(fx, 0), mostX)
      let py = min(max(fy, 0), mostY)
      let place = pixels + ((py >> 16) &* stride &+ (px >> 16))
      let right = Int32(truncatingIfNeeded: (px >> 8) & 0xFF)
      let down = Int32(truncatingIfNeeded: (py >> 8) & 0xFF)
      let upper = Int32(place[0]) &* (256 &- right) &+ Int32(place[1]) &* right
      let lower = Int32(place[stride]) &* (256 &- right) &+ Int32(place[stride &+ 1]) &* right
      sums[i] &+= (upper &* (256 &- down) &+ lower &* down) >> 8
      fx &+= dx
      fy &+= dy
    }
  }

  /// Makes bytes of the sums, filtered as the look says.
  private func write(_ sums: UnsafePointer<Int32>, to row: UnsafeMutablePointer<UInt8>, _ look: StripLook) {
    let scale = 1 / (256 * Float(look.taps))
    switch look.filter {
    case .sharpen(let amount, let radius) where width > 2 * radius:
      Self.eachWithMean(sums, count: width, radius: radius) { i, value, mean in
        row[i] = UInt8(max(0, min(255, (value + amount * (value - mean)) * scale)))
      }
    case .threshold(let radius) where width > 2 * radius:
      Self.eachWithMean(sums, count: width, radius: radius) { i, value, mean in row[i] = value > mean ? 255 : 0 }
    default:
      for i in 0..<width { row[i] = UInt8(max(0, min(255, Float(sums[i]) * scale))) }
    }
  }

  /// Each sample with the mean of `radius` samples each way; beyond the ends, the last one counts.
  @inline(__always)
  private static func eachWithMean(
    _ sums: UnsafePointer<Int32>, count: Int, radius: Int, _ body: (Int, Float, Float) -> Void
  ) {
    var sum: Int32 = 0
    for i in -radius...radius { sum &+= sums[max(i, 0)] }
    let share = 1 / Float(2 * radius + 1)
    for i in 0..<count {
      body(i, Float(sums[i]), Float(sum) * share)
      sum &+= sums[min(i &+ radius &+ 1, count &- 1)] &- sums[max(i &- radius, 0)]
    }
  }
}
