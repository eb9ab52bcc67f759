import CodeVision
import DecodeProtocol
import ScanModel

@testable import DecodeWorker

/// Picture files and frames of cameras, read to grey pixels.
///
/// The input: a byte that says what the rest is. A file: a byte for the frame of a video, and the file. A frame: width and
/// height in a byte each, what is added to the shortest stride, and the pixels.
func fuzzPicture(_ input: inout FuzzInput) {
  let kind = input.byte()
  guard kind < 0x80 else {
    let format = input.choice([PixelFormat.grey, .nv12, .yu12, .yuyv, PixelFormat("U", "Y", "V", "Y"), .mjpg])
    let (width, height, gap) = (UInt32(input.byte()), UInt32(input.byte()), UInt32(input.byte()))
    let bytes = input.remainder()
    let layout = FrameLayout(
      format: format, width: width, height: height, stride: 2 &* width &+ gap &- 64, byteCount: UInt32(bytes.count))
    guard let reader = try? FramePixels() else { return }
    bytes.withUnsafeBytes { bytes in
      guard let image = try? reader.read(layout, bytes) else { return }
      if format != .mjpg {
        property(
          image.width == Int(width) && image.height == Int(height), "a frame has the size that it is said to have")
      }
      look(at: image)
    }
    return
  }
  let frame = Int(input.byte() % 4)
  let bytes = input.remainder()
  guard let reader = try? PictureReader() else { return }
  bytes.withUnsafeBytes { bytes in
    guard let picture = try? reader.read(bytes, frame: frame, limit: 1_000_000) else { return }
    property(picture.image.width * picture.image.height <= 1_000_000, "a picture is not larger than is allowed")
    property(frame == 0 || picture.isVideo, "only videos have frames")
    look(at: picture.image)
  }
  guard let logos = try? LogoReader() else { return }
  var target = [UInt8](repeating: 0, count: 1 << 16)
  bytes.withUnsafeBytes { bytes in
    guard let (width, height) = target.withUnsafeMutableBytes({ try? logos.read(bytes, into: $0) }) else { return }
    property(
      max(width, height) <= DecodeLimits.longestLogo && 4 * width * height <= 1 << 16,
      "a logo is not larger than is allowed")
  }
}

/// Every pixel can be read, and is something.
private func look(at image: GreyImage) {
  var sum = 0
  for row in 0..<image.height {
    for column in 0..<image.width { sum += Int(image.pixels[row * image.stride + column]) }
  }
  property(sum >= 0 && sum <= 255 * image.width * image.height, "pixels are bytes")
}
