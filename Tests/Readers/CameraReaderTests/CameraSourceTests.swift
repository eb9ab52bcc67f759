import Reading
import CameraReader
import CameraTesting
import DecodeClient
import Expectations
import Glibc
import LinuxIO
import ScanModel
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(2))) struct CameraSourceTests {
  @Test func aCodeThatIsShownIsReadOnceAndRefreshed() async throws {
    let desk = try await Desk()
    expect(try await desk.state("waiting").contains("first pictures"))
    desk.view.show("TICKET-1")
    try await desk.feed(3)
    expect(try await desk.state("reading").contains("64x48 GREY"))
    expectEqual(desk.view.looked, 0)
    try await desk.feed(1)
    guard case .read(let read) = try await desk.next() else {
      Issue.record("no read")
      return
    }
    expectEqual(read.bytes, [UInt8]("TICKET-1".utf8))
    expectEqual(read.symbology, Symbology.qr.plainIdentifier)
    try await desk.feed(5)
    desk.view.show("TICKET-2")
    try await desk.feed(1)
    try await expectEqual(desk.read(), "TICKET-2")
    let counts = try #require(await desk.source.counts(of: ReaderID("lane")))
    expectEqual(counts.pictures, 10)
    expectEqual(counts.lost, 0)
    await desk.source.stop()
    expect(desk.camera.state.withLock { $0.mapped == 0 && !$0.isStreaming })
    expectEqual(desk.view.state.withLock { $0.stopped }, 1)
  }

  @Test func whileTheDecoderIsBusyPicturesGoBackUnseen() async throws {
    let desk = try await Desk()
    desk.view.state.withLock { $0.isReady = false }
    try await desk.feed(30)
    expectEqual(desk.view.looked, 0)
    expectEqual(desk.camera.state.withLock { $0.queued.count }, 4)
    desk.view.state.withLock { $0.isReady = true }
    desk.view.show("A")
    try await desk.state("reading")
    try await desk.feed(1)
    try await expectEqual(desk.read(), "A")
  }

  @Test func anotherProgramAndAMissingPermissionAreWaitedFor() async throws {
    for (call, errno, words) in [
      ("requestBuffers", EBUSY, "another program to release"), ("setFormat", EBUSY, "another program to release"),
      ("open", EACCES, "permission to read and write"),
    ] {
      let camera = try FakeCamera()
      camera.fail(call, errno)
      let desk = try await Desk(camera)
      expect(try await desk.state("waiting").contains(words))
      camera.fail(call, nil)
      try await desk.feed(3)
      try await desk.state("reading")
    }
  }

  @Test func aCameraThatGoesIsParkedAndTakenAgain() async throws {
    let desk = try await Desk()
    try await desk.feed(4)
    try await desk.state("reading")
    desk.camera.unplug()
    try await desk.state("parked")
    // Told, and let go of in the same turn.
    await desk.source.heartbeat()
    expectEqual(desk.camera.state.withLock { $0.mapped }, 0)
    desk.camera.plug()
    desk.view.show("BACK")
    try await desk.feed(4)
    try await desk.state("reading")
    try await expectEqual(desk.read(), "BACK")
  }

  @Test(arguments: [("damaged", EINVAL), ("dequeue", EIO), ("dequeue", EINVAL)])
  func aBrokenStreamIsBegunAnew(_ how: String, _ errno: Int32) async throws {
    let desk = try await Desk()
    try await desk.feed(4)
    try await desk.state("reading")
    if how == "damaged" {
      for _ in 0..<30 { try await desk.feed(1, isDamaged: true) }
    } else {
      desk.camera.fail(how, errno)
      desk.camera.take()
    }
    expect(try await desk.state("waiting").contains("whole picture"))
    desk.camera.fail(how, nil)
    desk.view.show("AGAIN")
    try await desk.feed(4)
    try await desk.state("reading")
    try await expectEqual(desk.read(), "AGAIN")
    expectEqual(desk.camera.calls("streamOn"), 2)
  }

  @Test func silenceIsSaidAndBegunAnew() async throws {
    let desk = try await Desk()
    try await desk.feed(4)
    try await desk.state("reading")
    expect(try await desk.state("waiting").contains("it gives none"))
    try await desk.feed(4)
    try await desk.state("reading")
  }

  @Test func whatIsNotOfferedIsAFaultInWords() async throws {
    let camera = try FakeCamera()
    camera.state.withLock { $0.offers = [VideoOffer(format: .mjpg, sizes: .one(VideoSize(width: 640, height: 480)))] }
    let desk = try await Desk(camera, wish: StreamWish(size: VideoSize(width: 1280, height: 720)))
    let words = try await desk.state("failed")
    expect(words.contains("offers no 1280x720; it has MJPG 640x480"))
    expectEqual(camera.calls("setFormat"), 0)
  }

  @Test func aLoopbackThatNobodyFeedsIsWaitedFor() async throws {
    let camera = try FakeCamera()
    let offers = camera.state.withLock { state in
      let offers = state.offers
      state.offers = []
      return offers
    }
    let desk = try await Desk(camera)
    expect(try await desk.state("waiting").contains("that nobody feeds"))
    camera.state.withLock { $0.offers = offers }
    try await desk.feed(3)
    try await desk.state("reading")
  }

  @Test func aDecoderThatEndsAgainAndAgainIsSaid() async throws {
    let desk = try await Desk()
    try await desk.feed(4)
    try await desk.state("reading")
    desk.view.state.withLock { $0.faults = Array(repeating: .died(signal: 9, status: 0), count: 3) }
    try await desk.feed(3)
    let words = try await desk.state("failed")
    expect(words.contains("cannot be looked at") && words.contains("before the camera"))
    expect(!words.contains("installed"))
    desk.view.show("WELL")
    try await desk.feed(1)
    // The code first: it is read by what works again.
    try await expectEqual(desk.read(), "WELL")
    try await desk.state("reading")
    desk.view.state.withLock { $0.faults = [.cannotStart("no such file")] }
    try await desk.feed(1)
    expect(try await desk.state("failed").contains("no such file"))
  }

  @Test func controlsThatAreMissingAreSaid() async throws {
    let camera = try FakeCamera()
    camera.state.withLock { $0.controls = [.autoExposure: (0...3, 3), .exposurePriority: (0...1, 1)] }
    let desk = try await Desk(
      camera, controls: CameraControls(exposure: 50, focus: .fixed(10), powerLine: .hertz50))
    try await desk.feed(3)
    let words = try await desk.state("reading")
    expect(words.contains("its exposure cannot be set; its focus cannot be set; it does not know the frequency"))
    await desk.source.stop()
    expectEqual(camera.state.withLock { $0.controls[.autoExposure]?.value }, 3)
    // Left to the camera, it must not slow down in the dark.
    let other = try await Desk(camera)
    try await other.feed(3)
    expectEqual(camera.state.withLock { $0.controls[.exposurePriority]?.value }, 0)
    await other.source.stop()
    expectEqual(camera.state.withLock { $0.controls[.exposurePriority]?.value }, 1)
  }

  @Test func wrongConfigurationsAreRefused() {
    let place = DevicePlace.match(DeviceMatch(vendor: 0x46D))
    let configurations = [
      CameraConfiguration(id: ReaderID("a"), place: .match(DeviceMatch())),
      CameraConfiguration(id: ReaderID("b"), place: .path("video0")),
      CameraConfiguration(id: ReaderID("c"), place: place),
      CameraConfiguration(id: ReaderID("c"), place: place, kinds: []),
    ]
    expectEqual(
      CameraConfiguration.problems(in: configurations).map(\.device),
      [
        "reader a", "reader b", "reader c", "reader c", "reader c",
      ])
    expect(CameraConfiguration.problems(in: [configurations[2]]).isEmpty)
  }
}

