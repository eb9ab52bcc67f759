import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Gateway

private let camera = ReaderID("camera")
private let wedge = ReaderID("wedge")
private let good = Code("good-ticket-1")

/// A gate with a camera and a wedge, and what it tells of scans and repeats.
private struct CameraGate {
  let time = SystemTime()
  let system: FakeTicketSystem
  let signals: RecordingSignals
  let gate: GateController
  private let events: AsyncStream<GatewayEvent>

  init() throws {
    let hub = EventHub()
    events = hub.subscribe()
    system = FakeTicketSystem(time: time)
    signals = RecordingSignals(time: time)
    let ledger = try LedgerKeeper(server: "fake", dependencies: .inMemory(MemoryJournal()), time: time, events: hub)
    // Longer than any test: only leaving the view ends it.
    gate = GateController(
      settings: GateSettings(gate: GateID("north"), deadline: .seconds(20), holdOff: .seconds(60)), system: system,
      ledger: ledger, signals: signals, events: hub, time: time)
  }

  func read(_ code: Code, by reader: ReaderID) -> RawRead {
    RawRead(reader: reader, bytes: code.bytes, readAt: time.now())
  }

  /// Runs the gate around a test, which gets the names of verdicts and repeats.
  func run(
    _ body: (CameraGate, inout AsyncCompactMapSequence<AsyncStream<GatewayEvent>, String>.Iterator) async throws -> Void
  )
    async throws
  {
    let running = Task { await gate.run() }
    var told = events.compactMap { event -> String? in
      switch event {
      case .scan(let decided): "\(decided.scan.reader): \(decided.verdict.reason ?? decided.verdict.name)"
      case .repeat(_, let reader, _, _): "\(reader): repeat"
      default: nil
      }
    }.makeAsyncIterator()
    try await body(self, &told)
    gate.finish()
    await running.value
  }
}

@Suite(.timeLimit(.minutes(1))) struct CameraGateTests {
  @Test func aWedgeAndACameraSeeOnePersonOnce() async throws {
    try await CameraGate().run { bench, told in
      bench.system.script(
        good,
        .answer(
          .redeemed(
            Redemption(
              entryID: "1", scannedAt: WallTime(seconds: bench.time.wall().seconds + 2), quantity: 1,
              details: TicketDetails(holder: "Ada", event: "Opening", tickets: [])))))
      bench.gate.deliver(bench.read(good, by: camera))
      await expectEqual(told.next(), "camera: admit")
      bench.gate.stillInView(bench.read(good, by: camera))
      bench.gate.deliver(bench.read(good, by: wedge))
      await expectEqual(told.next(), "wedge: repeat")
      bench.gate.leftView(bench.read(good, by: camera))
      bench.gate.deliver(bench.read(good, by: wedge))
      await expectEqual(told.next(), "wedge: repeat")
      // Tried at both: still one person.
      bench.gate.deliver(bench.read(good, by: camera))
      await expectEqual(told.next(), "camera: repeat")
      bench.gate.leftView(bench.read(good, by: camera))
      bench.gate.deliver(bench.read(good, by: camera))
      await expectEqual(told.next(), "camera: alreadyUsed")
      expectEqual(bench.signals.pulses, 1)
    }
  }

  @Test func severalCodesAreShownAsARefusal() async throws {
    try await CameraGate().run { bench, _ in
      var changes = bench.signals.changes.makeAsyncIterator()
      _ = await changes.next()
      bench.gate.severalInView()
      await expectEqual(changes.next()?.last, .refuse(.unreadable))
    }
  }
}
