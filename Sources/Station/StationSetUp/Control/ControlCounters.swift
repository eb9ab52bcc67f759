package import ScanModel

/// The calls of a control service, as counters name them.
package enum ControlEndpoint: String, Sendable, CaseIterable, Codable {
  case health
  case register
  case activate
  case configuration
  case status
  case validate
}

/// What has been asked of a control service and what became of it, since the station was set up. Ready for a metrics page.
package struct ControlCounters: Sendable, Equatable, Codable {
  /// Requests to one endpoint.
  package struct Requests: Sendable, Equatable, Codable {
    /// How many were made.
    package var count: UInt64 = 0
    /// How long all of them took together, in milliseconds.
    package var milliseconds: UInt64 = 0
    /// How long the longest took, in milliseconds.
    package var longest: UInt64 = 0
    /// How many ended with a fault, by `ControlFaultKind.rawValue`; `nil` in what former versions have kept.
    package var faults: [String: UInt64]?
    /// When one was answered well for the last time.
    package var succeeded: WallTime?

    /// Makes the counters of an endpoint that was never called.
    package init() {}
  }

  /// Activations that came about.
  package var activations: UInt64 = 0
  /// Activations that did not, by `SetUpRefusal.rawValue`.
  package var refusals: [String: UInt64] = [:]
  /// Configurations fetched.
  package var configurations: UInt64 = 0
  /// Configurations that differed from the one before.
  package var changes: UInt64 = 0
  /// Requests, by `ControlEndpoint.rawValue`.
  package var requests: [String: Requests] = [:]
  /// Faults, by `ControlFaultKind.rawValue`.
  package var faults: [String: UInt64] = [:]

  package init() {}

  /// Counts what another part of the program, or another process, has counted.
  mutating func add(_ other: Self) {
    activations &+= other.activations
    configurations &+= other.configurations
    changes &+= other.changes
    refusals.merge(other.refusals, uniquingKeysWith: &+)
    faults.merge(other.faults, uniquingKeysWith: &+)
    requests.merge(other.requests) { a, b in
      var sum = a
      sum.count &+= b.count
      sum.milliseconds &+= b.milliseconds
      sum.longest = max(a.longest, b.longest)
      sum.faults = (a.faults ?? [:]).merging(b.faults ?? [:], uniquingKeysWith: &+)
      sum.succeeded = [a.succeeded, b.succeeded].compactMap { $0 }.max()
      return sum
    }
  }

  /// Counts a call.
  /// - Parameters:
  ///   - succeeded: when it was answered well; `nil` where it was not.
  ///   - fault: what it ended with; `nil` where it was answered, well or with a refusal.
  mutating func count(
    _ endpoint: ControlEndpoint, took: Duration, succeeded: WallTime?, fault: ControlFaultKind? = nil
  ) {
    let milliseconds = UInt64(max(took.milliseconds, 0))
    var one = Requests()
    one.count = 1
    one.milliseconds = milliseconds
    one.longest = milliseconds
    one.succeeded = succeeded
    one.faults = fault.map { [$0.rawValue: 1] }
    var delta = Self()
    if let fault { delta.faults = [fault.rawValue: 1] }
    delta.requests[endpoint.rawValue] = one
    add(delta)
  }

  mutating func count(_ refusal: SetUpRefusal) { refusals[refusal.rawValue, default: 0] &+= 1 }
}
