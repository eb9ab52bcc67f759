import ScanModel

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
