import Expectations
import LinuxIO
import ScanModel
import ScanTesting
import Testing

@testable import Bookings

/// The verdict on a booking: the booking, the time, the gate and the zone, and nothing else.
@Suite struct BookingJudgeTests {
  typealias Gate = BookingsSection.Gate

  private func booking(
    _ begins: String, status: ListedTicket.Status = .valid, show: String? = "night", seats: Int = 4
  ) throws -> ListedTicket {
    ListedTicket(
      status: status, from: try london(begins), quantity: seats, sale: "b-1", event: "Hamilton", eventID: show,
      holder: "Ada", seats: ["F 12", "F 13"])
  }

  private func verdict(_ ticket: ListedTicket, at now: String, _ gate: Gate = Gate()) throws -> BookingJudge.Verdict {
    BookingJudge(gate: gate, zone: try zone()).judge(ticket, at: try london(now))
  }

  private func name(_ verdict: BookingJudge.Verdict) -> String {
    switch verdict {
    case .valid(let entitlement): "valid \(entitlement.quantity)"
    case .refused(let reason, _): "refused \(reason)"
    case .undecided(let reason, _): "undecided \(reason)"
    }
  }

  private func words(_ verdict: BookingJudge.Verdict) -> String {
    switch verdict {
    case .valid: ""
    case .refused(_, let detail): detail ?? ""
    case .undecided(_, let detail): detail
    }
  }

  @Test(arguments: [
    ("18:29", "refused tooEarly"), ("18:30", "valid 4"), ("19:30", "valid 4"), ("19:59", "valid 4"),
    ("20:00", "refused tooLate"), ("23:59", "refused tooLate"),
  ])
  func theWindowIsTheGates(clock: String, expected: String) throws {
    try expectEqual(name(verdict(booking("2026-05-02T19:30"), at: "2026-05-02T\(clock)")), expected)
  }

  @Test func opensAndClosesAreSet() throws {
    let gate = Gate(opens: .seconds(300), closes: .zero)
    let night = try booking("2026-05-02T19:30")
    try expectEqual(name(verdict(night, at: "2026-05-02T19:24", gate)), "refused tooEarly")
    try expectEqual(name(verdict(night, at: "2026-05-02T19:25", gate)), "valid 4")
    try expectEqual(name(verdict(night, at: "2026-05-02T19:30", gate)), "refused tooLate")
  }

  @Test(arguments: [
    (ListedTicket.Status.unpaid, "refused unpaid"), (.cancelled, "refused cancelled"), (.expired, "refused expired"),
    (.refunded, "refused refunded"), (.used, "refused alreadyUsed"), (.unconfirmed, "undecided badAnswer"),
  ])
  func aBookingsStateComesFirst(status: ListedTicket.Status, expected: String) throws {
    for begins in ["2026-05-02T19:30", "2026-05-09T19:30"] {
      try expectEqual(name(verdict(booking(begins, status: status), at: "2026-05-02T19:00")), expected)
    }
  }

  @Test func aMatineesCodeAtNightIsTooLate() throws {
    let found = try verdict(booking("2026-05-02T14:30", show: "matinee"), at: "2026-05-02T19:00")
    expectEqual(name(found), "refused tooLate")
    expect(words(found).contains("“Hamilton”, 2026-05-02 14:30; it admitted until 15:00"), "\(words(found))")
  }

  @Test func anotherDaysCodeIsOfAnotherShowTonight() throws {
    for begins in ["2026-05-01T19:30", "2026-05-03T19:30", "2026-05-03T05:00"] {
      let found = try verdict(booking(begins), at: "2026-05-02T19:00")
      expectEqual(name(found), "refused wrongEvent")
      expect(words(found).contains(begins.split(separator: "T").joined(separator: " ")), "\(words(found))")
    }
  }

  @Test func theNightBelongsToItsEvening() throws {
    let late = try booking("2026-05-03T00:15")
    try expectEqual(name(verdict(late, at: "2026-05-02T23:20")), "valid 4")
    try expectEqual(name(verdict(late, at: "2026-05-03T00:30")), "valid 4")
    try expectEqual(name(verdict(late, at: "2026-05-03T04:59")), "refused tooLate")
    try expectEqual(name(verdict(late, at: "2026-05-03T05:00")), "refused wrongEvent")
    try expectEqual(name(verdict(booking("2026-05-02T19:30"), at: "2026-05-03T00:30")), "refused tooLate")
  }

