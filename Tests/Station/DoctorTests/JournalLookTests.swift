import Expectations
import Foundation
import Journal
import ScanConfiguration
import ScanModel
import Sealing
import Testing

@testable import Doctor

/// Journal, outbox, conflicts and lists, with real files.
@Suite struct JournalLookTests {
  private func look(_ place: Place, isRunning: Bool = false) -> [Finding.Area: Finding] {
    let found = JournalLook(keys: place.keys, isRunning: isRunning).findings()
    return Dictionary(found.map { ($0.area, $0) }) { first, second in
      max(first.severity, second.severity) == first.severity ? first : second
    }
  }

  @Test func aFreshStationHasNone() throws {
    let place = try Place()
    expectEqual(look(place)[.journal]?.severity, .note)
  }

  @Test func whatWaitsLongerThanAnHourIsTold() async throws {
    let place = try Place()
    try await place.journal([.scan(scanned("TICKET-0001"))])
    expect(look(place)[.journal]?.severity == .good && look(place)[.outbox]?.severity == .good, "\(look(place))")
    try await place.journal([.owed(owed("TICKET-0002", minutes: 10))])
    expectEqual(look(place)[.outbox]?.severity, .note)
    try await place.journal([.owed(owed("TICKET-0003", minutes: 90))])
    let late = try #require(look(place)[.outbox])
    expect(late.severity == .warning && late.words.contains("2 admissions"), "\(late)")
    expect(!late.words.contains("TICKET"))
    try await place.journal([.order(ordered("outboxHold", "on"))])
    expectEqual(look(place)[.outbox]?.cure, "sudo scangate outbox retry")
    expectEqual(look(place)[.outbox]?.words.contains("staff hold it"), true)
    try await place.journal([.order(ordered("outboxRetry"))])
    expectEqual(look(place)[.outbox]?.words.contains("staff hold it"), false)
  }

  @Test func conflictsOfTheLastDayAreForSomebody() async throws {
    let place = try Place()
    let one = owed("TICKET-0001", minutes: 30)
    let told = ToldAdmission(
      attempt: one.attempt, ending: .contradicted, reason: .alreadyUsed, said: "Used", at: one.at)
    try await place.journal([.owed(one), .told(told)])
    expect(look(place)[.conflicts]?.severity == .warning, "\(look(place))")
    let old = owed("TICKET-0002", minutes: 3 * 1_440)
    let older = try Place()
    try await older.journal([
      .owed(old), .told(ToldAdmission(attempt: old.attempt, ending: .tooLate, reason: nil, said: nil, at: old.at)),
    ])
    expectEqual(look(older)[.conflicts]?.severity, .note)
  }

  @Test func aJournalOfAnotherKeyAndADamagedOneKeepGatesShut() async throws {
    let place = try Place()
    try await place.journal([.scan(scanned("TICKET-0001"))])
    let other = try Place()
    _ = try other.keys.open()
    for name in ["journal.sqlite", "journal.sqlite.generation"] {
      try FileManager.default.copyItem(atPath: "\(place.state)/\(name)", toPath: "\(other.state)/\(name)")
    }
    let found = JournalLook(keys: other.keys, isRunning: false).findings()
    expect(found.contains { $0.severity == .fault && $0.words.contains("another key") }, "\(found)")
    try Data(repeating: 0x41, count: 8_192).write(to: URL(filePath: "\(place.state)/journal.sqlite"))
    let damaged = try #require(look(place)[.journal])
    expect(damaged.severity == .fault && damaged.cure == "scangate journal verify", "\(damaged)")
  }

  /// A journal of which nothing tells that it is the newest is doubted, until somebody says that it may be relied on.
  @Test func aJournalWithoutItsNoteIsDoubted() async throws {
    let place = try Place()
    try await place.journal([.scan(scanned("TICKET-0001"))])
    expectEqual(look(place)[.journal]?.severity, .good)
    try FileManager.default.removeItem(atPath: "\(place.state)/journal.sqlite.generation")
    let doubted = try #require(look(place)[.journal])
    expect(doubted.severity == .warning && doubted.cure == "sudo scangate journal accept", "\(doubted)")
    // Of one that is in use its gateway says so.
    expectEqual(look(place, isRunning: true)[.journal]?.severity, .good)
  }

  @Test func listsAreToldBeforeTheyAreTooOld() throws {
    let now = WallTime(seconds: 1_766_000_000)
    func judge(hours: Int64?, change: (inout ListLook.List) -> Void = { _ in }) -> Finding.Severity? {
      var list = ListLook.List(system: TicketSystemID("main"), gates: [GateID("north")], maxAge: .seconds(86_400))
      list.asOf = hours.map { now - .seconds($0 * 3_600) }
      change(&list)
      return ListLook.judge([list], at: now).first?.severity
    }
    expectEqual(judge(hours: 2), .good)
    expectEqual(judge(hours: 20), .warning)
    expectEqual(judge(hours: 25), .warning)
    expectEqual(judge(hours: -1), .warning)
    expectEqual(judge(hours: nil), .warning)
    expectEqual(judge(hours: nil) { $0.fillsItself = true }, .good)
    expectEqual(judge(hours: 2) { $0.fault = "It is damaged." }, .warning)
  }

  @Test func aRealListIsLookedAt() throws {
    let place = try Place()
    let station = try place.station()
    expectEqual(ListLook(keys: place.keys).findings(station).severities, [.warning])
    let server = try #require(station.ticketSystems.first?.address)
    try place.list("code,status\nTICKET-0001,valid\nTICKET-0002,refunded\n", server: server)
    let found = ListLook(keys: place.keys).findings(station)
    expect(found.severities == [.good] && found[0].words.hasPrefix("2 tickets, "), "\(found)")
    // One of another server is none.
    let other = try Place()
    try other.list("code,status\nTICKET-0001,valid\n", server: "eventschedule http://elsewhere")
    expectEqual(ListLook(keys: other.keys).findings(station).severities, [.warning])
  }
}
