/// Remembers how bright each cell of 16 x 16 pixels was, to tell a still scene from one that moves.
///
/// A cell is told by the mean of two rows of 16 pixels in it: a camera's noise hardly moves that. Frames are compared with the
/// frame that was remembered, not with the one before, so that what changes slowly is seen too.
final class FrameMemory {
  /// Grey values by which a cell may differ from the one remembered; of a noisy camera's cells, one in 400 does.
  let tolerance: Int
  /// Grey values by which no noise makes a cell differ: two such cells are a change, for a small code covers no more.
  let noise: Int

  init(tolerance: Int = 6, noise: Int = 12) {
    self.tolerance = tolerance
    self.noise = noise
  }

  private let cells = PixelBuffer<UInt8>(filledWith: 0)
  private let latest = PixelBuffer<UInt8>(filledWith: 0)
  private var width = 0
  private var height = 0

  /// Whether the frame is of another scene than the one remembered, which it then becomes.
  func hasChanged(_ image: GreyImage) -> Bool {
    let columns = image.width / 16
    let rows = image.height / 16
    let count = columns * rows
    guard count > 0 else { return true }
    let now = latest.reserve(count)
    for row in 0..<rows {
      // Rows 4 and 12 of each cell: below `rows * 16`, so inside.
      let upper = image.pixels + (row * 16 + 4) * image.stride
      let lower = upper + 8 * image.stride
      let out = now + row * columns
      for column in 0..<columns {
        out[column] = Self.mean(upper + column * 16, lower + column * 16)
      }
    }
    let before = cells.reserve(count)
    if image.width == width && image.height == height {
      let (slight, plain) = differences(before, now, count)
      if slight <= count / 400 + 1 && plain < 2 { return false }
    }
    before.update(from: now, count: count)
    (width, height) = (image.width, image.height)
    return true
  }

  /// Forgets the scene: the next frame is another.
  func forget() { (width, height) = (0, 0) }

  @inline(__always)
  private static func mean(_ upper: UnsafePointer<UInt8>, _ lower: UnsafePointer<UInt8>) -> UInt8 {
    var sum: UInt32 = 0
    var i = 0
    while i < 16 {
      sum &+= UInt32(upper[i]) &+ UInt32(lower[i])
      i &+= 1
    }
    return UInt8(truncatingIfNeeded: sum >> 5)
  }

  private func differences(
    _ before: UnsafePointer<UInt8>, _ now: UnsafePointer<UInt8>, _ count: Int
  ) -> (slight: Int, plain: Int) {
    var slight = 0
    var plain = 0
    for index in 0..<count {
      let difference = abs(Int(before[index]) &- Int(now[index]))
      if difference > tolerance { slight &+= 1 }
      if difference > noise { plain &+= 1 }
    }
    return (slight, plain)
  }
}
