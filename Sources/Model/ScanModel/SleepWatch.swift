/// Notices that the machine has slept, by the difference of two clocks. Pure; times go in.
///
/// Everything here is timed by `CLOCK_MONOTONIC`, which stands still while a machine sleeps: a request that was out for an hour looks
/// as if it had been out for a second. Nothing is counted by another clock for that; the difference tells only *that* it slept, and
/// whatever was open then is stale.
///
/// ```
///        begun ──────── asleep ──────── woken ── looked: noticed ──▶
///          └──────────────── open across a sleep ─────┘
/// ```
/// What is begun between the waking and the look counts as open, too: nobody can tell. So it is looked at often.
package struct SleepWatch: Sendable {
  /// What is shorter is no sleep: the clocks are not read at one moment.
  package static let shortest = Duration.milliseconds(50)

  private var asleep: Duration
  private var noticed: MonotonicTime?

  /// Makes a watch.
  /// - Parameter asleep: how long the machine has slept until now (`TimeSource.asleep`).
  package init(asleep: Duration) { self.asleep = asleep }

  /// Looks whether it has slept since the last look.
  /// - Parameter asleep: how long it has slept since it was started.
  /// - Returns: for how long; `nil` where it did not.
  package mutating func look(asleep: Duration, at now: MonotonicTime) -> Duration? {
    let length = asleep - self.asleep
    guard length >= Self.shortest else { return nil }
    self.asleep = asleep
    noticed = now
    return length
  }

  /// Whether it may have slept since `time`, as far as that was noticed.
  package func hasSlept(since time: MonotonicTime) -> Bool { noticed.map { time <= $0 } ?? false }
}
