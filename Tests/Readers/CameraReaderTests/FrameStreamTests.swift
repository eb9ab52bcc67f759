import Expectations
import LinuxIO
import ScanModel
import ScanTesting
import Testing

@testable import CameraReader

private func at(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

private let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0, 0]

private func stream(_ format: PixelFormat = .mjpg) -> FrameStream {
  FrameStream(
    format: VideoFormat(format: format, size: VideoSize(width: 16, height: 16), bytesPerLine: 16, imageBytes: 1000),
    startedAt: at(0))
}

extension FrameStream {
  /// Takes a picture of these bytes.
  fileprivate mutating func take(_ bytes: [UInt8], isDamaged: Bool = false, _ milliseconds: Int64 = 1) -> Bool {
    bytes.withUnsafeBytes {
      take(VideoFrame(buffer: 0, bytes: bytes.count, isDamaged: isDamaged), $0, at: at(milliseconds))
    }
  }
}

@Suite struct FrameStreamTests {
  @Test func theFirstPicturesAreDropped() {
    var stream = stream()
    expectEqual((0..<5).map { _ in stream.take(jpeg) }, [false, false, false, true, true])
    expect(stream.isSettled)
  }

  @Test func picturesThatCannotBeWholeAreBad() {
    var stream = stream()
    for _ in 0..<3 { _ = stream.take(jpeg) }
    var taken = [stream.take(jpeg, isDamaged: true), stream.take([]), stream.take([0xFF, 0xD8])]
    taken.append(stream.take([0, 0, 0xFF, 0xD8, 0]))
    expectEqual(taken, [false, false, false, false])
    expectEqual(stream.faults, [.damaged: 1, .short: 2, .noJPEG: 1])
    taken = [stream.take(jpeg)]
    expectEqual(taken, [true])
    for (format, least) in [(PixelFormat.grey, 256), (.yuyv, 272), (.nv12, 384), (.yu12, 384)] {
      var stream = FrameStreamTests.settled(format)
      let taken = [least - 1, least].map { stream.take([UInt8](repeating: 0, count: $0)) }
      expectEqual(taken, [false, true], "\(format.name)")
    }
  }

  private static func settled(_ format: PixelFormat) -> FrameStream {
    var settled = stream(format)
    for _ in 0..<3 { _ = settled.take([UInt8](repeating: 0, count: 1000)) }
    return settled
  }

  @Test func badInARowAndSilenceBreakIt() {
    var stream = stream()
    for _ in 0..<29 { _ = stream.take([]) }
    expect(stream.fault(at: at(2)) == nil)
    _ = stream.take(jpeg)
    for _ in 0..<29 { _ = stream.take([]) }
    expect(stream.fault(at: at(2)) == nil)
    _ = stream.take([])
    expectEqual(stream.fault(at: at(2)), .bad)

    var silent = FrameStreamTests.settled(.grey)
    expect(silent.fault(at: at(2000)) == nil)
    expectEqual(silent.fault(at: at(2001)), .silent)
    expectEqual(silent.deadline, at(2001))
    _ = silent.take(jpeg, 2500)
    expect(silent.fault(at: at(4499)) == nil)
    // The first may take longer.
    expect(FrameStreamTests.fresh.fault(at: at(4999)) == nil)
    expectEqual(FrameStreamTests.fresh.fault(at: at(5000)), .silent)
  }

  private static var fresh: FrameStream { stream() }

  @Test func picturesThatTheDecoderCannotReadBreakIt() {
    var stream = stream()
    for _ in 0..<29 { stream.decoded(true) }
    stream.decoded(false)
    for _ in 0..<29 { stream.decoded(true) }
    expect(stream.fault(at: at(1)) == nil)
    stream.decoded(true)
    expectEqual(stream.fault(at: at(1)), .bad)
    expectEqual(stream.spoilt, 59)
  }

  @Test func fewerPicturesAreLookedAtWhenNothingChanges() {
    var pace = FramePace(idleRate: 10, startedAt: at(0))
    var offered: [Int64] = []
    func run(_ range: Range<Int64>, isStill: Bool) {
      for picture in range where pace.wants(at: at(picture * 33)) {
        pace.offered(at: at(picture * 33))
        pace.took(isStill: isStill, at: at(picture * 33))
        offered.append(picture)
      }
    }
    run(0..<100, isStill: false)
    expectEqual(offered.count, 100)
    run(100..<251, isStill: true)
    expectEqual(offered.count, 251)
    offered = []
    run(252..<402, isStill: true)
    expectEqual(offered.count, 50)
    // The first change brings all of them back.
    offered = []
    run(402..<412, isStill: false)
    expect((7...10).contains(offered.count))
    var all = FramePace(idleRate: nil, startedAt: at(0))
    all.offered(at: at(60_000))
    expect(all.wants(at: at(60_001)))
  }
}
