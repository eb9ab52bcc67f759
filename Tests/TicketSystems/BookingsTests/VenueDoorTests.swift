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

/// A theatre's doors with their ledger, at a service of either shape: a verdict for each row of the table in docs/bookings.md.
@Suite(.timeLimit(.minutes(1))) struct VenueDoorTests {
  private typealias Asked = TheatreVenue.Asked
  private static let shapes = BookingShape.allCases
  private static let stalls = GateID("stalls")

  // MARK: On the list

  @Test(arguments: shapes) func eachOfAPartyIsGreenOnce(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      let told = await station.refresh()
      expect(told.state == .refreshed && told.tickets == 3, "\(told)")
      let party = try venue.booking(.party)
      for (number, code) in [party.code, "LML-\(party.code)", " \(party.code.lowercased())\r", party.code].enumerated()
      {
        let person = try await station.present(code)
        expectEqual(person.verdict, .admit)
        expect(person.admitted == number + 1 && person.allowance == 4 && !person.isProvisional, "\(person)")
        try expectEqual(person.details.event, venue.show(.night).title)
        try expectEqual(person.details.eventID, venue.show(.night).id)
      }
      let fifth = try await station.present(party.code)
      expectEqual(fifth.verdict, .refuse(.alreadyUsed))
      expectEqual(fifth.firstUse?.gate, Self.stalls)
      expect(fifth.firstUse.map { venue.time.wall() - $0.at < .seconds(60) } == true, "\(fifth)")
      expectEqual(station.pulses(), 4)
      expectEqual(venue.asked, Asked(signIns: 1, lists: 1))
      try await station.close()
    }
  }

  @Test(arguments: shapes) func aWholePartyPassesAtOnce(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init(), gates: ["stalls": .init(party: .whole)])
      await station.refresh()
      let party = try await station.present(venue.code(.party))
      expectEqual(party.verdict, .admit)
      expect(party.admitted == 1 && party.allowance == 1 && party.details.kind == "party of 4", "\(party)")
      try await expectEqual(station.verdict(venue.code(.party)), .refuse(.alreadyUsed))
      try await expectEqual(station.present(venue.code(.single)).details.kind, "party of 1")
      expectEqual(station.pulses(), 2)
      try await station.close()
    }
  }

  @Test(arguments: shapes) func aMatineesCodeIsTooLateAtNight(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      let scan = try await station.present(venue.code(.matinee))
      expectEqual(scan.verdict, .refuse(.tooLate))
      expectEqual(
        scan.detail, "It was for “The Tempest, matinee”, 2026-05-02 14:30; it admitted until 15:00.")
      expectEqual(venue.asked, Asked(signIns: 1, lists: 1))
      try await station.close()
    }
  }

  @Test(arguments: shapes) func whoComesTooEarlyIsToldWhen(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape, at: "2026-05-02T17:29:00Z") { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      let early = try await station.present(venue.code(.party))
      expectEqual(early.verdict, .refuse(.tooEarly))
      expectEqual(early.detail, "It is for “The Tempest”, 2026-05-02 19:30; it admits from 18:30.")
      venue.time.advance(by: .seconds(61))
      try await expectEqual(station.verdict(venue.code(.party)), .admit)
      // Half an hour after the beginning the doors are shut.
      venue.time.advance(by: .seconds(90 * 60))
      try await expectEqual(station.verdict(venue.code(.party)), .refuse(.tooLate))
      try await station.close()
    }
  }

  @Test(arguments: shapes) func aGateOfOneShowTakesNoOther(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape, at: "2026-05-02T13:20:00Z") { venue in
      let night = try venue.show(.night).id
      let station = try await TheatreStation(
        at: venue, in: .init(), gates: ["stalls": .init(), "studio": .init(shows: .ids([night]))])
      await station.refresh()
      try await expectEqual(station.verdict(venue.code(.matinee), at: "studio"), .refuse(.wrongEvent))
      try await expectEqual(station.verdict(venue.code(.party), at: "studio"), .refuse(.tooEarly))
      try await expectEqual(station.verdict(venue.code(.matinee)), .admit)
      try await station.close()
    }
  }

  /// The list decides as it was told, and from the next one on the booking is over.
  @Test(arguments: shapes) func cancelledBetweenTwoRefreshes(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      let party = try venue.booking(.party)
      for _ in 0..<2 { try await expectEqual(station.verdict(party.code), .admit) }
      try await venue.server.setBooking(party.id, to: .cancelled)
      try await expectEqual(station.verdict(party.code), .admit)
      venue.time.advance(by: TheatreStation.interval)
      await expectEqual(station.refresh().state, .refreshed)
      let fourth = try await station.present(party.code)
      expect(fourth.verdict == .refuse(.cancelled) && fourth.detail == "The booking was cancelled.", "\(fourth)")
      try await expectEqual(station.verdict(venue.code(.single)), .admit)
      // Booked again, it is good again, for those who are not in.
      try await venue.server.setBooking(party.id, to: .confirmed)
      venue.time.advance(by: TheatreStation.interval)
      await station.refresh()
      try await expectEqual(station.verdict(party.code), .admit)
      try await expectEqual(station.verdict(party.code), .refuse(.alreadyUsed))
      expectEqual(venue.asked.checks, 0)
      try await station.close()
    }
  }

  /// More than half of the day at once: nobody is let in, nobody refused, and somebody is told.
  @Test(arguments: shapes) func whatVanishesInMassesIsForTheBoxOffice(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      for kind in [SeededBooking.Kind.party, .matinee] {
        try await venue.server.setBooking(venue.booking(kind).id, to: .cancelled)
      }
      venue.time.advance(by: TheatreStation.interval)
      let told = await station.refresh()
      expect(told.state == .heldBack && told.detail?.contains("tells 2 tickets no more") == true, "\(told)")
      try await expectEqual(station.verdict(venue.code(.party)), .undecided(.badAnswer))
      try await expectEqual(station.verdict(venue.code(.single)), .admit)
      try await venue.server.setBooking(venue.booking(.party).id, to: .confirmed)
      venue.time.advance(by: TheatreStation.interval)
      await expectEqual(station.refresh().state, .refreshed)
      try await expectEqual(station.verdict(venue.code(.party)), .admit)
      try await station.close()
    }
  }

  @Test(arguments: shapes) func twoBookingsWithOneCodeAdmitNobody(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      for count in [1, 2] { try await venue.book("TWICE001", count: count) }
      let station = try await TheatreStation(at: venue, in: .init())
      let told = await station.refresh()
      expect(told.state == .partial && told.detail?.contains("more than once (1)") == true, "\(told)")
      let scan = try await station.present("TWICE001")
      expect(scan.verdict == .undecided(.badAnswer) && scan.detail?.contains("box office") == true, "\(scan)")
      expect(scan.detail?.contains("several tickets with this code") == true, "\(scan)")
      // It is no fault of the gate, which whoever has such a code would else keep.
      expect(!station.told.lines.contains { $0.contains(#""state":"fault""#) }, "\(station.told.lines)")
      try await expectEqual(station.verdict(venue.code(.single)), .admit)
      expectEqual(venue.asked.checks, 0)
      try await station.close()
    }
  }

  /// The list says how many, and the ledger how many are in: over restarts, too.
  @Test func aBookingThatGrowsAdmitsThoseWhoWereAdded() async throws {
    try await TheatreVenue.run(.real) { venue in
      var station = try await TheatreStation(at: venue, in: .init())
      let night = try venue.show(.night)
      func file(_ seats: Int) -> String {
        "code,date,show,quantity\nGROWS001,\(night.date),\(night.id),\(seats)\nOTHER001,\(night.date),\(night.id),1\n"
      }
      _ = try station.take(file(2))
      for verdict in [Verdict.admit, .admit, .refuse(.alreadyUsed)] {
        try await expectEqual(station.verdict("GROWS001"), verdict)
      }
      station = try await station.again()
      _ = try station.take(file(4))
      for number in 3...4 {
        let person = try await station.present("GROWS001")
        expect(person.verdict == .admit && person.admitted == number && person.allowance == 4, "\(person)")
      }
      let fifth = try await station.present("GROWS001")
      expect(fifth.verdict == .refuse(.alreadyUsed) && fifth.decider == .ledger, "\(fifth)")
      expect(fifth.firstUse?.gate == Self.stalls && fifth.admitted == 4, "\(fifth)")
      try await station.close()
    }
  }

  /// Codes of another show cost no request: they hold no reader, and one that is held by others tells what is on the list.
  @Test(arguments: shapes) func whatIsOnTheListIsToldAtAGateThatIsFlooded(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init(), floodLimit: 1)
      await station.refresh()
      for _ in 0..<3 {
        try await expectEqual(station.verdict(venue.code(.matinee)), .refuse(.tooLate))
        venue.time.advance(by: .seconds(11))
      }
      try await expectEqual(station.verdict("NOBODY01"), .refuse(.notFound))
      let held = try await station.present("NOBODY02")
      expect(held.verdict == .undecided(.rateLimited) && held.detail?.contains("too many codes") == true, "\(held)")
      try await expectEqual(station.verdict(venue.code(.party)), .admit)
      try await expectEqual(station.verdict(venue.code(.matinee)), .refuse(.tooLate))
      expectEqual(venue.asked.checks, 1)
      try await station.close()
    }
  }

  // MARK: Not on the list

  @Test(arguments: shapes) func tomorrowsCodeIsForAnotherEvening(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      for number in 0..<3 {
        let scan = try await station.present(venue.code(.tomorrow))
        expectEqual(scan.verdict, .refuse(.wrongEvent))
        expectEqual(scan.detail, "It is for “Twelfth Night”, 2026-05-03 19:30.")
        // Whoever scans again to read it sees it again.
        let again = try await station.present(venue.code(.tomorrow))
        expect(again.detail == scan.detail && again.details == scan.details, "\(number): \(again)")
        venue.time.advance(by: .seconds(11))
      }
      expectEqual(venue.asked, Asked(signIns: 1, lists: 1, checks: 1))
      try await station.close()
    }
  }

  /// What the document's service tells of them the real one does not: there they are nobody's.
  @Test(arguments: shapes) func whatIsNotPaidAdmitsNobody(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      for (kind, reason) in [(SeededBooking.Kind.pending, RefuseReason.unpaid), (.expired, .expired)] {
        try await expectEqual(
          station.verdict(venue.code(kind)), .refuse(shape == .real ? .notFound : reason), "\(kind)")
      }
      expectEqual(venue.asked.checks, 2)
      // Paid at the box office meanwhile.
      try await venue.server.setBooking(venue.booking(.pending).id, to: .confirmed)
      venue.time.advance(by: TheatreStation.interval)
      await station.refresh()
      try await expectEqual(station.verdict(venue.code(.pending)), .admit)
      try await station.close()
    }
  }

  @Test(arguments: shapes) func aLateBookingIsFoundByOneQuestion(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      venue.time.advance(by: .seconds(60))
      try await venue.book("LATE0001", count: 4)
      for number in 1...4 {
        let person = try await station.present(number == 1 ? "lml-late0001" : "LATE0001")
        expect(person.verdict == .admit && person.admitted == number && person.allowance == 4, "\(person)")
        expectEqual(person.details.holder, "Grace Hopper")
      }
      try await expectEqual(station.verdict("LATE0001"), .refuse(.alreadyUsed))
      expectEqual(venue.asked, Asked(signIns: 1, lists: 1, checks: 1))
      // The list that names it changes nothing.
      venue.time.advance(by: TheatreStation.interval)
      await expectEqual(station.refresh().tickets, 4)
      try await expectEqual(station.verdict("LATE0001"), .refuse(.alreadyUsed))
      expectEqual(station.pulses(), 4)
      try await station.close()
    }
  }

  /// It was never on a list: the next one that does not name it has the last word all the same.
  @Test(arguments: shapes) func aLateBookingThatIsCancelledIsOverWithTheNextList(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      let late = try await venue.book("LATE0001", count: 3)
      try await expectEqual(station.verdict(late.code), .admit)
      try await venue.server.setBooking(late.id, to: .cancelled)
      venue.time.advance(by: TheatreStation.interval)
      await expectEqual(station.refresh().state, .refreshed)
      try await expectEqual(
        station.verdict(late.code), .refuse(shape == .real ? .notFound : .cancelled))
      expectEqual(venue.asked.checks, 2)
      expectEqual(station.pulses(), 1)
      try await station.close()
    }
  }

  @Test(arguments: shapes) func whatTheServiceDoesNotKnowIsNotFound(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      let unknown = try await station.present("NOBODY01")
      expectEqual(unknown.verdict, .refuse(.notFound))
      expectEqual(unknown.detail, "Invalid verification code or ticket not found")
      venue.time.advance(by: .seconds(11))
      try await expectEqual(station.verdict("NOBODY01"), .refuse(.notFound))
      expectEqual(venue.asked.checks, 1)
      // Another house's booking is nobody's here.
      try await expectEqual(station.verdict(venue.code(.elsewhere)), .refuse(.notFound))
      try await station.close()
    }
  }

  @Test(arguments: shapes) func whatIsNoBookingsCodeAsksNobody(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      for code in [
        "PROCESSING", "ERROR", #"{"bookingId":"b1","timestamp":"2026-05-02T18:00:00Z","checksum":"0A1B2C3D"}"#,
        "b1|1777741200", "ORDER:0b0e7a4e-8a4f-4d8e-9a51-0d8d1f6f3a10:HAMILTON:2026-05-02:A12,A13", "ABC",
        "12345678901234567",
      ] {
        let scan = try await station.present(code)
        expectEqual(scan.verdict, .refuse(.unreadable), "\(code)")
        expect(scan.detail != nil, "\(code)")
      }
      expectEqual(venue.asked, Asked(signIns: 1, lists: 1))
      try await station.close()
    }
  }

  // MARK: The ration

  /// The third code in a quarter of an hour is not asked about, and the fourth list not for: nothing is sent.
  @Test(arguments: shapes) func theSixthCallIsNotSent(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape, at: "2026-05-02T17:35:00Z") { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      for _ in 0..<3 { await expectEqual(station.refresh().state, .refreshed) }
      for code in ["LATE0001", "LATE0002", "LATE0003"] { try await venue.book(code) }
      for code in ["LATE0001", "LATE0002"] { try await expectEqual(station.verdict(code), .admit) }
      let third = try await station.present("LATE0003")
      expectEqual(third.verdict, .undecided(.rateLimited))
      expect(third.detail?.hasPrefix("Not on the list of 18:35, ask the box office. ") == true, "\(third)")
      expect(third.detail?.contains("again in 15 min") == true, "\(third)")
      let fourth = await station.refresh()
      expect(fourth.state == .failed && fourth.detail?.contains("again in 15 min") == true, "\(fourth)")
      expectEqual(venue.asked, Asked(signIns: 1, lists: 3, checks: 2))
      // A wait is no fault: the list decides, and no gate is out of service.
      try await expectEqual(station.verdict(venue.code(.party)), .admit)
      expect(!station.told.lines.contains { $0.contains(#""state":"fault""#) }, "\(station.told.lines)")
      // And is waited out.
      venue.time.advance(by: .seconds(901))
      try await expectEqual(station.verdict("LATE0003"), .admit)
      await expectEqual(station.refresh().state, .refreshed)
      expectEqual(venue.asked, Asked(signIns: 1, lists: 4, checks: 3))
      try await station.close()
    }
  }

  // MARK: Staff

  @Test(arguments: shapes) func aSessionThatEndsBetweenTwoListsIsSignedInForOnce(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await expectEqual(station.refresh().state, .refreshed)
      try await venue.server.endBookingSessions()
      await expectEqual(station.refresh().state, .refreshed)
      expectEqual(venue.asked, Asked(signIns: 2, lists: 3))
      expectEqual(station.sessions.cookies.count, 2)
      try await station.close()
    }
  }

  @Test(arguments: shapes) func aSessionThatEndsBeforeACheckIsSignedInForBehind(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      try await venue.book("LATE0001")
      try await venue.server.endBookingSessions()
      let first = try await station.present("LATE0001")
      expectEqual(first.verdict, .undecided(.keyRefused))
      expect(first.detail?.contains("ask the box office") == true, "\(first)")
      await until { venue.asked.signIns == 2 }
      await station.signedIn()
      try await expectEqual(station.verdict("LATE0001"), .admit)
      expectEqual(venue.asked, Asked(signIns: 2, lists: 1, checks: 2))
      try await station.close()
    }
  }

  /// Said once, tried seldom, and no more than the account bears.
  @Test(arguments: shapes) func aWrongPasswordIsTold(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init(), password: "another, wrong 1")
      let told = await station.refresh()
      expect(
        told.state == .failed && told.detail?.contains("scangate credential set theatre-door") == true, "\(told)")
      let scan = try await station.present(venue.code(.party))
      expectEqual(scan.verdict, .undecided(.keyRefused))
      await station.refresh()
      expectEqual(venue.asked, Asked(signIns: 1))
      var upkeep = DoorUpkeep(of: station.door, station.list, TheatreStation.id)
      let news = await upkeep.look()
      guard case .alarm(let words)? = news.first else { return expect(false, "\(news)") }
      station.told.say(words)
      expect(news.count == 1 && words.hasPrefix("Staff cannot be signed in."), "\(words)")
      await expectEqual(upkeep.look(), [])
      expect(station.told.lines.allSatisfy { !$0.contains("another, wrong 1") })
      for _ in 0..<5 {
        venue.time.advance(by: .seconds(301))
        await station.refresh()
      }
      expect(venue.asked.signIns <= 6, "\(venue.asked)")
      try await station.close()
    }
  }

  // MARK: Two doors

  @Test(arguments: shapes) func twoDoorsOfOneShowHaveOneBook(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let station = try await TheatreStation(at: venue, in: .init(), gates: ["stalls": .init(), "circle": .init()])
      await station.refresh()
      let code = try venue.code(.party)
      var verdicts: [Verdict] = []
      for _ in 0..<3 {
        async let stalls = station.verdict(code, at: "stalls")
        async let circle = station.verdict(code, at: "circle")
        verdicts += try await [stalls, circle]
      }
      expectEqual(verdicts.count { $0 == .admit }, 4, "\(verdicts)")
      expectEqual(verdicts.count { $0 == .refuse(.alreadyUsed) }, 2, "\(verdicts)")
      expectEqual(station.pulses(at: "stalls") + station.pulses(at: "circle"), 4)
      // A late one is asked about once, wherever it is shown.
      try await venue.book("LATE0001", count: 2)
      async let stalls = station.verdict("LATE0001", at: "stalls")
      async let circle = station.verdict("LATE0001", at: "circle")
      try await expectEqual([stalls, circle], [.admit, .admit])
      expectEqual(venue.asked.checks, 1)
      try await station.close()
    }
  }

  // MARK: A service that has a bad day

  /// Whatever comes in place of a list, nobody who is on board is refused for it.
  @Test(arguments: shapes) func aFetchThatFailsRefusesNobody(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape, at: "2026-05-02T17:31:00Z") { venue in
      let station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      // One for each: who waits at the gate is let in while it lasts.
      let party = try venue.code(.party)
      for (number, fault) in ["status=500", "html", "redirect", "json=cut", "close=after", "reset=midway"].enumerated()
      {
        venue.behave()
        try venue.misbehave("\(fault),on=lists")
        venue.time.advance(by: .seconds(302))
        await expectEqual(station.refresh().state, .failed, "\(fault)")
        expectEqual(venue.asked.lists, 1, "\(fault)")
        if number < 4 { try await expectEqual(station.verdict(party), .admit, "\(fault)") }
      }
      var upkeep = DoorUpkeep(of: station.door, station.list, TheatreStation.id)
      guard case .alarm(let words)? = await upkeep.look().first else { return expect(false, "nobody is told") }
      expect(words.contains("30 min old") && words.contains("tickets import"), "\(words)")
      venue.behave()
      venue.time.advance(by: .seconds(302))
      await expectEqual(station.refresh().state, .refreshed)
      guard case .notice? = await upkeep.look().first else { return expect(false, "nobody is told that it is over") }
      try await station.close()
    }
  }
}
