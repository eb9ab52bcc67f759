internal import Gateway
internal import ScanConfiguration

/// What is to be said of a fleet that was asked. Pure.
struct FleetJudge {
  let fleet: FleetConfiguration
  let file: String

  func judge(_ found: OnlineCheck.Finding) -> Finding {
    let place = "fleet"
    // The line begins with whom it is about, as the place does.
    let words = found.line.hasPrefix("\(place): ") ? String(found.line.dropFirst(place.count + 2)) : found.line
    func finding(_ severity: Finding.Severity, _ effect: String = "", _ cure: String? = nil) -> Finding {
      Finding(severity, .fleet, place, words + effect, cure: cure)
    }
    let status = "sudo scangate fleet status"
    return switch found.kind {
    case .good: finding(.good)
    case .doubt: finding(.warning, "", status)
    // No policy bridges a fault: it is no outage.
    case .fault: finding(.fault, " Nobody is admitted.", "sudo scangate config check --online \(file)")
    case .away where fleet.refusesAlone: finding(.fault, " Nobody is admitted: fleet.alone is refuse.", status)
    case .away: finding(.warning, " Gates go on by fleet.alone.", status)
    }
  }
}
