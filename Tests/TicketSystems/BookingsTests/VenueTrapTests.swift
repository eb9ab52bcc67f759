import Admission
import Calls
import Expectations
import Foundation
import Journal
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport
import VenueServer

@testable import Bookings
@testable import Gateway
@testable import TicketLists

/// Each trap of the real service's door, and what a station makes of it.
@Suite(.timeLimit(.minutes(1))) struct VenueTrapTests {
  private typealias Asked = TheatreVenue.Asked

  // MARK: "Today" is the UTC date

  /// In New York UTC midnight comes while the audience does.
  @Test func anEveningThatUTCMidnightCutsInTwo() async throws {
    try await TheatreVenue.run(.real, at: "2026-01-31T23:50:00Z", zone: "America/New_York") { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      let before = await station.refresh()
      expect(before.state == .refreshed && before.tickets == 3, "\(before)")
      let party = try venue.code(.party)
      try await expectEqual(station.verdict(party), .admit)
      // It is asked on both sides, whatever the interval.
      let roster = DoorList(door: station.door, clock: { station.list.now() })
      let turns = sequence(first: venue.time.wall()) { roster.nextTurn(after: $0) }.dropFirst().prefix(2)
      expectEqual(turns.map(\.iso8601Seconds), ["2026-01-31T23:57:30Z", "2026-02-01T00:01:00Z"])
      venue.time.advance(by: .seconds(701))
      let after = await station.refresh()
      expect(after.state == .refreshed && after.tickets == 1, "\(after)")
      // What it does not tell is not of its day: nobody's booking is over for it.
      try await expectEqual(station.verdict(party), .admit)
      let tomorrow = try await station.present(venue.code(.tomorrow))
      expect(tomorrow.verdict == .refuse(.wrongEvent) && tomorrow.detail?.contains("2026-02-01 19:30") == true)
      expectEqual(venue.asked, Asked(signIns: 1, lists: 2))
      try await station.close()
    }
  }

  /// In Sydney the day begins before the service's does.
  @Test func aDayThatBeginsBeforeTheServices() async throws {
    try await TheatreVenue.run(.real, at: "2026-01-30T23:55:00Z", zone: "Australia/Sydney") { venue in
      try await venue.book("MORNING1", "matinee", count: 2)
      let station = try await TheatreStation(at: venue, in: .init())
      // It is still yesterday there, and nothing was on: others are told in its place, each with its own date.
      let early = await station.refresh()
      expect(early.state == .refreshed && early.tickets == 5, "\(early)")
      try await expectEqual(station.verdict("MORNING1"), .refuse(.tooEarly))
      venue.time.advance(by: .seconds(600))
      let today = await station.refresh()
      expect(today.state == .refreshed && today.tickets == 4, "\(today)")
      // 13:50 in Sydney.
      venue.time.advance(by: .seconds(10_000))
      for verdict in [Verdict.admit, .admit, .refuse(.alreadyUsed)] {
        try await expectEqual(station.verdict("MORNING1"), verdict)
      }
      try await expectEqual(station.verdict(venue.code(.tomorrow)), .refuse(.wrongEvent))
      expectEqual(venue.asked.checks, 0)
      try await station.close()
    }
  }

  // MARK: An empty day is told as 20 others

  @Test(arguments: BookingShape.allCases) func othersInPlaceOfAnEmptyDayAdmitNobody(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      for number in 0..<30 { try await venue.book("AHEAD\(10 + number)", "unseated") }
      // Nothing is on, and tomorrow's show was yesterday.
      venue.time.advance(by: .seconds(2 * 86_400))
      let station = try await TheatreStation(at: venue, in: .init())
      let told = await station.refresh()
      expect(told.state == .refreshed && told.tickets == (shape == .real ? 20 : 0), "\(told)")
      let ahead = try await station.present("AHEAD39")
      expectEqual(ahead.verdict, .refuse(.wrongEvent))
      expect(ahead.detail?.contains("2026-05-09 18:00") == true, "\(ahead)")
      expectEqual(venue.asked.checks, shape == .real ? 0 : 1)
      for code in [try venue.code(.tomorrow)] + (shape == .real ? ["AHEAD38"] : []) {
        try await expectEqual(station.verdict(code), .refuse(.wrongEvent), "\(code)")
      }
      expectEqual(station.pulses(), 0)
      try await station.close()
    }
  }

  // MARK: At most 100 rows

  private static let house = (0..<140).map { "HOUSE\(1_000 + $0)" }

  /// 140 bookings, of which the list tells 100: whoever is not on it is asked about, or sent to the box office.
  @Test func ofAHouseOf140NobodyIsRefused() async throws {
    try await TheatreVenue.run(.real) { venue in
      _ = try await venue.server.addBookings(Self.house.map { NewBooking(customer: "A Guest", code: $0) })
      let station = try await TheatreStation(at: venue, in: .init())
      let told = await station.refresh()
      expect(told.state == .partial && told.tickets == 100, "\(told)")
      expect(told.detail?.contains("Import a file of all: scangate tickets import FILE") == true, "\(told)")
      var counts: [String: Int] = [:]
      for code in Self.house {
        let scan = try await station.present(code)
        counts[Self.name(scan.verdict), default: 0] += 1
        if case .undecided = scan.verdict {
          expect(scan.detail?.hasPrefix("Not on the list of 18:50, ask the box office. ") == true, "\(scan)")
        }
      }
      expectEqual(counts, ["admit": 102, "undecided rateLimited": 38])
      expectEqual(venue.asked, Asked(signIns: 1, lists: 1, checks: 2))
      // The next full list takes nobody away either.
      venue.time.advance(by: TheatreStation.interval)
      try await venue.book("NEWEST01")
      await expectEqual(station.refresh().state, .partial)
      for code in [Self.house[139], "NEWEST01"] {
        let verdict = try await station.verdict(code)
        expect(verdict == (code == "NEWEST01" ? .admit : .refuse(.alreadyUsed)), "\(code): \(verdict)")
      }
      try await station.close()
    }
  }

  @Test func withAFileOfAllTheHouseOf140IsAdmitted() async throws {
    try await TheatreVenue.run(.real) { venue in
      _ = try await venue.server.addBookings(Self.house.map { NewBooking(customer: "A Guest", code: $0) })
      let station = try await TheatreStation(at: venue, in: .init())
      let night = try venue.show(.night)
      let lines = Self.house.map { "\($0),\(night.date),\(night.id)" }
      let report = try station.take("code,date,show\n" + lines.joined(separator: "\n") + "\n")
      expect(report.refusal == nil && report.good == 140, "\(report)")
      for (number, code) in Self.house.enumerated() {
        // Before the service's list comes on top, and after it.
        if number == 70 { await expectEqual(station.refresh().state, .partial) }
        try await expectEqual(station.verdict(code), .admit, "\(code)")
      }
      for code in Self.house.prefix(5) { try await expectEqual(station.verdict(code), .refuse(.alreadyUsed)) }
      expectEqual(station.pulses(), 140)
      expectEqual(venue.asked.checks, 0)
      try await station.close()
    }
  }

  private static func name(_ verdict: Verdict) -> String {
    switch verdict {
    case .admit: "admit"
    case .refuse(let reason): "refuse \(reason)"
    case .undecided(let reason): "undecided \(reason)"
    }
  }

  // MARK: Five calls in 15 minutes for all of an address

  /// Somebody else at the same address has spent them: a wait, as long as the service says, and no alarm.
  @Test func whatOthersHaveSpentIsWaitedFor() async throws {
    try await TheatreVenue.run(.real, at: "2026-05-02T17:35:00Z") { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      try await venue.book("LATE0001")
      let cookie = try #require(station.door.session?.held)
      for _ in 0..<4 { _ = await station.door.calls.list(cookie) }
      let scan = try await station.present("LATE0001")
      expectEqual(scan.verdict, .undecided(.rateLimited))
      expect(scan.detail?.contains("more calls from here than it allows (403)") == true, "\(scan)")
      // Nothing is sent until then, for whatever.
      let asked = venue.asked
      let told = await station.refresh()
      expect(told.state == .failed, "\(told)")
      try await expectEqual(station.verdict("LATE0001"), .undecided(.rateLimited))
      expectEqual(venue.asked, asked)
      var upkeep = DoorUpkeep(of: station.door, station.list, TheatreStation.id)
      await expectEqual(upkeep.look(), [])
      expect(!station.told.lines.contains { $0.contains(#""state":"fault""#) }, "\(station.told.lines)")
      try await expectEqual(station.verdict(venue.code(.party)), .admit)
      venue.time.advance(by: .seconds(901))
      try await expectEqual(station.verdict("LATE0001"), .admit)
      await expectEqual(station.refresh().state, .refreshed)
      try await station.close()
    }
  }

  /// Another 403 is a fault, and says which.
  @Test func onlyOther403sAreFaults() async throws {
    try await TheatreVenue.run(.real) { venue in
      let nobody = try await TheatreStation(
        at: venue, in: .init(), settings: try venue.section("nobody@theatre.example"))
      let told = await nobody.refresh()
      expect(told.state == .failed && told.detail?.contains("Insufficient permissions") == true, "\(told)")
      expect(told.detail?.contains("door list and ticket checks") == true, "\(told)")
      expectEqual(venue.asked, Asked(signIns: 1, lists: 1), "it signed in again for that")
      try await nobody.close()
      // One who may see the list alone.
      let office = try await TheatreStation(
        at: venue, in: .init(), settings: try venue.section("office@theatre.example"))
      await expectEqual(office.refresh().state, .refreshed)
      try await venue.book("LATE0001")
      try await expectEqual(office.verdict("LATE0001"), .undecided(.accessDenied))
      try await expectEqual(office.verdict(venue.code(.party)), .admit)
      try await office.close()
    }
  }

  // MARK: The cookie, the origin, telephones

  /// The service sets it for `/venue` (`BookingsDoorTests.theCookieIsForAPlaceWhereTheDoorIsNot`), and wants it at `/api`.
  @Test func theSessionIsSentWhereItsPathIsNot() async throws {
    try await TheatreVenue.run(.real) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await expectEqual(station.refresh().state, .refreshed)
      try await venue.book("LATE0001")
      try await expectEqual(station.verdict("LATE0001"), .admit)
      expectEqual(venue.asked, Asked(signIns: 1, lists: 1, checks: 1))
      try await station.close()
    }
  }

  /// Who signs in elsewhere by the same account signs the station out: it signs in again, once.
  @Test func anAccountHasOneSession() async throws {
    try await TheatreVenue.run(.real) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      let password = try #require(StaffPassword(TheatreVenue.password))
      let elsewhere = await station.door.calls.signIn(
        venue.seeded.staffEmail, password, deadline: venue.time.now() + .seconds(20))
      guard case .answered(let answer) = elsewhere.result else { return expect(false, "\(elsewhere)") }
      expect(answer.cookies["venue-session"] != nil)
      await expectEqual(station.refresh().state, .refreshed)
      expectEqual(venue.asked, Asked(signIns: 3, lists: 2))
      try await station.close()
    }
  }

  @Test func requestsComeFromAWebsiteThatTheServiceKnows() async throws {
    try await TheatreVenue.run(.real) { venue in
      for origin in [TheatreVenue.origin, nil] {
        let station = try await TheatreStation(at: venue, in: .init(), settings: try venue.section(origin: origin))
        await expectEqual(station.refresh().state, .refreshed, "\(origin ?? "the server itself")")
        try await station.close()
      }
      let stranger = try await TheatreStation(
        at: venue, in: .init(), settings: try venue.section(origin: "https://elsewhere.example"))
      let told = await stranger.refresh()
      expect(told.state == .failed && told.detail?.contains("under origin") == true, "\(told)")
      try await expectEqual(stranger.verdict(venue.code(.party)), .undecided(.accessDenied))
      try await stranger.close()
    }
  }

  /// The same calls with what a telephone adds are sent away: a station adds nothing of it.
  @Test(arguments: [
    ("x-mobile-app", "true"), ("x-platform", "ios"),
  ]) func aStationIsNoTelephone(header: String, value: String) async throws {
    try await TheatreVenue.run(.real) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await expectEqual(station.refresh().state, .refreshed)
      let path = "/api/venues/\(venue.seeded.venueID)/bookings/today"
      for isTelephone in [true, false] {
        var call = HTTPCall(.get, path: path)
        call.credential = ("Cookie", "venue-session=", try #require(station.door.session?.held))
        try call.add(CallHeader("Origin", TheatreVenue.origin))
        if isTelephone { try call.add(CallHeader(header, value)) }
        let outcome = await station.door.calls.transport.send(call, deadline: venue.time.now() + .seconds(20)) { _ in }
        guard case .answered(let answer) = outcome.result else { return expect(false, "\(outcome)") }
        expectEqual(answer.status, isTelephone ? 403 : 200)
        if isTelephone { expect(answer.said?.hasPrefix("Mobile access blocked") == true) }
      }
      try await station.close()
    }
  }

  // MARK: What a check does not do

  @Test func aCheckDoesNotStripTheAppsPrefix() async throws {
    try await TheatreVenue.run(.real) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      try await venue.book("LATE0001")
      let cookie = try #require(station.door.session?.held)
      let raw = await station.door.calls.check(
        Code("LML-LATE0001"), cookie, deadline: venue.time.now() + .seconds(20))
      guard case .answered(let answer) = raw.result else { return expect(false, "\(raw)") }
      expectEqual(answer.status, 404)
      try await expectEqual(station.verdict("LML-LATE0001"), .admit)
      try await station.close()
    }
  }

  /// The service says the same of it however often it was shown: our own book is what holds it to its seats.
  @Test func aCheckMarksNothing() async throws {
    try await TheatreVenue.run(.real) { venue in
      let folder = try StationFolder()
      let first = try await TheatreStation(at: venue, in: folder)
      await first.refresh()
      try await venue.book("LATE0001", count: 2)
      for verdict in [Verdict.admit, .admit, .refuse(.alreadyUsed)] {
        try await expectEqual(first.verdict("LATE0001"), verdict)
      }
      let same = try await first.again()
      await same.signedIn()
      try await expectEqual(same.verdict("LATE0001"), .refuse(.alreadyUsed))
      try await same.close()
      // A station that knows nothing of it is told that all is well.
      venue.time.advance(by: .seconds(910))
      let other = try await TheatreStation(at: venue, in: .init())
      try await expectEqual(other.verdict("LATE0001"), .admit)
      try await other.close()
    }
  }

  @Test func aCheckLooksAtNoDate() async throws {
    try await TheatreVenue.run(.real, at: "2026-05-02T17:45:00Z") { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      try await venue.book("LATE0001", "matinee")
      for (code, reason) in [
        ("LATE0001", RefuseReason.tooLate), (try venue.code(.tomorrow), .wrongEvent),
      ] {
        try await expectEqual(station.verdict(code), .refuse(reason))
      }
      expectEqual(venue.asked.checks, 2)
      expectEqual(station.pulses(), 0)
      try await station.close()
    }
  }
}
