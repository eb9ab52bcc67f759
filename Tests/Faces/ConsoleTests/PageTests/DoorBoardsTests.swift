import Expectations
import Foundation
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import StationProtocol
import StationTesting
import Testing
import WireText

@testable import Console

/// What stands on door pages.
@Suite struct DoorBoardsTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
  private static let north = GateID("north")

  private func scan(
    _ verdict: String = "admit", gate: String = "north", at: WallTime? = nil, more: String = ""
  ) -> String {
    let time = at.map { ",\"read_at\":\"\($0.iso8601)\"" } ?? ""
    return "{\"type\":\"scan\",\"gate\":\"\(gate)\",\"verdict\":\"\(verdict)\",\"code\":\"…d8vd\"\(time)\(more)}"
  }

  private func boards() -> DoorBoards {
    var boards = DoorBoards()
    boards.become(telling: true)
    boards.take(SampleStation.snapshot())
    return boards
  }

  private func lit(_ face: DoorBoards.Face) -> ShownScan? {
    if case .gate(_, let lit?) = face { lit.scan } else { nil }
  }

  @Test func aVerdictStandsForSixSeconds() {
    var boards = boards()
    expectEqual(lit(boards.face(of: Self.north, at: Self.start)), nil)
    boards.take(line: scan(), now: Self.start, wall: SampleStation.now)
    for (after, isLit) in [(0, true), (5_999, true), (6_000, false), (60_000, false)] {
      let face = boards.face(of: Self.north, at: Self.start + .milliseconds(after))
      expectEqual(lit(face)?.kind == .admit, isLit, "\(after)")
    }
    // The other gate's page has none of it.
    expectEqual(lit(boards.face(of: GateID("south"), at: Self.start)), nil)
  }

  /// What waited on its way is not shown as if it were the next person's.
  @Test func aVerdictIsAsOldAsItsDecision() {
    for (age, left) in [(0, 6_000), (2_000, 4_000), (5_999, 1), (6_000, 0), (3_600_000, 0), (-60_000, 6_000)] {
      var boards = boards()
      let at = SampleStation.now - .milliseconds(age)
      boards.take(line: scan(at: at), now: Self.start, wall: SampleStation.now)
      if left > 0 {
        expect(lit(boards.face(of: Self.north, at: Self.start + .milliseconds(left - 1))) != nil, "\(age)")
      }
      expectEqual(lit(boards.face(of: Self.north, at: Self.start + .milliseconds(left))), nil, "\(age)")
    }
  }

  @Test func nothingStaysWhereTheStationIsAway() {
    var boards = boards()
    boards.take(line: scan(), now: Self.start, wall: SampleStation.now)
    boards.become(telling: false)
    expectEqual(boards.face(of: Self.north, at: Self.start), .away)
    // What comes back is another one: the verdict of before is not shown again.
    boards.become(telling: true)
    expectEqual(boards.face(of: Self.north, at: Self.start), .awaited)
    boards.take(SampleStation.snapshot())
    expectEqual(lit(boards.face(of: Self.north, at: Self.start)), nil)
    // Nor where it hangs.
    boards.take(line: scan(), now: Self.start, wall: SampleStation.now)
    boards.take(nil)
    expectEqual(boards.face(of: Self.north, at: Self.start), .away)
    boards.take(SampleStation.snapshot())
    expectEqual(lit(boards.face(of: Self.north, at: Self.start)), nil)
  }

  @Test func severalCodesAreShownAtTheGatesOfTheReader() {
    var boards = boards()
    let line = "{\"type\":\"discarded\",\"reader\":\"north-reader\",\"reason\":\"several\",\"characters\":0}"
    boards.take(line: line, now: Self.start, wall: SampleStation.now)
    expectEqual(lit(boards.face(of: Self.north, at: Self.start))?.kind, .several)
    expectEqual(lit(boards.face(of: GateID("south"), at: Self.start)), nil)
    boards.take(
      line: line.replacing("several", with: "framing").replacing("north", with: "south"), now: Self.start,
      wall: SampleStation.now)
    expectEqual(lit(boards.face(of: GateID("south"), at: Self.start)), nil)
  }

  @Test func aGateThatThereIsNotIsSaidSo() {
    var boards = boards()
    expectEqual(boards.face(of: GateID("west"), at: Self.start), .noGate)
    boards.take(line: scan(gate: "west"), now: Self.start, wall: SampleStation.now)
    expectEqual(boards.face(of: GateID("west"), at: Self.start), .noGate)
  }

  @Test func theSameVerdictForTheNextIsAnotherOne() {
    var boards = boards()
    boards.take(line: scan(), now: Self.start, wall: SampleStation.now)
    let first = boards.face(of: Self.north, at: Self.start)
    boards.take(line: scan(), now: Self.start, wall: SampleStation.now)
    expect(boards.face(of: Self.north, at: Self.start) != first)
  }

  private func order(_ scan: String, _ outcome: String = "done", _ order: String = "annul", at: WallTime? = nil)
    -> String
  {
    let time = at.map { ",\"at\":\"\($0.iso8601)\"" } ?? ""
    return
      "{\"type\":\"order\",\"order\":\"\(order)\",\"gate\":\"north\",\"outcome\":\"\(outcome)\",\"scan\":\"\(scan)\"\(time)}"
  }

  /// Staff take an admission back: it is green no longer, at once.
  @Test func whatIsTakenBackIsNotGreen() {
    func shown(after lines: [String]) -> ShownScan? {
      var boards = self.boards()
      for line in lines { boards.take(line: line, now: Self.start, wall: SampleStation.now) }
      return lit(boards.face(of: Self.north, at: Self.start))
    }
    let admitted = scan(more: ",\"id\":\"aa\",\"holder\":\"Ada\"")
    let taken = shown(after: [admitted, order("aa")])
    expectEqual(taken?.kind, .annulled)
    expectEqual([taken?.code, taken?.holder], ["…d8vd", nil])
    // Whether it was is not known: nothing of it stands.
    expectEqual(shown(after: [admitted, order("aa", "unknown")]), nil)
    // Another one's, and what was not done.
    expectEqual(shown(after: [admitted, order("bb")])?.kind, .admit)
    expectEqual(shown(after: [admitted, order("aa", "refused")])?.kind, .admit)
    expectEqual(shown(after: [admitted, order("aa", "done", "present")])?.kind, .admit)
    expectEqual(shown(after: [order("aa")]), nil)
    expectEqual(shown(after: [admitted, order("aa").replacing("north", with: "south")])?.kind, .admit)
    // Whoever came since is not meant.
    let refused = scan("refuse", more: ",\"id\":\"bb\"")
    expectEqual(shown(after: [admitted, refused, order("aa")])?.kind, .refuse)
    // Presented again.
    expectEqual(shown(after: [admitted, order("aa"), scan(more: ",\"id\":\"cc\"")])?.kind, .admit)
    // It stands as long as any other, from when it was ordered.
    var boards = self.boards()
    boards.take(line: admitted, now: Self.start, wall: SampleStation.now)
    let (later, wall) = (Self.start + .seconds(4), SampleStation.now + .seconds(4))
    boards.take(line: order("aa", at: wall - .seconds(1)), now: later, wall: wall)
    for (after, kind) in [(0, ShownScan.Kind.annulled), (4_999, .annulled), (5_000, nil)] {
      expectEqual(lit(boards.face(of: Self.north, at: later + .milliseconds(after)))?.kind, kind, "\(after)")
    }
  }

  /// Whatever comes in whatever order: green stands only where the station is there, and no longer than six seconds after an admission
  /// of that gate, which is the last thing that was decided there.
  @Test func noGreenIsStale() {
    for seed in 0..<UInt64(extent(landing: 300, release: 3_000)) {
      var random = SeededGenerator(seed: seed)
      var boards = DoorBoards()
      var (isTelling, isKnown) = (false, false)
      var last: [GateID: (isGreen: Bool, id: Int, until: MonotonicTime)] = [:]
      var now = Self.start
      var wall = SampleStation.now
      for step in 0..<200 {
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
          isTelling = Bool.random(using: &random)
          boards.become(telling: isTelling)
          (isKnown, last) = (false, [:])
        case 1:
          isKnown = Int.random(in: 0..<4, using: &random) > 0
          boards.take(isKnown ? SampleStation.snapshot() : nil)
          if !isKnown { last = [:] }
        case 2, 3, 4:
          let step = Duration.milliseconds(Int.random(in: 0..<4_000, using: &random))
          (now, wall) = (now + step, wall + step)
          boards.tick(now)
        case 5:
          // The clock is set.
          wall = wall + .seconds(Int.random(in: -100..<100, using: &random))
        case 6:
          boards.take(
            line: ["", "{", "{\"type\":\"scan\"}", scan("maybe")].randomElement(using: &random) ?? "", now: now,
            wall: wall)
        case 7:
          let id = Int.random(in: max(0, step - 4)...step, using: &random)
          let outcome = ["done", "unknown", "refused"].randomElement(using: &random) ?? ""
          boards.take(line: order("\(id)", outcome), now: now, wall: wall)
          if last[Self.north]?.id == id, outcome != "refused" { last[Self.north] = nil }
        default:
          let gate = Bool.random(using: &random) ? "north" : "south"
          let verdict = ["admit", "refuse", "undecided"].randomElement(using: &random) ?? ""
          let age = Duration.milliseconds(Int.random(in: 0..<9_000, using: &random))
          boards.take(
            line: scan(verdict, gate: gate, at: wall - age, more: ",\"id\":\"\(step)\""), now: now, wall: wall)
          if isTelling, isKnown { last[GateID(gate)] = (verdict == "admit", step, now + (.seconds(6) - age)) }
        }
        for gate in [Self.north, GateID("south")] {
          let shown = lit(boards.face(of: gate, at: now))
          let mayBeGreen = isTelling && isKnown && last[gate].map { $0.isGreen && now < $0.until } ?? false
          expectEqual(shown?.isAdmission ?? false, mayBeGreen, "seed \(seed), step \(step)")
        }
      }
    }
  }

  // MARK: Words

  private func words(_ line: String, _ language: PageLanguage = .en) throws -> DoorWords {
    let scan = try #require(try ShownScan(JSONValue([UInt8](line.utf8))))
    return DoorWords(scan, .of(language), PageTime(now: SampleStation.now, zone: .utc))
  }

  @Test func aVerdictHasItsWords() throws {
    let used = try words(
      scan(
        "refuse",
        more:
          ",\"reason\":\"alreadyUsed\",\"admitted\":2,\"allowance\":4,\"first_used_at\":\"2026-11-21T18:42:00.000Z\",\"first_used_gate\":\"B\""
      ))
    expectEqual(used.head, "REFUSE")
    expectEqual(used.reason, "Already used")
    expectEqual(used.facts, ["2 of 4 in", "used 18:42, gate B"])
    expectEqual(used.code, "…d8vd")
    let provisional = try words(
      scan(more: ",\"provisional\":true,\"seats\":[\"A1\",\"A2\"],\"reader\":\"console\""), .de)
    expectEqual(provisional.kind, "provisional")
    expectEqual(provisional.head, "EINLASS")
    expectEqual(provisional.mark, "vorläufig")
    expectEqual(provisional.facts, ["Plätze A1, A2", "getippt"])
    let stuck = try words(scan(more: ",\"output_fault\":\"line 7 is busy\""), .fr)
    expectEqual(stuck.reason, "Faites entrer à la main")
    expectEqual(stuck.facts, ["le relais : line 7 is busy"])
    let unknown = try words(scan("undecided", more: ",\"reason\":\"somethingNew\""))
    expectEqual(unknown.reason, "somethingNew")
  }

  /// Names are shown where the station tells them, and a code never whole.
  @Test func codesStayShort() throws {
    let line = scan(more: ",\"holder\":\"Ada Lovelace\"").replacing("…d8vd", with: "a-whole-code-d8vd")
    let shown = try words(line)
    expectEqual(shown.code, "…d8vd")
    expectEqual(shown.facts, ["Ada Lovelace"])
    expectEqual(try words(scan()).facts, [])
  }

  @Test(arguments: Hostile.texts) func whatIsSentIsOneLineOfText(_ text: String) throws {
    let quoted = String(decoding: try JSONSerialization.data(withJSONObject: [text]), as: UTF8.self).dropFirst()
      .dropLast()
    let shown = try words(
      scan(
        "refuse",
        more: ",\"reason\":\(quoted),\"holder\":\(quoted),\"event\":\(quoted),\"detail\":\(quoted),\"note\":\(quoted)"))
    let json = shown.json(at: Self.start)
    expect(!json.contains("\n") && !json.contains("\r") && json.utf8.count < 8_000, "\(json.utf8.count)")
    let read = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    for fact in read["facts"] as? [String] ?? [] {
      expect(fact.unicodeScalars.count <= 64 && fact.unicodeScalars.allSatisfy(TerminalText.isHarmless), "\(fact)")
    }
  }

  @Test func eachStateOfAGateHasItsFace() {
    var station = SampleStation.snapshot()
    let texts = PageTexts.of(.en)
    func face() -> DoorWords {
      var boards = DoorBoards()
      boards.become(telling: true)
      boards.take(station)
      return DoorWords(
        boards.face(of: Self.north, at: Self.start), texts, at: Self.start, PageTime(now: SampleStation.now, zone: .utc)
      )
    }
    expectEqual(face().kind, "ready")
    expectEqual(face().notes, ["412 in"])
    station.gates[0].offline = .timeOut
    expectEqual(face().reason, texts["door.offline"])
    station.gates[0].outputFault = "line 7 is busy"
    expectEqual(face().kind, "cannotOpen")
    for state in ["starting", "maintenance", "closed", "notSetUp", "fault", "somethingNew"] {
      station.gates[0].condition = .init(state: state, detail: "what happened")
      expectEqual(face().kind, state == "somethingNew" ? "starting" : state)
    }
    station.gates[0].condition = .init(state: "fault")
    station.gates[0].reason = .tlsFault
    expectEqual(face().reason, texts["reason.tlsFault"])
  }
}
