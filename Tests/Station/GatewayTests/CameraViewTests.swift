import CameraReader
import DecodeClient
import Expectations
import LinuxIO
import ScanModel
import StationProtocol
import Testing

@testable import Gateway

/// What is told of a camera's picture to whoever asked for it.
@Suite struct CameraViewTests {
  private static let code = "TICKET-0001-SECRET"

  private static func picture(
    _ width: Int = 640, _ height: Int = 360, _ pixel: (Int) -> UInt8 = { UInt8($0 % 200) }
  ) throws -> GreyPicture {
    try #require(GreyPicture(width: width, height: height, pixels: (0..<width * height).map(pixel)))
  }

  private static func look(
    _ picture: GreyPicture, _ size: VideoSize = VideoSize(width: 1_280, height: 720), points: [ViewPoint] = [],
    symbols: Int = 1, isFrozen: Bool = false
  ) -> CameraLook {
    let symbol = SeenSymbol(symbology: .qr, bytes: Array(code.utf8), text: code, points: points)
    return CameraLook(
      picture: picture,
      format: VideoFormat(format: .mjpg, size: size, bytesPerLine: 0, imageBytes: 1 << 20),
      takenAt: MonotonicTime(nanoseconds: 5_000_000),
      reading: ViewReading(symbols: Array(repeating: symbol, count: symbols)), rate: 29.94, isFrozen: isFrozen)
  }

  private static let now = MonotonicTime(nanoseconds: 45_000_000)

  /// Corners are those of the camera's own picture, in the size of the one that is shown.
  @Test func cornersScaleWithThePicture() throws {
    let points = [
      ViewPoint(x: 0, y: 0), ViewPoint(x: 1_280, y: 0), ViewPoint(x: 641, y: 360), ViewPoint(x: 101, y: 719),
    ]
    let view = try #require(CameraView(Self.look(try Self.picture(), points: points), at: Self.now))
    expect(view.width == 640 && view.height == 360)
    expectEqual(
      view.seen.first?.corners, [.init(x: 0, y: 0), .init(x: 640, y: 0), .init(x: 321, y: 180), .init(x: 51, y: 360)])
    expect(view.format == "1280x720 MJPG" && view.age == .milliseconds(40) && view.rate == 299)
  }

  /// Also where the file was made smaller than what the decoder handed over, because it was too long.
  @Test func cornersScaleWithTheFile() throws {
    var random = SystemRandomNumberGenerator()
    let noise = try Self.picture(640, 640) { _ in UInt8.random(in: 0...255, using: &random) }
    let view = try #require(
      CameraView(
        Self.look(noise, VideoSize(width: 960, height: 960), points: [ViewPoint(x: 480, y: 240)]), at: Self.now))
    expect(view.jpeg.count <= StationLimits.maximumPicture)
    expectEqual(view.seen.first?.corners, [.init(x: view.width / 2, y: view.height / 4)])
  }

  @Test func placesThatAreNoneAreNone() throws {
    let points = [
      ViewPoint(x: .nan, y: .infinity), ViewPoint(x: -.infinity, y: -5),
      ViewPoint(x: 1e30, y: .greatestFiniteMagnitude),
    ]
    let view = try #require(CameraView(Self.look(try Self.picture(), points: points), at: Self.now))
    for corner in view.seen.first?.corners ?? [] { expect(corner.x <= 640 && corner.y <= 360) }
    let nothing = Self.look(try Self.picture(), VideoSize(width: 0, height: 0), points: points)
    expect(CameraView(nothing, at: Self.now) != nil)
  }

  @Test func codesAreShortAndFew() throws {
    let points = [ViewPoint](repeating: ViewPoint(x: 1, y: 1), count: 100)
    let view = try #require(CameraView(Self.look(try Self.picture(), points: points, symbols: 99), at: Self.now))
    expectEqual(view.seen.count, StationLimits.maximumSeen)
    expect(view.seen.allSatisfy { $0.code == "…CRET" && $0.corners.count == StationLimits.maximumCorners })
    // With all that may be told of it, the longest picture fits into one packet.
    var longest = view
    longest.jpeg = [UInt8](repeating: 0xFF, count: StationLimits.maximumPicture)
    longest.format = String(repeating: "x", count: 200)
    for index in longest.seen.indices { longest.seen[index].symbology = String(repeating: "s", count: 200) }
    let message = StationMessage.answer(OrderID(), .picture(longest))
    expect(message.bytes.count <= StationLimits.maximumPacket, "\(message.bytes.count)")
    expectEqual(try StationMessage(bytes: message.bytes), message)
  }

  /// Black of YUYV is 16, with noise on it; a lamp in the dark is no light; a small code on a dark screen is no black.
  @Test func lightIsToldByThePicture() throws {
    let lights: [((Int) -> UInt8, CameraView.Light)] = [
      ({ _ in 0 }, .covered), ({ UInt8(16 + $0 % 12) }, .covered), ({ $0 < 900 ? 255 : 10 }, .covered),
      ({ $0 < 5_000 ? 255 : 25 }, .dark), ({ UInt8($0 % 70) }, .dark), ({ _ in 235 }, .glaring),
      ({ $0 < 2_000 ? 0 : 240 }, .glaring), ({ UInt8(120 + $0 % 20) }, .flat), ({ UInt8($0 % 200) }, .good),
    ]
    for (index, (pixel, light)) in lights.enumerated() {
      let view = try #require(CameraView(Self.look(try Self.picture(640, 360, pixel)), at: Self.now))
      expectEqual(view.light, light, "\(index)")
    }
  }

  /// Black and white have no noise in them: two such pictures are alike before a camera that is well.
  @Test func whatHasNoShadesIsNotFrozen() throws {
    for (grey, isFrozen) in [(UInt8(0), false), (255, false), (120, true)] {
      let look = Self.look(try Self.picture(64, 64) { _ in grey }, isFrozen: true)
      expectEqual(CameraView(look, at: Self.now)?.isFrozen, isFrozen, "\(grey)")
    }
  }
}
