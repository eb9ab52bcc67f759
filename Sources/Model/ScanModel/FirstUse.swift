/// When, where and by which request a ticket was first admitted.
package struct FirstUse: Sendable, Equatable, Codable {
  /// Our gate; `nil` when it was used elsewhere.
  package var gate: GateID?
  /// By our clock for our gates, by the server's for others.
  package var at: WallTime
  /// The request on whose answer somebody passed, or the admission that was given without one; `nil` when it was used
  /// elsewhere, and in the memory of earlier versions.
  package var request: AttemptID?

  package init(gate: GateID?, at: WallTime, request: AttemptID? = nil) {
    self.gate = gate
    self.at = at
    self.request = request
  }
}
