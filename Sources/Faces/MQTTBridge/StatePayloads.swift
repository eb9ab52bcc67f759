package import StationProtocol
internal import ScanModel
internal import WireText

/// What is told of a station, by topics. Pure. No code, name or secret is in a snapshot, and so none here.
package enum StatePayloads {
  /// Everything that is retained of how the station is.
  package static func all(_ station: StationSnapshot, _ topics: BridgeTopics) -> [String: String] {
    var told = [topics.station: text(of: station), topics.outbox: text(of: station.outbox)]
    let counts = counts(station.counters)
    for gate in parts(station.gates, { $0.id.name }) {
      told[topics.gate(gate.id.name)] = text(of: gate, counts[gate.id.name] ?? Counts())
    }
    for reader in parts(station.readers, { $0.id.name }) {
      told[topics.reader(reader.id.name)] = text(of: reader)
    }
    for system in parts(station.ticketSystems, { $0.id.name }) {
      told[topics.ticketSystem(system.id.name)] = text(of: system)
    }
    return told
  }

  /// Those that have a name which topics can have; no more than are told of.
  static func parts<Part>(_ parts: [Part], _ name: (Part) -> String) -> [Part] {
    Array(parts.filter { BridgeTopics.isPart(name($0)) }.prefix(BridgeLimits.maximumParts))
  }

  /// How many scans of a gate ended how.
  private struct Counts {
    var admit: UInt64 = 0
    var refuse: UInt64 = 0
    var undecided: UInt64 = 0
  }

  private static func counts(_ counters: StationCounters) -> [String: Counts] {
    var counts: [String: Counts] = [:]
    for scans in counters.scans {
      var gate = counts[scans.gate.name] ?? Counts()
      switch scans.verdict {
      case "admit": gate.admit &+= scans.count
      case "refuse": gate.refuse &+= scans.count
      default: gate.undecided &+= scans.count
      }
      counts[scans.gate.name] = gate
    }
    return counts
  }

  private static func text(of station: StationSnapshot) -> String {
    var line = JSONText()
    line.add("version", station.version)
    line.add("clock_trusted", station.isClockTrusted)
    line.add("journal", station.journal.state)
    line.add("journal_detail", station.journal.detail)
    line.add("reload", station.reload?.outcome.state)
    line.add("control_connected", truth: station.control?.isConnected)
    line.add("armed", station.isArmed ?? false)
    line.add("events_dropped", Int64(clamping: station.counters.eventsDropped))
    return line.text
  }

  private static func text(of outbox: StationSnapshot.Outbox) -> String {
    var line = JSONText()
    line.add("held", outbox.isHeld)
    line.add("owed", Int64(clamping: outbox.owed))
    line.add("oldest", outbox.oldest?.iso8601)
    line.add("conflicts", Int64(clamping: outbox.conflicts))
    return line.text
  }

  private static func text(of gate: StationSnapshot.Gate, _ counts: Counts) -> String {
    var line = JSONText()
    line.add("state", gate.condition.state)
    line.add("reason", gate.reason?.rawValue)
    line.add("detail", gate.condition.detail)
    line.add("exit", gate.isExit)
    line.add("ticket_system", gate.ticketSystem.name)
    line.add("offline", gate.offline?.rawValue)
    line.add("output_fault", gate.outputFault)
    line.add("maintenance_ordered", gate.isMaintenanceOrdered)
    line.add("passed", Int64(clamping: gate.passed))
    line.add("admit", Int64(clamping: counts.admit))
    line.add("refuse", Int64(clamping: counts.refuse))
    line.add("undecided", Int64(clamping: counts.undecided))
    return line.text
  }

  private static func text(of reader: StationSnapshot.Reader) -> String {
    var line = JSONText()
    line.add("state", reader.condition.state)
    line.add("detail", reader.condition.detail)
    line.add("since", reader.since?.iso8601)
    return line.text
  }

  private static func text(of system: StationSnapshot.TicketSystem) -> String {
    var line = JSONText()
    line.add("type", system.type)
    line.add("offline", system.offline?.rawValue)
    line.add("fault", system.fault?.reason.rawValue)
    line.add("detail", system.fault?.detail ?? system.doubt)
    line.add("budget_left", number: system.budget.map { Int64(clamping: $0.left) })
    line.add("list_tickets", number: system.list?.tickets.map { Int64(clamping: $0) })
    // In minutes: what changes all the time would be told all the time.
    line.add("list_age_min", number: system.list?.age.map { $0.milliseconds / 60_000 })
    line.add("list_refresh", system.list?.refresh?.state)
    line.add("owed", Int64(clamping: system.owed))
    return line.text
  }
}

extension JSONText {
  /// Adds a truth, or null.
  fileprivate mutating func add(_ key: String, truth value: Bool?) {
    if let value { add(key, value) } else { add(key, object: nil) }
  }
}
