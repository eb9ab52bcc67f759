import CodeVision
import DecodeProtocol

/// Portable grey maps: binary (P5) and in digits (P2), of 8 and 16 bits.
final class PGMReader {
  private let buffer = PixelBuffer()

  /// The grey pixels: the file's own bytes where they are just that, else valid until the next call.
  /// - Throws: what is wrong with it.
  func read(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(PictureFault) -> GreyImage {
    guard bytes.count > 2, bytes[0] == UInt8(ascii: "P") else { throw Self.damaged }
    let isText = bytes[1] == UInt8(ascii: "2")
    var head = TextHead(bytes, at: 2)
    guard let width = head.number(), let height = head.number(), let most = head.number() else { throw Self.damaged }
    let count = try pixelCount(width, height, limit: limit)
    guard (1...65_535).contains(most) else {
      throw PictureFault(.unsupported, "the PGM's largest value is not from 1 to 65535")
    }
    if isText { return try text(&head, count: count, width: width, height: height, most: most) }
    // One byte of white space ends the head.
    guard head.byte() != nil else { throw Self.damaged }
    let size = most > 255 ? 2 : 1
    let rest = UnsafeRawBufferPointer(rebasing: bytes[min(head.place, bytes.count)...])
    guard rest.count >= size * count, let start = rest.baseAddress else { throw Self.short }
    if most == 255 {
      return try greyImage(start.assumingMemoryBound(to: UInt8.self), count: count, width: width, height: height)
    }
    let pixels = try buffer.reserve(count)
    for index in 0..<count {
      let value = size == 1 ? Int(rest[index]) : Int(rest[2 * index]) << 8 | Int(rest[2 * index + 1])
      pixels[index] = Self.scale(value, most)
    }
    return try greyImage(pixels, count: count, width: width, height: height)
  }

  /// Gives memory back that only a large picture needs.
  func shrink() { buffer.shrink(beyond: 1 << 24) }

  private func text(
    _ head: inout TextHead, count: Int, width: Int, height: Int, most: Int
  ) throws(PictureFault) -> GreyImage {
    let pixels = try buffer.reserve(count)
    for index in 0..<count {
      guard let value = head.number() else { throw Self.short }
      pixels[index] = Self.scale(value, most)
    }
    return try greyImage(pixels, count: count, width: width, height: height)
  }

  private static func scale(_ value: Int, _ most: Int) -> UInt8 {
    UInt8(clamping: (min(value, most) * 255 + most / 2) / most)
  }

  private static let damaged = PictureFault(.damaged, "the PGM's head is damaged")
  private static let short = PictureFault(.damaged, "the PGM ends before its last pixel")
}
