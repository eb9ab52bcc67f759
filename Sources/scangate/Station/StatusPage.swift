import ScanModel
import StationProtocol
import StationReport

/// The page of `scangate status`: whether all is well, what is not, and then everything. Pure.
struct StatusPage {
  private let station: StationSnapshot
  private let remarks: [StationRemark]
  private let clock: PageClock
  /// The gravest remark on each thing.
  private let weights: [StationRemark.Subject: StationRemark.Weight]
  /// The columns that names of gates, readers and ticket systems take.
  private let widths: (gates: Int, readers: Int, systems: Int)

  init(_ station: StationSnapshot, remarks: [StationRemark], clock: PageClock) {
    self.station = station
    self.remarks = remarks
    self.clock = clock
    weights = Dictionary(remarks.map { ($0.subject, $0.weight) }, uniquingKeysWith: max)
    func width(_ names: some Sequence<String>) -> Int { names.map { TerminalColumns.count(Self.name($0)) }.max() ?? 0 }
    widths = (
      width(station.gates.map(\.id.name)), width(station.readers.map(\.id.name)),
      width(station.ticketSystems.map(\.id.name))
    )
  }

  /// All of it.
  var lines: [ScreenLine] {
    var lines = [head] + remarks.flatMap { $0.lines }
    lines += part("Gates", station.gates.map(gate))
    lines += part("Readers", station.readers.map(reader))
    lines += part("Ticket systems", station.ticketSystems.map(system))
    lines += part("Station", [outbox, journal] + [disk, control, fleet, armed].compactMap(\.self) + [counters])
    return lines
  }

  /// One line: whether all is well, and which station it is.
  var head: ScreenLine {
    var line = Self.badge(remarks)
    line.add(apart: station.station)
    line.add(apart: "scangate \(station.version), running for \(station.uptime.asAge)")
    return line
  }

  /// Whether all is well, in colour, shape and words.
  static func badge(_ remarks: [StationRemark]) -> ScreenLine {
    switch remarks.first?.weight {
    case nil: ScreenLine(" ✓ ALL IS WELL ", .badge(.green))
    case .warning: ScreenLine(" ! LOOK ", .badge(.amber))
    case .cannotAdmit: ScreenLine(" ✗ A GATE CANNOT ADMIT ", .badge(.red))
    }
  }

  private func part(_ title: String, _ rows: [ScreenLine]) -> [ScreenLine] {
    rows.isEmpty ? [] : [ScreenLine(), ScreenLine(title)] + rows
  }

  // MARK: Rows

  /// A gate: its state, how many passed, its readers and its ticket system.
  func gate(_ gate: StationSnapshot.Gate) -> ScreenLine {
    var line = row(.gate(gate.id), gate.id.name, widths.gates)
    line.add(gate.condition.state + (gate.reason.map { " \($0.rawValue)" } ?? ""))
    if gate.isDeciding { line.add(", deciding") }
    line.pad(to: line.columns + 1)
    line.add(apart: "\(gate.passed) \(gate.isExit ? "out" : "in")")
    line.add(apart: "reads \(gate.readers.map(\.name).joined(separator: ", "))")
    line.add(apart: "asks \(gate.ticketSystem)")
    if let offline = gate.offline { line.add(apart: "decides without it (\(offline.rawValue))", .glow(.amber)) }
    return line
  }

  /// A reader, and what is at its end.
  func reader(_ reader: StationSnapshot.Reader) -> ScreenLine {
    var line = row(.reader(reader.id), reader.id.name, widths.readers)
    line.add(reader.condition.spokenOfReader)
    if let since = reader.since { line.add(apart: "since \(clock.short(since))") }
    return line
  }

  /// A ticket system: whether it answers, and what its server still lets us ask.
  func system(_ system: StationSnapshot.TicketSystem) -> ScreenLine {
    var line = row(.ticketSystem(system.id), system.id.name, widths.systems)
    line.add(system.type)
    if let host = system.host { line.add(" at \(host)") }
    line.add(apart: state(of: system))
    if let budget = system.budget { line.add(apart: "\(budget.left) of \(budget.most) requests left") }
    if let ahead = system.clockAhead { line.add(apart: "our clock \(ahead.asClockError) its own") }
    if let list = system.list {
      let tickets = list.tickets.map { "\($0) tickets" } ?? "unreadable"
      line.add(apart: "list: \(tickets)\(list.age.map { ", \($0.asAge) old" } ?? "")")
    }
    if weights[.certificate(system.id)] != nil, let ends = system.certificateEnds {
      line.add(apart: "certificate until \(ends.iso8601Seconds)", .glow(.amber))
    }
    if system.owed > 0 { line.add(apart: "\(system.owed) to be told") }
    return line
  }

