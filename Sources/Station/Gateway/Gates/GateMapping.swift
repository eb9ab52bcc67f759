package import ScanConfiguration
internal import ScanModel

extension GateSettings {
  /// A gate's settings, as its configuration gives them.
  /// - Parameter list: how its ticket system's list on board is used.
  package init(_ gate: GateConfiguration, list: TicketListConfiguration = TicketListConfiguration()) {
    self.init(
      gate: gate.id, accept: gate.accept, deadline: gate.deadline, holdOff: gate.holdOff, queue: gate.queue,
      stale: gate.stale, pulse: gate.relay?.timing.pulse ?? .zero, gap: gate.relay?.timing.gap ?? .zero,
      floodLimit: gate.floodLimit, isExit: gate.direction == .out, offline: gate.offline)
    offline.maxAge = list.maxAge
    offline.freshFor = list.freshFor
  }
}