// MARK: A desk with a camera

/// A running source with a camera and a decoder, and what it told.
private final class Desk {
  let camera: FakeCamera
  let view = FakeView()
  let source: CameraSource
  private let stream: AsyncStream<ReaderEvent>
  private var iterator: AsyncStream<ReaderEvent>.Iterator

  init(
    _ given: FakeCamera? = nil, wish: StreamWish = StreamWish(),
    controls: CameraControls = CameraControls()
  ) async throws {
    camera = try given ?? FakeCamera()
    let view = view
    source = try CameraSource(
      [CameraConfiguration(id: ReaderID("lane"), place: .path(camera.node), wish: wish, controls: controls)],
      calls: camera
    ) { loop, _, report in FakeDecoder(loop, view, report) }
    let (stream, continuation) = AsyncStream<ReaderEvent>.makeStream()
    self.stream = stream
    iterator = stream.makeAsyncIterator()
    try await source.start { continuation.yield($0) }
  }

  /// Gives pictures, one after another, as soon as the stream takes them.
  func feed(_ count: Int, isDamaged: Bool = false) async throws {
    for _ in 0..<count {
      while !camera.take(isDamaged: isDamaged) {
        try Task.checkCancellation()
        await source.heartbeat()
      }
      // Until it has been taken, and what the decoder found has been told.
      while camera.state.withLock({ !$0.filled.isEmpty && $0.failures.isEmpty }) { await source.heartbeat() }
      await source.heartbeat()
    }
  }

