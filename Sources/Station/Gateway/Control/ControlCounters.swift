public import ScanModel

/// The calls of a control service, as counters name them.
public enum ControlEndpoint: String, Sendable, CaseIterable, Codable {
  case health
  case register
  case activate
  case configuration
  case status
  case validate
}

/// What has been asked of a control service and what became of it, since the station was set up. Ready for a metrics page.
public struct ControlCounters: Sendable, Equatable, Codable {
  /// Requests to one endpoint.
  public struct Requests: Sendable, Equatable, Codable {
    /// How many were made.
    public var count: UInt64 = 0
    /// How long all of them took together, in milliseconds.
    public var milliseconds: UInt64 = 0
    /// How long the longest took, in milliseconds.
    public var longest: UInt64 = 0
    /// When one was answered well for the last time.
    public var succeeded: WallTime?

    /// Makes the counters of an endpoint that was never called.
    public init() {}
  }

  /// Activations that came about.
  public var activations: UInt64 = 0
  /// Activations that did not, by `SetUpRefusal.rawValue`.
  public var refusals: [String: UInt64] = [:]
  /// Configurations fetched.
  public var configurations: UInt64 = 0
  /// Configurations that differed from the one before.
  public var changes: UInt64 = 0
  /// Requests, by `ControlEndpoint.rawValue`.
  public var requests: [String: Requests] = [:]
  /// Faults, by `ControlFaultKind.rawValue`.
  public var faults: [String: UInt64] = [:]

  /// Makes counters at zero.
  public init() {}

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
      sum.succeeded = [a.succeeded, b.succeeded].compactMap { $0 }.max()
      return sum
    }
  }

  mutating func count(_ endpoint: ControlEndpoint, took: Duration, succeeded: WallTime?) {
    let milliseconds = UInt64(max(took.milliseconds, 0))
    var one = Requests()
    one.count = 1
    one.milliseconds = milliseconds
    one.longest = milliseconds
    one.succeeded = succeeded
    var delta = Self()
    delta.requests[endpoint.rawValue] = one
    add(delta)
  }

  mutating func count(_ kind: ControlFaultKind) { faults[kind.rawValue, default: 0] &+= 1 }

  mutating func count(_ refusal: SetUpRefusal) { refusals[refusal.rawValue, default: 0] &+= 1 }
}