  /// Five in the morning parts two evenings, and no show from its people.
  @Test(arguments: [
    ("2026-05-03T05:10", "2026-05-03T04:50", 60, 30, "valid 4"),
    ("2026-05-03T04:58", "2026-05-03T05:50", 60, 90, "valid 4"),
    ("2026-05-03T05:10", "2026-05-03T04:05", 60, 30, "refused wrongEvent"),
    ("2026-05-03T04:58", "2026-05-03T05:50", 60, 30, "refused wrongEvent"),
    // Whose doors are open for half a day is tonight's all the same when it is about to begin.
    ("2026-05-03T09:00", "2026-05-03T04:50", 600, 30, "refused wrongEvent"),
    ("2026-05-03T06:49", "2026-05-03T04:50", 600, 30, "valid 4"),
  ])
  func whatIsAboutToBeginIsTonights(begins: String, now: String, opens: Int, closes: Int, expected: String) throws {
    let gate = Gate(opens: .seconds(opens * 60), closes: .seconds(closes * 60))
    try expectEqual(name(verdict(booking(begins), at: now, gate)), expected)
  }

  @Test func aGatesOwnShowsAreByTheirIDs() throws {
    let gate = Gate(shows: .ids(["night", "gala"]))
    try expectEqual(name(verdict(booking("2026-05-02T19:30"), at: "2026-05-02T19:00", gate)), "valid 4")
    try expectEqual(
      name(verdict(booking("2026-05-02T14:30", show: "matinee"), at: "2026-05-02T19:00", gate)), "refused wrongEvent")
    try expectEqual(name(verdict(booking("2026-05-03T19:30"), at: "2026-05-02T19:00", gate)), "refused tooEarly")
    try expectEqual(name(verdict(booking("2026-05-01T19:30"), at: "2026-05-02T19:00", gate)), "refused tooLate")
    try expectEqual(
      name(verdict(booking("2026-05-02T19:30", show: nil), at: "2026-05-02T19:00", gate)), "undecided badAnswer")
  }

  @Test func aPartyIsAdmittedEachOrWhole() throws {
    let night = try booking("2026-05-02T19:30")
    guard case .valid(let each) = try verdict(night, at: "2026-05-02T19:00"),
      case .valid(let whole) = try verdict(night, at: "2026-05-02T19:00", Gate(party: .whole))
    else { return expect(false, "it is not valid") }
    let closes = try london("2026-05-02T20:00")
    expectEqual(each.quantity, 4)
    expectEqual(each.ends, closes)
    expectEqual(
      each.details,
      TicketDetails(
        holder: "Ada", event: "Hamilton", eventID: "night", date: .span(try london("2026-05-02T19:30")..<closes),
        seats: ["F 12", "F 13"], ends: closes))
    expectEqual(whole.quantity, 1)
    expectEqual(whole.details.kind, "party of 4")
    expectEqual(whole.details.tickets, [.init(id: "b-1", quantity: 4, isUsed: false)])
  }

  @Test func aWholeDayAdmitsAllThatDay() throws {
    let day = ListedTicket(
      status: .valid, from: try london("2026-05-02T00:00"), until: try london("2026-05-03T00:00"), quantity: 2)
    try expectEqual(name(verdict(day, at: "2026-05-02T00:00")), "valid 2")
    try expectEqual(name(verdict(day, at: "2026-05-02T23:59")), "valid 2")
    try expectEqual(name(verdict(day, at: "2026-05-03T00:00")), "refused wrongEvent")
    try expectEqual(name(verdict(day, at: "2026-05-01T23:59")), "refused wrongEvent")
    let gate = Gate(shows: .ids(["night"]))
    try expectEqual(name(verdict(day, at: "2026-05-02T19:00", gate)), "undecided badAnswer")
  }

  @Test func withoutATimeNobodyCanTell() throws {
    try expectEqual(name(verdict(ListedTicket(status: .valid), at: "2026-05-02T19:00")), "undecided badAnswer")
  }

  @Test(arguments: [
    // Skipped: it admits from an hour before 0:30Z to half an hour after 1:30Z.
    (
      "2026-03-29T00:30:00Z",
      ["2026-03-28T23:29:00Z", "2026-03-28T23:30:00Z", "2026-03-29T01:59:00Z", "2026-03-29T02:00:00Z"]
    ),
    // Doubled: likewise.
    (
      "2026-10-25T00:30:00Z",
      ["2026-10-24T23:29:00Z", "2026-10-24T23:30:00Z", "2026-10-25T01:59:00Z", "2026-10-25T02:00:00Z"]
    ),
  ])
  func aTimeThatAChangeSkipsOrDoublesAdmitsAtEitherReading(begins: String, moments: [String]) throws {
    let judge = BookingJudge(gate: Gate(), zone: try zone())
    let ticket = ListedTicket(status: .valid, from: WallTime(iso8601: begins), eventID: "night")
    let found = moments.compactMap { WallTime(iso8601: $0) }.map { name(judge.judge(ticket, at: $0)) }
    expectEqual(found, ["refused tooEarly", "valid 1", "valid 1", "refused tooLate"])
  }

