import DecodeClient
import LinuxIO
import ScanModel

/// Lets one at a time see a picture; pure but for the answer.
///
/// ```
///         asked              a picture came        handed to the decoder       read           made smaller
///  idle ────────▶ comparing ───────────────▶ due ────────────────────────▶ out ─────▶ read ─────────────────▶ idle
///                                              ▲ lost or spoilt: the next one ┘
/// ```
/// While nobody asks, nothing is done with a picture for it.
struct FrameShowing {
  typealias Asker = OneAnswer<Result<CameraLook, CameraLookFault>>

  /// How long a picture may take to come: several times what the slowest camera needs.
  static let patience = Duration.seconds(3)
  /// The soonest that another one is shown.
  static let interval = Duration.seconds(1)
  /// Every so many bytes of a picture is looked at to tell whether it is another one.
  private static let step = 61

  private var asker: Asker?
  private var askedAt: MonotonicTime?
  /// Of the picture that came last since somebody asked.
  private var lastDigest: UInt64?
  private var isFrozen: Bool?
  /// What the decoder has, and what it has read in it.
  private var out: (number: UInt64, reading: ViewReading?, takenAt: MonotonicTime)?

  /// Takes who asks.
  /// - Returns: why it is too soon.
  mutating func ask(_ answer: Asker, at now: MonotonicTime) -> CameraLookFault? {
    if isAwaited { return .tooSoon }
    if let askedAt, now - askedAt < Self.interval { return .tooSoon }
    asker = answer
    askedAt = now
    (lastDigest, isFrozen, out) = (nil, nil, nil)
    return nil
  }

  /// Whether somebody still waits.
  private var isAwaited: Bool { asker.map { !$0.isGiven } ?? false }

  /// Whether the next picture that goes to the decoder is to be shown.
  var isDue: Bool { isAwaited && isFrozen != nil }

  /// Takes a picture that has come.
  mutating func saw(_ bytes: UnsafeRawBufferPointer) {
    guard isAwaited else { return }
    var digest = UInt64(truncatingIfNeeded: bytes.count) ^ 0xCBF2_9CE4_8422_2325
    for place in stride(from: 0, to: bytes.count, by: Self.step) {
      digest = (digest ^ UInt64(bytes[place])) &* 0x0000_0100_0000_01B3
    }
    if let lastDigest { isFrozen = lastDigest == digest }
    lastDigest = digest
  }

  /// Told that the picture of this number went to the decoder, to be shown.
  mutating func took(_ number: UInt64) { out = (number, nil, MonotonicTime(nanoseconds: 0)) }

  /// Told what was read in a picture.
  mutating func read(_ reading: ViewReading, in number: UInt64, takenAt: MonotonicTime) {
    if out?.number == number { out = (number, reading, takenAt) }
  }

  /// Takes the picture made smaller, and gives it to who asked.
  mutating func give(
    _ picture: GreyPicture?, of number: UInt64, _ format: VideoFormat, rate: Double?, at now: MonotonicTime
  ) {
    guard let out, out.number == number, let reading = out.reading, let picture else { return }
    asker?.give(
      .success(
        CameraLook(
          picture: picture, format: format, takenAt: out.takenAt, reading: reading, rate: rate,
          isFrozen: isFrozen ?? false)))
    end()
  }

  /// The camera is closed, or has given what was asked for: nobody waits any more.
  mutating func end() {
    asker?.give(.failure(.notRead))
    (asker, out) = (nil, nil)
  }
}

/// How many pictures a second come; pure.
struct FrameMeter {
  /// Over how long they are counted.
  private static let window = Duration.seconds(2)

  private var began: MonotonicTime?
  private var count = 0
  private var last: Double?

  /// Takes a picture that has come.
  mutating func took(at time: MonotonicTime) {
    guard let began else {
      began = time
      return
    }
    count += 1
    guard time - began >= Self.window else { return }
    last = Self.rate(count, time - began)
    (self.began, count) = (time, 0)
  }

  /// Pictures a second lately; `nil` before half a second's worth has come.
  func rate(at time: MonotonicTime) -> Double? {
    if let last { return last }
    guard let began, time - began >= Self.window / 4 else { return nil }
    return Self.rate(count, time - began)
  }

  private static func rate(_ count: Int, _ duration: Duration) -> Double {
    Double(count) * 1_000 / Double(max(1, duration.milliseconds))
  }
}
