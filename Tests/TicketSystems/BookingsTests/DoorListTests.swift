import Expectations
import Foundation
import LinuxIO
import ScanModel
import ScanTesting
import Testing
import TicketSystemKit
import TicketTransport
import WireText

@testable import Bookings

/// The door list: what an answer tells, of which day it tells all, and when it is asked for.
@Suite struct DoorListTests {
  typealias Row = TheatreService.Row

  /// The day of the venue that an answer tells all of; `nil` where it tells all of none.
  private func day(_ answer: RosterAnswer) throws -> String? {
    guard let whole = answer.whole else { return nil }
    let zone = try zone()
    let local = CivilDay.split(whole.lowerBound.seconds + zone.offset(at: whole.lowerBound.seconds))
    expectEqual(local.second, 0)
    expect([23, 24, 25].contains((whole.upperBound - whole.lowerBound).components.seconds / 3_600))
    return "\(local.day)"
  }

  /// What these rows tell, answered at a moment of the server's clock.
  private func told(
    _ rows: [String], date: WallTime?, ours: WallTime? = nil, isTrusted: Bool = true, took: Duration = .milliseconds(20)
  ) async throws -> RosterAnswer {
    let stage = try await Stage.open()
    let wall = try ours ?? date ?? london("2026-05-02T18:50")
    let answer = Door.ListAnswer(
      answer: HTTPAnswer(
        status: 200, mediaType: "application/json", serverDate: date, clockAhead: date.map { wall - $0 }),
      rows: try #require(Door.rows([UInt8]("[\(rows.joined(separator: ","))]".utf8), in: try zone())),
      began: stage.time.now() - took, took: took)
    let found = stage.roster.answer(
      answer, at: JournalTime(wall: wall, monotonic: stage.time.now(), isTrusted: isTrusted))
    await stage.close()
    return found
  }

  private func json(_ rows: [Row]) throws -> [String] {
    let service = TheatreService(time: StageTime(try london("2026-05-02T18:50")))
    return rows.map { service.json($0, "seatCount") }
  }