  private func state(of system: StationSnapshot.TicketSystem) -> String {
    if let offline = system.offline { return "offline (\(offline.rawValue))" }
    if let fault = system.fault { return fault.reason.rawValue }
    return system.isBeingAsked ? "being asked" : "answers"
  }

  /// What waits to be told.
  var outbox: ScreenLine {
    var line = row(.outbox, "outbox", Self.stationWidth)
    let outbox = station.outbox
    line.add(outbox.owed == 0 ? "nothing waits" : "\(outbox.owed) wait")
    if outbox.owed > 0, let oldest = outbox.oldest { line.add(", the oldest since \(clock.short(oldest))") }
    if outbox.isHeld { line.add(", held") }
    line.add(apart: outbox.conflicts == 0 ? "no conflicts" : "\(outbox.conflicts) conflicts")
    return line
  }

  private var journal: ScreenLine {
    var line = row(.journal, "journal", Self.stationWidth)
    line.add(station.journal.state)
    return line
  }

  /// Where it is filling up.
  private var disk: ScreenLine? {
    guard weights[.disk] != nil, let disk = station.disk else { return nil }
    var line = row(.disk, "disk", Self.stationWidth)
    line.add(disk.words)
    return line
  }

  private var control: ScreenLine? {
    station.control.map { control in
      var line = row(.control, "control service", Self.stationWidth)
      line.add(control.server ?? "no server")
      line.add(control.isActivated ? ", activated" : ", not activated")
      line.add(control.isConnected ? ", answers" : ", does not answer")
      if control.isActivated {
        line.add(control.isTokenValid ? ", token accepted" : ", token not accepted")
        line.add(control.isCurrent ? ", configuration current" : ", configuration not current")
      }
      return line
    }
  }

  /// The stations that share its book, and how many are in the house.
  private var fleet: ScreenLine? {
    station.fleet.map { fleet in
      var line = row(.fleet, "fleet", Self.stationWidth)
      line.add("\(fleet.name), \(fleet.condition.state)")
      line.add(apart: fleet.inHouse.map { "\($0) in the house" } ?? "how many are in the house is not known now")
      let alone = fleet.alone == 0 ? "" : ", \(fleet.alone) of them let in without the fleet"
      line.add(apart: "\(fleet.inHouseHere) by this station\(alone)")
      if !fleet.uncounted.isEmpty { line.add(apart: "not counted: \(fleet.uncounted.joined(separator: ", "))") }
      if fleet.owed > 0 { line.add(apart: "\(fleet.owed) to be told") }
      return line
    }
  }

  private var armed: ScreenLine? {
    guard station.isArmed == true else { return nil }
    var line = row(nil, "set-up", Self.stationWidth)
    line.add("codes are taken now")
    return line
  }

  private var counters: ScreenLine {
    var line = row(nil, "counted", Self.stationWidth)
    let scans = station.counters.scans
    func count(_ verdict: String) -> UInt64 { scans.reduce(0) { $1.verdict == verdict ? $0 &+ $1.count : $0 } }
    line.add("\(count("admit")) admitted, \(count("refuse")) refused, \(count("undecided")) undecided since the start")
    return line
  }

  /// A row begins with a mark by what is said of its thing, and its name.
  private func row(_ subject: StationRemark.Subject?, _ name: String, _ width: Int) -> ScreenLine {
    var line = ScreenLine("  ")
    switch subject.flatMap({ weights[$0] }) {
    case nil: line.add("✓", .glow(.green))
    case .warning: line.add("!", .glow(.amber))
    case .cannotAdmit: line.add("✗", .glow(.red))
    }
    line.add(" ")
    line.add(Self.name(name))
    line.pad(to: 4 + width + 2)
    return line
  }

  /// A name as it is shown.
  private static func name(_ name: String) -> String { TerminalColumns.prefix(TerminalText.clean(name), longestName) }

  private static let longestName = 32
  private static let stationWidth = 15
}

extension StationRemark {
  /// What it is about, what happened, and the command that cures it.
  var lines: [ScreenLine] {
    var line = ScreenLine("  ")
    line.add(weight == .cannotAdmit ? "✗" : "!", .glow(weight == .cannotAdmit ? .red : .amber))
    line.add(" \(place): \(words)")
    return [line] + (cure.map { [ScreenLine("      → \($0)")] } ?? [])
  }
}
