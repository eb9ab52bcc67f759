/// Grey pixels in memory that somebody else owns and keeps for as long as this is used: one byte a pixel, 0 is black.
package struct GreyImage {
  /// The first pixel of the first row.
  package let pixels: UnsafePointer<UInt8>
  /// Pixels in a row, 1 or more.
  package let width: Int
  /// Rows, 1 or more.
  package let height: Int
  /// Bytes from one row to the next, `width` or more.
  package let stride: Int

  /// Pixels of a buffer; `nil` where the buffer is too short for them, or where a size makes no sense.
  package init?(_ buffer: UnsafeBufferPointer<UInt8>, width: Int, height: Int, stride: Int) {
    guard let base = buffer.baseAddress, width > 0, height > 0, stride >= width, height <= Int(Int32.max) else {
      return nil
    }
    let (rows, overflow) = stride.multipliedReportingOverflow(by: height - 1)
    guard !overflow, buffer.count >= width, rows <= buffer.count - width else { return nil }
    self.pixels = base
    self.width = width
    self.height = height
    self.stride = stride
  }

  /// Pixels that the caller knows to be there: `height` rows of `width`, `stride` bytes apart.
  init(inside pixels: UnsafePointer<UInt8>, width: Int, height: Int, stride: Int) {
    self.pixels = pixels
    self.width = width
    self.height = height
    self.stride = stride
  }
}