  @Test(arguments: TheatreService.Shape.allCases)
  func theListIsToldBookingByBooking(shape: TheatreService.Shape) async throws {
    let stage = try await Stage.open(shape)
    stage.service.has(
      Row("NIGHT001"), Row("lml00002") { ($0.show, $0.time, $0.seats) = ("matinee", "14:30:00", 2) },
      Row("UNPAID03") { $0.status = "pending" }, Row("GONE0004") { $0.status = "cancelled" })
    let answer = try #require(try await stage.roster.current())
    expectEqual(answer.tickets.map(\.code), ["NIGHT001", "LML00002", "UNPAID03", "GONE0004"])
    expectEqual(answer.tickets.map(\.status), [.valid, .valid, .unpaid, .cancelled])
    expectEqual(
      answer.tickets.first,
      ToldTicket(
        code: "NIGHT001", isWholeSale: true, status: .valid, from: try london("2026-05-02T19:30"), quantity: 4,
        sale: "b-NIGHT001", event: "Hamilton", eventID: "night", holder: "Ada Byron"))
    expectEqual(answer.gap, nil)
    try expectEqual(day(answer), "2026-05-02")
    let page = try await stage.roster.page(1)
    expectEqual(page, RosterPage(tickets: answer.tickets, hasMore: false))
    try expectEqual(await stage.roster.page(2), RosterPage(tickets: [], hasMore: false))
    try expect(await stage.roster.page(1, of: #require(CivilDay(iso8601: "2026-05-02"))) == nil)
    await stage.close()
  }

  @Test func aHundredRowsAreNotAll() async throws {
    let rows = (0..<100).map { number in Row("CODE\(1_000 + number)") }
    let full = try await told(json(rows), date: london("2026-05-02T18:50"))
    expectEqual(full.tickets.count, 100)
    expectEqual(full.whole, nil)
    expect(
      full.gap?.contains("has told 100 bookings; such a service tells 100 at most") == true
        && full.gap?.contains("tickets import FILE") == true)
    let almost = try await told(json(Array(rows.dropLast())), date: london("2026-05-02T18:50"))
    expectEqual(almost.gap, nil)
    try expectEqual(day(almost), "2026-05-02")
  }

  @Test func anEmptyDayIsWholeWhetherOthersAreToldOrNone() async throws {
    try expectEqual(day(await told([], date: london("2026-05-02T18:50"))), "2026-05-02")
    let others = try await told(
      json([Row("AHEAD001") { $0.date = "2026-05-09" }, Row("YESTER01") { $0.date = "2026-05-01" }]),
      date: london("2026-05-02T18:50"))
    expectEqual(others.tickets.map(\.from), [try london("2026-05-09T19:30"), try london("2026-05-01T19:30")])
    try expectEqual(day(others), "2026-05-02")
  }

  @Test func whatIsTwoDaysOldIsLeftOut() async throws {
    let rows = try json([Row("OLD00001") { $0.date = "2026-04-30" }, Row("NEW00001") { $0.date = "2026-05-01" }])
    try expectEqual(await told(rows, date: london("2026-05-02T18:50")).tickets.map(\.code), ["NEW00001"])
    try expectEqual(
      await told(rows, date: nil, isTrusted: false).tickets.count, 2, "no clock tells which these are")
  }

  @Test(arguments: [
    // The UTC date is the day before between midnight and one in London's summer.
    ("2026-05-02T23:30:00Z", Duration.milliseconds(20), String?.some("2026-05-02")),
    ("2026-05-02T23:59:58Z", .milliseconds(20), nil), ("2026-05-03T00:00:02Z", .milliseconds(20), nil),
    ("2026-05-03T00:00:10Z", .milliseconds(20), "2026-05-03"), ("2026-05-03T00:00:10Z", .seconds(8), nil),
    ("2026-05-03T00:00:30Z", .seconds(8), "2026-05-03"),
  ])
  func anAnswerSpeaksForTheUTCDateAtTheServer(date: String, took: Duration, expected: String?) async throws {
    let moment = try #require(WallTime(iso8601: date))
    let answer = try await told([], date: moment, took: took)
    try expectEqual(day(answer), expected)
    expectEqual(answer.gap == nil, expected != nil)
    // Without its clock, ours tells.
    try expectEqual(day(await told([], date: nil, ours: moment, took: took)), expected)
  }

  @Test func clocksThatDifferSpeakForNoDay() async throws {
    let now = try london("2026-05-02T18:50")
    for date in [now + .seconds(86_400), now - .seconds(86_400), now + .seconds(600), WallTime(seconds: 0)] {
      try expectEqual(day(await told([], date: date, ours: now)), nil)
    }
    try expectEqual(day(await told([], date: nil, ours: now, isTrusted: false)), nil)
    try expectEqual(day(await told([], date: now + .seconds(86_400), ours: now, isTrusted: false)), "2026-05-03")
  }

  @Test func badRowsAreToldWithoutTheirCodes() async throws {
    let good = try json([Row("NIGHT001")])
    let bad = try json([
      Row("ZERO0001") { $0.date = "0000-00-00" }, Row("CLOCK001") { $0.time = "24:00:00" },
      Row("SEATS001") { $0.seats = -1 },
    ])
    let answer = try await told(good + bad, date: london("2026-05-02T18:50"))
    expectEqual(answer.tickets.map(\.status), [.valid, .unconfirmed, .unconfirmed, .unconfirmed])
    for ticket in answer.tickets.dropFirst() {
      expect(ticket.obstacle?.contains(ticket.code) == false, "\(ticket)")
    }
    try expectEqual(day(answer), "2026-05-02", "it is known which they are")
    for row in ["null", "[]", "{}", "7", "{\"booking\":null,\"show\":null}"] {
      let answer = try await told(good + [row], date: london("2026-05-02T18:50"))
      expectEqual(answer.tickets.map(\.code), ["NIGHT001", ""])
      expectEqual(answer.whole, nil, "whose it is is not known")
      expect(answer.gap?.contains("1 of 2 bookings") == true)
    }
  }

  @Test func anOddStateIsNone() async throws {
    let answer = try await told(
      json([Row("ODD00001") { $0.status = "refund_pending" }]), date: london("2026-05-02T18:50"))
    expectEqual(answer.tickets.map(\.status), [nil])
  }

  @Test func twoBookingsWithOneCodeAreTold() async throws {
    let answer = try await told(
      json([Row("TWICE001"), Row("NIGHT001"), Row("twice001") { ($0.id, $0.show) = ("b-2", "matinee") }]),
      date: london("2026-05-02T18:50"))
    expectEqual(answer.tickets.map(\.code), ["TWICE001", "NIGHT001"])
    expectEqual(answer.tickets.map(\.status), [.unconfirmed, .valid])
    expect(answer.gap?.contains("more than once (1)") == true && answer.tickets.allSatisfy { $0.obstacle == nil })
    try expectEqual(day(answer), "2026-05-02", "all were told")
    let once = try await told(json([Row("SAME0001"), Row("SAME0001")]), date: london("2026-05-02T18:50"))
    expectEqual(once.tickets.map(\.status), [.valid], "it stands there twice")
  }

  @Test(arguments: [
    ("2026-05-02T18:00:00Z", "2026-05-02T23:57:30Z"), ("2026-05-02T23:57:30Z", "2026-05-03T00:01:00Z"),
    ("2026-05-03T00:00:00Z", "2026-05-03T00:01:00Z"), ("2026-05-03T00:01:00Z", "2026-05-03T23:57:30Z"),
    ("2026-12-31T23:58:00Z", "2027-01-01T00:01:00Z"),
  ])
  func itIsAskedOnBothSidesOfUTCMidnight(now: String, next: String) async throws {
    let stage = try await Stage.open()
    let turn = stage.roster.nextTurn(after: try #require(WallTime(iso8601: now)))
    expectEqual(turn?.iso8601Seconds, next)
    await stage.close()
  }

  // MARK: The ration

  @Test func theFourthListIsWaitedFor() async throws {
    let stage = try await Stage.open()
    let due = stage.time.now() + .milliseconds(300)
    stage.door.memory.ration.change { ration in
      ration.take(
        (0..<3).map {
          .init(place: .init(number: $0, use: .list), ago: DoorRation.period + DoorRation.toldMargin - .milliseconds(1))
        },
        blocked: nil,
        at: due - .milliseconds(1))
    }
    _ = try await stage.roster.current()
    expect(stage.time.now() >= due, "it was asked at once")
    expectEqual(stage.service.count(.list), 1)
    await stage.close()
  }

  /// 403 with `Retry-After` is no fault: it is waited out, and asked once more.
  @Test func aRefusalForTheRateIsWaitedOut() async throws {
    let stage = try await Stage.open()
    stage.door.memory.ration.change { $0.shortestListWait = .seconds(1) }
    stage.service.reply(
      to: .list,
      .answer(
        stage.service.response("403 Forbidden", stage.service.error("Too many requests"), extra: "Retry-After: 1\r\n")),
      .usual)
    stage.service.has(Row("NIGHT001"))
    let answer = try #require(try await stage.roster.current())
    expectEqual(answer.tickets.map(\.code), ["NIGHT001"])
    expectEqual(stage.service.asked, [.signIn, .list, .list])
    await stage.close()
  }

  /// Whoever sits at a terminal is told at once.
  @Test func aCommandDoesNotWaitAQuarterOfAnHour() async throws {
    let stage = try await Stage.open(use: .list)
    stage.service.reply(
      to: .list,
      .answer(
        stage.service.response("403 Forbidden", stage.service.error("Too many requests"), extra: "Retry-After: 600\r\n")
      ))
    do {
      _ = try await stage.roster.current()
      expect(false, "it was told")
    } catch {
      expect("\(error)".contains("again in 10 min"), "\(error)")
    }
    expectEqual(stage.service.asked, [.signIn, .list])
    await stage.close()
  }

  /// What commands of the station have asked counts here, by the sealed record.
  @Test func callsOfAnotherProcessCount() async throws {
    let records = Records()
    let stage = try await Stage.open(records: records, use: .list)
    for _ in 0..<3 { _ = try await stage.roster.current() }
    let other = try stage.again()
    await other.door.memory.ration.read(records, other.time)
    expectEqual(other.door.memory.ration.state.isSpent(.list, at: other.time.now()), true)
    expectEqual(other.door.memory.ration.state.isSpent(.check, at: other.time.now()), false)
    await other.transport.close()
    await stage.close()
  }
}

extension DoorRation {
  /// Whether a call would have to wait.
  func isSpent(_ use: Use, at now: MonotonicTime) -> Bool {
    var ration = self
    return ration.wait(for: use, at: now) != nil
  }
}
