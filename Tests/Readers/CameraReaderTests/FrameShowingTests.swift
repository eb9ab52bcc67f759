import DecodeClient
import Expectations
import LinuxIO
import ScanModel
import ScanTesting
import Testing

@testable import CameraReader

/// Whoever wants to see what a camera sees, and what becomes of it.
@Suite struct FrameShowingTests {
  private static let format = VideoFormat(
    format: .grey, size: VideoSize(width: 8, height: 8), bytesPerLine: 8, imageBytes: 64)
  private static let small = GreyPicture(width: 2, height: 1, pixels: [1, 2])

  private static func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000 + 1)
  }

  /// Shows a picture that has come, and whether the decoder would be handed it to be shown.
  private static func come(
    _ showing: inout FrameShowing, _ bytes: [UInt8], _ number: UInt64?
  ) -> Bool {
    let isDue = showing.isDue
    bytes.withUnsafeBytes { showing.saw($0, shown: isDue ? number : nil) }
    return isDue
  }

  private static func answer(_ asker: FrameShowing.Asker) async -> Result<CameraLook, CameraLookFault>? {
    asker.isGiven ? await asker.first() : nil
  }

  @Test func theSecondPictureIsShownAndNoOther() async throws {
    var showing = FrameShowing()
    expect(!Self.come(&showing, [1, 2, 3], 1), "nobody asks")
    let asker = FrameShowing.Asker()
    expect(showing.ask(asker, at: Self.at(0)) == nil)
    expect(!Self.come(&showing, [1, 2, 3], 2), "it has nothing to be compared with")
    expect(!Self.come(&showing, [1, 2, 3], nil) || !asker.isGiven, "a busy decoder")
    expect(Self.come(&showing, [1, 2, 4], 3))
    showing.give(Self.small, of: 3, Self.format, rate: nil, at: Self.at(1))
    expect(!asker.isGiven, "not before it was read")
    let reading = ViewReading(symbols: [SeenSymbol(symbology: .qr, bytes: [65], text: "A")])
    showing.read(ViewReading(), in: 2, takenAt: Self.at(5))
    showing.read(reading, in: 3, takenAt: Self.at(6))
    showing.give(Self.small, of: 2, Self.format, rate: nil, at: Self.at(7))
    showing.give(nil, of: 3, Self.format, rate: nil, at: Self.at(7))
    expect(!asker.isGiven)
    showing.give(Self.small, of: 3, Self.format, rate: 29.9, at: Self.at(7))
    let look = try #require(try await Self.answer(asker)?.get())
    expect(look.picture == Self.small && look.reading == reading && look.takenAt == Self.at(6) && !look.isFrozen)
    expect(!Self.come(&showing, [1, 2, 4], 4), "nobody asks any more")
  }

  @Test func whoIsTooSoonWaits() async {
    var showing = FrameShowing()
    expect(showing.ask(FrameShowing.Asker(), at: Self.at(0)) == nil)
    expectEqual(showing.ask(FrameShowing.Asker(), at: Self.at(10_000)), .tooSoon, "one at a time")
    showing.end()
    let second = FrameShowing.Asker()
    expectEqual(showing.ask(second, at: Self.at(999)), .tooSoon)
    expect(showing.ask(second, at: Self.at(1_000)) == nil)
    // One who has gone keeps nobody from theirs.
    second.give(.failure(.noPicture))
    expect(!showing.isDue)
    expect(showing.ask(FrameShowing.Asker(), at: Self.at(2_000)) == nil)
  }

  @Test func whatIsLostIsFollowedByTheNext() async throws {
    var showing = FrameShowing()
    let asker = FrameShowing.Asker()
    _ = showing.ask(asker, at: Self.at(0))
    _ = Self.come(&showing, [1], 1)
    for number in UInt64(2)...5 { expect(Self.come(&showing, [UInt8(number)], number)) }
    showing.read(ViewReading(), in: 4, takenAt: Self.at(0))
    showing.give(Self.small, of: 4, Self.format, rate: nil, at: Self.at(1))
    expect(!asker.isGiven, "the decoder that had it is gone")
    showing.read(ViewReading(), in: 5, takenAt: Self.at(0))
    showing.give(Self.small, of: 5, Self.format, rate: nil, at: Self.at(1))
    expect(asker.isGiven)
  }

  @Test func aCameraThatIsClosedIsSaidToBe() async throws {
    var showing = FrameShowing()
    let asker = FrameShowing.Asker()
    _ = showing.ask(asker, at: Self.at(0))
    showing.end()
    guard case .failure(.notRead)? = await Self.answer(asker) else { throw CancellationError() }
  }

  /// One byte in any place makes it another picture; so does one more or less.
  @Test(arguments: 0..<extent(landing: 40, release: 400)) func aFrozenPictureIsTheSameInEachByte(seed: Int) async throws
  {
    var random = SeededGenerator(seed: UInt64(seed))
    let bytes = (0..<Int.random(in: 1...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    var other = bytes
    let place = bytes.indices.randomElement(using: &random) ?? 0
    switch Int.random(in: 0..<4, using: &random) {
    case 0: break
    case 1: other[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: other.append(0)
    default: other.removeLast()
    }
    var showing = FrameShowing()
    let asker = FrameShowing.Asker()
    _ = showing.ask(asker, at: Self.at(0))
    _ = Self.come(&showing, bytes, 1)
    _ = Self.come(&showing, other, 2)
    showing.read(ViewReading(), in: 2, takenAt: Self.at(0))
    showing.give(Self.small, of: 2, Self.format, rate: nil, at: Self.at(1))
    let look = try #require(try await Self.answer(asker)?.get())
    expectEqual(look.isFrozen, bytes == other, "seed \(seed)")
  }

  @Test func picturesAreCounted() {
    var meter = FrameMeter()
    expect(meter.rate(at: Self.at(0)) == nil)
    for number in 0..<200 { meter.took(at: Self.at(Int64(number) * 40)) }
    expect(abs((meter.rate(at: Self.at(8_000)) ?? 0) - 25) < 0.1)
    var young = FrameMeter()
    for number in 0...15 { young.took(at: Self.at(Int64(number) * 40)) }
    expect(abs((young.rate(at: Self.at(600)) ?? 0) - 25) < 0.1)
  }
}
