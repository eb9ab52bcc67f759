import DecodeClient
import DecodeProtocol
import Glibc
import LinuxIO
import ScanModel
import Testing

/// A decoder on a thread of its own, and what it reports.
actor Bench {
  nonisolated let loop: DeviceLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
  private let program: String
  private let settings: DecodeSettings
  private let deadline: Duration
  private var decoder: FencedDecoder?
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private let tell: AsyncStream<DecodeEvent>.Continuation
  nonisolated let events: AsyncStream<DecodeEvent>
  private var number: UInt64 = 0

  init(
    _ name: String = "decode-mock", settings: DecodeSettings = DecodeSettings(), deadline: Duration = .seconds(20)
  ) throws {
    loop = try DeviceLoop(name: "bench")
    program = name.hasPrefix("/") ? name : try Self.folder() + "/" + name
    self.settings = settings
    self.deadline = deadline
    (events, tell) = AsyncStream.makeStream()
  }

  /// Where the executables are that were built with the tests.
  static func folder() throws -> String {
    var path = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/self/exe", &path, path.count - 1)
    try #require(length > 0)
    let executable = String(decoding: path[..<length].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return "/" + executable.split(separator: "/").dropLast().joined(separator: "/")
  }

  func start() {
    let tell = tell
    let decoder = FencedDecoder(loop: loop, program: program, settings: settings, deadline: deadline) { tell.yield($0) }
    decoder.onReady = { [unowned self] in
      self.assumeIsolated { bench in
        for waiting in bench.waiting { waiting.resume() }
        bench.waiting = []
      }
    }
    self.decoder = decoder
  }

  /// Returns when a frame would be taken.
  func ready() async {
    if decoder == nil { start() }
    if decoder?.isReady == true { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  var isReady: Bool { decoder?.isReady == true }
  var process: pid_t { decoder?.process ?? 0 }
  var counters: DecodeCounters { decoder?.counters ?? DecodeCounters() }

  /// Hands a frame over whose first byte says what the mock does.
  @discardableResult func submit(_ what: String, isShown: Bool = false) -> UInt64? {
    number += 1
    let pixels = Array(what.utf8) + [UInt8](repeating: 0, count: 64 - what.utf8.count)
    let taken = pixels.withUnsafeBytes {
      decoder?.submit(
        RawFrame(format: .grey, width: 8, height: 8, stride: 8, bytes: $0), number: number, isShown: isShown) == true
    }
    return taken ? number : nil
  }

  /// Hands two frames over before the thread can hear an answer to the first.
  func submitTwo(_ what: String) -> (UInt64?, UInt64?) { (submit(what), submit(what)) }

  func submit(
    _ format: PixelFormat, _ width: Int, _ height: Int, _ stride: Int, _ bytes: [UInt8], isShown: Bool = false
  ) -> UInt64? {
    number += 1
    let taken = bytes.withUnsafeBytes {
      decoder?.submit(
        RawFrame(format: format, width: width, height: height, stride: stride, bytes: $0), number: number,
        isShown: isShown) == true
    }
    return taken ? number : nil
  }

  func stop() {
    decoder?.stop()
    tell.finish()
    loop.stop()
  }

  /// Whether the process is neither running nor waiting to be reaped.
  static func isGone(_ process: pid_t) -> Bool {
    var status: Int32 = 0
    return waitpid(process, &status, WNOHANG) == -1 && errno == ECHILD && kill(process, 0) == -1
  }
}
