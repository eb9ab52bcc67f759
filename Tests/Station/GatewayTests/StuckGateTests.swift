import Expectations
import ScanModel
import ScanTesting
import Synchronization
import Testing

@testable import Gateway

private let good = Code("good-ticket-1")

/// A call that returns when a test lets it, and not before.
private final class Held<Value: Sendable>: Sendable {
  private let value: AsyncStream<Value>
  private let letGo: AsyncStream<Value>.Continuation
  private let entered = AsyncStream<Void>.makeStream()

  init() { (value, letGo) = AsyncStream.makeStream() }

  func release(_ value: Value) {
    letGo.yield(value)
    letGo.finish()
  }

  /// Waits as no adapter may: whatever the deadline is, and though its task is cancelled.
  func wait(else other: Value) async -> Value {
    entered.continuation.yield()
    return await Task { [value] in
      for await released in value { return released }
      return other
    }.value
  }

  func isEntered() async { for await _ in entered.stream { return } }
}

/// An adapter that heeds no deadline.
private struct StuckAdapter: TicketSystem {
  let id = TicketSystemID("stuck")
  let held = Held<AttemptOutcome>()
  let other = FakeTicketSystem(time: SystemTime())

  func recognise(_ code: Code) -> RecognisedCode { RecognisedCode(code) }
  func foldedKey(of code: Code) -> TicketKey? { nil }

  func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    guard request.code == good else { return await other.attempt(request, late: late) }
    return await held.wait(else: StuckAdapter.redeemed)
  }

  static var redeemed: AttemptOutcome {
    let now = SystemTime()
    return AttemptOutcome(
      fate: .answered,
      answer: .redeemed(
        Redemption(
          entryID: "1", scannedAt: WallTime(seconds: now.wall().seconds + 2), quantity: 1, details: TicketDetails())),
      mayHaveRedeemed: true, sentAt: now.now(), endedAt: now.now())
  }
}

/// Outputs whose holder never says what became of a pulse.
private struct StuckSignals: SignalOutput {
  let held = Held<PulseOutcome>()
  var admissionFault: String? { nil }
  func play(_ signal: Signal) {}
  func admit(isProvisional: Bool) async -> PulseOutcome { await held.wait(else: .noRelay) }
}

/// Gates whose ticket system or outputs do not come back.
@Suite(.timeLimit(.minutes(1))) struct StuckGateTests {
  private let hub = EventHub()

  private func gate(
    _ system: any TicketSystem, _ signals: any SignalOutput, deadline: Duration, time: any TimeSource
  ) throws -> GateController {
    GateController(
      settings: GateSettings(gate: GateID("north"), deadline: deadline, holdOff: .zero), system: system,
      ledger: try LedgerKeeper(server: "stuck", dependencies: .inMemory(time: time), time: time, events: hub),
      signals: signals, events: hub, time: time)
  }

  private func read(_ code: Code) -> RawRead {
    RawRead(reader: ReaderID("left"), bytes: code.bytes, readAt: SystemTime().now())
  }

  @Test func anAdapterThatDoesNotReturnHoldsNoGate() async throws {
    let adapter = StuckAdapter()
    let signals = RecordingSignals(time: SystemTime())
    let gate = try gate(adapter, signals, deadline: .seconds(1), time: SystemTime())
    let events = SetUpEvents(hub.subscribe())
    let running = Task { await gate.run() }
    gate.deliver(read(good))
    let first = try #require(await events.scan())
    expectEqual(first.verdict, .undecided(.badAnswer))
    expectEqual(first.detail?.contains("stuck"), true)
    // The next person is decided.
    let next = Code("good-ticket-2")
    adapter.other.script(next, .redeem("2"))
    gate.deliver(read(next))
    await expectEqual(events.scan()?.verdict, .admit)
    // What the call brought in the end is ours: whoever comes back passes on it, and nobody is asked again.
    adapter.held.release(StuckAdapter.redeemed)
    expect(await events.attempt(.redeemedLate) != nil)
    gate.deliver(read(good))
    await expectEqual(events.scan()?.verdict, .admit)
    expectEqual(signals.pulses, 2)
    expectEqual(adapter.other.asked, [next])
    gate.finish()
    await running.value
  }

  @Test func otherCallsAreLeftToo() async throws {
    struct Silent: TicketSystem {
      let id = TicketSystemID("silent")
      let reached = Held<Reach>()
      let found = Held<LookUp>()
      func recognise(_ code: Code) -> RecognisedCode { RecognisedCode(code) }
      func foldedKey(of code: Code) -> TicketKey? { TicketKey(Array("folded".utf8)) }
      func attempt(
        _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
      ) async -> AttemptOutcome { StuckAdapter.redeemed }
      func reach(deadline: MonotonicTime) async -> Reach { await reached.wait(else: .answers(date: nil)) }
      func lookUp(_ code: Code, deadline: MonotonicTime) async -> LookUp { await found.wait(else: .unused) }
    }
    let silent = Silent()
    let system = PunctualTicketSystem(silent, time: SystemTime())
    async let reach = system.reach(deadline: SystemTime().now())
    async let found = system.lookUp(good, deadline: SystemTime().now())
    await expectEqual(reach, .unknown)
    await expectEqual(found, .unanswered)
    expectEqual(system.foldedKey(of: good), silent.foldedKey(of: good), "what bounds repeats goes through")
    silent.reached.release(.answers(date: nil))
    silent.found.release(.unused)
  }

  /// Made punctual, an adapter is no other one.
  @Test func whoKeepsItsDeadlinesIsNotInterrupted() async {
    let time = SystemTime()
    let fake = FakeTicketSystem(time: time)
    let slow = Code("slow-ticket")
    fake.script(good, .answer(StuckAdapter.redeemed.answer))
    fake.script(slow, .hold(StuckAdapter.redeemed.answer))
    let suite = TicketSystemConformance(
      system: PunctualTicketSystem(fake, time: time), goodCode: good, unknownCode: Code("unknown-ticket"),
      slowCode: slow, release: { fake.release() }, time: time)
    await expectEqual(suite.failures(), [])
  }

  /// An actor answers though its work does not move: that is no heartbeat.
  @Test func aGateThatComesToNoDecisionDoesNotTurn() async throws {
    let time = ShiftedTime()
    let system = FakeTicketSystem(time: time)
    system.script(good, .redeem("1"))
    let signals = StuckSignals()
    let gate = try gate(system, signals, deadline: .seconds(2), time: time)
    let running = Task { await gate.run() }
    await gate.heartbeat()
    gate.deliver(read(good))
    await signals.held.isEntered()
    // Not overdue yet.
    await gate.heartbeat()
    time.halt(GateController.stuckAfter + .seconds(3))
    let order = Mutex<[String]>([])
    let before = await gate.heartbeats
    let turning = Task {
      await gate.heartbeat()
      order.withLock { $0.append("turned") }
    }
    await until { await gate.heartbeats > before }
    // Whatever would follow a turn has its chance.
    for _ in 0..<100 { await Task.yield() }
    order.withLock { $0.append("released") }
    signals.held.release(.noRelay)
    await turning.value
    expectEqual(order.withLock { $0 }, ["released", "turned"])
    await gate.heartbeat()
    gate.finish()
    await running.value
  }
}
