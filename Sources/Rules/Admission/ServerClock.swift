import ScanModel

/// What one exchange tells of the ticket system's clock, as bounds that always hold.
///
/// Notation: `c(t)` is the server's clock at our monotonic time `t`. One request left at `s` (or later) and its answer
/// was there at `e`; the server made the record at some `p` and the `Date` header at some `d`, both in `s...e`.
///
/// With `Date`: `D = floor(c(d))`, so `D <= c(d) < D + 1 s`. The clock runs on from `d` to `e` and from `s` to `d`:
///
///     c(e) >= c(d) >= D             hence  c(t) >= D     - (e - t)      for any t, before or after
///     c(s) <= c(d) <  D + 1 s       hence  c(t) <  D + 1 + (t - s)
///
/// Without `Date` our own civil clock `w`, read at `e`, stands in, and we trust it to 2 s: `w - 2 <= c(e) <= w + 2`.
///
/// A record says `S = floor(c(p))`. If `p` lies in `a...b` then `floor(c(a)) <= S <= c(b)`, and with the bounds above
///
///     floor(D - (e - a))  <=  S  <=  D + 1 + (b - s)
///
/// No sound bound is tighter: `Date` hides up to a second, and so does `S`. What it costs: a record made by somebody
/// else up to 2 s + (e - s) before `s` cannot be told from our own.
///
/// Two crystals may differ by up to 500 ppm (the limit of NTP slewing), so each bound gives way by 1/2000 of its distance.
struct ServerClock {
  private let low: WallTime
  private let lowAt: MonotonicTime
  private let high: WallTime
  private let highAt: MonotonicTime

  /// - Parameters:
  ///   - span: from just before the first byte was sent until the answer was there.
  ///   - date: the `Date` header, whole seconds.
  ///   - wall: our own civil clock at the span's end.
  ///   - wallMargin: how far `wall` is trusted where there is no `date`.
  ///   - offset: how far the clock that dates records is ahead of the one that `date` is of.
  init(
    span: ClosedRange<MonotonicTime>, date: WallTime?, wall: WallTime, wallMargin: Duration, offset: Duration = .zero
  ) {
    if let date {
      (low, lowAt) = (date + offset, span.upperBound)
      (high, highAt) = (date + .seconds(1) + offset, span.lowerBound)
    } else {
      (low, lowAt) = (wall - wallMargin + offset, span.upperBound)
      (high, highAt) = (wall + wallMargin + offset, span.upperBound)
    }
  }

  /// The smallest `S` of a record made at `time` or later.
  func earliestRecord(at time: MonotonicTime) -> WallTime { WallTime(seconds: earliestTime(at: time).seconds) }

  /// The server's clock at `time`, at least.
  func earliestTime(at time: MonotonicTime) -> WallTime {
    let distance = time - lowAt
    return low + (distance - Self.drift(distance))
  }

  /// The greatest `S` of a record made at `time` or earlier.
  func latestRecord(at time: MonotonicTime) -> WallTime {
    let distance = time - highAt
    return high + (distance + Self.drift(distance))
  }

  private static func drift(_ distance: Duration) -> Duration {
    (distance < .zero ? .zero - distance : distance) / 2_000
  }
}