  // MARK: Random evenings

  /// What a steward would do with a wall clock: civil times as text, minute by minute, and no arithmetic over changes.
  private struct Steward {
    let gate: Gate
    let zone: ZoneRules

    private func civil(_ seconds: Int64) -> Int64 { seconds + zone.offset(at: seconds) }
    private func evening(_ local: Int64) -> Int64 {
      (local - 5 * 3_600 - (((local - 5 * 3_600) % 86_400 + 86_400) % 86_400)) / 86_400
    }

    /// - Parameter local: what the booking says, as if it were UTC.
    func admits(_ local: Int64, _ show: String, at now: Int64) -> String {
      // Each moment at which clocks show it; where they never do, what it is by the clocks before the change and after it.
      var readings = stride(from: local - 90_000, through: local + 90_000, by: 60).filter { civil($0) == local }
      if readings.isEmpty {
        readings = [local - zone.offset(at: local + 90_000), local - zone.offset(at: local - 90_000)]
      }
      let (opens, closes) = (gate.opens.components.seconds, gate.closes.components.seconds)
      switch gate.shows {
      case .ids(let ids): if !ids.contains(show) { return "refused wrongEvent" }
      case .tonight:
        let evenings = Set(readings.map { evening(civil($0)) } + [evening(local)])
        let isNear = readings.contains { abs($0 - now) <= 7_200 && ($0 - opens..<$0 + closes).contains(now) }
        if !isNear, !evenings.contains(evening(civil(now))) { return "refused wrongEvent" }
      }
      if readings.contains(where: { ($0 - opens..<$0 + closes).contains(now) }) { return "valid" }
      return now < (readings.min() ?? 0) - opens ? "refused tooEarly" : "refused tooLate"
    }
  }

  @Test(arguments: ["Europe/London", "America/New_York"])
  func randomEveningsAreJudgedAsAStewardDoes(zoneName: String) throws {
    let seed = UInt64(7_003)
    var random = SeededGenerator(seed: seed)
    let zone = try zone(zoneName)
    let days = [
      "2026-03-28", "2026-03-29", "2026-10-24", "2026-10-25", "2026-03-08", "2026-11-01", "2026-05-02", "2026-12-31",
    ]
    var counts: [String: Int] = [:]
    for _ in 0..<extent(landing: 800, release: 8_000) {
      let day = try #require(CivilDay(iso8601: days.randomElement(using: &random) ?? ""))
      let gate = Gate(
        shows: random.chance(60)
          ? .tonight : .ids([["matinee"], ["night"], ["matinee", "night"]].randomElement(using: &random) ?? []),
        opens: .seconds(Int64.random(in: 0...8, using: &random) * 900),
        closes: .seconds(Int64.random(in: 4...8, using: &random) * 900))
      let show = random.chance(50) ? "matinee" : "night"
      let hour: Int64 = random.chance(30) ? Int64.random(in: 0...4, using: &random) : show == "matinee" ? 14 : 19
      let local = day.number * 86_400 + hour * 3_600 + Int64.random(in: 0..<4, using: &random) * 900
      let begins = ShowTime.moment(of: CivilDay.split(local).day, second: CivilDay.split(local).second, in: zone)
      let now = begins.seconds + Int64.random(in: -500...400, using: &random) * 60
      let ticket = ListedTicket(status: .valid, from: begins, quantity: 3, eventID: show)
      let found = BookingJudge(gate: gate, zone: zone).judge(ticket, at: WallTime(seconds: now))
      let expected = Steward(gate: gate, zone: zone).admits(local, show, at: now)
      let is3 = name(found) == "valid 3" ? "valid" : name(found)
      counts[is3, default: 0] += 1
      // Within the hour before a skipped time a list cannot tell which of two times is meant: later is admitted, never earlier.
      let isNearSkipped = ShowTime(begins, in: zone).latest != begins
      if isNearSkipped, expected == "refused tooLate" || expected == "refused wrongEvent", is3 == "valid" { continue }
      expectEqual(
        is3, expected,
        "seed \(seed): \(zoneName) \(CivilDay.split(local)) at \(WallTime(seconds: now).iso8601Seconds), \(gate)")
    }
    for word in ["valid", "refused tooEarly", "refused tooLate", "refused wrongEvent"] {
      expect(counts[word, default: 0] > 20, "seed \(seed): \(counts)")
    }
  }
}
