import Expectations
@testable import Gateway
import ScanModel
import ScanTesting
import StationProtocol
import Testing

@testable import scangate

/// The page of `scangate watch`.
@Suite struct WatchViewTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)

  private func view(gate: String? = nil) -> WatchView {
    var view = WatchView(gate: gate, program: Scangate.version)
    view.isHere()
    view.take(Fixture.station)
    return view
  }

  private func lines(_ view: WatchView, columns: Int = 120, rows: Int = 24, after: Duration = .zero) -> [String] {
    view.page(columns: columns, rows: rows, now: start + after, clock: Fixture.clock).map {
      $0.text(Paint(isColourful: false))
    }
  }

  private func take(_ line: String, _ view: inout WatchView) throws {
    view.take(try #require(Fixture.event(line)), at: start, came: Fixture.now)
  }

  @Test func gatesCountsReadersAndTicketSystemsStandAboveWhatHappens() throws {
    var view = view()
    try take(Fixture.scan(.admit), &view)
    try take(Fixture.scan(.refuse(.alreadyUsed), gate: "south"), &view)
    let page = lines(view)
    expectEqual(page.first, "[✓ ALL IS WELL]  door  18:42:07")
    let north = try #require(page.firstIndex { $0.hasPrefix("  ✓ north") && $0.contains("412 in") })
    let south = try #require(page.firstIndex { $0.hasPrefix("  ✓ south") && $0.contains("31 out") })
    let system = try #require(page.firstIndex { $0.contains("venue.example:443  answers") })
    let outbox = try #require(page.firstIndex { $0.contains("outbox") })
    let rule = try #require(page.firstIndex { $0.hasPrefix("───") })
    expectEqual([north, south, system, outbox, rule], [1, 2, 3, 4, 5])
    expectEqual(
      Array(page.dropFirst(6)),
      [
        "  18:41:07  north  [✓ ADMIT]  …d8vd  51.7 ms", "  18:41:07  south  [✗ REFUSE] alreadyUsed  …d8vd  51.7 ms",
      ])
  }

  /// Large letters are for the person who stands there, and gone before the next one may take them for theirs.
  @Test func theLastVerdictOfOneGateStandsInLargeForFiveSeconds() throws {
    var view = view(gate: "north")
    try take(Fixture.scan(.refuse(.unpaid)), &view)
    let lit = lines(view, columns: 60)
    let banner = try #require(lit.firstIndex { $0.contains("✗ REFUSE   unpaid   …d8vd") })
    expect(lit[banner].hasPrefix("[") && lit[banner].hasSuffix("]") && TerminalColumns.count(lit[banner]) == 60)
    expect(lines(view, after: .milliseconds(4_999)).contains { $0.contains("✗ REFUSE   unpaid") })
    expect(!lines(view, after: .seconds(5)).contains { $0.contains("✗ REFUSE   unpaid") })
    // Of several gates nobody knows at which somebody looks.
    var all = self.view()
    try take(Fixture.scan(.refuse(.unpaid)), &all)
    expect(!lines(all).contains { $0.contains("✗ REFUSE   unpaid") })
  }

  @Test func oneGateIsWatchedAlone() throws {
    var view = view(gate: "north")
    try take(Fixture.scan(.admit, gate: "south", code: "secret-south"), &view)
    try take(GatewayEvent.device(reader: ReaderID("south-reader"), state: .parked, at: Fixture.now).jsonLine, &view)
    try take(GatewayEvent.device(reader: ReaderID("north-reader"), state: .parked, at: Fixture.now).jsonLine, &view)
    try take(
      GatewayEvent.ticketSystem(TicketSystemID("venue"), offline: .timeOut, owed: 0, at: Fixture.now).jsonLine, &view)
    try take(
      GatewayEvent.ticketSystem(TicketSystemID("other"), offline: .timeOut, owed: 0, at: Fixture.now).jsonLine, &view)
    try take(GatewayEvent.journal(.working, at: Fixture.now).jsonLine, &view)
    let page = lines(view)
    expect(!page.contains { $0.contains("south") || $0.contains("other") }, "\(page)")
    expectEqual(
      page.suffix(3).map { $0.contains("north-reader") || $0.contains("venue") || $0.contains("journal") },
      [
        true, true, true,
      ])
    // What is wrong with the other gate is not said here either.
    var station = Fixture.station
    station.gates[1].condition = .init(state: "fault", detail: "broken")
    view.take(station)
    expectEqual(lines(view).first?.hasPrefix("[✓ ALL IS WELL]"), true)
  }

  @Test func aServiceThatIsAwayIsSaidAndWhatWasBeforeIsDated() throws {
    var view = WatchView(gate: nil, program: Scangate.version)
    view.isAway("No service runs here. Start it: systemctl start scangate")
    expectEqual(
      lines(view).prefix(2),
      [
        "[✗ THE SERVICE DOES NOT ANSWER]", "  No service runs here. Start it: systemctl start scangate",
      ])
    view = self.view()
    try take(Fixture.scan(.admit), &view)
    view.isAway("It has closed the connection.")
    let page = lines(view)
    expectEqual(page.first?.hasPrefix("[✗ THE SERVICE DOES NOT ANSWER]"), true)
    expectEqual(page.dropFirst().first, "  It has closed the connection.")
    expectEqual(page.dropFirst(2).first, "  What follows was so at 18:42:07.")
    expect(page.contains { $0.contains("412 in") } && page.contains { $0.contains("[✓ ADMIT]") }, "\(page)")
    view.isHere()
    expectEqual(lines(view).first?.hasPrefix("[✓ ALL IS WELL]"), true)
  }

  @Test func aGateThatIsNoneIsNamedWithThoseThatThereAre() {
    expectEqual(view(gate: "west").otherGates, ["north", "south"])
    expectEqual(view(gate: "north").otherGates, nil)
    expectEqual(WatchView(gate: "west", program: "").otherGates, nil)
  }

  /// Whatever happens, in whatever terminal: the page fits, and the newest is on it.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 30, release: 3_000)))) func thePageAlwaysFits(seed: UInt64)
    throws
  {
    var random = SeededGenerator(seed: seed)
    var view = WatchView(gate: random.chance(50) ? "north" : nil, program: Scangate.version)
    for step in 0..<60 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: view.isHere()
      case 1: view.isAway(Fixture.hostile)
      case 2:
        var station = Fixture.station
        station.station = Fixture.hostile
        station.gates[0].condition = .init(
          state: ["ready", "fault", "maintenance", Fixture.hostile].randomElement(using: &random) ?? "ready",
          detail: Fixture.hostile)
        if random.chance(30) { station.gates.removeLast() }
        if random.chance(30) { station.ticketSystems = [] }
        view.take(station)
      default:
        let line = Fixture.scan(random.chance(50) ? .admit : .undecided(.unreachable), code: "secret-\(step)-0000") {
          $0.details.event = Fixture.hostile
          $0.details.seats = [String](repeating: Fixture.hostile, count: Int.random(in: 0...32, using: &random))
          $0.detail = Fixture.hostile
        }
        view.take(try #require(Fixture.event(line)), at: start, came: Fixture.now)
      }
      let (columns, rows) = (Int.random(in: 0...140, using: &random), Int.random(in: 0...40, using: &random))
      let page = view.page(columns: columns, rows: rows, now: start, clock: Fixture.clock)
      expect(page.count <= max(1, rows) && page.allSatisfy { $0.columns <= columns }, "seed \(seed), step \(step)")
      expect(page.text.unicodeScalars.allSatisfy { $0 == "\n" || TerminalText.isHarmless($0) }, "seed \(seed)")
    }
  }
}
