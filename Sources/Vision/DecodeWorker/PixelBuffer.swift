import CodeVision
import DecodeProtocol
import Glibc

/// Memory for pixels that is kept from one picture to the next, and given back only when it goes.
final class PixelBuffer {
  private var start: UnsafeMutablePointer<UInt8>?
  private var capacity = 0

  deinit { free(start) }

  /// At least `count` bytes; their content is anything.
  /// - Throws: a fault where the process may not have that much.
  func reserve(_ count: Int) throws(PictureFault) -> UnsafeMutablePointer<UInt8> {
    if let start, capacity >= count { return start }
    free(start)
    start = nil
    capacity = 0
    guard count > 0, let new = malloc(count) else {
      throw PictureFault(.tooLarge, "there is not enough memory for the picture")
    }
    let bytes = new.bindMemory(to: UInt8.self, capacity: count)
    start = bytes
    capacity = count
    return bytes
  }

  /// Gives the memory back, where it is more than `most` bytes.
  func shrink(beyond most: Int) {
    guard capacity > most else { return }
    free(start)
    start = nil
    capacity = 0
  }
}

/// Width times height of a picture, checked.
/// - Throws: a fault where it is nothing, or more than `limit`.
func pixelCount(_ width: Int, _ height: Int, limit: Int) throws(PictureFault) -> Int {
  guard width > 0, height > 0 else { throw PictureFault(.empty, "the picture has no pixels") }
  let (count, overflow) = width.multipliedReportingOverflow(by: height)
  guard !overflow, count <= limit else {
    throw PictureFault(
      .tooLarge, "a picture of \(width)x\(height) pixels is larger than \(limit / 1_000_000) megapixels")
  }
  return count
}

/// The picture in a buffer that was filled row by row without gaps.
func greyImage(
  _ pixels: UnsafePointer<UInt8>, count: Int, width: Int, height: Int, stride: Int? = nil
) throws(PictureFault) -> GreyImage {
  let buffer = UnsafeBufferPointer(start: pixels, count: count)
  guard let image = GreyImage(buffer, width: width, height: height, stride: stride ?? width) else {
    throw PictureFault(.damaged, "the picture's rows do not fit into its bytes")
  }
  return image
}

/// Brightness as ITU-R BT.601 weighs the colours.
@inline(__always) func brightness(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> UInt8 {
  let weighed = 19_595 &* UInt32(red) &+ 38_470 &* UInt32(green) &+ 7_471 &* UInt32(blue) &+ 0x8000
  return UInt8(truncatingIfNeeded: weighed >> 16)
}
