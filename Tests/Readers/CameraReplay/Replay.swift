import Reading
import CameraReader
import CameraTesting
import DecodeClient
import DecodeProtocol
import Glibc
import LinuxIO
import ScanModel
import Synchronization

/// A camera source with a camera that is played to it at its rate, and the real decoder behind its fence.
///
/// What the camera itself does (its thread copies each frame into a buffer, which a driver does in the kernel) is measured
/// and taken off.
struct Replay {
  private let options: ReplayOptions
  private let camera: FakeCamera
  private let tally = Tally()

  init(_ options: ReplayOptions) throws {
    self.options = options
    camera = try FakeCamera()
    let room = options.frames.map(\.count).max() ?? 0
    camera.state.withLock { state in
      state.offers = [
        VideoOffer(
          format: options.format, sizes: .one(options.size), rates: [.one(VideoRate(pictures: UInt32(options.rate)))])
      ]
      state.made = VideoFormat(
        format: options.format, size: options.size,
        bytesPerLine: options.format == .yuyv ? 2 * options.size.width : 0, imageBytes: room)
      state.pictureBytes = room
    }
  }

  /// Plays and counts.
  /// - Returns: the line of JSON.
  func run() async throws -> String {
    // Its node goes with it, whatever happens.
    defer { camera.unplug() }
    let tally = tally
    let program = DecodeProgram.path
    let configuration = CameraConfiguration(
      id: ReaderID("replay"), place: .path(camera.node), kinds: options.kinds, idleRate: options.idleRate)
    let source = try CameraSource([configuration], calls: camera) { loop, camera, report in
      TalliedDecoder(
        FencedDecoder(loop: loop, program: program, settings: DecodeSettings(kinds: camera.kinds)) { event in
          tally.take(event)
          report(event)
        }, tally)
    }
    try await source.start { event in
      if case .state(_, .failed(let words)) = event { tally.fail(words) }
    }
    let spans = AsyncStream<Span>.makeStream()
    let (options, camera) = (options, camera)
    try SystemThread.start("replay-camera") {
      spans.continuation.yield(Self.play(options, camera, tally))
      spans.continuation.finish()
    }
    var measured: Span?
    for await span in spans.stream { measured = span }
    await source.stop()
    guard let measured else { throw ReplayProblem("nothing was played") }
    return try json(measured)
  }

  /// The camera: gives a frame whenever it is time, on a thread of its own.
  private static func play(_ options: ReplayOptions, _ camera: FakeCamera, _ tally: Tally) -> Span {
    let pause = 1_000_000_000 / UInt64(options.rate)
    var next = Clock.now(CLOCK_MONOTONIC)
    var start = Reading()
    var refused = 0
    for number in 0..<(options.warm + options.seconds) * options.rate {
      if number == options.warm * options.rate { start = Reading(tally) }
      if !camera.take(options.frames[number % options.frames.count]) { refused += 1 }
      next += pause
      Clock.sleep(until: next)
    }
    return Span(start: start, end: Reading(tally), refused: refused)
  }

  private func json(_ span: Span) throws -> String {
    let (start, end) = (span.start, span.end)
    if let problem = tally.problem { throw ReplayProblem(problem) }
    guard start.worker != 0, start.worker == end.worker else {
      throw ReplayProblem("the decoder was not there, or replaced")
    }
    let wall = end.wall - start.wall
    func share(_ spent: UInt64) -> Double { Double(spent) / Double(max(1, wall)) }
    let looked = end.looked - start.looked
    let camera = end.camera - start.camera
    let gateway = end.gateway - start.gateway - min(camera, end.gateway - start.gateway)
    let decoder = end.decoder - start.decoder
    return """
      {"core":\(share(gateway + decoder)),"gateway":\(share(gateway)),"decoder":\(share(decoder)),\
      "camera":\(share(camera)),"seconds":\(Double(wall) / 1e9),"looked":\(looked),"still":\(end.still - start.still),\
      "refused":\(span.refused),"frameBytes":\(options.frames.map(\.count).reduce(0, +) / options.frames.count)}
      """
  }

  /// What was measured from one reading to another.
  private struct Span: Sendable {
    var start: Reading
    var end: Reading
    /// Frames for which there was no buffer.
    var refused: Int
  }

  /// The clocks and the counts at a time, read on the camera's thread; times in nanoseconds.
  private struct Reading: Sendable {
    var (wall, gateway, camera, decoder): (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    var (looked, still) = (0, 0)
    var worker: Int32 = 0

    init() {}

    init(_ tally: Tally) {
      wall = Clock.now(CLOCK_MONOTONIC)
      gateway = Clock.now(CLOCK_PROCESS_CPUTIME_ID)
      camera = Clock.now(CLOCK_THREAD_CPUTIME_ID)
      worker = tally.worker.load(ordering: .relaxed)
      var clock = clockid_t()
      if worker != 0, clock_getcpuclockid(worker, &clock) == 0 { decoder = Clock.now(clock) }
      looked = tally.looked.load(ordering: .relaxed)
      still = tally.still.load(ordering: .relaxed)
    }
  }
}
