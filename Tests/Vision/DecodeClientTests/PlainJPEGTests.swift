import DecodeClient
import DecodeProtocol
import Expectations
import ScanModel
import Testing

@Suite(.timeLimit(.minutes(2))) struct PlainJPEGTests {
  private typealias Pixel = @Sendable (_ column: Int, _ row: Int) -> UInt8

  private static func picture(_ width: Int, _ height: Int, _ pixel: Pixel) throws -> GreyPicture {
    try #require(
      GreyPicture(
        width: width, height: height,
        pixels: (0..<height).flatMap { row in (0..<width).map { pixel($0, row) } }))
  }

  /// What is drawn, and how far each pixel may be off, and all of them on average.
  private static let drawings: [(name: String, most: Int, mean: Double, pixel: Pixel)] = [
    ("black", 0, 0, { _, _ in 0 }), ("white", 0, 0, { _, _ in 255 }), ("grey", 3, 3, { _, _ in 40 }),
    ("slope", 40, 3, { column, row in UInt8((column + row) / 4 % 256) }),
    ("code", 60, 6, { column, row in (column / 8 + row / 8) % 2 == 0 ? 16 : 240 }),
    ("lines", 90, 16, { column, row in (column / 3) % 2 == 0 ? 0 : 255 }),
    ("noise", 130, 20, { column, row in UInt8(truncatingIfNeeded: (column &* 73 ^ row &* 151) &* 2_654_435_761 >> 7) }),
  ]

  /// A library that others wrote reads it, behind the fence, as what was written: at sizes that are no whole blocks, too.
  @Test(arguments: drawings.indices) func itIsReadByOthers(drawing: Int) async throws {
    let (name, most, mean, pixel) = Self.drawings[drawing]
    let bench = try Bench("scangate-decode")
    var events = bench.events.makeAsyncIterator()
    for (width, height) in [(16, 16), (1, 1), (8, 7), (17, 33), (637, 359), (640, 480), (3, 640)] {
      let picture = try Self.picture(width, height, pixel)
      let file = try #require(PlainJPEG.file(of: picture, upTo: 1 << 20))
      expect(file.width == width && file.height == height)
      await bench.ready()
      _ = await bench.submit(.mjpg, width, height, width, file.bytes, isShown: true)
      var shown: GreyPicture?
      while let event = await events.next(isolation: #isolation) {
        if case .noise = event {
          Issue.record("\(name) \(width)x\(height): a library complains")
        } else if case .shown(_, let picture) = event {
          shown = picture
          break
        } else if case .reading = event {
          continue
        } else {
          Issue.record("\(name) \(width)x\(height): \(event)")
          break
        }
      }
      let read = try #require(shown)
      expect(read.width == width && read.height == height)
      let off = zip(read.pixels, picture.pixels).map { abs(Int($0) - Int($1)) }
      expect((off.max() ?? 0) <= most, "\(name) \(width)x\(height): \(off.max() ?? 0)")
      let average = Double(off.reduce(0, +)) / Double(off.count)
      expect(average <= mean, "\(name) \(width)x\(height): \(average)")
    }
    await bench.stop()
  }

  @Test func whatDoesNotFitBecomesCoarserAndSmaller() throws {
    let noise = try Self.picture(640, 640) { _, _ in UInt8.random(in: 0...255) }
    for limit in [200_000, 48_000, 10_000] {
      let file = try #require(PlainJPEG.file(of: noise, upTo: limit))
      expect(file.bytes.count <= limit && file.bytes.starts(with: [0xFF, 0xD8, 0xFF, 0xE0]), "\(file.bytes.count)")
      expect(file.width <= 640 && file.height == file.width)
    }
    expect(PlainJPEG.file(of: noise, upTo: 100) == nil, "no picture is that short")
  }

  @Test func aPictureHasAsManyPixelsAsItSays() {
    expect(GreyPicture(width: 2, height: 2, pixels: [1, 2, 3]) == nil)
    expect(GreyPicture(width: 0, height: 2, pixels: []) == nil)
  }
}
