internal import ScanModel
internal import StationProtocol
internal import StationReport

/// What the running service says of itself: it has the readers, asks the ticket systems and keeps the lists, and knows better than
/// whoever looks from outside. What is wrong of it is the one judgement of a snapshot. Pure.
enum ServiceLook {
  /// What a service that answers says.
  /// - Parameter program: the version of the program that is installed.
  static func findings(_ station: StationSnapshot, program: String) -> [Finding] {
    let remarks = StationJudgement.remarks(on: station, program: program)
    let names = Set(station.ticketSystems.flatMap { [$0.id.name, $0.host].compactMap(\.self) })
    var findings = remarks.map { finding($0, names: names) }
    func isRemarked(_ subject: StationRemark.Subject) -> Bool { remarks.contains { $0.subject == subject } }
    for gate in station.gates where !isRemarked(.gate(gate.id)) {
      findings.append(Finding(.good, .service, "gates.\(gate.id)", "The service says that it is ready."))
    }
    for reader in station.readers where !isRemarked(.reader(reader.id)) {
      let detail = reader.condition.detail.map { ": \($0)" } ?? ""
      findings.append(Finding(.good, .readers, "readers.\(reader.id)", "The service reads it\(detail)."))
    }
    for system in station.ticketSystems {
      if let budget = system.budget, !isRemarked(.ticketSystem(system.id)) {
        let words = "To the service it is there; \(budget.left) of \(budget.most) requests are left."
        findings.append(Finding(.good, .ticketSystems, "ticketSystems.\(system.id)", words))
      }
      guard let list = system.list, let tickets = list.tickets, !isRemarked(.list(system.id)) else { continue }
      let age = list.age.map { ", \($0.asAge) old" } ?? ""
      findings.append(Finding(.good, .lists, "ticketSystems.\(system.id).list", "\(tickets) tickets\(age)."))
    }
    if !isRemarked(.outbox) { findings.append(quiet(station.outbox, at: station.at)) }
    if let control = station.control, control.words.isEmpty {
      findings.append(judge(control))
    }
    return findings
  }

  /// What the service has said, without what was found from outside as well: that has a word more, and the better cure.
  static func rest(of said: [Finding], beside found: [Finding]) -> [Finding] {
    said.filter { said in
      !found.contains { found in
        guard found.area == said.area else { return false }
        return switch said.area {
        // There is one disk, and it was looked at now.
        case .disk: true
        // A certificate that is shown now stands above the one that was shown last.
        case .certificates: found.place == said.place
        default: found.place == said.place && found.severity >= .warning
        }
      }
    }
  }

  /// What is to be said of an outbox, whoever has looked into it.
  static func outbox(_ outbox: StationSnapshot.Outbox, at now: WallTime) -> [Finding] {
    let remarks = StationJudgement.remarks(on: outbox, at: now)
    return remarks.isEmpty ? [quiet(outbox, at: now)] : remarks.map { finding($0) }
  }

  /// Of an outbox of which nothing need be said.
  private static func quiet(_ outbox: StationSnapshot.Outbox, at now: WallTime) -> Finding {
    guard let words = StationJudgement.waiting(outbox, at: now) else {
      return Finding(.good, .outbox, "outbox", "Nothing waits to be told.")
    }
    return Finding(.note, .outbox, "outbox", "\(words).")
  }

  private static func judge(_ control: StationSnapshot.Control) -> Finding {
    guard control.isActivated else {
      return Finding(
        .warning, .control, "control", "The station is not activated.", cure: "sudo scangate kiosk activate")
    }
    guard control.isConnected, control.isTokenValid, control.isCurrent else {
      return Finding(
        .warning, .control, "control", "It is not as it should be, as the service sees it.",
        cure: "sudo scangate kiosk status")
    }
    return Finding(.good, .control, "control", "It answers, takes the token, and its configuration is current.")
  }

  /// Why a service that runs does not say how it is.
  static func finding(_ absence: StationAbsence) -> Finding {
    switch absence.kind {
    case .notAllowed: Finding(.note, .service, "socket", absence.description, cure: "sudo scangate doctor")
    case .nobody:
      Finding(
        .warning, .service, "socket", "A service runs, and nobody can see it. \(absence.description)",
        cure: "sudo systemctl enable --now scangate-station.socket && sudo systemctl restart scangate")
    case .refused, .silent:
      Finding(.warning, .service, "socket", absence.description, cure: "sudo systemctl restart scangate")
    }
  }

  /// - Parameter names: which are written as they are.
  private static func finding(_ remark: StationRemark, names: Set<String> = []) -> Finding {
    let (area, place) = area(of: remark.subject)
    let isName = names.contains(String(remark.words.prefix { $0 != " " }))
    let words = isName ? remark.words : remark.words.prefix(1).uppercased() + remark.words.dropFirst()
    let cure = remark.cure.map { $0.hasPrefix("scangate ") || $0.hasPrefix("systemctl ") ? "sudo \($0)" : $0 }
    return Finding(
      remark.weight == .cannotAdmit ? .fault : .warning, area, place, words.hasSuffix(".") ? words : "\(words).",
      cure: cure ?? "scangate status")
  }

  /// Where a remark belongs in a report.
  private static func area(of subject: StationRemark.Subject) -> (Finding.Area, String) {
    switch subject {
    case .gate(let gate): (.service, "gates.\(gate)")
    case .reader(let reader): (.readers, "readers.\(reader)")
    case .ticketSystem(let system): (.ticketSystems, "ticketSystems.\(system)")
    case .certificate(let system): (.certificates, "ticketSystems.\(system)")
    case .list(let system): (.lists, "ticketSystems.\(system).list")
    case .outbox: (.outbox, "outbox")
    case .journal: (.journal, "journal")
    case .disk: (.disk, "disk")
    case .configuration: (.configuration, "configuration")
    case .control: (.control, "control")
    case .fleet: (.fleet, "fleet")
    case .clock: (.clock, "clock")
    case .service: (.service, "service")
    }
  }
}
