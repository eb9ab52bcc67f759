import Expectations
@testable import Gateway
import ScanModel
import ScanTesting
import StationProtocol
import Testing

@testable import scangate

/// What events become for whoever looks on: read from the lines that the gateway writes.
@Suite struct ShownEventTests {
  @Test func aVerdictIsToldInShapeAndWords() throws {
    let admitted = try #require(
      Fixture.event(
        Fixture.scan(.admit) {
          $0.details.event = "An Evening of Strings"
          $0.details.tickets = [.init(id: 7, quantity: 2, isUsed: true)]
          $0.admitted = 1
          $0.allowance = 2
        }))
    expectEqual(admitted.text, "[✓ ADMIT]  …d8vd  An Evening of Strings  2 tickets  1 of 2 in  51.7 ms")
    expectEqual(
      admitted.plain(Fixture.clock, came: Fixture.now).text(Paint(isColourful: false)),
      "2026-11-21 18:41:07  north         admit                   …d8vd  An Evening of Strings  2 tickets  1 of 2 in  51.7 ms"
    )
    let refused = try #require(
      Fixture.event(
        Fixture.scan(.refuse(.alreadyUsed)) {
          $0.firstUse = .init(gate: GateID("B"), at: Fixture.now - .seconds(3_600), request: nil)
        }))
    expectEqual(refused.text, "[✗ REFUSE] alreadyUsed  …d8vd  used 17:42, gate B  51.7 ms")
    let undecided = try #require(
      Fixture.event(Fixture.scan(.undecided(.unreachable)) { $0.detail = "venue is silent" }))
    expectEqual(undecided.text, "[? UNDECIDED] unreachable  …d8vd  51.7 ms\n  venue is silent")
    let provisional = try #require(Fixture.event(Fixture.scan(.admit) { $0.isProvisional = true }))
    expect(provisional.text.hasPrefix("[✓ ADMIT provisional]") && provisional.verdict?.colour == .amber)
  }

  @Test func anotherDaysUseIsToldWithItsDay() throws {
    let refused = try #require(
      Fixture.event(
        Fixture.scan(.refuse(.alreadyUsed)) {
          $0.firstUse = .init(gate: nil, at: Fixture.now - .seconds(86_400), request: nil)
        }))
    expect(refused.text.contains("used 2026-11-20 18:42  "), "\(refused.text)")
  }

  @Test func aHolderIsShownWhereTheServiceNamesOne() throws {
    let line = Fixture.scan(.admit) { $0.details.holder = "Jürgen Groß" }
    expectEqual(Fixture.event(line)?.text.contains("Jürgen Groß"), true)
    expectEqual(Fixture.event(line)?.text.contains("secret"), false)
  }

  private static let others: [(GatewayEvent, String)] = [
    (.device(reader: ReaderID("left"), state: .parked, at: Fixture.now), "reader left is not plugged in"),
    (
      .device(reader: ReaderID("left"), state: .reading("1950g"), at: Fixture.now), "reader left is reading: 1950g"
    ),
    (.gate(GateID("north"), .ready, at: Fixture.now), "ready"),
    (
      .gate(GateID("north"), .fault(.keyRefused, "our key"), at: Fixture.now), "it cannot decide (keyRefused): our key"
    ),
    (.gate(GateID("north"), .maintenance, at: Fixture.now), "out of service: maintenance"),
    (
      .ticketSystem(TicketSystemID("venue"), offline: .timeOut, owed: 3, detail: "look", at: Fixture.now),
      "ticket system venue is offline (timeOut), 3 to be told: look"
    ),
    (.dropped(count: 12), "12 events were lost: this is read too slowly"),
    (.configuration(.kept(["a", "b"]), at: Fixture.now), "configuration: kept: a; b"),
    (
      .discarded(reader: ReaderID("left"), reason: .overflow, characters: 17, at: Fixture.now),
      "17 characters of reader left thrown away (overflow)"
    ),
    (.journal(.working, at: Fixture.now), "journal: working"),
  ]

  @Test(arguments: others.indices) func otherEventsAreTold(_ index: Int) throws {
    let (event, words) = Self.others[index]
    expectEqual(Fixture.event(event.jsonLine)?.text, words)
  }

  @Test func anOrderIsToldWithWhoAndWhy() throws {
    let line = """
      {"type":"order","id":"00","order":"openOnce","gate":"north","subject":null,"who":"anna","uid":1000,"why":"pram",\
      "outcome":"refused","reason":"pulsing","detail":"a pulse runs","at":"2026-11-21T18:42:07.000Z"}
      """
    expectEqual(Fixture.event(line)?.text, "order openOnce by anna “pram”: refused (pulsing): a pulse runs")
    expectEqual(Fixture.event(line)?.gate, "north")
  }

  /// Whoever loses them, the numbers tell.
  @Test func lostEventsAreCounted() {
    var gaps = EventGaps()
    expectEqual([7, 8, 12, 13, 1, 2, .max, 0].map { gaps.lost(before: $0) }, [0, 0, 3, 0, 0, 0, .max - 3, 0])
  }

  /// Types of a later version are told as well as may be.
  @Test func anUnknownEventIsToldByItsType() {
    expectEqual(
      Fixture.event(#"{"type":"weather","state":"rain","detail":"take a coat"}"#)?.text, "weather: rain: take a coat")
  }

  /// Whatever stands in a line: it becomes an event or nothing, and nothing of it reaches the terminal raw.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 20, release: 2_000)))) func anyLineIsSurvived(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let lines =
      [Fixture.scan(.refuse(.alreadyUsed)) { $0.detail = Fixture.hostile }] + Self.others.map { $0.0.jsonLine }
    for _ in 0..<50 {
      var bytes = [UInt8]((lines.randomElement(using: &random) ?? "").utf8)
      for _ in 0..<Int.random(in: 0...6, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes.remove(at: place)
        case 1: bytes[place] = .random(in: 0...255, using: &random)
        case 2: bytes.insert(contentsOf: Fixture.hostile.utf8, at: place)
        default: bytes.insert(contentsOf: "99999999999999999999".utf8, at: place)
        }
      }
      guard let event = Fixture.event(String(decoding: bytes, as: UTF8.self)) else { continue }
      let text = event.text + event.plain(Fixture.clock, came: Fixture.now).text(Paint(isColourful: false))
      expect(text.unicodeScalars.allSatisfy { $0 == "\n" || TerminalText.isHarmless($0) }, "seed \(seed)")
    }
  }
}
