import DecodeClient
import DecodeProtocol
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Testing

/// Frames that somebody wants to see, from workers that are honest and from those that are not.
@Suite(.timeLimit(.minutes(2))) struct ShownFrameTests {
  private func next(_ events: inout AsyncStream<DecodeEvent>.Iterator) async throws -> DecodeEvent {
    while let event = await events.next(isolation: #isolation) {
      if case .noise = event { continue }
      return event
    }
    throw CancellationError()
  }

  /// Grey in rising steps, so that each place has a brightness of its own.
  private static func steps(_ width: Int, _ height: Int) -> [UInt8] {
    (0..<height).flatMap { row in (0..<width).map { UInt8((row * 128 / height + $0 * 128 / width) & 0xFF) } }
  }

  /// The worker that is shipped: what was read comes first, then the picture, at no more than 640 pixels a side and with its shape.
  @Test(arguments: [
    (640, 480, 640, 480), (1_280, 720, 640, 360), (1_000, 1_900, 336, 640), (1_279, 961, 640, 480), (24, 16, 24, 16),
  ])
  func itIsMadeSmaller(width: Int, height: Int, shownWidth: Int, shownHeight: Int) async throws {
    let bench = try Bench("scangate-decode")
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let pixels = Self.steps(width, height)
    let number = await bench.submit(.grey, width, height, width, pixels, isShown: true)
    guard case .reading(let read, _) = try await next(&events) else {
      Issue.record("what was read does not come first")
      return
    }
    guard case .shown(let frame, let shown) = try await next(&events), let picture = shown else {
      Issue.record("nothing is shown")
      return
    }
    expect(read == number && frame == number)
    // The longer side is 640 wherever a side is longer than that.
    expect(picture.width == shownWidth && picture.height == shownHeight, "\(picture.width)x\(picture.height)")
    // Each pixel is what the frame has in its place.
    for (x, y) in [(0, 0), (picture.width / 2, picture.height / 3), (picture.width - 1, picture.height - 1)] {
      let place = (y * height / picture.height) * width + x * width / picture.width
      expect(abs(Int(picture.pixels[y * picture.width + x]) - Int(pixels[place])) <= 2, "\(x),\(y)")
    }
    // The next one is nobody's to see.
    let second = await bench.submit(.grey, width, height, width, pixels)
    guard case .reading(let last, _) = try await next(&events) else { throw CancellationError() }
    expectEqual(last, second)
    await bench.ready()
    expect(await bench.counters.replaced == 0)
    await bench.stop()
  }

  /// Sizes that are not the frame's, pictures of what was not asked for, before what was read, twice, of another frame.
  private static let lies: [(steps: String, isShown: Bool)] = [
    ("rq", true), ("rz", true), ("rm", true), ("ro", true), ("p", true), ("rr", true), ("rpp", true), ("p", false),
    ("rp", false), ("ep", true), ("hp", true), ("bp", true), ("rpr", true),
  ]

  @Test(arguments: lies) func whoLiesIsReplaced(steps: String, isShown: Bool) async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    let process = await bench.process
    _ = await bench.submit("S" + steps, isShown: isShown)
    var event = try await next(&events)
    // What comes before the lie is believed.
    while true {
      if case .replaced = event { break }
      if case .shown = event { expectEqual(steps.prefix(2), "rp") }
      event = try await next(&events)
    }
    guard case .replaced(.lied) = event else {
      Issue.record("\(steps) was believed: \(event)")
      return
    }
    await bench.ready()
    expect(Bench.isGone(process))
    let number = await bench.submit("r")
    guard case .reading(number, _) = try await next(&events) else { throw CancellationError() }
    await bench.stop()
  }

  /// A worker that was taken over hands over what it likes: it becomes a file of grey pixels, which others read, and no more.
  @Test func garbageIsAPictureOfGarbage() async throws {
    let bench = try Bench()
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    _ = await bench.submit("Sgrp", isShown: true)
    guard case .reading = try await next(&events), case .shown(_, let shown) = try await next(&events),
      let picture = shown
    else { throw CancellationError() }
    expect(picture.width == 640 && picture.height == 360 && Set(picture.pixels).count > 200)
    let file = try #require(PlainJPEG.file(of: picture, upTo: 48_000))
    expect(file.bytes.count <= 48_000)
    await bench.stop()
    let honest = try Bench("scangate-decode")
    var read = honest.events.makeAsyncIterator()
    await honest.ready()
    _ = await honest.submit(.mjpg, file.width, file.height, file.width, file.bytes)
    guard case .reading = try await next(&read) else { throw CancellationError() }
    await honest.stop()
  }

  /// What was read counts, and the worker is replaced in its time.
  @Test func whoNeverShowsItIsReplaced() async throws {
    let deadline = Duration.milliseconds(250)
    let bench = try Bench(deadline: deadline)
    var events = bench.events.makeAsyncIterator()
    await bench.ready()
    // Two, for the last one is sent when all is done.
    _ = await bench.submit("Srs", isShown: true)
    guard case .replaced(.hung(deadline)) = try await next(&events) else { throw CancellationError() }
    await bench.ready()
    let number = await bench.submit("Sr", isShown: true)
    guard case .reading(number, _) = try await next(&events) else { throw CancellationError() }
    guard case .replaced(.hung(deadline)) = try await next(&events) else { throw CancellationError() }
    await bench.ready()
    await bench.stop()
  }
}
