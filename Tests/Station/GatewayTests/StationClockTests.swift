import Admission
import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Gateway

/// A station whose own clock is wrong.
@Suite(.timeLimit(.minutes(1))) struct StationClockTests {
  /// `Date` has whole seconds: what is some milliseconds short of a round distance or age is told as that.
  @Test func distancesAndAgesAreRounded() {
    expectEqual((Duration.seconds(600) - .milliseconds(400)).asDistance, "10 min ahead of")
    expectEqual((Duration.seconds(-86_400) + .milliseconds(800)).asDistance, "24 h behind")
    expectEqual(Duration.seconds(86_390).asDistance, "24 h ahead of")
    expectEqual(Duration.milliseconds(119_600).asDistance, "2 min ahead of")
    expectEqual(Duration.milliseconds(2_700).asDistance, "3 s ahead of")
    expectEqual(Duration.seconds(7_199).asDistance, "2 h ahead of")
    expectEqual((Duration.seconds(600) - .milliseconds(1)).asAge, "10 min")
    expectEqual(Duration.seconds(3 * 86_400).asAge, "3 days")
  }

  @Test func ourOwnClockIsAnAlarmAndNoVerdict() async throws {
    let time = ShiftedTime()
    let hub = EventHub()
    let events = hub.subscribe()
    let system = FakeTicketSystem(time: SystemTime())
    let keeper = try LedgerKeeper(server: "fake", dependencies: .inMemory(time: time), time: time, events: hub)
    func present(_ number: Int) async -> Verdict {
      system.script(Code("good-ticket-\(number)"), .redeem("e\(number)"))
      let scan = Scan(
        gate: GateID("north"), reader: ReaderID("left"), code: Code("good-ticket-\(number)"), readAt: time.now())
      return await keeper.decide(
        scan, key: TicketKey(scan.code.bytes), system: system, deadline: time.now() + .seconds(20), mayAsk: true
      ).decision.verdict
    }
    time.setWall(.seconds(3_600))
    for number in 1...6 { await expectEqual(present(number), .admit) }
    time.setWall(.seconds(-3_600))
    await expectEqual(present(7), .admit)
    let told = [await events.nextClock(), await events.nextClock()]
    expectEqual(told.map(\.?.state), [.stationWrong, .stationRight])
    let ahead = told[0]?.ahead ?? .zero
    expect(ahead > .seconds(3_590) && ahead < .seconds(3_610))
  }
}

extension AsyncStream<GatewayEvent> {
  /// The next event of a clock.
  func nextClock() async -> ClockEvent? {
    for await event in self { if case .clock(let clock) = event { return clock } }
    return nil
  }
}
