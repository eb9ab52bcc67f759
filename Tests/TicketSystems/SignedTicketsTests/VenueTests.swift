import Admission
import Expectations
import Foundation
import ScanModel
import Testing
import VenueServer

@testable import SignedTickets

/// A gate for signed tickets at the embedded venue, which shares no type with it.
@Suite(.timeLimit(.minutes(1))) struct VenueTests {
  struct Venue: Sendable {
    let server: VenueServer
    let url: String
    let service: Service
    var time: MovableTime { service.time }

    /// Runs one for as long as `body` takes. It takes the token that gates show.
    static func run(noLimits: Bool = true, _ body: (Venue) async throws -> Void) async throws {
      let service = Service()
      let time = service.time
      let server = try VenueServer(
        VenueConfiguration(
          noLimits: noLimits, failureDelay: .zero,
          now: { Date(timeIntervalSince1970: Double(time.wall().nanoseconds) / 1e9) }, signsTickets: true))
      _ = try await server.issueTicketToken("test-token", scopes: [.redeem])
      let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
      let running = Task {
        defer { tell.finish() }
        try await server.run { tell.yield($0) }
      }
      guard let address = await ready.first(where: { _ in true }) else {
        try await running.value
        Issue.record("the venue ended before it was ready")
        return
      }
      var outcome = Result<Void, any Error>.success(())
      do { try await body(Venue(server: server, url: address.url, service: service)) } catch {
        outcome = .failure(error)
      }
      running.cancel()
      _ = await running.result
      try outcome.get()
    }

    init(server: VenueServer, url: String, service: Service) {
      self.server = server
      self.url = url
      self.service = service
    }

    func door(hasKeys: Bool = true) async throws -> Door {
      try await Door(service, url, nil, nil, nil, nil, true, hasKeys)
    }

    func issue(_ new: NewSignedTicket = NewSignedTicket(), of tenant: String = Issuer.tenant) async throws -> String {
      try await server.issueSignedTicket(new, of: tenant).token
    }
  }

  @Test func anEvening() async throws {
    try await Venue.run { venue in
      let door = try await venue.door()
      let (first, second) = (try await venue.issue(), try await venue.issue(NewSignedTicket(seat: "A-2")))
      for ticket in [first, second] { await expectEqual(door.present(ticket), "redeemed") }
      await expectEqual(door.present(first), "refused alreadyUsed")
      let revoked = try await venue.server.issueSignedTicket(NewSignedTicket(jti: "tkt_revoked"))
      try await venue.server.revokeSignedTicket("tkt_revoked")
      await expectEqual(door.present(revoked.token), "refused cancelled")
      await expectEqual(door.present(try await venue.issue(NewSignedTicket(isKnown: false))), "refused notFound")
      await expectEqual(door.present(try await venue.issue(of: "another")), "refused wrongEvent")
      await expectEqual(
        door.present(try await venue.issue(NewSignedTicket(issued: "-3h", expires: "-1h"))), "refused expired")
      // Between its end and ours the venue has its own word.
      await expectEqual(
        door.present(try await venue.issue(NewSignedTicket(issued: "-2h", expires: "-10s"))), "refused expired")
      expect(await door.system.reach(deadline: door.time.now() + .seconds(20)).isAnswer)
      await door.close()
    }
  }

  /// It takes its own key for a name that it does not know: asked, it would redeem such a ticket.
  @Test func itsFlawIsNotAskedFor() async throws {
    try await Venue.run { venue in
      let door = try await venue.door()
      let issued = try await venue.server.issueSignedTicket(NewSignedTicket(jti: "tkt_swapped"))
      let swapped = issued.token.replacing("dev-ed25519", with: "dev-ed25518")
      await expectEqual(door.present(swapped), "undecided unreachable")
      door.time.advance(by: .seconds(61))
      expectEqual(await door.keys.fetch(), [])
      await expectEqual(door.present(swapped), "refused notGenuine")
      // As an owed admission it is told whatever it names: so the flaw is there.
      await expectEqual(name(door.attempt(swapped, isOwed: true).answer), "redeemed")
      await door.close()
    }
  }

  @Test func itsKeysAreChanged() async throws {
    try await Venue.run { venue in
      let door = try await venue.door()
      let before = try await venue.issue()
      try await venue.server.addTicketKey("autumn")
      let after = try await venue.issue()
      await expectEqual(door.present(after), "undecided unreachable")
      await expectEqual(door.present(before), "redeemed", "the former key is still told")
      door.time.advance(by: .seconds(61))
      _ = await door.keys.fetch()
      await expectEqual(door.present(after), "redeemed")
      let late = try await venue.issue()
      try await venue.server.withdrawTicketKey("autumn")
      _ = await door.keys.fetch()
      expect(await door.present(late) != "redeemed")
      await door.close()
    }
  }

  @Test func itsRefusalsOfUsAreFaults() async throws {
    try await Venue.run { venue in
      let door = try await venue.door()
      let ticket = try await venue.issue()
      _ = try await venue.server.issueTicketToken("test-token", scopes: [.issue])
      await expectEqual(door.present(ticket), "undecided accessDenied")
      try await venue.server.revokeTicketTokens()
      await expectEqual(door.present(ticket), "undecided keyRefused")
      await door.close()
    }
  }

  @Test func itAllowsTenAMinute() async throws {
    try await Venue.run(noLimits: false) { venue in
      let door = try await venue.door()
      for number in 0..<10 {
        await expectEqual(door.present(try await venue.issue(NewSignedTicket(jti: "tkt_\(number)"))), "redeemed")
      }
      let next = try await venue.issue(NewSignedTicket(jti: "tkt_10"))
      let outcome = await door.attempt(next)
      expect(name(outcome.answer) == "undecided rateLimited" && !outcome.mayHaveRedeemed, "\(outcome)")
      expect(outcome.retryAfter.map { (.seconds(1)...(.seconds(60))).contains($0) } ?? false)
      door.time.advance(by: .seconds(61))
      await expectEqual(door.present(next), "redeemed")
      await door.close()
    }
  }

  @Test(arguments: ["close=after", "close=midway", "status=500,when=after", "html,when=after"])
  func aLostAnswerIsOurs(fault: String) async throws {
    try await Venue.run { venue in
      let station = try await TicketStation(asking: venue.service, at: venue.url, disk: .init())
      let ticket = try await venue.issue()
      venue.server.misbehave([try Misbehaviour(fault + ",next=1")], clearing: true)
      guard case .undecided = await station.present(ticket).verdict else {
        return expect(false, "\(fault) is no answer")
      }
      let second = await station.present(ticket)
      expect(second.verdict == .admit && second.note == .ownLostAnswer, "\(fault): \(second)")
      await expectEqual(station.present(ticket).verdict, .refuse(.alreadyUsed))
      let book = try await venue.server.issuedSignedTickets()
      expectEqual(book.count { !$0.contains(#""redeemed":null"#) }, 1)
      await station.close()
    }
  }
}
