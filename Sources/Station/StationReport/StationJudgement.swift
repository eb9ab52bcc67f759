package import ScanModel
package import StationProtocol

/// Whether all is well at a station, by how it is at one moment. Pure.
package enum StationJudgement {
  /// Everything that is not as it should be, what matters most first, else in the order of the snapshot.
  /// - Parameter program: the version of the program that is installed.
  package static func remarks(on station: StationSnapshot, program: String) -> [StationRemark] {
    var remarks: [StationRemark] = []
    for gate in station.gates { remarks += judge(gate, of: station) }
    for reader in station.readers { remarks += judge(reader) }
    for system in station.ticketSystems { remarks += judge(system, of: station) }
    remarks += judgeCertificates(station)
    remarks += Self.remarks(on: station.outbox, at: station.at)
    remarks += judge(station.disk)
    remarks += judge(station.fleet)
    remarks += judgeService(station, program)
    return remarks.filter { $0.weight == .cannotAdmit } + remarks.filter { $0.weight == .warning }
  }

  // MARK: Gates and readers

  private static func judge(_ gate: StationSnapshot.Gate, of station: StationSnapshot) -> [StationRemark] {
    func remark(
      _ weight: StationRemark.Weight, _ words: String, _ cure: String? = nil, _ finding: StationFinding? = nil
    ) -> StationRemark {
      StationRemark(weight, .gate(gate.id), words, cure: cure, finding)
    }
    let detail = gate.condition.detail
    switch gate.condition.state {
    case "ready":
      var remarks: [StationRemark] = []
      if let fault = gate.outputFault {
        remarks.append(remark(.cannotAdmit, fault, nil, .init(.cannotOpen, detail: fault)))
      }
      let system = station.ticketSystems.first { $0.id == gate.ticketSystem }
      if let system, system.isAway, gate.offline == nil, !gate.isExit {
        // Its policy lets nobody pass without the ticket system's word. A gate that was ready before does not tell that.
        let cause = system.offline.map { " (\($0.rawValue))" } ?? ""
        remarks.append(
          remark(
            .cannotAdmit, detail ?? "\(system.id) does not answer\(cause), and nobody passes here until it does", nil,
            .init(.gateNeedsSystem, .text(system.id.name), detail: detail)))
      } else if let detail {
        remarks.append(remark(.warning, detail))
      }
      let readers = station.readers.filter { gate.readers.contains($0.id) }
      if !readers.contains(where: { $0.condition.state == "reading" }) {
        let names = gate.readers.map(\.name).joined(separator: ", ")
        remarks.append(
          remark(
            .cannotAdmit, "no code can be presented: none of its readers reads (\(names))", nil,
            .init(.noReader, .text(names))))
      }
      return remarks
    case "fault":
      let reason = gate.reason.map { " (\($0.rawValue))" } ?? ""
      let finding = StationFinding(
        .cannotDecide, .name(of: "reason", gate.reason?.rawValue ?? UndecidedReason.outOfService.rawValue),
        detail: detail)
      return [remark(.cannotAdmit, "it cannot decide\(reason): \(detail ?? "nobody has told why")", nil, finding)]
    case "notSetUp":
      return [remark(.cannotAdmit, detail ?? "it is not set up", nil, .init(.notSetUp, detail: detail))]
    case "maintenance":
      let words = "it is out of service: maintenance"
      if let detail {
        // What this station's own staff have ordered besides is theirs to end.
        let fleet = remark(
          .warning, "\(words). \(detail)", "scangate fleet maintenance off FOLDER",
          .init(.maintenanceOfFleet, detail: detail))
        let own = remark(
          .warning, "an order at this station keeps it out of service, too", "scangate maintenance off \(gate.id)",
          .init(.maintenanceOrdered))
        return gate.isMaintenanceOrdered ? [fleet, own] : [fleet]
      }
      return gate.isMaintenanceOrdered
        ? [remark(.warning, words, "scangate maintenance off \(gate.id)", .init(.maintenanceOrdered))]
        : [remark(.warning, "\(words), by its input", nil, .init(.maintenanceByInput))]
    case "closed":
      let words = "it is out of service: \(detail ?? "the control service says so")"
      return [remark(.warning, words, nil, .init(.closed, detail: detail))]
    case "starting": return [remark(.warning, "it has only begun", nil, .init(.starting))]
    default: return [remark(.warning, [gate.condition.state, detail].compactMap(\.self).joined(separator: ": "))]
    }
  }

  private static func judge(_ reader: StationSnapshot.Reader) -> [StationRemark] {
    if reader.condition.state == "reading" { return [] }
    let isAbsent = reader.condition.state == "parked"
    return [
      StationRemark(
        .warning, .reader(reader.id), "it is \(reader.condition.spokenOfReader)",
        cure: isAbsent ? "scangate devices" : nil, finding(of: reader))
    ]
  }

  private static func finding(of reader: StationSnapshot.Reader) -> StationFinding? {
    let kind: StationFinding.Kind
    switch reader.condition.state {
    case "parked": kind = .readerParked
    case "waiting": kind = .readerWaiting
    case "failed": kind = .readerFailed
    case "starting": kind = .starting
    default: return nil
    }
    return StationFinding(kind, detail: reader.condition.detail)
  }

  // MARK: Ticket systems

  private static func judge(
    _ system: StationSnapshot.TicketSystem, of station: StationSnapshot
  ) -> [StationRemark] {
    func remark(_ words: String, _ cure: String? = nil, _ finding: StationFinding? = nil) -> StationRemark {
      StationRemark(.warning, .ticketSystem(system.id), words, cure: cure, finding)
    }
    var remarks: [StationRemark] = []
    let gates = station.gates.filter { $0.ticketSystem == system.id }
    // What a gate says of it is not said again.
    if let fault = system.fault, !gates.contains(where: { $0.reason == fault.reason }) {
      remarks.append(
        remark(
          "\(fault.reason.rawValue): \(fault.detail)", nil,
          .init(.systemFault, .name(of: "reason", fault.reason.rawValue), detail: fault.detail)))
    }
    if let offline = system.offline {
      let host = system.host.map { "\($0) " } ?? "it "
      remarks.append(
        remark(
          "\(host)counts as offline (\(offline.rawValue))", "scangate config check --online",
          .init(.systemOffline, .text(system.host ?? system.id.name), .name(of: "offline", offline.rawValue))))
    }
    if let doubt = system.doubt, !gates.contains(where: { $0.condition.detail?.hasPrefix(doubt) == true }) {
      remarks.append(remark(doubt))
    }
    if let budget = system.budget, budget.left == 0, system.offline != .rateLimited {
      remarks.append(
        remark(
          "none of its \(budget.most) requests is left; live scans wait", nil,
          .init(.budgetSpent, .text(String(budget.most)))))
    }
    if let ahead = system.clockAhead, max(ahead, .zero - ahead) > StationLimits.clockTolerance {
      remarks.append(
        remark(
          "this machine's clock is \(ahead.asClockError) its server's", "timedatectl",
          .init(ahead < .zero ? .clockBehind : .clockAhead, .text(ahead.asClockDistance))))
    }
    return remarks + judge(system.list, of: system.id)
  }

  private static func judge(_ list: StationSnapshot.List?, of system: TicketSystemID) -> [StationRemark] {
    guard let list else { return [] }
    func remark(_ words: String, _ finding: StationFinding) -> StationRemark {
      StationRemark(.warning, .list(system), words, cure: "scangate tickets status --system \(system)", finding)
    }
    var remarks: [StationRemark] = []
    if list.tickets == nil { remarks.append(remark("it cannot be read", .init(.listUnreadable))) }
    if let age = list.age, let most = list.mostAge, age > most {
      remarks.append(
        remark("it is \(age.asAge) old, and decides for \(most.asAge) at most", .init(.listOld, .age(age), .age(most))))
    }
    if let refresh = list.refresh, ["failed", "heldBack", "fileRefused"].contains(refresh.state) {
      remarks.append(
        remark(
          refresh.detail ?? "its refresh: \(refresh.state)",
          .init(.listRefresh, .name(of: "refresh", refresh.state), detail: refresh.detail)))
    }
    return remarks
  }

  // MARK: The rest

  /// What is to be said of an outbox: the one judgement of it, whoever has looked into it.
  /// - Parameter now: by the clock by which its admissions were given.
  package static func remarks(on outbox: StationSnapshot.Outbox, at now: WallTime) -> [StationRemark] {
    func remark(_ words: String, _ cure: String, _ finding: StationFinding) -> StationRemark {
      StationRemark(.warning, .outbox, words, cure: cure, finding)
    }
    var remarks: [StationRemark] = []
    if outbox.isHeld {
      remarks.append(remark("nothing is sent from it: staff hold it", "scangate outbox retry", .init(.outboxHeld)))
    }
    if let waiting = waiting(outbox, at: now), let oldest = outbox.oldest, now - oldest > StationLimits.outboxPatience {
      remarks.append(
        remark(
          waiting, "scangate outbox status",
          .init(.outboxWaits, .text(String(outbox.owed)), .age(max(now - oldest, .zero)))))
    }
    if outbox.conflicts > 0 {
      remarks.append(
        remark(
          "ticket systems did not confirm \(outbox.conflicts) of what it told", "scangate journal conflicts",
          .init(.outboxConflicts, .text(String(outbox.conflicts)))))
    }
    return remarks
  }

  /// Such as `3 admissions wait to be told, the oldest for 2 h`; `nil` where none waits.
  package static func waiting(_ outbox: StationSnapshot.Outbox, at now: WallTime) -> String? {
    guard outbox.owed > 0, let oldest = outbox.oldest else { return nil }
    let age = max(now - oldest, .zero).asAge
    if outbox.owed == 1 { return "1 admission waits to be told, for \(age)" }
    return "\(outbox.owed) admissions wait to be told, the oldest for \(age)"
  }

  private static func judgeService(_ station: StationSnapshot, _ program: String) -> [StationRemark] {
    func remark(
      _ subject: StationRemark.Subject, _ words: String, _ cure: String? = nil, _ finding: StationFinding? = nil
    ) -> StationRemark {
      StationRemark(.warning, subject, words, cure: cure, finding)
    }
    var remarks: [StationRemark] = []
    switch station.journal.state {
    case "failing":
      remarks.append(
        remark(
          .journal, "it keeps nothing: \(station.journal.detail ?? "nobody has told why")", nil,
          .init(.journalFailing, detail: station.journal.detail)))
    case "doubted":
      remarks.append(
        remark(
          .journal, "what it says of earlier is not relied on: \(station.journal.detail ?? "see docs/backup.md")",
          "scangate journal accept", .init(.journalDoubted, detail: station.journal.detail)))
    default: break
    }
    if let reload = station.reload {
      let words = reload.outcome.detail.map { ": \($0.onOneLine)" } ?? ""
      switch reload.outcome.state {
      case "kept":
        remarks.append(
          remark(
            .configuration, "the new file is wrong\(words)", "scangate config check",
            .init(.reloadKept, detail: reload.outcome.detail?.onOneLine)))
      case "needsRestart":
        remarks.append(
          remark(
            .configuration, "the new file needs a restart\(words)", "systemctl restart scangate",
            .init(.reloadNeedsRestart, detail: reload.outcome.detail?.onOneLine)))
      default: break
      }
    }
    for words in station.control?.words ?? [] {
      remarks.append(remark(.control, words, "scangate kiosk status"))
    }
    if !station.isClockTrusted {
      remarks.append(
        remark(.clock, "nobody vouches for this machine's clock yet", "timedatectl", .init(.clockUntrusted)))
    }
    if station.version != program {
      remarks.append(
        remark(
          .service, "\(station.version) runs, and \(program) is installed", "systemctl restart scangate",
          .init(.otherVersion, .text(station.version), .text(program))))
    }
    return remarks
  }
}

extension StationSnapshot.TicketSystem {
  /// Whether it cannot be asked; where only its rate is spent, it can be again in a moment.
  package var isAway: Bool { offline != nil && offline != .rateLimited }
}

extension StationSnapshot.Condition {
  /// What staff read after "the reader is", of a reader; as `ReaderState` says it in the service's log.
  package var spokenOfReader: String {
    let words =
      switch state {
      case "parked": "not plugged in"
      case "waiting": "waiting for"
      case "reading": "reading:"
      case "failed": "out of order:"
      default: state
      }
    return ([words] + [detail].compactMap(\.self)).joined(separator: " ")
  }
}

extension String {
  /// What has a line for each thing, in one line.
  package var onOneLine: String { split(separator: "\n").joined(separator: "; ") }
}
