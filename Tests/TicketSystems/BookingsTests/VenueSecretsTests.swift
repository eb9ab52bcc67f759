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

/// An evening on which everything happens: no password, session or whole code is in anything that is told of it. Each station of these
/// suites is held to that at its end (`TheatreStation.close`).
@Suite(.timeLimit(.minutes(1))) struct VenueSecretsTests {
  private static let faults = [
    "close=before", "close=after", "reset=midway", "status=401", "status=403", "status=404", "status=429", "status=500",
    "html", "redirect", "json=cut",
  ]

  @Test(arguments: BookingShape.allCases) func nothingThatIsToldHoldsASecret(shape: BookingShape) async throws {
    try await TheatreVenue.run(shape) { venue in
      for count in [1, 2] { try await venue.book("TWICE001", count: count) }
      var station = try await TheatreStation(at: venue, in: .init(), keepsDetails: true)
      var upkeep = DoorUpkeep(of: station.door, station.list, TheatreStation.id)
      await station.refresh()
      let codes =
        venue.seeded.bookings.map(\.code) + ["TWICE001", "NOBODY01", "lml-nobody01", "PROCESSING", "ORDER:1:2:3:4"]
      for code in codes { _ = try await station.present(code) }
      for (number, fault) in Self.faults.enumerated() {
        venue.behave()
        if number % 3 == 2 { try await venue.server.endBookingSessions() }
        try venue.misbehave("\(fault),on=all")
        venue.time.advance(by: .seconds(460))
        await station.refresh()
        let late = try await venue.book("LATE\(1_000 + number)", "unseated").code
        let scan = try await station.present(late)
        expect(scan.verdict != .admit, "\(fault): \(scan)")
        for news in await upkeep.look() { station.told.say("\(news)") }
        if let fault = station.door.session?.fault { station.told.say("\(fault) \(String(reflecting: fault))") }
      }
      // Sessions are known to this test, or nothing would be looked for.
      expect(!station.sessions.cookies.isEmpty)
      venue.behave()
      station = try await station.again()
      await station.refresh()
      for code in codes { _ = try await station.present(code) }
      expect(station.told.lines.count > 10, "\(station.told.lines)")
      // Codes are told by their ends.
      let party = try venue.code(.party)
      expect(station.told.lines.contains { $0.contains("…\(party.suffix(4))") })
      let password = try #require(StaffPassword(TheatreVenue.password))
      var dumped = ""
      dump(password, to: &dumped)
      for text in ["\(password)", String(reflecting: password), dumped] {
        expect(!text.contains(TheatreVenue.password), "\(text)")
      }
      try await station.close()
    }
  }
}
