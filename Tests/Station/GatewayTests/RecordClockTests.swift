import Admission
import Expectations
import LinuxIO
import ScanModel
import ScanTesting
import Testing

@testable import Gateway

/// A keeper whose ticket system's machines disagree on the time, until its records tell by how much.
@Suite(.timeLimit(.minutes(1))) struct RecordClockTests {
  private static func code(_ number: Int) -> Code { Code("good-ticket-\(number)") }

  /// Presents tickets that are redeemed now.
  private func present(_ process: LedgerProcess, _ numbers: ClosedRange<Int>, found: LookUp = .unknown) async
    -> [Verdict]
  {
    var verdicts: [Verdict] = []
    for number in numbers {
      process.system.script(Self.code(number), .redeem("e\(number)"))
      process.system.find(Self.code(number), found)
      verdicts.append(await process.present(Self.code(number)).verdict)
    }
    return verdicts
  }

  @Test func aFrontMachineAheadSpendsThreeTicketsAndIsLearnt() async throws {
    let process = try LedgerProcess()
    let events = process.hub.subscribe()
    process.system.setRecordOffset(.seconds(-60))
    await expectEqual(present(process, 1...3), [.refuse(.alreadyUsed), .refuse(.alreadyUsed), .undecided(.clockWrong)])
    // Nobody can tell: nothing more is spent.
    await expectEqual(present(process, 4...5), [.undecided(.clockWrong), .undecided(.clockWrong)])
    await expectEqual(present(process, 6...6, found: .used), [.undecided(.clockWrong)])
    expectEqual(process.system.asked.count, 3)
    await expectEqual(present(process, 7...11, found: .unused), Array(repeating: .admit, count: 5))
    let lookedUp = process.system.lookedUp
    await expectEqual(present(process, 12...12), [.admit])
    expectEqual(process.system.lookedUp, lookedUp)
    let told = [await events.nextClock(), await events.nextClock()].map(\.?.state)
    expectEqual(told, [.recordsDoubted, .recordsTrusted])

    // The next process begins with what was learnt, and burns nobody.
    let next = try await process.successor(boot: "boot 2")
    await expectEqual(present(next, 13...13, found: .unused), [.admit])
    await expectEqual(present(next, 14...14), [.admit])
    expectEqual(next.system.lookedUp, lookedUp + 1)
  }

  @Test func aConfiguredOffsetSpendsNothing() async throws {
    let process = try LedgerProcess()
    process.system.setRecordOffset(.seconds(-60))
    await process.keeper.setRecordOffset(.seconds(-60))
    await expectEqual(present(process, 1...10), Array(repeating: .admit, count: 10))
    expectEqual(process.system.lookedUp, 0)
  }

  @Test func whileAClockIsDoubtedTheGateIsOutOfServiceAndSpendsNoTicket() async throws {
    let time = SystemTime()
    let hub = EventHub()
    let events = hub.subscribe()
    let system = FakeTicketSystem(time: time)
    system.setRecordOffset(.seconds(300))
    let ledger = try LedgerKeeper(server: "fake", dependencies: .inMemory(), time: time, events: hub)
    let gate = GateController(
      settings: GateSettings(gate: GateID("north"), deadline: .seconds(20)), system: system, ledger: ledger,
      signals: RecordingSignals(time: time), events: hub, time: time)
    let running = Task { await gate.run() }
    for number in 1...2 {
      system.script(Self.code(number), .redeem("e\(number)"))
      gate.deliver(RawRead(reader: ReaderID("left"), bytes: Self.code(number).bytes, readAt: time.now()))
    }
    var verdicts: [Verdict] = []
    var isOut = false
    for await event in events {
      if case .scan(let decided) = event { verdicts.append(decided.verdict) }
      if case .gate(_, .fault(.clockWrong, let words), _) = event { isOut = words.contains("recordOffset") }
      if verdicts.count == 2 { break }
    }
    expectEqual(verdicts, [.undecided(.clockWrong), .undecided(.clockWrong)])
    expectEqual(system.asked, [Self.code(1)])
    expect(isOut)
    gate.finish()
    await running.value
  }
}
