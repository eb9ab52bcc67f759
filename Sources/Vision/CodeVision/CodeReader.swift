internal import Glibc
package import ScanModel

/// Reads codes from grey pixels. Not to be shared between threads: it keeps what it allocated, and what it saw last.
package final class CodeReader {
  /// What it looks for, and how.
  package let settings: VisionSettings

  private let pass: QRPass
  private let cascade: StillCascade
  private let linear: LinearPass?
  let frames: FrameReader

  package init(_ settings: VisionSettings) {
    self.settings = settings
    pass = QRPass(stages: settings.stages)
    cascade = StillCascade(stages: settings.stages, pass: pass)
    linear =
      settings.kinds.isDisjoint(with: .linear) || !settings.stages.contains(.bars)
      ? nil : LinearPass(settings.kinds, stages: settings.stages)
    frames = FrameReader(settings, qr: settings.kinds.contains(.qr) ? pass : nil, linear: linear)
  }

  /// Reads a picture that stands alone, with all that helps: the whole cascade.
  package func read(picture: GreyImage) -> ViewReading {
    let start = Self.threadTime()
    var reading = ViewReading()
    reading.quality = ViewQuality(of: picture)
    // What is cheap first, of both: the expensive looks are for pictures in which neither read anything.
    var hasBars = false
    if let linear {
      reading.symbols += linear.read(picture, effort: .patient)
      hasBars = linear.hasBars
    }
    if settings.kinds.contains(.qr) {
      let result = cascade.read(picture, isThorough: reading.symbols.isEmpty, hasBars: hasBars)
      reading.symbols += result.symbols
      reading.quality.finders = result.finders
      reading.quality.modulePixels = result.module
    }
    if reading.symbols.isEmpty, let linear { reading.symbols += linear.read(picture, effort: .rest) }
    reading.decodeTime = Self.threadTime() &- start
    return reading
  }

  /// Reads a picture that stands alone, and draws over it what the search for QR codes saw, at the size at which it saw most. `nil`
  /// where it did not look.
  package func explain(picture: GreyImage) -> (reading: ViewReading, canvas: ExplainCanvas?) {
    pass.explains = true
    defer { pass.explains = false }
    let reading = read(picture: picture)
    return (reading, cascade.explained)
  }

  /// CPU time of this thread in nanoseconds.
  static func threadTime() -> UInt64 {
    var time = timespec()
    guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
  }
}

extension CodeReader {
  /// Reads the next frame of a camera, with a bounded share of work.
  ///
  /// The places of the last symbols are looked at first, in 1.5 times their size; the whole frame at least every third time, and
  /// whenever one of them is gone. Beside the cheap searches one other way of looking is tried by turns. A scene that does not
  /// change gets each of these once. After that its frames are not looked at: their reading is `isStill`, and its symbols are what
  /// was read since the scene is as it is, for these codes are still in view; they were not read again.
  ///
  /// Frames of the same camera, in their order: a reader remembers. Its time is bounded in the mean, by some 8 ms of CPU time.
  package func read(frame: GreyImage) -> ViewReading { read(frame: frame, clock: Self.threadTime) }

  /// The same, with the CPU time of this thread in nanoseconds as `clock` has it.
  func read(frame: GreyImage, clock: () -> UInt64) -> ViewReading { frames.read(frame, clock: clock) }
}
