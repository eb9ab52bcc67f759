import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Gateway

private let good = Code("good-ticket-1")

/// A gate on a machine that sleeps: its clock stands still meanwhile, and people go home.
@Suite(.timeLimit(.minutes(1))) struct SleepingGateTests {
  private let time = ShiftedTime()
  private let hub = EventHub()
  private let system: FakeTicketSystem
  private let signals: RecordingSignals
  private let gate: GateController

  init() throws {
    system = FakeTicketSystem(time: time)
    signals = RecordingSignals(time: time)
    gate = GateController(
      settings: GateSettings(gate: GateID("north"), deadline: .seconds(20)), system: system,
      ledger: try LedgerKeeper(server: "fake", dependencies: .inMemory(time: time), time: time, events: hub),
      signals: signals, events: hub, time: time)
  }

  private func present(_ code: Code = good, at readAt: MonotonicTime? = nil) {
    gate.deliver(RawRead(reader: ReaderID("left"), bytes: code.bytes, readAt: readAt ?? time.now()))
  }

  private func running(
    _ body: (SetUpEvents) async throws -> Void
  ) async throws {
    let events = SetUpEvents(hub.subscribe())
    let running = Task { await gate.run() }
    try await body(events)
    system.release()
    gate.finish()
    await running.value
  }

  @Test func whatIsAnsweredAfterASleepOpensForNobodyAndIsNotLost() async throws {
    try await running { events in
      var requests = system.requests.makeAsyncIterator()
      // Made when the machine is awake again.
      let made = WallTime(seconds: time.wall().seconds + 3_602)
      system.script(
        good,
        .hold(
          .redeemed(Redemption(entryID: "1", scannedAt: made, quantity: 1, details: TicketDetails()))))
      present()
      _ = await requests.next()
      time.sleep(.seconds(3_600))
      system.release()
      let first = try #require(await events.scan())
      expectEqual(first.verdict, .undecided(.stale))
      expectEqual(first.detail?.contains("slept"), true)
      expectEqual(signals.pulses, 0)
      // Who comes back passes on what was redeemed.
      present()
      await expectEqual(events.scan()?.verdict, .admit)
      expectEqual(signals.pulses, 1)
      expectEqual(system.asked, [good])
    }
  }

  @Test func aScanThatWaitedWhileTheMachineSleptIsNotAsked() async throws {
    try await running { events in
      var requests = system.requests.makeAsyncIterator()
      let first = Code("first-ticket-1")
      system.script(first, .hold(.refused(.unpaid, detail: nil)))
      system.script(good, .redeem("1"))
      present(first)
      _ = await requests.next()
      present()
      time.sleep(.seconds(60))
      system.release()
      await expectEqual(events.scan()?.verdict, .refuse(.unpaid))
      await expectEqual(events.scan()?.verdict, .undecided(.stale))
      expectEqual(system.asked, [first])
      present()
      await expectEqual(events.scan()?.verdict, .admit)
    }
  }

  @Test func sleepThatWasNoticedBeforeCostsNobodyAScan() async throws {
    try await running { events in
      system.script(good, .redeem("1"))
      time.sleep(.seconds(60))
      // The heartbeat looks.
      await gate.heartbeat()
      present()
      await expectEqual(events.scan()?.verdict, .admit)
    }
  }

  @Test func theSameCodeIsAScanAgainAfterASleep() async throws {
    try await running { events in
      system.script(good, .answer(.refused(.unpaid, detail: nil)))
      present()
      await expectEqual(events.scan()?.verdict, .refuse(.unpaid))
      time.sleep(.seconds(60))
      await gate.heartbeat()
      // Not a repeat of what somebody showed before.
      present()
      await expectEqual(events.scan()?.verdict, .refuse(.unpaid))
    }
  }
}
