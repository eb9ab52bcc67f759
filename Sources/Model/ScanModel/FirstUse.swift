/// When, where and by which request a ticket was first admitted.
public struct FirstUse: Sendable, Equatable, Codable {
  /// Our gate; `nil` when it was used elsewhere.
  public var gate: GateID?
  /// By our clock for our gates, by the server's for others.
  public var at: WallTime
  /// The request on whose answer somebody passed, or the admission that was given without one; `nil` when it was used
  /// elsewhere, and in the memory of earlier versions.
  public var request: AttemptID?

  /// Makes a first use.
  public init(gate: GateID?, at: WallTime, request: AttemptID? = nil) {
    self.gate = gate
    self.at = at
    self.request = request
  }
}
