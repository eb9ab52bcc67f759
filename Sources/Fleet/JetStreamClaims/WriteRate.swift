internal import ScanModel

/// When a station may write: so often in a second, and a second's writes at once where it was quiet before. Pure.
struct WriteRate {
  private let interval: Duration
  private let burst: Duration
  /// When all that was asked for would be written, one after the other.
  private var end = MonotonicTime(nanoseconds: 0)

  /// - Parameter rate: so often, at least once.
  init(_ rate: Int) {
    interval = .seconds(1) / max(1, rate)
    burst = .seconds(1)
  }

  /// Takes a place.
  /// - Returns: when it is; `nil` where that is after what is waited for, and no place was taken.
  mutating func place(at now: MonotonicTime, until last: MonotonicTime) -> MonotonicTime? {
    let begin = max(end, now)
    let place = max(now, begin - burst)
    guard place < last else { return nil }
    end = begin + interval
    return place
  }
}
