package import ScanConfiguration
package import ScanModel
internal import Reading
internal import TicketSystemKit

extension GateSettings {
  /// A gate's settings, as its configuration gives them.
  /// - Parameter list: how its ticket system's list on board is used.
  /// - Throws: where its pattern of codes is wrong.
  package init(
    _ gate: GateConfiguration, list: TicketListConfiguration = TicketListConfiguration()
  ) throws(SetupError) {
    var pattern: CodePattern?
    if let text = gate.accept.pattern {
      do {
        pattern = try CodePattern(text)
      } catch {
        throw SetupError("Gate \(gate.id), accept.pattern, \(error.description).")
      }
    }
    let lengths = min(gate.accept.minLength, gate.accept.maxLength)...gate.accept.maxLength
    self.init(
      gate: gate.id, accept: AcceptFilter(length: lengths, alphabet: gate.accept.alphabet, pattern: pattern),
      deadline: gate.deadline, holdOff: gate.holdOff, queue: gate.queue, stale: gate.stale,
      pulse: gate.relay?.timing.pulse ?? .zero,
      gap: gate.relay?.timing.gap ?? .zero,
      floodLimit: gate.floodLimit, isExit: gate.direction == .out,
      offline: OfflinePolicy(gate.offline, list: list))
  }
}

extension OfflinePolicy {
  /// A gate's policy, as its configuration gives it.
  init(_ configuration: OfflineConfiguration, list: TicketListConfiguration) {
    let rule: Rule =
      switch configuration.policy {
      case .refuse: .refuse
      case .admitAndQueue: .admitAndQueue(most: configuration.most)
      case .list: .list(maxAge: list.maxAge)
      }
    let clock: ClockRule =
      switch configuration.untrustedClock {
      case .undecided: .undecided
      case .ignoreDay: .ignoreDay
      }
    self.init(
      rule, after: configuration.after, rateLimited: configuration.rateLimited, untrustedClock: clock,
      durableWithin: configuration.durableWithin)
  }
}
