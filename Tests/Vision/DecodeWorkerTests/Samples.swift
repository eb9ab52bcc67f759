import CTurboJPEG
import CodeVision
import DecodeProtocol
import ScanTesting
import Testing

@testable import DecodeWorker

/// The bytes of a Base64 text.
func bytes(base64 text: String) -> [UInt8] {
  let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  var (result, buffer, bits) = ([UInt8](), UInt32(0), 0)
  for byte in text.utf8 {
    guard let value = digits.firstIndex(of: byte) else { continue }
    buffer = buffer << 6 | UInt32(value)
    bits += 6
    if bits >= 8 {
      bits -= 8
      result.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
    }
  }
  return result
}

/// A JPEG of pixels in one of the library's formats.
func jpeg(_ pixels: [UInt8], _ format: TJPF, width: Int, height: Int, quality: Int32 = 95) throws -> [UInt8] {
  let encoder = try #require(tjInitCompress())
  defer { tjDestroy(encoder) }
  var start: UnsafeMutablePointer<UInt8>?
  var count: UInt = 0
  let sampling = format == TJPF_GRAY ? TJSAMP_GRAY : TJSAMP_444
  try #require(
    tjCompress2(
      encoder, pixels, Int32(width), 0, Int32(height), Int32(format.rawValue), &start, &count,
      Int32(sampling.rawValue), quality, 0) == 0)
  defer { tjFree(start) }
  return Array(UnsafeBufferPointer(start: start, count: Int(count)))
}

/// A picture's pixels, copied out.
struct Pixels: Equatable {
  var width: Int
  var height: Int
  var grey: [UInt8]

  init(_ image: GreyImage) {
    width = image.width
    height = image.height
    grey = (0..<image.height).flatMap { row in
      Array(UnsafeBufferPointer(start: image.pixels + row * image.stride, count: image.width))
    }
  }

  init(width: Int, height: Int, grey: [UInt8]) {
    self.width = width
    self.height = height
    self.grey = grey
  }

  /// The largest difference of a pixel; `nil` where the sizes differ.
  func difference(_ other: Pixels) -> Int? {
    guard width == other.width, height == other.height else { return nil }
    return zip(grey, other.grey).map { abs(Int($0) - Int($1)) }.max()
  }
}

/// Reads a file's picture, or tells its fault.
func read(_ file: [UInt8], frame: Int = 0) throws -> (pixels: Pixels, hasMore: Bool) {
  let reader = try PictureReader()
  return try file.withUnsafeBytes { bytes in
    let picture = try reader.read(bytes, frame: frame)
    return (Pixels(picture.image), picture.hasMore)
  }
}

/// The fault of a file that cannot be read.
func fault(_ file: [UInt8], frame: Int = 0) -> PictureFault? {
  #expect(throws: PictureFault.self) { _ = try read(file, frame: frame) }
}

/// Bytes damaged here and there.
func damaged(_ bytes: [UInt8], _ generator: inout SeededGenerator) -> [UInt8] {
  var bytes = bytes
  for _ in 0...Int.random(in: 0..<6, using: &generator) where !bytes.isEmpty {
    let place = Int.random(in: 0..<bytes.count, using: &generator)
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: bytes[place] = .random(in: .min ... .max, using: &generator)
    case 1: bytes.remove(at: place)
    case 2: bytes.insert(.random(in: .min ... .max, using: &generator), at: place)
    default: bytes = Array(bytes.prefix(max(1, place)))
    }
  }
  return bytes
}
