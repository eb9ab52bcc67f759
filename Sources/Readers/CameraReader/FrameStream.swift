import LinuxIO
import ScanModel

/// Whether the pictures of a camera can be used, and whether it still gives any; pure.
///
/// ```
///              3 good pictures               30 bad in a row, or 2 s without any
///   settling ─────────────────▶ running ─────────────────────────────────────────▶ broken
///      └──────────────────────── 5 s without any, 30 bad ────────────────────────────▲
/// ```
/// The first pictures of a stream are often dark, cut or left over. What is broken is begun anew by its owner.
struct FrameStream {
  /// What is wrong with a picture.
  enum Fault: Sendable, CaseIterable {
    /// The driver says so.
    case damaged
    /// Fewer bytes than a picture has.
    case short
    /// It does not begin as a JPEG does.
    case noJPEG
  }

  /// Why the stream must be begun anew.
  enum Break: Sendable, Equatable {
    /// No picture came.
    case silent
    /// None of many could be used.
    case bad
  }

  private(set) var good = 0
  private(set) var faults: [Fault: Int] = [:]
  /// Pictures that the decoder could not make sense of.
  private(set) var spoilt = 0
  private let format: VideoFormat
  private var badInRow = 0
  private var spoiltInRow = 0
  private var lastAt: MonotonicTime

  static let settling = 3
  static let mostBad = 30
  static let silence = Duration.seconds(2)
  static let firstSilence = Duration.seconds(5)

  init(format: VideoFormat, startedAt: MonotonicTime) {
    self.format = format
    lastAt = startedAt
  }

  /// Whether pictures are used.
  var isSettled: Bool { good >= Self.settling }

  /// When it counts as silent if no picture comes before.
  var deadline: MonotonicTime { lastAt + (good == 0 ? Self.firstSilence : Self.silence) }

  /// Why it is broken at `time`; `nil` while it is not.
  func fault(at time: MonotonicTime) -> Break? {
    if badInRow >= Self.mostBad || spoiltInRow >= Self.mostBad { return .bad }
    return time >= deadline ? .silent : nil
  }

  /// Takes a picture; answers whether it can be used.
  mutating func take(_ frame: VideoFrame, _ bytes: UnsafeRawBufferPointer, at time: MonotonicTime) -> Bool {
    lastAt = time
    if let fault = fault(of: frame, bytes) {
      faults[fault, default: 0] += 1
      badInRow += 1
      return false
    }
    badInRow = 0
    good += 1
    return good > Self.settling
  }

  /// Told that the decoder could not make sense of a picture, or that it could.
  mutating func decoded(_ isSpoilt: Bool) {
    spoilt += isSpoilt ? 1 : 0
    spoiltInRow = isSpoilt ? spoiltInRow + 1 : 0
  }

  private func fault(of frame: VideoFrame, _ bytes: UnsafeRawBufferPointer) -> Fault? {
    if frame.isDamaged { return .damaged }
    if bytes.count < max(1, format.leastBytes) { return .short }
    if format.format == .mjpg, bytes[0] != 0xFF || bytes[1] != 0xD8 { return .noJPEG }
    return nil
  }
}

/// How many pictures are looked at: all while something moves, fewer when nothing has for a while; pure.
struct FramePace {
  private let idle: Duration
  private var changedAt: MonotonicTime
  private var offeredAt: MonotonicTime?

  /// How long nothing must change before fewer pictures are looked at.
  static let patience = Duration.seconds(5)

  /// Makes a pace.
  /// - Parameter idleRate: pictures a second while nothing changes; `nil` looks at all of them.
  init(idleRate: Int?, startedAt: MonotonicTime) {
    idle = idleRate.map { .nanoseconds(1_000_000_000 / Int64(max(1, $0))) } ?? .zero
    changedAt = startedAt
  }

  /// Whether a picture that has come at `time` is to be looked at.
  func wants(at time: MonotonicTime) -> Bool {
    guard let offeredAt, time - changedAt >= Self.patience else { return true }
    // Pictures come when they come: a little before its time is its time.
    return time - offeredAt >= idle - .milliseconds(5)
  }

  /// Told that one is being looked at.
  mutating func offered(at time: MonotonicTime) { offeredAt = time }

  /// Takes what was found.
  mutating func took(isStill: Bool, at time: MonotonicTime) { if !isStill { changedAt = time } }
}
