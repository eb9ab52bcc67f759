internal import ScanModel
package import StationProtocol
internal import WireText

/// How a station is, for programs. Every key is always there; `docs/operations.md` is its contract.
package enum StatusJSON {
  /// The object of a service that runs.
  package static func text(_ station: StationSnapshot, _ remarks: [StationRemark]) -> String {
    var line = begin(remarks)
    line.add("running", true)
    line.add("station", station.station)
    line.add("version", station.version)
    line.add("at", station.at.iso8601)
    line.add("uptime_s", station.uptime.milliseconds / 1_000)
    line.add("clock_trusted", station.isClockTrusted)
    line.add("reload", station.reload?.outcome.state)
    line.add("gates", objects: station.gates.map(object))
    line.add("readers", objects: station.readers.map(object))
    line.add("ticket_systems", objects: station.ticketSystems.map(object))
    line.add("outbox", object: object(station.outbox))
    line.add("journal", object: object(station.journal))
    line.add("disk", object: station.disk.map(object))
    line.add("control", object: station.control.map(object))
    line.add("fleet", object: station.fleet.map(object))
    line.add("holder", station.holder)
    line.add("armed", station.isArmed ?? false)
    line.add("scans", objects: station.counters.scans.map(object))
    line.add("throughput", object: object(station.throughput))
    line.add("events_dropped", Int64(clamping: station.counters.eventsDropped))
    return line.text
  }

  /// The object where nobody answers.
  package static func text(_ absence: StationAbsence, _ remarks: [StationRemark]) -> String {
    var line = begin(remarks)
    line.add("running", false)
    line.add("detail", absence.description)
    return line.text
  }

  /// The object of its gates alone.
  package static func gates(of station: StationSnapshot) -> String {
    var line = JSONText()
    line.add("at", station.at.iso8601)
    line.add("gates", objects: station.gates.map(object))
    return line.text
  }

  /// The object of one gate; `nil` where there is none of this name.
  package static func gate(_ name: String, of station: StationSnapshot) -> String? {
    station.gates.first { $0.id.name == name }.map(object)
  }

  private static func begin(_ remarks: [StationRemark]) -> JSONText {
    var line = JSONText()
    line.add("level", Int64(remarks.first?.weight.rawValue ?? 0))
    line.add(
      "remarks",
      objects: remarks.map { remark in
        var object = JSONText()
        object.add("level", Int64(remark.weight.rawValue))
        object.add("place", remark.place)
        object.add("words", remark.words)
        object.add("cure", remark.cure)
        return object.text
      })
    return line
  }

  private static func object(_ condition: StationSnapshot.Condition) -> String {
    var line = JSONText()
    add(condition, to: &line)
    return line.text
  }

  private static func add(_ condition: StationSnapshot.Condition, to line: inout JSONText) {
    line.add("state", condition.state)
    line.add("detail", condition.detail)
  }

  private static func object(_ gate: StationSnapshot.Gate) -> String {
    var line = JSONText()
    line.add("gate", gate.id.name)
    add(gate.condition, to: &line)
    line.add("reason", gate.reason?.rawValue)
    line.add("exit", gate.isExit)
    line.add("ticket_system", gate.ticketSystem.name)
    line.add("readers", texts: gate.readers.map(\.name))
    line.add("deciding", gate.isDeciding)
    line.add("offline", gate.offline?.rawValue)
    line.add("output_fault", gate.outputFault)
    line.add("passed", Int64(clamping: gate.passed))
    line.add("maintenance_ordered", gate.isMaintenanceOrdered)
    line.add("event", gate.event)
    return line.text
  }

  private static func object(_ reader: StationSnapshot.Reader) -> String {
    var line = JSONText()
    line.add("reader", reader.id.name)
    add(reader.condition, to: &line)
    line.add("since", reader.since?.iso8601)
    line.add("last_read", reader.lastRead?.iso8601)
    line.add("reads", Int64(clamping: reader.reads))
    line.add("refusals", Int64(clamping: reader.refusals))
    return line.text
  }

  private static func object(_ system: StationSnapshot.TicketSystem) -> String {
    var line = JSONText()
    line.add("ticket_system", system.id.name)
    line.add("type", system.type)
    line.add("host", system.host)
    line.add("offline", system.offline?.rawValue)
    line.add("fault", system.fault?.reason.rawValue)
    line.add("detail", system.fault?.detail ?? system.doubt)
    line.add("asked", system.isBeingAsked)
    line.add("budget_left", number: system.budget.map { Int64(clamping: $0.left) })
    line.add("budget", number: system.budget.map { Int64(clamping: $0.most) })
    line.add("clock_ahead_ms", number: system.clockAhead?.milliseconds)
    line.add("certificate_ends", system.certificateEnds?.iso8601)
    line.add("list", object: system.list.map(object))
    line.add("owed", Int64(clamping: system.owed))
    line.add("branding", object: system.branding.map(object))
    line.add("event", system.event)
    line.add("seats", object: system.seats.map(object))
    return line.text
  }

  private static func object(_ list: StationSnapshot.List) -> String {
    var line = JSONText()
    line.add("tickets", number: list.tickets.map { Int64(clamping: $0) })
    line.add("age_s", number: list.age.map { $0.milliseconds / 1_000 })
    line.add("most_age_s", number: list.mostAge.map { $0.milliseconds / 1_000 })
    line.add("refresh", list.refresh?.state)
    line.add("detail", list.refresh?.detail)
    return line.text
  }

  private static func object(_ outbox: StationSnapshot.Outbox) -> String {
    var line = JSONText()
    line.add("held", outbox.isHeld)
    line.add("owed", Int64(clamping: outbox.owed))
    line.add("oldest", outbox.oldest?.iso8601)
    line.add("conflicts", Int64(clamping: outbox.conflicts))
    line.add("open", objects: outbox.open.map(object))
    return line.text
  }

  private static func object(_ disk: StationSnapshot.Disk) -> String {
    var line = JSONText()
    line.add("free_bytes", Int64(clamping: disk.free))
    line.add("size_bytes", Int64(clamping: disk.size))
    return line.text
  }

  private static func object(_ control: StationSnapshot.Control) -> String {
    var line = JSONText()
    line.add("server", control.server)
    line.add("activated", control.isActivated)
    line.add("connected", control.isConnected)
    line.add("token_valid", control.isTokenValid)
    line.add("config_current", control.isCurrent)
    line.add("words", texts: control.words)
    line.add("board", object: object(control.board))
    line.add("session_timeout_s", number: control.sessionTimeout.map { $0.milliseconds / 1_000 })
    return line.text
  }

  private static func object(_ fleet: StationSnapshot.Fleet) -> String {
    var line = JSONText()
    line.add("name", fleet.name)
    line.add("state", fleet.condition.state)
    line.add("detail", fleet.condition.detail)
    line.add("in_house", number: fleet.inHouse)
    line.add("in_house_here", fleet.inHouseHere)
    line.add("alone", Int64(clamping: fleet.alone))
    line.add("uncounted", texts: fleet.uncounted)
    line.add("owed", Int64(clamping: fleet.owed))
    line.add("stuck", fleet.stuck)
    line.add("clock_ahead_ms", number: fleet.clockAhead?.milliseconds)
    line.add("differences", texts: fleet.differences)
    return line.text
  }

  private static func object(_ scans: StationCounters.Scans) -> String {
    var line = JSONText()
    line.add("gate", scans.gate.name)
    line.add("verdict", scans.verdict)
    line.add("reason", scans.reason)
    line.add("decided_by", scans.decider.rawValue)
    line.add("count", Int64(clamping: scans.count))
    return line.text
  }
}
