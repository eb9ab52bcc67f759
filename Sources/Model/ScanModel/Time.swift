import Glibc

/// A point on `CLOCK_MONOTONIC`, in nanoseconds since an arbitrary start (the boot).
///
/// The same clock stamps evdev events, GPIO edges and kernel traces, so times of a scan can be compared with theirs.
package struct MonotonicTime: Instant {
  /// Nanoseconds since the clock's start.
  package var nanoseconds: Int64

  /// Makes a time from nanoseconds since the clock's start.
  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
}

/// A point on some clock, with the arithmetic of such points.
package protocol Instant: Hashable, Comparable, Sendable {
  /// Nanoseconds since the clock's start.
  var nanoseconds: Int64 { get }
  init(nanoseconds: Int64)
}

extension Instant {
  @inlinable package static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

  /// `time` moved by `duration`; saturates at the ends of the range instead of trapping.
  @inlinable package static func + (time: Self, duration: Duration) -> Self {
    Self(nanoseconds: saturatingSum(time.nanoseconds, duration.saturatedNanoseconds))
  }

  /// `time` moved back by `duration`; saturates at the ends of the range instead of trapping.
  @inlinable package static func - (time: Self, duration: Duration) -> Self {
    Self(nanoseconds: saturatingDifference(time.nanoseconds, duration.saturatedNanoseconds))
  }

  /// The time that passed from `b` to `a`; negative where `a` is the earlier one.
  @inlinable package static func - (a: Self, b: Self) -> Duration {
    .nanoseconds(saturatingDifference(a.nanoseconds, b.nanoseconds))
  }
}

/// `a + b`, or the end of the range beyond it.
@inlinable package func saturatingSum(_ a: Int64, _ b: Int64) -> Int64 {
  let (sum, overflow) = a.addingReportingOverflow(b)
  return overflow ? (b < 0 ? .min : .max) : sum
}

/// `a - b`, or the end of the range beyond it.
@inlinable package func saturatingDifference(_ a: Int64, _ b: Int64) -> Int64 {
  let (difference, overflow) = a.subtractingReportingOverflow(b)
  return overflow ? (b < 0 ? .max : .min) : difference
}

/// A point in civil time: nanoseconds since 1970-01-01T00:00:00Z, leap seconds not counted (POSIX).
package struct WallTime: Instant {
  /// Nanoseconds since the epoch; may be negative.
  package var nanoseconds: Int64

  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Makes a time from whole seconds since the epoch; saturates beyond the years 1677 to 2262.
  package init(seconds: Int64) {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    nanoseconds = overflow ? (seconds < 0 ? .min : .max) : product
  }

  /// Whole seconds since the epoch, rounded down.
  package var seconds: Int64 {
    let (quotient, remainder) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    return remainder < 0 ? quotient - 1 : quotient
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded towards zero; saturates at some ±292 years.
  package var saturatedNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    if overflow { return seconds < 0 ? .min : .max }
    let (sum, overflow2) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflow2 ? (seconds < 0 ? .min : .max) : sum
  }

  /// The duration in milliseconds, rounded towards zero.
  package var milliseconds: Int64 { saturatedNanoseconds / 1_000_000 }
}

/// Where the gateway takes the time from; tests put a manual clock in its place.
package protocol TimeSource: Sendable {
  /// The monotonic time now.
  func now() -> MonotonicTime
  /// The civil time now, as this machine believes it.
  func wall() -> WallTime
  /// How long the machine has slept (suspended, hibernated) since it was started. Compared with what it was before and with nothing
  /// else: no time of `now` is ever moved by it.
  func asleep() -> Duration
}

extension TimeSource {
  /// A clock of which nothing else is known has never stood still.
  package func asleep() -> Duration { .zero }
}

/// The machine's own clocks: `CLOCK_MONOTONIC`, `CLOCK_REALTIME`, and `CLOCK_BOOTTIME` for how far the first has fallen behind.
package struct SystemTime: TimeSource {
  /// Makes the source; it holds no state.
  package init() {}

  package func now() -> MonotonicTime { MonotonicTime(nanoseconds: Self.read(CLOCK_MONOTONIC)) }

  package func wall() -> WallTime { WallTime(nanoseconds: Self.read(CLOCK_REALTIME)) }

  /// By `CLOCK_BOOTTIME`, which goes on while the machine sleeps, less `CLOCK_MONOTONIC`, which does not. Too little by the time between
  /// two readings, and never too much.
  package func asleep() -> Duration {
    var best = (width: Int64.max, asleep: Int64(0))
    // A process that is halted between the readings reads again.
    for _ in 0..<8 where best.width > 100_000 {
      let before = Self.read(CLOCK_MONOTONIC)
      let boot = Self.read(CLOCK_BOOTTIME)
      let after = Self.read(CLOCK_MONOTONIC)
      if after &- before < best.width { best = (after &- before, boot &- after) }
    }
    return .nanoseconds(max(0, best.asleep))
  }

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }
}

extension Duration {
  /// In the unit that fits an age, such as `90 min`, `36 h` or `3 days`; of something from the future `0 min`.
  package var asAge: String {
    // Two readings of a clock make a whole number of minutes a little less.
    let minutes = max(0, (milliseconds + 1_000) / 60_000)
    switch minutes {
    case 0..<120: return "\(minutes) min"
    case 120..<2_880: return "\(minutes / 60) h"
    default: return "\(minutes / 1_440) days"
    }
  }
}

extension Duration {
  /// Such as `0.2 s ahead of`, of how far a clock is ahead.
  package var asClockError: String { "\(asClockDistance) \(self < .zero ? "behind" : "ahead of")" }

  /// Such as `0.2 s`, of how far it is off.
  package var asClockDistance: String {
    let milliseconds = milliseconds.magnitude
    return milliseconds < 10_000
      ? "\(milliseconds / 1_000).\(milliseconds / 100 % 10) s"
      : milliseconds < 120_000 ? "\(milliseconds / 1_000) s" : "\(milliseconds / 60_000) min"
  }
}
