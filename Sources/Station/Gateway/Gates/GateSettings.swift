package import ScanConfiguration
package import ScanModel
package import Reading

/// How one gate decides.
package struct GateSettings: Sendable {
  /// The gate's name.
  package var gate: GateID
  /// What can be a code here at all.
  package var accept: AcceptFilter
  /// How long the gate waits for a verdict, from the moment it begins to decide.
  package var deadline: Duration
  /// How long the same code is ignored, counted from its last sighting.
  package var holdOff: Duration
  /// How many scans may wait; more are dropped, signalled and counted.
  package var queue: Int
  /// How long a scan may wait before it is dropped unasked.
  package var stale: Duration
  /// How long the relay is driven for one person.
  package var pulse: Duration
  /// The passage gap after a relay pulse; the relay is not free before it has passed.
  package var gap: Duration
  /// How many requests that admit nobody a reader may bring a minute before it is no longer asked for.
  package var floodLimit: Int
  /// Whether people leave here: nobody is asked, and the ticket admits again.
  package var isExit: Bool
  /// What is done while the ticket system is offline.
  package var offline: OfflinePolicy

  /// Makes the settings of a gate with the defaults of `docs/configuration.md`.
  package init(
    gate: GateID, accept: AcceptFilter = AcceptFilter(), deadline: Duration = .milliseconds(2_500),
    holdOff: Duration = .seconds(2), queue: Int = 4, stale: Duration = .seconds(3), pulse: Duration = .zero,
    gap: Duration = .zero, floodLimit: Int = 20, isExit: Bool = false, offline: OfflinePolicy = OfflinePolicy()
  ) {
    self.offline = offline
    self.gate = gate
    self.accept = accept
    self.deadline = deadline
    self.holdOff = holdOff
    self.queue = queue
    self.stale = stale
    self.pulse = pulse
    self.gap = gap
    self.floodLimit = floodLimit
    self.isExit = isExit
  }
}
