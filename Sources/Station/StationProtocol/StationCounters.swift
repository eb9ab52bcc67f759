package import ScanModel

/// What a station has counted since its service was started. Counted where it happens, whether anybody listens or not: a counter
/// misses nothing that a slow listener's events do.
package struct StationCounters: Hashable, Sendable {
  /// Scans, by what became of them.
  package var scans: [Scans] = []
  /// How long decisions took, by gates: from the last byte read to the verdict.
  package var decisions: [GateTimes] = []
  /// How long ticket systems took to answer, by their names: requests that may redeem.
  package var requests: [SystemTimes] = []
  /// Repeats within hold-off, by gates.
  package var repeats: [GateCount] = []
  /// Orders, by what became of them.
  package var orders: [Orders] = []
  /// Admissions that ticket systems did not confirm.
  package var conflicts: UInt64 = 0
  /// Events that slow listeners, logs and files have missed.
  package var eventsDropped: UInt64 = 0
  /// Listeners that are connected now.
  package var listeners: UInt64 = 0
  /// Calls to the control service, by endpoint and result: `ok`, or a fault's name. Since the station was set up.
  package var kioskRequests: [Calls] = []
  /// Activations at the control service, by result.
  package var kioskActivations: [Calls] = []
  /// Configurations of the control service that differed from the one before.
  package var kioskChanges: UInt64 = 0

  package init() {}

  /// Scans of one gate that ended alike.
  package struct Scans: Hashable, Sendable {
    /// The gate.
    package var gate: GateID
    /// `admit`, `refuse` or `undecided`.
    package var verdict: String
    /// Why, by the names of events; `nil` for an admission.
    package var reason: String?
    /// Who decided.
    package var decider: Decider
    /// How many.
    package var count: UInt64

    package init(gate: GateID, verdict: String, reason: String?, decider: Decider, count: UInt64) {
      self.gate = gate
      self.verdict = verdict
      self.reason = reason
      self.decider = decider
      self.count = count
    }
  }

  /// Times of one gate.
  package struct GateTimes: Hashable, Sendable {
    package var gate: GateID
    package var times: Histogram

    package init(gate: GateID, times: Histogram) {
      self.gate = gate
      self.times = times
    }
  }

  /// Times of one ticket system.
  package struct SystemTimes: Hashable, Sendable {
    package var system: TicketSystemID
    package var times: Histogram

    package init(system: TicketSystemID, times: Histogram) {
      self.system = system
      self.times = times
    }
  }

  /// Something of one gate.
  package struct GateCount: Hashable, Sendable {
    package var gate: GateID
    package var count: UInt64

    package init(gate: GateID, count: UInt64) {
      self.gate = gate
      self.count = count
    }
  }

  /// Orders that ended alike.
  package struct Orders: Hashable, Sendable {
    /// Which.
    package var kind: OrderKind
    /// `done`, `refused` or `unknown`.
    package var outcome: String
    /// How many.
    package var count: UInt64

    package init(kind: OrderKind, outcome: String, count: UInt64) {
      self.kind = kind
      self.outcome = outcome
      self.count = count
    }
  }

  /// Calls of one sort that ended alike.
  package struct Calls: Hashable, Sendable {
    /// What was called.
    package var name: String
    /// What became of it.
    package var result: String
    /// How many.
    package var count: UInt64

    package init(name: String, result: String, count: UInt64) {
      self.name = name
      self.result = result
      self.count = count
    }
  }

  /// How long things took.
  package struct Histogram: Hashable, Sendable {
    /// The longest that counts for each bucket but the last, which has all the rest.
    package static let bounds: [Duration] = [
      1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000,
    ].map { .milliseconds($0) }

    /// How many took at most the bound of the same place, and longer than the one before it; one more than there are bounds.
    package private(set) var buckets: [UInt64]
    /// How long all took together.
    package private(set) var sum: Duration

    /// Begins with nothing.
    package init() {
      buckets = Array(repeating: 0, count: Self.bounds.count + 1)
      sum = .zero
    }

    /// Takes what was counted elsewhere; `nil` where the buckets are others.
    package init?(buckets: [UInt64], sum: Duration) {
      guard buckets.count == Self.bounds.count + 1 else { return nil }
      self.buckets = buckets
      self.sum = sum
    }

    /// How many there were.
    package var count: UInt64 { buckets.reduce(0, &+) }

    /// Counts one. What is negative took no time.
    package mutating func add(_ duration: Duration) {
      let duration = max(duration, .zero)
      buckets[Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count] &+= 1
      sum = .nanoseconds(saturatingSum(sum.saturatedNanoseconds, duration.saturatedNanoseconds))
    }
  }
}
