import DecodeClient
import DecodeProtocol
import Expectations
import ScanModel
import Testing

@Suite(.timeLimit(.minutes(2))) struct PlainJPEGTests {
  private static func picture(_ width: Int, _ height: Int, _ pixel: (Int, Int) -> UInt8) throws -> GreyPicture {
    try #require(
      GreyPicture(
        width: width, height: height,
        pixels: (0..<height).flatMap { row in (0..<width).map { pixel($0, row) } }))
  }

  /// A library that others wrote reads it, behind the fence, and finds it as light as it is: at sizes that are no whole blocks, too.
  @Test(arguments: [(16, 16, UInt8(200)), (637, 359, 40), (17, 33, 255), (640, 480, 0)])
  func itIsReadByOthers(width: Int, height: Int, grey: UInt8) async throws {
    let picture = try Self.picture(width, height) { _, _ in grey }
    let file = try #require(PlainJPEG.file(of: picture, upTo: 48_000))
    expect(file.width == width && file.height == height)
    let bench = try Bench("scangate-decode")
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let number = await bench.submit(.mjpg, width, height, width, file.bytes)
    while let event = await events.next() {
      if case .noise = event { continue }
      guard case .reading(let frame, let reading) = event else {
        expect(Bool(false), "\(event)")
        break
      }
      expect(frame == number && abs(reading.quality.brightness - Float(grey)) < 3, "\(reading.quality)")
      break
    }
    await bench.stop()
  }

  @Test func whatDoesNotFitBecomesCoarserAndSmaller() throws {
    var random = SystemRandomNumberGenerator()
    let noise = try Self.picture(640, 640) { _, _ in UInt8.random(in: 0...255, using: &random) }
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
