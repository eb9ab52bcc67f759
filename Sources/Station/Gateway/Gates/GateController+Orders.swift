internal import FleetKeeping
internal import LinuxIO
internal import ScanModel
import StationProtocol
internal import StationSetUp

/// What staff order of a gate.
extension GateController {
  /// Why it cannot be opened by hand now; `nil` where it can.
  var obstacleToOpening: OrderOutcome? {
    let gate = settings.gate
    if isOver || !hasBegun { return .refused(.outOfService, "Gate \(gate) is being set up. Give it again.") }
    if let fleetMaintenance { return .refused(.outOfService, fleetMaintenance) }
    if isInMaintenance {
      return .refused(.outOfService, "Gate \(gate) is in maintenance: somebody may have their hands in it.")
    }
    if let withheld { return .refused(.outOfService, withheld.detail) }
    if let fault = signals.admissionFault { return .refused(.outOfService, fault) }
    if deciding != nil { return .refused(.busy, "A code is being decided at gate \(gate). Wait for its verdict.") }
    if isOpening || freeAt.map({ $0 > time.now() }) == true {
      return .refused(.pulsing, "Gate \(gate) is open for somebody. Give it again when they have passed.")
    }
    return nil
  }

  /// Opens it for one person whom no ticket lets in: one pulse, never beside another, and it counts no ticket.
  func openOnce() async -> OrderOutcome {
    if let obstacle = obstacleToOpening { return obstacle }
    isOpening = true
    defer { isOpening = false }
    switch await signals.admit(isProvisional: false) {
    case .started(_, let end):
      keepClosed(until: end + settings.gap)
      return .done("Gate \(settings.gate) was opened once.")
    case .noRelay: return .done("Gate \(settings.gate) has no relay: its lamps and sound said to pass.")
    case .failed(let words):
      reviewOutputs()
      return .refused(.outOfService, words)
    case .unanswered(let words):
      keepClosed(until: time.now() + settings.pulse + settings.gap)
      reviewOutputs()
      return .unknown(words)
    }
  }

  /// Takes the gate out of service, or ends that.
  func maintain(_ isOn: Bool) -> OrderOutcome {
    orderMaintenance(isOn)
    let gate = settings.gate
    if isOn { return .done("Gate \(gate) is in maintenance.") }
    if let fleetMaintenance {
      return .done("The order at gate \(gate) is ended, which is out of service still. \(fleetMaintenance)")
    }
    return .done(
      isInMaintenance
        ? "The order is ended. The maintenance input of gate \(gate) keeps it out of service still."
        : "Gate \(gate) is in service again.")
  }

  /// How long a lamp that is tried stays on.
  private static let trialTime = Duration.seconds(3)

  /// Shows a signal with lamps and sound, while nobody can pass; no relay moves.
  func test(_ signal: Signal) -> OrderOutcome {
    guard isInMaintenance, deciding == nil, hasBegun, !isOver else {
      return .refused(.notInMaintenance, "Gate \(settings.gate) is in service. Take it out first: maintenance on.")
    }
    signals.play(signal)
    if signal.isBackground {
      shownResting = signal
      _ = loop.at(SystemTime().now() + Self.trialTime) { self.assumeIsolated { $0.reviewOutputs() } }
    }
    return .done("Gate \(settings.gate) shows \(signal.text).")
  }

  /// Takes a code that was typed as one that was scanned; from any thread, returns at once.
  nonisolated func present(_ read: RawRead, as scan: ScanID) -> GateIntake.Presented { intake.take(read, as: scan) }
}
