import Expectations
import ScanModel
import Admission
import ScanTesting
import Synchronization
import Testing

@testable import Gateway

@Suite(.timeLimit(.minutes(1))) struct LedgerKeeperTests {
  @Test func whatWasAdmittedIsKnownToTheNextProcessWithoutARequest() async throws {
    let first = try LedgerProcess()
    first.system.script(LedgerProcess.code, .answer(first.redeemed("1")))
    await expectEqual(first.present().verdict, .admit)
    expectEqual(names(first.journal.facts), ["asked", "concluded admit"])
    for boot in ["boot 1", "boot 2"] {
      let next = try await first.successor(boot: boot)
      let again = await next.present()
      expectEqual(again.verdict, .refuse(.alreadyUsed))
      expectEqual(again.firstUse?.gate, GateID("north"))
      guard case .asked(let asked)? = first.journal.facts.first else { return expect(false, "nothing was asked") }
      expectEqual(again.firstUse?.request, asked.attempt)
    }
    expectEqual(first.system.asked.count, 1)
  }

  @Test func asManyAsTheSaleIsForAreAdmittedOverAllProcesses() async throws {
    var process = try LedgerProcess()
    let other = Code("good-ticket-2")
    process.system.script(LedgerProcess.code, .answer(process.redeemed("1", sale: "s", quantity: 2)))
    process.system.script(
      other, .answer(process.redeemed("2", sale: "s", quantity: 2)),
      .answer(process.redeemed("3", sale: "s", quantity: 2)))
    await expectEqual(process.present().verdict, .admit)
    process = try await process.successor(boot: "boot 2")
    await expectEqual(process.present(other).verdict, .admit)
    process = try await process.successor(boot: "boot 3")
    let third = await process.present(other)
    expectEqual(third.verdict, .refuse(.alreadyUsed))
    process = try await process.successor(boot: "boot 4")
    await expectEqual(process.present(Code("good-ticket-3")).verdict, .refuse(.notFound))
  }

  @Test func theSameRecordInAnotherSpellingIsKnownToTheNextProcess() async throws {
    let first = try LedgerProcess()
    let other = Code("GOOD-TICKET-1")
    let answer = first.redeemed("1")
    first.system.script(LedgerProcess.code, .answer(answer))
    first.system.script(other, .answer(answer))
    await expectEqual(first.present().verdict, .admit)
    let refusal = await (try await first.successor()).present(other)
    expectEqual(refusal.verdict, .refuse(.alreadyUsed))
    expectEqual(refusal.note, .otherCode)
  }

  @Test func aProcessThatEndsBeforeTheConclusionHasOpenedNothingAndThePersonIsAdmitted() async throws {
    let first = try LedgerProcess()
    let answer = first.redeemed("1")
    first.system.script(LedgerProcess.code, .hold(answer), .answer(answer))
    var requests = first.system.requests.makeAsyncIterator()
    let lost = Task { await first.present() }
    _ = await requests.next()
    expectEqual(names(first.journal.facts), ["asked"])
    let next = try await first.successor()
    let again = await next.present()
    expectEqual(again.verdict, .admit)
    expectEqual(
      next.journal.facts.count {
        if case .concluded(let concluded) = $0 { concluded.verdict == .admit } else { false }
      }, 1)
    expect(try await next.journal.unconcluded().isEmpty)
    first.system.release()
    _ = await lost.value
  }

  @Test func aMachineThatEndedLeavesItToStaff() async throws {
    let first = try LedgerProcess()
    let answer = first.redeemed("1")
    first.system.script(LedgerProcess.code, .hold(answer), .answer(answer))
    var requests = first.system.requests.makeAsyncIterator()
    let lost = Task { await first.present() }
    _ = await requests.next()
    var next = try await first.successor(boot: "boot 2")
    await expectEqual(next.present().verdict, .undecided(.interrupted))
    next = try await next.successor(boot: "boot 3")
    let again = await next.present()
    expectEqual(again.verdict, .undecided(.interrupted))
    expectEqual(again.note, .interrupted)
    expect(await next.keeper.unsettled.map(\.state).contains(.interrupted))
    first.system.release()
    _ = await lost.value
  }

  /// A page of a firewall came in the answer's place: nobody can tell what the request has done, so it is looked up.
  @Test func anAnswerThatWasReplacedIsAnOpenCase() async throws {
    let process = try LedgerProcess()
    process.system.script(LedgerProcess.code, .replace, .answer(process.redeemed("1")))
    process.system.find(LedgerProcess.code, .unused)
    _ = await process.keeper.takeUp([], asker: process.system)
    let events = process.hub.subscribe()
    await expectEqual(process.present().verdict, .undecided(.badAnswer))
    await process.keeper.settled()
    expectEqual(process.system.lookedUp, 1)
    expect(await process.keeper.unsettled.isEmpty)
    var states: [UnansweredAttempt.State] = []
    for await event in events {
      guard case .attempt(let attempt) = event else { continue }
      states.append(attempt.state)
      if states.count == 2 { break }
    }
    expectEqual(states, [.lost, .settled])
    await expectEqual(process.present().verdict, .admit)
  }

  @Test func aTicketWhoseAnswerWasReplacedIsOurs() async throws {
    let process = try LedgerProcess()
    let answer = process.redeemed("1")
    process.system.script(LedgerProcess.code, .replace, .answer(answer))
    await expectEqual(process.present().verdict, .undecided(.badAnswer))
    let next = try await process.successor()
    await expectEqual(next.present().verdict, .admit)
    await expectEqual(next.present().verdict, .refuse(.alreadyUsed))
  }

  @Test func whatALookUpFindsUnusedIsSettledAndThePersonIsAdmitted() async throws {
    let first = try LedgerProcess()
    first.system.script(LedgerProcess.code, .hold(first.redeemed("0")), .answer(first.redeemed("1")))
    var requests = first.system.requests.makeAsyncIterator()
    let lost = Task { await first.present() }
    _ = await requests.next()
    first.system.find(LedgerProcess.code, .unused)
    let next = try LedgerProcess(first.journal, first.system, boot: "boot 2")
    let events = next.hub.subscribe()
    _ = await next.keeper.takeUp(try await first.journal.unconcluded(), asker: first.system)
    let settled = await events.first { event in
      if case .attempt(let attempt) = event { attempt.state == .settled } else { false }
    }
    expect(settled != nil)
    expect(await next.keeper.unsettled.isEmpty)
    let admission = await next.present()
    expectEqual(admission.verdict, .admit)
    expect(admission.note == nil)
    first.system.release()
    _ = await lost.value
  }

  @Test func whatALookUpFindsUsedStaysWithStaff() async throws {
    let first = try LedgerProcess()
    let answer = first.redeemed("1")
    first.system.script(LedgerProcess.code, .hold(answer), .answer(answer))
    var requests = first.system.requests.makeAsyncIterator()
    let lost = Task { await first.present() }
    _ = await requests.next()
    first.system.find(LedgerProcess.code, .used)
    let next = try await first.successor(boot: "boot 2")
    await next.keeper.settled()
    expectEqual(first.system.lookedUp, 1)
    await expectEqual(next.present().verdict, .undecided(.interrupted))
    expect(await next.keeper.unsettled.map(\.state).contains(.interrupted))
    first.system.release()
    _ = await lost.value
  }

  @Test func aFailingJournalStopsNobodyWhereTheTicketSystemAnswers() async throws {
    let process = try LedgerProcess()
    process.system.script(LedgerProcess.code, .answer(process.redeemed("1")))
    _ = await process.present(Code("unknown-ticket"))
    process.journal.setRecallFault(JournalFault(.full, "no space is left"))
    // What is not in memory cannot be recalled: whether it was admitted is not known.
    let first = await process.present()
    expectEqual(first.verdict, .undecided(.outOfService))
    expectEqual(first.detail, "no space is left")
    expectEqual(process.system.asked, [Code("unknown-ticket")])
  }

  @Test func aJournalThatCannotBeWrittenAdmitsNobodyWhereItIsToldSo() async throws {
    for policy in JournalFailurePolicy.allCases {
      let journal = MemoryJournal()
      let process = try LedgerProcess(journal, whenFailing: policy)
      process.system.script(LedgerProcess.code, .answer(process.redeemed("1")))
      journal.setFault(JournalFault(.full, "no space is left"))
      let decision = await process.present()
      expectEqual(decision.verdict, (policy == .stop ? .undecided(.outOfService) : .admit))
      expectEqual(process.system.asked.count, (policy == .stop ? 0 : 1))
      journal.setFault(nil)
      expect(try await journal.unconcluded().isEmpty)
    }
  }

  @Test func whatIsAskedWhenTheDayEndsIsDecidedByTheDayInWhichItBegan() async throws {
    let time = ShiftedTime()
    let system = FakeTicketSystem(time: time)
    let keeper = LedgerKeeper(
      server: "fake", dependencies: try .inMemory(time: time), scope: .perDay(begins: .zero), time: time,
      events: EventHub())
    func present(_ code: Code) async -> AttemptDecision {
      let scan = Scan(gate: GateID("north"), reader: ReaderID("left"), code: code, readAt: time.now())
      return await keeper.decide(
        scan, key: TicketKey(code.bytes), system: system, deadline: time.now() + .seconds(20), mayAsk: true
      ).decision
    }
    let entitled = TicketAnswer.valid(Entitlement(quantity: 1, details: TicketDetails()))
    system.script(LedgerProcess.code, .hold(entitled), .answer(entitled))
    var requests = system.requests.makeAsyncIterator()
    let first = Task { await present(LedgerProcess.code) }
    _ = await requests.next()
    time.setWall(.seconds(86_400))
    await expectEqual(present(Code("another-ticket")).verdict, .refuse(.notFound))
    system.release()
    await expectEqual(first.value.verdict, .admit)
    // On the new day the ticket admits again, once.
    await expectEqual(present(LedgerProcess.code).verdict, .admit)
    await expectEqual(present(LedgerProcess.code).verdict, .refuse(.alreadyUsed))
  }

  @Test func whatIsGivenOnAFailingJournalIsMarkedIncompleteOrNotGiven() async throws {
    for canMark in [true, false] {
      let time = SystemTime()
      let journal = MemoryJournal()
      let marks = Mutex(0)
      var dependencies = try LedgerDependencies.inMemory(journal)
      dependencies.markIncomplete = {
        marks.withLock { $0 += 1 }
        return canMark
      }
      let system = FakeTicketSystem(time: time)
      let keeper = LedgerKeeper(server: "fake", dependencies: dependencies, time: time, events: EventHub())
      func present(_ code: Code) async -> AttemptDecision {
        let scan = Scan(gate: GateID("north"), reader: ReaderID("left"), code: code, readAt: time.now())
        return await keeper.decide(
          scan, key: TicketKey(code.bytes), system: system, deadline: time.now() + .seconds(20), mayAsk: true
        ).decision
      }
      func redeemed(_ entry: String) -> TicketAnswer {
        .redeemed(
          Redemption(
            entryID: entry, scannedAt: WallTime(seconds: time.wall().seconds + 2), quantity: 1, details: TicketDetails()
          ))
      }
      // Asked on the disk, and concluded when it takes nothing any more.
      system.script(LedgerProcess.code, .hold(redeemed("1")))
      var requests = system.requests.makeAsyncIterator()
      let first = Task { await present(LedgerProcess.code) }
      _ = await requests.next()
      journal.setFault(JournalFault(.full, "no space is left"))
      system.release()
      await expectEqual(first.value.verdict, (canMark ? .admit : .undecided(.outOfService)))
      expectEqual(marks.withLock { $0 }, 1)
      // What the disk knows nothing of cannot look like something else there; that it is missing is told all the same.
      let other = Code("another-ticket")
      system.script(other, .answer(redeemed("2")))
      await expectEqual(present(other).verdict, .admit)
      expectEqual(marks.withLock { $0 }, 2)
    }
  }

  @Test func aJournalThatHangsHoldsUpNobodyForLong() async throws {
    let journal = MemoryJournal()
    let process = try LedgerProcess(journal)
    process.system.script(LedgerProcess.code, .answer(process.redeemed("1")))
    journal.setWriting(false)
    await expectEqual(process.present().verdict, .admit)
    expectEqual(process.system.asked.count, 1)
  }

  @Test func nothingThatIsRememberedTellsACodeOrAName() async throws {
    let process = try LedgerProcess()
    process.system.script(LedgerProcess.code, .answer(process.redeemed("1", sale: "77")))
    await expectEqual(process.present().verdict, .admit)
    let memory = process.journal.memory
    expectEqual(Set(memory.keys.map(\.kind)), [.ticket, .sale, .entry])
    for (key, bytes) in memory {
      for secret in ["good-ticket-1", "Ada", "Lovelace"] {
        expect(!String(decoding: bytes, as: UTF8.self).contains(secret))
        expect(!String(decoding: key.bytes, as: UTF8.self).contains(secret))
      }
    }
  }

  @Test func whatTheJournalLosesIsWrittenAnew() async throws {
    let process = try LedgerProcess()
    process.system.script(LedgerProcess.code, .answer(process.redeemed("1")))
    await expectEqual(process.present().verdict, .admit)
    await process.keeper.clockNoted()
    process.journal.lose()
    expect(process.journal.memory.isEmpty)
    await process.keeper.writeAnew()
    await expectEqual((try await process.successor()).present().verdict, .refuse(.alreadyUsed))
  }
}
