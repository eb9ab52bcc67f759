import CV4LConvert
import CodeVision
import DecodeProtocol
import Glibc
import ScanModel

/// Frames of a camera to grey pixels. Neither width, height, stride nor byte count is believed.
final class FramePixels {
  private let jpeg: JPEGReader
  private let buffer = PixelBuffer()
  private let copy = PixelBuffer()
  private let converter: OpaquePointer?

  /// Bytes a pixel of what libv4lconvert reads row by row, from the stride that it is told: it believes it.
  private static let sizes: [PixelFormat: Int] = {
    let names: [(String, Int)] = [
      ("RGB3", 3), ("BGR3", 3), ("RGB4", 4), ("BGR4", 4), ("RGBP", 2), ("RGBO", 2), ("Y16 ", 2), ("Y10 ", 2),
      ("BA81", 1), ("GBRG", 1), ("GRBG", 1), ("RGGB", 1),
    ]
    return names.reduce(into: [:]) { sizes, entry in
      let scalars = Array(entry.0.unicodeScalars)
      sizes[PixelFormat(scalars[0], scalars[1], scalars[2], scalars[3])] = entry.1
    }
  }()

  /// What libv4lconvert would start another program for.
  private static let refused: Set<PixelFormat> = [PixelFormat("O", "5", "1", "1"), PixelFormat("O", "5", "1", "8")]

  /// - Throws: a fault where a library cannot.
  init() throws(PictureFault) {
    jpeg = try JPEGReader()
    converter = cv4l_create()
  }

  deinit { if let converter { v4lconvert_destroy(converter) } }

  /// The grey pixels, valid until the next call and as long as the frame's bytes are.
  /// - Throws: what is wrong with the frame.
  func read(_ layout: FrameLayout, _ memory: UnsafeRawBufferPointer) throws(PictureFault) -> GreyImage {
    if let problem = layout.problem { throw problem }
    guard Int(layout.byteCount) <= memory.count else { throw Self.short }
    let bytes = UnsafeRawBufferPointer(rebasing: memory[..<Int(layout.byteCount)])
    switch layout.format {
    case .grey, .nv12, .yu12, PixelFormat("N", "V", "2", "1"), PixelFormat("Y", "V", "1", "2"),
      PixelFormat("N", "V", "1", "6"), PixelFormat("N", "V", "6", "1"):
      // The grey plane comes first in all of these, and needs no copy.
      return try plane(bytes, layout)
    case .yuyv, PixelFormat("Y", "V", "Y", "U"): return try everySecond(bytes, layout, from: 0)
    case PixelFormat("U", "Y", "V", "Y"), PixelFormat("V", "Y", "U", "Y"):
      return try everySecond(bytes, layout, from: 1)
    case .mjpg, PixelFormat("J", "P", "E", "G"):
      return try jpeg.read(bytes, limit: DecodeLimits.maximumFramePixels)
    default: return try converted(bytes, layout)
    }
  }

  private static let short = PictureFault(.damaged, "the frame has fewer bytes than its size needs")

  private func plane(_ bytes: UnsafeRawBufferPointer, _ layout: FrameLayout) throws(PictureFault) -> GreyImage {
    let buffer = bytes.assumingMemoryBound(to: UInt8.self)
    let (width, height) = (Int(layout.width), Int(layout.height))
    guard let image = GreyImage(buffer, width: width, height: height, stride: Int(layout.stride)) else {
      throw Self.short
    }
    return image
  }

  /// Every second byte of each row.
  private func everySecond(
    _ bytes: UnsafeRawBufferPointer, _ layout: FrameLayout, from first: Int
  ) throws(PictureFault) -> GreyImage {
    let (width, height, stride) = (Int(layout.width), Int(layout.height), Int(layout.stride))
    guard let start = bytes.baseAddress, stride >= 2 * width,
      stride * (height - 1) + 2 * width <= bytes.count
    else { throw Self.short }
    let pixels = try buffer.reserve(width * height)
    for row in 0..<height {
      let source = start + stride * row
      let target = UnsafeMutableRawPointer(pixels + width * row)
      var column = 0
      // Sixteen pixels at a time; 2 * (column + 16) <= 2 * width keeps the load inside the row.
      while column + 16 <= width {
        let pairs = source.loadUnaligned(fromByteOffset: 2 * column, as: SIMD32<UInt8>.self)
        target.storeBytes(
          of: first == 0 ? pairs.evenHalf : pairs.oddHalf, toByteOffset: column, as: SIMD16<UInt8>.self)
        column += 16
      }
      while column < width {
        target.storeBytes(
          of: source.load(fromByteOffset: 2 * column + first, as: UInt8.self), toByteOffset: column, as: UInt8.self)
        column += 1
      }
    }
    return try greyImage(pixels, count: width * height, width: width, height: height)
  }

  /// By libv4lconvert: whatever else cameras send.
  private func converted(_ bytes: UnsafeRawBufferPointer, _ layout: FrameLayout) throws(PictureFault) -> GreyImage {
    let (width, height) = (Int(layout.width), Int(layout.height))
    let unsupported = PictureFault(.unsupported, "frames of the format \(layout.format.name) cannot be read")
    guard let converter, let start = bytes.baseAddress, !Self.refused.contains(layout.format) else { throw unsupported }
    // Its converters take pixels by twos and fours, and look at neighbours.
    guard width >= 16, height >= 16, width.isMultiple(of: 4), height.isMultiple(of: 4) else { throw unsupported }
    var stride = width
    if let size = Self.sizes[layout.format] {
      stride = Int(layout.stride)
      guard stride >= size * width, stride * height <= bytes.count else { throw Self.short }
    }
    // Some converters write into what they read, and behind it: neither the shared memory nor its neighbours take that.
    let source = try copy.reserve(bytes.count + 4_096)
    memcpy(source, start, bytes.count)
    memset(source + bytes.count, 0, 4_096)
    let capacity = width * height + 2 * ((width + 1) / 2) * ((height + 1) / 2)
    let pixels = try buffer.reserve(capacity + 4_096)
    let count = cv4l_to_yuv(
      converter, layout.format.rawValue, layout.width, layout.height, UInt32(stride), source, Int32(bytes.count),
      pixels,
      Int32(capacity))
    guard count >= width * height else {
      let words = v4lconvert_get_error_message(converter).map { String(cString: $0) } ?? ""
      if words.contains("nknown") || words.contains("nsupported") { throw unsupported }
      throw PictureFault(.damaged, "the frame of the format \(layout.format.name) cannot be converted")
    }
    return try greyImage(pixels, count: width * height, width: width, height: height)
  }
}
