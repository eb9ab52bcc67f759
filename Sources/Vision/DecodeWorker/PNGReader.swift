import CPNG
import CodeVision
import DecodeProtocol

/// PNG to grey by libpng, of every depth and sort; what is transparent lies over white.
final class PNGReader {
  private let buffer = PixelBuffer()
  private let colours = PixelBuffer()

  /// The grey pixels, valid until the next call.
  /// - Throws: what is wrong with it.
  func read(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(PictureFault) -> GreyImage {
    var image = png_image()
    defer { png_image_free(&image) }
    guard cpng_begin(&image, bytes.baseAddress, bytes.count) != 0 else { throw Self.fault(image) }
    let (width, height) = (Int(image.width), Int(image.height))
    let count = try pixelCount(width, height, limit: limit)
    let pixels = try buffer.reserve(count)
    if cpng_is_colour(&image) == 0 {
      guard cpng_finish(&image, 0, pixels, Int32(width)) != 0 else { throw Self.fault(image) }
    } else {
      let triples = try colours.reserve(3 * count)
      guard cpng_finish(&image, 1, triples, Int32(3 * width)) != 0 else { throw Self.fault(image) }
      for index in 0..<count {
        let triple = triples + 3 * index
        pixels[index] = brightness(triple[0], triple[1], triple[2])
      }
    }
    return try greyImage(pixels, count: count, width: width, height: height)
  }

  /// Gives memory back that only a large picture needs.
  func shrink() {
    buffer.shrink(beyond: 1 << 24)
    colours.shrink(beyond: 1)
  }

  static func fault(_ image: png_image) -> PictureFault {
    let words = withUnsafeBytes(of: image.message) { message in
      String(decoding: message.prefix { $0 != 0 }.map { (0x20..<0x7F).contains($0) ? $0 : 0x3F }, as: UTF8.self)
    }
    return PictureFault(.damaged, "the PNG cannot be read: \(words.isEmpty ? "it is damaged" : words)")
  }
}
