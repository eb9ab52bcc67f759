import ScanModel
import StationProtocol
import StationReport

/// What a technician's page shows of a station. Pure.
struct TechnicianModel: Sendable {
  let station: StationSnapshot
  let texts: PageTexts
  let time: PageTime
  let orders: Set<OrderKind>
  /// The version of the program that is installed.
  let program: String

  func fill(_ model: inout PageModel) {
    let remarks = StationJudgement.remarks(on: station, program: program)
    model.set(
      "remarks",
      .list(
        remarks.map { remark in
          let found = remark.finding.map { PageFinding(texts: texts).words($0) }
          return [
            "place": .text(PageFinding(texts: texts).place(remark.subject)), "found": found.map { .text($0) },
            "words": (found == nil ? remark.words : remark.finding?.detail).map { .foreign($0, limit: 400) },
            "cure": remark.cure.map { .foreign($0, limit: 200) },
            "weight": .text(texts[remark.weight == .cannotAdmit ? "technician.cannotAdmit" : "technician.warning"]),
            "isHeavy": .flag(remark.weight == .cannotAdmit),
          ]
        }))
    model.set("isWell", .flag(remarks.isEmpty))
    model.set("readers", .list(station.readers.map(reader)))
    let cameras = station.readers.filter(\.isCamera)
    model.set("hasCameras", .flag(!cameras.isEmpty))
    model.set("mayLook", .flag(orders.contains(.picture)))
    model.set(
      "cameras", .list(cameras.map { ["name": .foreign($0.id.name, limit: 60), "value": .text($0.id.name)] }))
    model.set("gates", .list(station.gates.map(gate)))
    model.set("systems", .list(station.ticketSystems.map(system)))
    model.set("conflicts", StaffPage.conflicts(of: station, texts, time, orders))
    model.set("facts", .list(facts.map { ["name": .text($0.0), "value": .foreign($0.1, limit: 300)] }))
    if orders.contains(.search) { model.set("search", .text(OrderID().description)) }
    if orders.contains(.outboxRetry), station.outbox.owed > 0 || station.outbox.isHeld {
      model.set("outboxRetry", .text(OrderID().description))
    }
    if let control = station.control, orders.contains(.status), control.isActivated {
      model.set("status", .text(OrderID().description))
      model.set(
        "statuses",
        .list(
          StationStatus.allCases.map { status in
            [
              "value": .text(status.rawValue), "words": .text(texts["status.\(status.rawValue)"]),
              "isSet": .flag(control.board.manualStatus == status),
            ]
          }))
      model.set("isOwnStatus", .flag(control.board.manualStatus == nil))
    }
  }

  private func reader(_ reader: StationSnapshot.Reader) -> PageModel {
    [
      "name": .foreign(reader.id.name, limit: 60),
      "state": .foreign(texts.named("readerState", reader.condition.state), limit: 60),
      "detail": reader.condition.detail.map { .foreign($0, limit: 300) },
      "isReading": .flag(reader.condition.state == "reading"), "since": reader.since.map { .text(time.short($0)) },
      "last": .text(reader.lastRead.map { time.short($0) } ?? texts["technician.never"]),
      "reads": .text(String(reader.reads)), "refusals": .text(String(reader.refusals)),
      "gates": .foreign(
        station.gates.filter { $0.readers.contains(reader.id) }.map(\.id.name).joined(separator: ", "), limit: 120),
    ]
  }

  private func gate(_ gate: StationSnapshot.Gate) -> PageModel {
    let isInMaintenance = gate.condition.state == "maintenance"
    var model: PageModel = [
      "name": .foreign(gate.id.name, limit: 60),
      "state": .foreign(
        [texts.named("gateState", gate.condition.state), gate.reason.map { texts.named("reason", $0.rawValue) }]
          .compactMap(\.self).joined(separator: ": "), limit: 300),
      "detail": gate.condition.detail.map { .foreign($0, limit: 300) },
      "fault": gate.outputFault.map { .foreign($0, limit: 300) }, "passed": .text(String(gate.passed)),
      "value": .text(gate.id.name),
    ]
    if isInMaintenance, orders.contains(.signalTest) {
      model.set(
        "tests",
        .list(
          TechnicianRoutes.signals.map {
            ["signal": .text($0), "words": .text(texts["signal.\($0)"]), "order": .text(OrderID().description)]
          }))
    }
    model.set("isInService", .flag(!isInMaintenance))
    return model
  }

  private func system(_ system: StationSnapshot.TicketSystem) -> PageModel {
    let fault = system.fault.map { "\(texts.named("reason", $0.reason.rawValue)): \($0.detail)" }
    let finding = PageFinding(texts: texts)
    let list = system.list.map { list in
      [
        list.tickets.map { texts("technician.listTickets", String($0)) }, list.age.map(finding.age),
        list.refresh.map { [texts.named("refresh", $0.state), $0.detail].compactMap(\.self).joined(separator: ": ") },
      ].compactMap(\.self).joined(separator: " · ")
    }
    return [
      "name": .foreign(system.id.name, limit: 60), "type": .foreign(system.type, limit: 60),
      "host": system.host.map { .foreign($0, limit: 100) },
      "offline": system.offline.map { .text(texts.named("offline", $0.rawValue)) },
      "trouble": (fault ?? system.doubt).map { .foreign($0, limit: 400) },
      "budget": system.budget.map { .text("\($0.left) / \($0.most)") },
      "certificate": system.certificateEnds.map { .text(time.short($0)) },
      "list": list.map { .foreign($0, limit: 300) },
      "owed": system.owed > 0 ? .text(String(system.owed)) : nil, "value": .text(system.id.name),
      "refresh": system.list != nil && orders.contains(.listRefresh) ? .text(OrderID().description) : nil,
    ]
  }

  private var facts: [(String, String)] {
    var facts = [(texts["technician.versions"], "\(station.version) (\(program))")]
    facts.append((texts["technician.uptime"], PageFinding(texts: texts).age(station.uptime)))
    facts.append((texts["technician.clock"], station.at.iso8601Seconds + (station.isClockTrusted ? "" : " ?")))
    if let disk = station.disk {
      let words = texts("technician.free", String(disk.free / 1_000_000), String(disk.size / 1_000_000))
      facts.append((texts["technician.disk"], words))
    }
    let journal = [texts.named("journalState", station.journal.state), station.journal.detail].compactMap(\.self)
      .joined(separator: ": ")
    facts.append((texts["technician.journal"], journal))
    let waiting = PageFinding.waiting(station, texts) ?? "0"
    facts.append(
      (texts["technician.outbox"], station.outbox.isHeld ? "\(waiting) · \(texts["technician.held"])" : waiting))
    if let holder = station.holder { facts.append((texts["technician.holder"], holder)) }
    if let control = station.control {
      let words = control.words.isEmpty ? ["ok"] : control.words
      facts.append(
        (texts["technician.control"], ([control.server].compactMap(\.self) + words).joined(separator: " · ")))
    }
    if let fleet = station.fleet {
      let words = [fleet.name, fleet.condition.state, fleet.condition.detail].compactMap(\.self).joined(
        separator: " · ")
      facts.append((texts["technician.fleet"], "\(words) · \(VenueCount(fleet: fleet, texts: texts).words)"))
    }
    facts.append((texts["technician.dropped"], String(station.counters.eventsDropped)))
    return facts
  }
}