  func next() async throws -> ReaderEvent {
    while true {
      let event = try #require(await iterator.next(isolation: #isolation))
      if case .inView = event { continue }
      return event
    }
  }

  @discardableResult func state(_ name: String) async throws -> String {
    while true {
      let event = try await next()
      guard case .state(_, let state) = event else {
        Issue.record("\(event) and not the state \(name)")
        return ""
      }
      if state.name == name { return "\(state)" }
    }
  }

  func read() async throws -> String {
    let event = try await next()
    guard case .read(let read) = event else {
      Issue.record("\(event) and no read")
      return ""
    }
    return String(decoding: read.bytes, as: UTF8.self)
  }
}

/// What the decoder sees.
private final class FakeView: Sendable {
  struct State {
    var code: String?
    var isReady = true
    var faults: [DecodeFault] = []
    var looked = 0
    var stopped = 0
  }
  let state = Mutex(State())

  func show(_ code: String?) { state.withLock { $0.code = code } }
  var looked: Int { state.withLock { $0.looked } }
}

/// A decoder that sees what it is told to see, and answers as late as a process does: in the next turn of the loop.
private final class FakeDecoder: FrameDecoder {
  private let loop: DeviceLoop
  private let view: FakeView
  private let report: Report

  /// Used on the loop's thread alone.
  private struct Report: @unchecked Sendable { var tell: (DecodeEvent) -> Void }

  init(_ loop: DeviceLoop, _ view: FakeView, _ report: @escaping (DecodeEvent) -> Void) {
    self.loop = loop
    self.view = view
    self.report = Report(tell: report)
  }

  var isReady: Bool { view.state.withLock { $0.isReady } }

  func submit(_ frame: RawFrame, number: UInt64, isShown: Bool) -> Bool {
    let event = view.state.withLock { state -> DecodeEvent in
      state.looked += 1
      if !state.faults.isEmpty { return .replaced(state.faults.removeFirst()) }
      let symbols = state.code.map {
        [
          SeenSymbol(
            symbology: .qr, identifier: Symbology.qr.plainIdentifier, bytes: [UInt8]($0.utf8), text: $0)
        ]
      }
      return .reading(frame: number, ViewReading(symbols: symbols ?? []))
    }
    _ = loop.at(SystemTime().now()) { [report] in report.tell(event) }
    return true
  }

  func stop() { view.state.withLock { $0.stopped += 1 } }
}
