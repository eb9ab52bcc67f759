internal import FleetKeeping
internal import ScanConfiguration
internal import LinuxIO
internal import Calls
package import StationSetUp
package import ScanModel
import Synchronization

/// What a gate is while nobody stands at it, and shows: ready, at fault, withheld, or in the hands of staff.
extension GateController {
  /// Told when an output has failed or works again, or the gate's rule may stand otherwise; from any thread, returns at once.
  package nonisolated func outputsChanged() { Task(executorPreference: loop.tasks) { await self.reviewOutputs() } }

  /// A gate whose relay cannot be driven, or whose rule lets nobody pass whoever comes, says so before the first person finds out, and no
  /// longer than it is so; a fault of the ticket system stands until an answer disproves it.
  func reviewOutputs() {
    if isOver || !hasBegun { return }
    if let words = fleetMaintenance { return setState(.maintenanceOfFleet(words)) }
    if isInMaintenance { return setState(.maintenance) }
    if let withheld { return setState(withheld.state, showing: withheld.background) }
    let told = toldFault.map { GateState.fault($0.reason, $0.detail) }
    let standing = standing
    if let fault = signals.admissionFault.map({ .fault(.outOfService, $0) }) ?? systemFault ?? told ?? standing.fault {
      return setState(fault)
    }
    if !isBeingAsked, standing != .awaited { setState(.ready, with: reservation ?? standing.reservation) }
  }

  /// What the gate shows while nobody stands at it.
  var resting: Signal { offline == nil ? .idle : .offline }

  /// Takes what the gate's ticket system was found to be, by whomever.
  func take(_ news: TicketSystemNews) {
    learn(news)
    reviewOutputs()
    // The lamp of a scan that is being decided stays.
    if deciding == nil { rest() }
  }

  func learn(_ news: TicketSystemNews) {
    offline = news.offline.flatMap { settings.offline.applies(to: $0) ? $0 : nil }
    // Of who leaves nobody is asked.
    if settings.isExit { return }
    isBeingAsked = news.isBeingAsked
    reservation = reservation(by: news)
    if news.fault == nil, case .fault(let reason, _)? = systemFault, reason.isOfKey || reason == toldFault?.reason {
      // What it was is mended, and not only for this gate.
      systemFault = nil
    }
    toldFault = news.fault
    proven = news.proven
    takeProof()
    if let words = news.clockFault {
      if systemFault == nil { systemFault = .fault(.clockWrong, words) }
    } else if clockFault != nil, case .fault(.clockWrong, _)? = systemFault {
      systemFault = nil
    }
    clockFault = news.clockFault
  }

  private func reservation(by news: TicketSystemNews) -> String? {
    guard let cause = news.offline, cause != .rateLimited else { return news.doubt.map { "\($0) It is asked again." } }
    if settings.offline.mayAdmit { return nil }
    return "\(system.id) does not answer (\(cause.rawValue)), and by \"refuse\" nobody passes here until it does."
  }

  /// Gives up a fault of the ticket system that a scan met, where it has answered as it should since: what is of the gate's own
  /// parameters is met again by the next scan.
  @discardableResult func takeProof() -> Bool {
    // About clocks a probe says nothing.
    guard case .fault(let reason, _)? = systemFault, reason != .clockWrong, let faultBegan, let proven,
      proven >= faultBegan
    else { return false }
    systemFault = nil
    return true
  }

  /// Told that the ticket system has decided a scan.
  func disproveFault() {
    systemFault = nil
    toldFault = nil
  }

  /// Shows whether the ticket system answers, where that has changed.
  func rest() {
    guard state == .ready, !isOver, shownResting != resting else { return }
    shownResting = resting
    signals.play(resting)
  }

  /// Takes the gate out of service, or back into it; from any thread, returns at once. The scan that is being decided is
  /// decided: its ticket may be redeemed already.
  package nonisolated func setMaintenance(_ isOn: Bool) {
    maintenance.withLock { $0 = isOn }
    outputsChanged()
  }

  /// Takes the gate out of service by an order of staff, or ends that; likewise. Its inputs say so for themselves.
  package nonisolated func orderMaintenance(_ isOn: Bool) {
    orderedMaintenance.withLock { $0 = isOn }
    outputsChanged()
  }

  nonisolated var isMaintenanceOrdered: Bool { orderedMaintenance.withLock { $0 } }

  /// Why the gate is out of service with all others of the fleet; `nil` where it is not.
  nonisolated var fleetMaintenance: String? { fleetOrders?.maintenance }

  /// Whether it is in maintenance, whoever says so: each of them alone is enough, and ends it for itself alone.
  nonisolated var isInMaintenance: Bool {
    maintenance.withLock { $0 } || isMaintenanceOrdered || fleetMaintenance != nil
  }

  /// Who keeps it out of service, for staff; `nil` where nobody does.
  nonisolated var maintenanceWords: String? {
    let means = [
      isMaintenanceOrdered ? "an order" : nil, maintenance.withLock { $0 } ? "its maintenance input" : nil,
    ].compactMap(\.self)
    let own =
      means.isEmpty
      ? nil : "Staff have taken gate \(settings.gate) out of service by \(means.joined(separator: " and "))."
    let all = [fleetMaintenance, own].compactMap(\.self)
    return all.isEmpty ? nil : all.joined(separator: " ")
  }

  /// Keeps the gate out of service, or gives it back; from any thread, returns at once. It can never open the gate.
  package nonisolated func setWithholding(_ withholding: GateWithholding?) {
    self.withholding.withLock { $0 = withholding }
    outputsChanged()
  }

  nonisolated var withheld: GateWithholding? { withholding.withLock { $0 } }

  /// Shows a step of setting the station up, where no scan is being decided; from any thread, returns at once.
  package nonisolated func show(_ step: SetUpSignal) { Task(executorPreference: loop.tasks) { await self.play(step) } }

  func play(_ step: SetUpSignal) {
    // What it shows at rest comes before.
    guard hasBegun else { return early = step }
    if deciding == nil, !isOver { signals.play(.setUp(step)) }
  }

  /// - Parameters:
  ///   - reservation: with which it is ready.
  ///   - background: what the gate shows while it cannot decide.
  private func setState(
    _ new: GateState, with reservation: String? = nil, showing background: Signal = .outOfService
  ) {
    let shown = new == .ready ? resting : background
    // That it is ready without reservation is told once more.
    let isCleared = new == .ready && toldReservation != nil && reservation == nil
    let isNews = new != state || !isTold || isCleared
    state = new
    isTold = true
    if isNews {
      toldReservation = reservation
      events.emit(.gate(settings.gate, toldReservation.map(GateState.unproven) ?? new, at: time.wall()))
      if deciding == nil { watch(settings.gate, new == .ready ? .open : .outOfService) }
    }
    // While it is ready, `rest` shows what changes.
    guard isNews || new != .ready, shown != shownResting else { return }
    shownResting = shown
    signals.play(shown)
  }
}

extension GateController: SetUpGate {}

extension GateStanding {
  /// The gate's state by it, where nobody passes.
  fileprivate var fault: GateState? {
    if case .barred(let reason, let words) = self { .fault(reason, words) } else { nil }
  }

  /// What is not known of it.
  fileprivate var reservation: String? { if case .unproven(let words) = self { words } else { nil } }
}

extension GateWithholding {
  /// The gate's state by it.
  var state: GateState {
    switch self {
    case .notSetUp(_, let words): .notSetUp(words)
    case .closed(let words): .closed(words)
    }
  }
}
