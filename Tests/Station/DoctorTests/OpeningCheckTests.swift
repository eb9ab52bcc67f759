import Expectations
import Foundation
import Gateway
import ScanConfiguration
import ScanModel
import ScanTesting
import StationSetUp
import StationProtocol
import Synchronization
import Testing

@testable import Doctor

/// The check before doors.
@Suite struct OpeningCheckTests {
  private func codes(_ text: String) throws -> OpeningCodes { try OpeningCodes([UInt8](text.utf8), file: "codes.txt") }

  private func check(_ place: Place, _ text: String) async throws -> [Finding] {
    let now = JournalTime(wall: SystemTime().wall(), monotonic: SystemTime().now(), isTrusted: true)
    let yaml = Place.yaml.replacing(
      "accept: { minLength: 4 }", with: "accept: { minLength: 4, alphabet: printable, pattern: \".*\" }")
    return await OpeningCheck(keys: place.keys, clock: { now })
      .findings(of: try codes(text), EnrolmentBook.Completed(configuration: try place.station(yaml)))
  }

  private func filled() throws -> Place {
    let place = try Place()
    let server = try #require(try place.station().ticketSystems.first?.address)
    try place.list(
      "code,status\nTICKET-0001,valid\nTICKET-0002,valid\nTICKET-0003,refunded\nTICKET-0004,unpaid\n", server: server)
    return place
  }

  @Test func codesAreJudgedByTheList() async throws {
    let place = try filled()
    let good = try await check(place, "TICKET-0001\r\n\n  TICKET-0002\n")
    expect(good.severities == [.good] && good[0].words.hasPrefix("2 of 2 codes admit"), "\(good)")
    let mixed = try await check(place, "TICKET-0001\nTICKET-0003\nTICKET-0004\nTICKET-0009\nab\n")
    expectEqual(mixed.severities, [.note, .warning, .warning, .warning, .warning])
    expectEqual(
      mixed.map(\.place), ["codes", "code of line 2", "code of line 3", "code of line 4", "code of line 5"])
    expect(mixed[1].words.contains("refunded") && mixed[2].words.contains("unpaid"), "\(mixed)")
    expect(mixed[3].words.contains("on no list") && mixed[4].words.contains("does not look like a code"), "\(mixed)")
    expect(!"\(mixed)".contains("TICKET"))
  }

  @Test func nothingIsSpentAndNothingIsWritten() async throws {
    let place = try filled()
    func files() throws -> [String: Data] {
      var found: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: place.state) {
        found[name] = FileManager.default.contents(atPath: "\(place.state)/\(name)") ?? Data()
      }
      return found
    }
    let before = try files()
    for _ in 0..<3 { try await expectEqual(check(place, "TICKET-0001\n").severities, [.good]) }
    try expectEqual(files(), before)
  }

  @Test func anOldListDecidesNothing() async throws {
    let place = try Place()
    let server = try #require(try place.station().ticketSystems.first?.address)
    try place.list("code,status\nTICKET-0001,valid\n", hours: 30, server: server)
    let found = try await check(place, "TICKET-0001\n")
    expect(found.severities == [.note, .warning] && found[0].words.hasPrefix("0 of 1"), "\(found)")
    try await expectEqual(check(try Place(), "TICKET-0001\n").severities, [.warning])
  }

  @Test func aFileThatIsNoneIsRefusedInWords() throws {
    expect(throws: ["\n \n", String(repeating: "TICKET-0001\n", count: 10_001)])
    let bad = try OpeningCodes([0x41, 0x42, 0x0A, 0xFF, 0xFE, 0x0A], file: "codes.txt")
    expect(bad.lines.count == 1 && bad.unreadable == [2])
    do throws(OpeningCodes.Fault) {
      _ = try OpeningCodes(path: "/nonexistent/codes")
      Issue.record("it was read")
    } catch {
      expectEqual(error.description, "/nonexistent/codes cannot be read: No such file or directory.")
    }
  }

  private func expect(throws texts: [String]) {
    for text in texts {
      Expectations.expect((try? codes(text)) == nil)
    }
  }

  private func expect(_ holds: Bool, _ comment: Comment? = nil) { Expectations.expect(holds, comment) }

  /// Whatever is played, a relay stays where it is.
  @Test func noSignalOfTheLampTestPulsesARelay() {
    for signal in LampTest.signals {
      switch signal {
      case .admit, .provisional: Issue.record("\(signal) opens the gate")
      case .refuse, .undecided, .busy, .idle, .offline, .outOfService, .setUp: break
      }
    }
    expect(!LampTest.signals.isEmpty)
  }

  /// Where the service runs it plays them, and at no gate that is in service.
  @Test func lampsAreTriedByOrderAtGatesInMaintenanceAlone() async throws {
    let place = try Place()
    let configuration = try place.station()
    var station = StationSnapshot(station: "door", version: "1", at: SystemTime().wall(), uptime: .seconds(9))
    station.gates = [("north", "maintenance"), ("south", "ready")].map {
      StationSnapshot.Gate(
        id: GateID($0), condition: .init(state: $1), ticketSystem: TicketSystemID("main"))
    }
    let given = Mutex<[StationOrder.Action]>([])
    let answer = Mutex<OrderOutcome?>(.done("shown"))
    let test = OrderedLampTest(configuration, pause: .zero) { action in
      given.withLock { $0.append(action) }
      return answer.withLock { $0 }
    }
    let found = await test.findings(station)
    expectEqual(found.map(\.place), ["gates.north.outputs", "gates.south.outputs"])
    expectEqual(found.severities, [.good, .note])
    expect(found[1].cure?.contains("scangate maintenance on south") == true, "\(found)")
    expectEqual(given.withLock { $0 }, LampTest.signals.map { .signalTest(GateID("north"), $0) })
    for (outcome, words) in [
      (OrderOutcome.refused(.notInMaintenance, "in service again"), "in service again"), (nil, "not known"),
    ] {
      answer.withLock { $0 = outcome }
      let found = await test.findings(station)
      expect(found[0].severity == .warning && found[0].words.contains(words), "\(found)")
    }
    // The first that is not done ends it.
    expectEqual(given.withLock { $0 }.count, LampTest.signals.count + 2)
  }
}
