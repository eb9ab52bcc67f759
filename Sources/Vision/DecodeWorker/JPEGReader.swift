import CTurboJPEG
import CodeVision
import DecodeProtocol

/// JPEG to grey by libjpeg-turbo: a camera's frames and files.
final class JPEGReader {
  private let handle: tjhandle
  private let buffer = PixelBuffer()
  /// CMYK pixels, before they are grey.
  private let inks = PixelBuffer()

  /// - Throws: a fault where the library cannot.
  init() throws(PictureFault) {
    guard let handle = tjInitDecompress() else { throw PictureFault(.unsupported, "JPEG cannot be read here") }
    self.handle = handle
  }

  deinit { tjDestroy(handle) }

  /// The grey pixels, valid until the next call.
  /// - Parameter limit: the most pixels.
  /// - Throws: what is wrong; a JPEG that ends early or is damaged inside is refused, not shown in part.
  func read(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(PictureFault) -> GreyImage {
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count > 3,
      bytes[0] == 0xFF, bytes[1] == 0xD8
    else { throw PictureFault(.damaged, "a JPEG does not begin as one") }
    var (width, height, sampling, space) = (Int32(0), Int32(0), Int32(0), Int32(0))
    let size = UInt(bytes.count)
    guard tjDecompressHeader3(handle, start, size, &width, &height, &sampling, &space) == 0 else { throw fault }
    let count = try pixelCount(Int(width), Int(height), limit: limit)
    let isInks = [TJCS_CMYK, TJCS_YCCK].contains { Int32($0.rawValue) == space }
    let pixels = try buffer.reserve(count)
    let target = isInks ? try inks.reserve(4 * count) : pixels
    let format = isInks ? TJPF_CMYK : TJPF_GRAY
    // A file of ten thousand passes over the same pixels is no picture.
    if tjDecompress2(handle, start, size, target, width, 0, height, Int32(format.rawValue), TJFLAG_LIMITSCANS) != 0 {
      guard tjGetErrorCode(handle) == TJERR_WARNING.rawValue, isHarmless else { throw fault }
    }
    if isInks { Self.brighten(target, into: pixels, count: count, isInverted: Self.isAdobe(bytes)) }
    return try greyImage(pixels, count: count, width: Int(width), height: Int(height))
  }

  /// Gives memory back that only a large picture needs.
  func shrink() {
    buffer.shrink(beyond: 1 << 24)
    inks.shrink(beyond: 1)
  }

  private var words: String { tjGetErrorStr2(handle).map { String(cString: $0) } ?? "" }

  /// Bytes between two parts, which some cameras leave there, take no pixel away.
  private var isHarmless: Bool { words.contains("extraneous bytes") }

  /// The library's words are its own: nothing of the picture is in them but numbers.
  private var fault: PictureFault {
    let words = words
    let isUnsupported = ["Unsupported", "not supported", "Could not determine"].contains { words.contains($0) }
    let isTooLarge = ["Maximum supported", "Insufficient memory"].contains { words.contains($0) }
    let kind: PictureFault.Kind = isTooLarge ? .tooLarge : isUnsupported ? .unsupported : .damaged
    return PictureFault(kind, "the JPEG cannot be read: \(words.isEmpty ? "it is damaged" : words)")
  }

  /// Ink is light when Adobe's programs wrote it.
  private static func isAdobe(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let mark: [UInt8] = [0xFF, 0xEE, 0x00, 0x0E, 0x41, 0x64, 0x6F, 0x62, 0x65]
    let head = bytes.prefix(65_536)
    return head.indices.dropLast(mark.count).contains { head[$0] == 0xFF && head[$0...].starts(with: mark) }
  }

  private static func brighten(
    _ inks: UnsafePointer<UInt8>, into pixels: UnsafeMutablePointer<UInt8>, count: Int, isInverted: Bool
  ) {
    let mask: UInt8 = isInverted ? 0 : 0xFF
    for index in 0..<count {
      let ink = inks + 4 * index
      let black = UInt32(ink[3] ^ mask)
      func light(_ value: UInt8) -> UInt8 { UInt8(truncatingIfNeeded: UInt32(value ^ mask) * black / 255) }
      pixels[index] = brightness(light(ink[0]), light(ink[1]), light(ink[2]))
    }
  }
}
