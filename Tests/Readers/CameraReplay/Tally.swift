import CameraReader
import DecodeClient
import Glibc
import ScanModel
import Synchronization

/// What happened, counted on the source's thread and read on the camera's.
final class Tally: Sendable {
  /// The decoder's process; 0 before there is one.
  let worker = Atomic<Int32>(0)
  /// Frames that were read.
  let looked = Atomic(0)
  /// Frames of these in which nothing had moved.
  let still = Atomic(0)
  private let firstProblem = Mutex<String?>(nil)

  /// Why the figures would mean nothing.
  var problem: String? { firstProblem.withLock { $0 } }

  func fail(_ words: String) {
    firstProblem.withLock { problem in
      if problem == nil { problem = words }
    }
  }

  func take(_ event: DecodeEvent) {
    switch event {
    case .reading(_, let reading):
      looked.add(1, ordering: .relaxed)
      if reading.isStill { still.add(1, ordering: .relaxed) }
    case .shown: break
    case .spoilt(let frame, let fault): fail("frame \(frame) could not be read: \(fault)")
    case .replaced(let fault): fail("the decoder was replaced: \(fault)")
    case .noise: break
    }
  }
}

/// A fenced decoder whose process is told to a tally.
final class TalliedDecoder: FrameDecoder {
  private let decoder: FencedDecoder
  private let tally: Tally

  init(_ decoder: FencedDecoder, _ tally: Tally) {
    self.decoder = decoder
    self.tally = tally
  }

  var isReady: Bool { decoder.isReady }

  func submit(_ frame: RawFrame, number: UInt64, isShown: Bool) -> Bool {
    tally.worker.store(decoder.process ?? 0, ordering: .relaxed)
    return decoder.submit(frame, number: number, isShown: isShown)
  }

  func stop() { decoder.stop() }
}

/// The system's clocks, in nanoseconds.
enum Clock {
  static func now(_ clock: clockid_t) -> UInt64 {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return 0 }
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  /// Sleeps until a time of `CLOCK_MONOTONIC`.
  static func sleep(until time: UInt64) {
    var until = timespec(tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nil) == EINTR {}
  }
}
