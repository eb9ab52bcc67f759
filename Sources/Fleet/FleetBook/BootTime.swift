package import ScanModel

/// A point on `CLOCK_BOOTTIME`, in nanoseconds since the machine was started: it goes on while the machine sleeps, and nobody sets it.
/// Compared with others of the same machine alone.
package struct BootTime: Instant {
  package var nanoseconds: Int64
  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Now, by a source of time.
  package init(of time: some TimeSource) {
    // Sleep that falls between the two readings is counted: it makes a claim older, never younger.
    let now = time.now()
    self = BootTime(nanoseconds: now.nanoseconds) + time.asleep()
  }
}

/// How long things hold among stations of a fleet. Each is measured by one machine's own clock; none is compared with another's.
package struct ClaimPolicy: Hashable, Sendable {
  /// For so long after it has sent its claim a station opens on it. 10 s.
  package var ownFor: Duration
  /// A claim that somebody else has watched unchanged for so long is cut off. 30 s: a clock that runs at a third of another's is broken.
  package var cutOffAfter: Duration
  /// How long after a failure a call is made again. 100 ms.
  package var pause: Duration

  package init(
    ownFor: Duration = .seconds(10), cutOffAfter: Duration = .seconds(30), pause: Duration = .milliseconds(100)
  ) {
    self.ownFor = ownFor
    self.cutOffAfter = cutOffAfter
    self.pause = pause
  }
}
