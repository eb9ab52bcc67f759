import Admission
import Calls
import Expectations
import ScanModel
import ScanTesting
import Testing
import VenueServer

@testable import Gateway
@testable import Subscriptions

/// A turnstile for members with its ledger, at a service of either shape.
@Suite(.timeLimit(.minutes(1))) struct VenueStationTests {
  private static let shapes = SubscriptionShape.allCases
  private typealias Asked = MemberVenue.Asked

  /// Admitted, handed back over the barrier, ended, renewed, in an outage, and without a token.
  @Test(arguments: shapes) func anEveningAtATurnstile(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let station = try await MemberStation(asking: venue.url(), time: venue.time, disk: .init(), tiers: [.premium])
      let (id, stranger) = (try await venue.sell(ends: "2h", renews: true), try await venue.sell())
      await expectEqual(station.present(try signedPass(id, at: venue.time.wall())).verdict, .admit)
      for code in [id, try signedPass(id, at: venue.time.wall())] {
        await expectEqual(station.present(code, named: "terrace").verdict, .refuse(.tooSoon))
      }
      expectEqual(venue.asked, Asked(checks: 1))

      venue.time.advance(by: .seconds(7_201))
      await expectEqual(station.present(id).verdict, .refuse(.expired))
      expectEqual(venue.asked, Asked(checks: 3, refreshes: 1))
      venue.time.advance(by: .seconds(601))
      try await venue.server.renewSubscription(id, until: "30d")
      await expectEqual(station.present(id).verdict, .admit)
      expectEqual(venue.asked, Asked(checks: 5, refreshes: 2))

      try venue.misbehave("close=before,on=all")
      venue.time.advance(by: .seconds(901))
      let known = await station.present(id)
      expect(known.verdict == .admit && known.isProvisional, "\(known)")
      await expectEqual(station.present(id).verdict, .refuse(.tooSoon))
      await expectEqual(station.present(stranger).verdict, .undecided(.unreachable))

      try await venue.server.changeAccessTokens(.revoked)
      venue.behave()
      for _ in 0..<2 {
        venue.time.advance(by: .seconds(901))
        await expectEqual(station.present(id).verdict, .undecided(.keyRefused))
      }
      await until { await station.keeper.newest(of: Door.id).fault?.reason == .keyRefused }
      await station.close()
    }
  }

  /// Both gates ask at once: one of them opens.
  @Test(arguments: shapes) func aPassOpensOneOfTwoGates(shape: SubscriptionShape) async throws {
    try await MemberVenue.run(shape) { venue in
      let station = try await MemberStation(asking: venue.url(), time: venue.time, disk: .init())
      let id = try await venue.sell()
      let pass = try signedPass(id, at: venue.time.wall())
      try venue.misbehave("latency=50ms,on=checks")
      async let first = station.present(id, named: "lounge")
      async let second = station.present(pass, named: "terrace")
      let verdicts = await [first.verdict, second.verdict]
      expect(verdicts.contains(.admit) && verdicts.contains(.refuse(.tooSoon)), "\(verdicts)")
      expectEqual(venue.asked, Asked(checks: 1))
      await station.close()
    }
  }

  /// It is told, and decides nothing: now is the service's.
  @Test(arguments: shapes, ["clock=1d", "clock=-1d"])
  func aClockThatIsADayOffIsAnAlarmAlone(shape: SubscriptionShape, fault: String) async throws {
    try await MemberVenue.run(shape) { venue in
      let station = try await MemberStation(asking: venue.url(), time: venue.time, disk: .init())
      let events = station.hub.subscribe()
      try venue.misbehave(fault)
      await expectEqual(station.present(try await venue.sell()).verdict, .admit)
      await expectEqual(station.present(try await venue.sell(ends: "-2d")).verdict, .refuse(.expired))
      for await event in events {
        guard case .clock(let clock) = event else { continue }
        expectEqual(clock.state, .stationWrong)
        expectEqual(clock.ahead > .zero, fault == "clock=-1d", "\(clock)")
        break
      }
      await station.close()
    }
  }

  @Test func codesOfOtherSystemsAskNobody() async throws {
    try await MemberVenue.run(.document) { venue in
      let station = try await MemberStation(asking: venue.url(), time: venue.time, disk: .init())
      for code in [
        "https://tickets.example/ticket/view/MTIz/wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl/",
        "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl", "LML-4F7QK2M9XZ1", "4F7QK2M9XZ1",
        "ORDER:0b0e7a4e-8a4f-4d8e-9a51-0d8d1f6f3a10:HAMILTON:2025-09-15:A12,A13",
        "ed25519.v1.dev-ed25519.yriYxbUtOiSPbH1qQhu0Pzzz0zJ6ZCTDp4vB6AKff8w.eyJ2ZXIiOjF9",
        #"{"type":"kiosk-activation","kioskId":"kiosk-1","code":"12345678"}"#, "12345678-9", " 12345678", "+12345678",
        "0x12345678", "１２３４５６７８", "12345678\u{0}", "12345678/../87654321", "12345678?x=1", "12345678%2F1", "1e10",
      ] {
        await expectEqual(station.present(code).verdict, .refuse(.notGenuine), "\(code)")
      }
      expectEqual(venue.asked, Asked())
      await station.close()
    }
  }
}
