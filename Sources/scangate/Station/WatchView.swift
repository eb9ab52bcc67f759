import ScanModel
import StationProtocol
import StationReport

/// What `scangate watch` knows, and the page that it makes of it. Pure: events and snapshots in, lines out.
///
/// ```
///  ✓ ALL IS WELL   door  19:42:07
///   ✓ north  ready   412 in  reads left, right  asks main
///   …
///  ┌ one gate alone: its last verdict, for five seconds ┐
///  ────────
///   19:42:03  north  ✓ ADMIT   …d8vd  An Evening of Strings  1 of 1 in
/// ```
struct WatchView {
  /// How the service stands to us.
  private enum Link: Equatable {
    /// It was never there.
    case awaited
    case here
    case away(String)
  }

  /// How long a verdict stands in large letters: whoever looks up later must not take it for the next person's.
  private static let litFor = Duration.seconds(5)
  /// How many remarks are shown.
  private static let mostRemarks = 3
  /// How many events are kept.
  private static let mostEvents = 500

  /// The gate that is watched; `nil` for all.
  let gate: String?
  private let program: String
  private var link = Link.awaited
  private var station: StationSnapshot?
  private var remarks: [StationRemark] = []
  private var events: [(event: ShownEvent, came: WallTime)] = []
  private var lit: (event: ShownEvent, until: MonotonicTime)?

  /// - Parameters:
  ///   - gate: the name of the gate that is watched; `nil` for all.
  ///   - program: the version of the program that is installed.
  init(gate: String?, program: String) {
    self.gate = gate
    self.program = program
  }

  // MARK: What is told

  /// The service is there: for the first time, or again.
  mutating func isHere() { link = .here }

  /// It is not.
  mutating func isAway(_ words: String) { link = .away(words) }

  /// How the station is now.
  mutating func take(_ snapshot: StationSnapshot) {
    station = snapshot
    remarks = StationJudgement.remarks(on: snapshot, program: program).filter(concerns)
  }

  /// Something happened.
  /// - Returns: whether it is about what is watched.
  @discardableResult mutating func take(_ event: ShownEvent, at now: MonotonicTime, came: WallTime) -> Bool {
    guard concerns(event) else { return false }
    events.append((event, came))
    if events.count > Self.mostEvents { events.removeFirst(events.count - Self.mostEvents) }
    if event.verdict != nil { lit = (event, now + Self.litFor) }
    return true
  }

  /// The names of the gates, where the one that is watched is none of them.
  var otherGates: [String]? {
    guard let gate, let station, !station.gates.contains(where: { $0.id.name == gate }) else { return nil }
    return station.gates.map(\.id.name)
  }

  /// Whether an event is about what is watched: the gate's own, its readers', its ticket system's, and the station's.
  private func concerns(_ event: ShownEvent) -> Bool {
    guard let gate else { return true }
    if let other = event.gate { return other == gate }
    guard let watched = station?.gates.first(where: { $0.id.name == gate }) else { return true }
    if let reader = event.reader { return watched.readers.contains(ReaderID(reader)) }
    return event.system.map { TicketSystemID($0) == watched.ticketSystem } ?? true
  }

  private func concerns(_ remark: StationRemark) -> Bool {
    guard let gate, let watched = station?.gates.first(where: { $0.id.name == gate }) else { return true }
    return switch remark.subject {
    case .gate(let id): id == watched.id
    case .reader(let id): watched.readers.contains(id)
    case .ticketSystem(let id), .certificate(let id), .list(let id): id == watched.ticketSystem
    case .outbox, .journal, .disk, .configuration, .control, .fleet, .clock, .service: true
    }
  }

  // MARK: The page

  /// The page for a terminal: at most so many rows, none wider than its columns.
  func page(columns: Int, rows: Int, now: MonotonicTime, clock: PageClock) -> [ScreenLine] {
    let rows = max(1, rows)
    var top = header(clock)
    // What just happened matters more than how everything is.
    let tail = tail(rows, clock)
    let room = max(1, rows - min(tail.count + 1, rows / 2))
    if top.count > room { top = Array(top.prefix(room)) }
    if let banner = banner(columns, now), top.count + banner.count < rows { top += banner }
    if top.count < rows { top.append(ScreenLine(String(repeating: "─", count: max(0, columns)))) }
    let lines = top + tail.suffix(rows - top.count)
    return lines.map { $0.clipped(to: columns) }
  }

  private func header(_ clock: PageClock) -> [ScreenLine] {
    var head: ScreenLine
    var notes: [ScreenLine] = []
    switch link {
    case .awaited: head = ScreenLine(" … ", .badge(.amber))
    case .here: head = StatusPage.badge(remarks)
    case .away(let words):
      head = ScreenLine(" ✗ THE SERVICE DOES NOT ANSWER ", .badge(.red))
      notes = [ScreenLine("  \(words)")]
      if let station { notes.append(ScreenLine("  What follows was so at \(clock.clock(station.at)).")) }
    }
    guard let station else { return [head] + notes }
    head.add(apart: station.station)
    head.add(apart: clock.clock(clock.now))
    // What was told before it went away is no remark on now.
    if link == .here {
      notes = remarks.prefix(Self.mostRemarks).flatMap(\.lines)
      let more = remarks.count - Self.mostRemarks
      if more > 0 { notes.append(ScreenLine("  … and \(more) more: scangate status")) }
    }
    let page = StatusPage(station, remarks: link == .here ? remarks : [], clock: clock)
    let gates = station.gates.filter { gate == nil || $0.id.name == gate }
    var rows = gates.map(page.gate)
    if gate != nil {
      rows += station.readers.filter { reader in gates.contains { $0.readers.contains(reader.id) } }.map(page.reader)
    }
    rows += station.ticketSystems.filter { system in gates.contains { $0.ticketSystem == system.id } }.map(page.system)
    if let gate, gates.isEmpty { rows.append(ScreenLine("  There is no gate \(gate) any more.", .glow(.red))) }
    return [head] + notes + rows + [page.outbox]
  }

  /// The last verdict in large, where one gate is watched.
  private func banner(_ columns: Int, _ now: MonotonicTime) -> [ScreenLine]? {
    let isOne = gate != nil || station?.gates.count == 1
    guard isOne, let lit, now < lit.until, let verdict = lit.event.verdict else { return nil }
    func row(_ text: String) -> ScreenLine {
      var line = ScreenLine(" \(text)").clipped(to: max(0, columns - 1))
      line.pad(to: max(2, columns))
      return line.restyled(.badge(verdict.colour))
    }
    let words = [verdict.word, verdict.reason, verdict.code].compactMap(\.self).joined(separator: "   ")
    return [row(""), row("   \(words)"), row("   \(verdict.facts.joined(separator: "   "))"), row("")]
  }

  /// What happened, the newest last.
  private func tail(_ rows: Int, _ clock: PageClock) -> [ScreenLine] {
    let names = station?.gates.map { min(24, TerminalColumns.count($0.id.name)) } ?? []
    let width = gate == nil ? names.max() ?? 0 : 0
    return events.suffix(rows).flatMap { event, came in
      event.words.enumerated().map { index, words in
        var line = ScreenLine("  ")
        if index == 0 { line.add(clock.clock(event.at ?? came)) } else { line.pad(to: 10) }
        line.add("  ")
        if width > 0 {
          if index == 0 { line.add(TerminalColumns.prefix(TerminalText.clean(event.gate ?? ""), 24)) }
          line.pad(to: 12 + width + 2)
        }
        line.add(words)
        return line
      }
    }
  }
}
