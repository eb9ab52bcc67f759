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

/// What a station knows after a restart, and what a thief of its disk reads.
@Suite(.timeLimit(.minutes(1))) struct VenueRestartTests {
  private typealias Asked = TheatreVenue.Asked
  private static let shapes = BookingShape.allCases

  /// In mid-evening, with the network gone: the list and the ledger decide.
  @Test(arguments: shapes) func aRestartWithNoNetwork(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let folder = try StationFolder()
      let party = try venue.code(.party)
      var station = try await TheatreStation(at: venue, in: folder)
      await station.refresh()
      for _ in 0..<2 { try await expectEqual(station.verdict(party), .admit) }
      try venue.goAway()
      station = try await station.again()
      venue.time.advance(by: .seconds(1_200))
      await expectEqual(station.refresh().state, .failed)
      let third = try await station.present(party)
      expect(third.verdict == .admit && third.admitted == 3 && third.allowance == 4 && !third.isProvisional, "\(third)")
      station = try await station.again()
      for verdict in [Verdict.admit, .refuse(.alreadyUsed)] { try await expectEqual(station.verdict(party), verdict) }
      try await expectEqual(station.verdict(venue.code(.matinee)), .refuse(.tooLate))
      try await expectEqual(station.verdict(venue.code(.single)), .admit)
      let unlisted = try await station.present(venue.code(.tomorrow))
      expectEqual(unlisted.verdict, .undecided(.unreachable))
      expect(unlisted.detail?.hasPrefix("Not on the list of 18:50, ask the box office. ") == true, "\(unlisted)")
      expect(!station.told.lines.contains { $0.contains(#""type":"ticketSystem""#) }, "\(station.told.lines)")
      try await station.close()
    }
  }

  /// Killed after each scan, as a power cut does it: three of three pass, and no fourth.
  @Test(arguments: shapes) func aProcessThatIsKilledForgetsNobody(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      try await venue.book("THREE001", count: 3)
      var station = try await TheatreStation(at: venue, in: .init())
      await station.refresh()
      var passed = 0
      for _ in 0..<6 {
        let verdict = try await station.verdict("THREE001")
        if verdict == .admit { passed += 1 }
        let left = try station.folder.left()
        try await station.close()
        station = try await TheatreStation(at: venue, in: left)
      }
      expectEqual(passed, 3)
      try await expectEqual(station.verdict("THREE001"), .refuse(.alreadyUsed))
      try await station.close()
    }
  }

  /// The session and the calls that count at the service outlive the process.
  @Test(arguments: shapes) func theNextProcessIsSignedInAndKeepsToTheRation(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      let folder = try StationFolder()
      var station = try await TheatreStation(at: venue, in: folder)
      await station.refresh()
      for code in ["LATE0001", "LATE0002", "LATE0003"] { try await venue.book(code) }
      try await expectEqual(station.verdict("LATE0001"), .admit)
      await until { station.sessions.calls == 2 }
      station = try await station.again()
      await station.signedIn()
      try await expectEqual(station.verdict("LATE0002"), .admit)
      await until { station.sessions.calls == 3 }
      station = try await station.again()
      await station.signedIn()
      try await expectEqual(station.verdict("LATE0003"), .undecided(.rateLimited))
      expectEqual(venue.asked, Asked(signIns: 1, lists: 1, checks: 2))
      try await station.close()
    }
  }

  /// Another process has it as sealed as this one had.
  @Test func nothingSecretLiesOpenInTheStateFolder() async throws {
    try await TheatreVenue.run(.real) { venue in
      let folder = try StationFolder()
      var station = try await TheatreStation(at: venue, in: folder, keepsDetails: true)
      await station.refresh()
      try await venue.book("LATE0001", count: 2)
      for code in [try venue.code(.party), "LATE0001", "NOBODY01"] { _ = try await station.present(code) }
      for secret in try await station.secrets { try expectEqual(folder.files(with: secret), [], "\(secret)") }
      station = try await station.again()
      for secret in try await station.secrets { try expectEqual(folder.files(with: secret), [], "\(secret)") }
      // What lies open is found.
      try expect(!folder.files(with: "The Tempest").isEmpty)
      try await station.close()
    }
  }

  // MARK: Holder and seats

  private static func file(_ venue: TheatreVenue) throws -> String {
    let (night, code) = (try venue.show(.night), try venue.code(.party))
    return """
      code,date,show,holder,section,row,seats
      \(code),\(night.date),\(night.id),Mary Wollstonecraft,Stalls,F,12-15

      """
  }

  /// `details: true`
  @Test func holderAndSeatsAreShownAndSealed() async throws {
    try await TheatreVenue.run(.real) { venue in
      let folder = try StationFolder()
      var station = try await TheatreStation(at: venue, in: folder, keepsDetails: true)
      try expectEqual(station.take(Self.file(venue)).refusal, nil)
      let seats = (12...15).map { "Stalls F \($0)" }
      let first = try await station.present(venue.code(.party))
      expectEqual(first.verdict, .admit)
      expect(first.details.holder == "Mary Wollstonecraft" && first.details.seats == seats, "\(first.details)")
      // The service tells who booked, and no seats: those of the file stay.
      await station.refresh()
      station = try await station.again(keepsDetails: true)
      let second = try await station.present(venue.code(.party))
      expect(second.verdict == .admit && second.admitted == 2 && second.allowance == 4, "\(second)")
      expect(second.details.holder == "Ada Brandt" && second.details.seats == seats, "\(second.details)")
      let line = station.told.lines.last { $0.contains(#""type":"scan""#) } ?? ""
      expect(line.contains(#""holder":"Ada Brandt""#) && line.contains("Stalls F 15"), "\(line)")
      for text in ["Wollstonecraft", "Ada Brandt", "Brandt", "Stalls F", "Jürgen"] {
        try expectEqual(folder.files(with: text), [], "\(text)")
      }
      try await station.close()
      for text in ["Wollstonecraft", "Brandt", "Stalls F"] { try expectEqual(folder.files(with: text), [], "\(text)") }
    }
  }

  /// The usual: nobody is told who comes, or where they sit.
  @Test func withoutDetailsNothingIsKeptOfThem() async throws {
    try await TheatreVenue.run(.real) { venue in
      let folder = try StationFolder()
      let station = try await TheatreStation(at: venue, in: folder)
      try expectEqual(station.take(Self.file(venue), keepsDetails: false).refusal, nil)
      await station.refresh()
      let first = try await station.present(venue.code(.party))
      expect(first.verdict == .admit && first.allowance == 4, "\(first)")
      expect(first.details.holder == nil && first.details.seats.isEmpty, "\(first.details)")
      for text in ["Wollstonecraft", "Brandt", "Stalls F"] { try expectEqual(folder.files(with: text), [], "\(text)") }
      try await station.close()
    }
  }
}
