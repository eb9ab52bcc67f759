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
/// While nobody asks, nothing is done with a picture for it; while somebody does, nothing is done before the decoder has it.
struct FrameShowing {
  typealias Asker = OneAnswer<Result<CameraLook, CameraLookFault>>

  /// What the decoder has, to be shown.
  private struct Handed {
    let number: UInt64
    let isFrozen: Bool
    var read: (reading: ViewReading, takenAt: MonotonicTime)?
  }

  /// How long a picture may take to come: several times what the slowest camera needs.
  static let patience = Duration.seconds(3)
  /// The soonest that another one is shown.
  static let interval = Duration.seconds(1)

  private var asker: Asker?
  private var askedAt: MonotonicTime?
  /// Of the picture that came last since somebody asked.
  private var lastDigest: UInt64?
  private var handed: Handed?

  /// Takes who asks.
  /// - Returns: why it is too soon.
  mutating func ask(_ answer: Asker, at now: MonotonicTime) -> CameraLookFault? {
    if isAwaited { return .tooSoon }
    if let askedAt, now - askedAt < Self.interval { return .tooSoon }
    asker = answer
    askedAt = now
    (lastDigest, handed) = (nil, nil)
    return nil
  }

  /// Whether somebody still waits.
  private var isAwaited: Bool { asker.map { !$0.isGiven } ?? false }

  /// Whether the next picture that goes to the decoder is to be shown: one has come that it can be compared with.
  var isDue: Bool { isAwaited && lastDigest != nil }

  /// Takes a picture that has come, once the decoder has it, or is not to have it.
  /// - Parameter number: its number, where it went to the decoder to be shown.
  mutating func saw(_ bytes: UnsafeRawBufferPointer, shown number: UInt64?) {
    guard isAwaited else { return }
    let digest = Self.digest(of: bytes)
    if let number { handed = Handed(number: number, isFrozen: lastDigest == digest) }
    lastDigest = digest
  }

  /// Told what was read in a picture.
  mutating func read(_ reading: ViewReading, in number: UInt64, takenAt: MonotonicTime) {
    if handed?.number == number { handed?.read = (reading, takenAt) }
  }

  /// Takes the picture made smaller, and gives it to who asked.
  mutating func give(
    _ picture: GreyPicture?, of number: UInt64, _ format: VideoFormat, rate: Double?, at now: MonotonicTime
  ) {
    guard let handed, handed.number == number, let (reading, takenAt) = handed.read, let picture else { return }
    asker?.give(
      .success(
        CameraLook(
          picture: picture, format: format, takenAt: takenAt, reading: reading, rate: rate, isFrozen: handed.isFrozen)))
    end()
  }

  /// The camera is closed, or has given what was asked for: nobody waits any more.
  mutating func end() {
    asker?.give(.failure(.notRead))
    (asker, handed, lastDigest) = (nil, nil, nil)
  }

  /// Of every byte, eight at a time.
  private static func digest(of bytes: UnsafeRawBufferPointer) -> UInt64 {
    var digest = UInt64(truncatingIfNeeded: bytes.count) ^ 0xCBF2_9CE4_8422_2325
    func take(_ value: UInt64) {
      digest = (digest ^ value) &* 0x0000_0100_0000_01B3
      digest ^= digest >> 29
    }
    let whole = bytes.count & ~7
    for place in stride(from: 0, to: whole, by: 8) { take(bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)) }
    for place in whole..<bytes.count { take(UInt64(bytes[place])) }
    return digest
  }
}
