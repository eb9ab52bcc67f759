import CPNG
import CTurboJPEG
import DecodeProtocol

/// PNG and JPEG to colours: pictures that a screen is to show.
final class LogoReader {
  private let handle: tjhandle

  /// - Throws: a fault where a library cannot.
  init() throws(PictureFault) {
    guard let handle = tjInitDecompress() else { throw PictureFault(.unsupported, "JPEG cannot be read here") }
    self.handle = handle
  }

  deinit { tjDestroy(handle) }

  /// Reads a file: four bytes a pixel, red, green, blue and how opaque it is, row by row.
  /// - Parameter target: where they are put.
  /// - Returns: its size in pixels.
  /// - Throws: what is wrong with it; what was put is worth nothing then.
  func read(
    _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) throws(PictureFault) -> (width: Int, height: Int) {
    guard !bytes.isEmpty else { throw PictureFault(.empty, "the file is empty") }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return try jpeg(bytes, into: target) }
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return try png(bytes, into: target) }
    throw PictureFault(.unsupported, "it is neither PNG nor JPEG")
  }

  private func png(
    _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) throws(PictureFault) -> (width: Int, height: Int) {
    var image = png_image()
    defer { png_image_free(&image) }
    guard cpng_begin(&image, bytes.baseAddress, bytes.count) != 0 else { throw PNGReader.fault(image) }
    let size = try Self.size(Int(image.width), Int(image.height), target)
    guard cpng_finish_rgba(&image, target.baseAddress, Int32(4 * size.width)) != 0 else { throw PNGReader.fault(image) }
    return size
  }

  private func jpeg(
    _ bytes: UnsafeRawBufferPointer, into target: UnsafeMutableRawBufferPointer
  ) throws(PictureFault) -> (width: Int, height: Int) {
    let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
    guard tjDecompressHeader3(handle, start, UInt(bytes.count), &width, &height, &sampling, &space) == 0 else {
      throw fault
    }
    // Inks are for printers; no screen's logo has them.
    guard ![TJCS_CMYK, TJCS_YCCK].contains(where: { Int32($0.rawValue) == space }) else {
      throw PictureFault(.unsupported, "the JPEG is made for printing (CMYK)")
    }
    let size = try Self.size(Int(width), Int(height), target)
    let pixels = target.baseAddress?.assumingMemoryBound(to: UInt8.self)
    guard
      tjDecompress2(
        handle, start, UInt(bytes.count), pixels, width, 0, height, Int32(TJPF_RGBA.rawValue), TJFLAG_LIMITSCANS) == 0
    else { throw fault }
    return size
  }

  private static func size(
    _ width: Int, _ height: Int, _ target: UnsafeMutableRawBufferPointer
  ) throws(PictureFault) -> (width: Int, height: Int) {
    let longest = DecodeLimits.longestLogo
    guard width > 0, height > 0 else { throw PictureFault(.empty, "the picture has no pixels") }
    guard width <= longest, height <= longest, 4 * width * height <= target.count else {
      throw PictureFault(.tooLarge, "a logo of \(width)x\(height) pixels is larger than \(longest)x\(longest)")
    }
    return (width, height)
  }

  private var fault: PictureFault {
    PictureFault(
      .damaged, "the JPEG cannot be read: \(tjGetErrorStr2(handle).map { String(cString: $0) } ?? "it is damaged")")
  }
}
