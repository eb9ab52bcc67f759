import CTurboJPEG
import DecodeProtocol
import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import DecodeWorker

@Suite struct FrameTests {
  private func read(
    _ name: String, _ width: Int, _ height: Int, stride: Int, _ bytes: [UInt8], said: Int? = nil
  ) throws -> Pixels {
    let scalars = Array(name.unicodeScalars)
    let layout = FrameLayout(
      format: PixelFormat(scalars[0], scalars[1], scalars[2], scalars[3]), width: UInt32(width), height: UInt32(height),
      stride: UInt32(stride), byteCount: UInt32(said ?? bytes.count))
    let reader = try FramePixels()
    return try bytes.withUnsafeBytes { Pixels(try reader.read(layout, $0)) }
  }

  private func random(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in .random(in: .min ... .max, using: &generator) }
  }

  /// Rows of any width, with anything between them; the last one may end where its pixels do.
  @Test(arguments: 0..<60) func greyIsTakenFromEachRow(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let (width, height) = (Int.random(in: 1...70, using: &generator), Int.random(in: 1...5, using: &generator))
    let gap = Int.random(in: 0...9, using: &generator)
    for (name, size, first) in [("GREY", 1, 0), ("NV12", 1, 0), ("YU12", 1, 0), ("YUYV", 2, 0), ("UYVY", 2, 1)] {
      let stride = size * width + gap
      let bytes = random(stride * (height - 1) + size * width, &generator)
      let expected = (0..<height).flatMap { y in (0..<width).map { x in bytes[y * stride + size * x + first] } }
      let pixels = try read(name, width, height, stride: stride, bytes)
      expectEqual(pixels, Pixels(width: width, height: height, grey: expected), "\(name), seed \(seed)")
      // One byte less is too few, and so is a row that is said to be shorter than its pixels.
      #expect(throws: PictureFault.self) { _ = try read(name, width, height, stride: stride, Array(bytes.dropLast())) }
      #expect(throws: PictureFault.self) { _ = try read(name, width, height, stride: size * width - 1, bytes) }
      // So are bytes that are said to be there.
      #expect(throws: PictureFault.self) {
        _ = try read(name, width, height, stride: stride, bytes, said: bytes.count + 1)
      }
    }
  }

  @Test(arguments: 0..<60) func whateverIsSaidOfAFrameIsCheckedFirst(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let bytes = random(4_096, &generator)
    let reader = try FramePixels()
    for name in ["GREY", "NV12", "YUYV", "UYVY", "MJPG", "RGB3", "BA81", "Y16 ", "YV12"] {
      let scalars = Array(name.unicodeScalars)
      func number() -> UInt32 {
        [0, 1, 2, 15, 16, 64, 4_096, 65_536, .max, .random(in: 0...200, using: &generator)].randomElement(
          using: &generator) ?? 0
      }
      let layout = FrameLayout(
        format: PixelFormat(scalars[0], scalars[1], scalars[2], scalars[3]), width: number(), height: number(),
        stride: number(), byteCount: .random(in: 0...5_000, using: &generator))
      bytes.withUnsafeBytes { bytes in
        guard let image = try? reader.read(layout, bytes) else { return }
        expectEqual(Pixels(image).grey.count, Int(layout.width) * Int(layout.height), "\(name), seed \(seed)")
      }
    }
  }

  @Test func aJPEGHasItsOwnSize() throws {
    let grey = (0..<64 * 48).map { UInt8($0 % 64 * 4) }
    let file = try jpeg(grey, TJPF_GRAY, width: 64, height: 48)
    let expected = Pixels(width: 64, height: 48, grey: grey)
    // What follows the picture is the buffer's rest.
    let padded = file + [UInt8](repeating: 0, count: 500)
    expect(try #require(read("MJPG", 64, 48, stride: 0, padded).difference(expected)) < 8)
    for count in stride(from: 0, to: file.count - 2, by: 7) {
      #expect(throws: PictureFault.self) { _ = try read("MJPG", 64, 48, stride: 0, Array(file.prefix(count))) }
    }
  }

  /// By the library: colour is weighed, and what it does not know is said.
  @Test func otherFormatsAreConverted() throws {
    let white = try read("RGB3", 16, 16, stride: 48, [UInt8](repeating: 255, count: 16 * 16 * 3))
    expect(white.grey.allSatisfy { $0 > 230 })
    let black = try read("RGB3", 16, 16, stride: 48, [UInt8](repeating: 0, count: 16 * 16 * 3))
    expect(black.grey.allSatisfy { $0 < 20 })
    for name in ["H264", "O511", "O518"] {
      let error = #expect(throws: PictureFault.self) {
        _ = try read(name, 16, 16, stride: 16, [UInt8](repeating: 0, count: 512))
      }
      expect(error?.kind == .unsupported && error?.words.contains(name) == true)
    }
  }
}
