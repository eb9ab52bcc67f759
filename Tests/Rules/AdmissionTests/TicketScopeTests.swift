import Expectations
import Foundation
import ScanModel
import Admission
import Testing

@Suite struct TicketScopeTests {
  private static let hour: Int64 = 3_600
  private static let midnight: Int64 = 20_000 * 86_400

  @Test func aNightBelongsToItsEvening() {
    let scope = TicketScope.perDay(begins: .seconds(5 * Self.hour))
    let evening = scope.part(local: Self.midnight - 2 * Self.hour)
    expectEqual(scope.part(local: Self.midnight + 5 * Self.hour - 1), evening)
    expect(scope.part(local: Self.midnight + 5 * Self.hour) != evening)
    expectEqual(scope.part(local: Self.midnight - 19 * Self.hour), evening)
    expect(scope.part(local: Self.midnight - 19 * Self.hour - 1) != evening)
  }

  @Test func daysBefore1970AndAtTheEndsOfTimeAreDays() {
    let scope = TicketScope.perDay(begins: .zero)
    expect(scope.part(local: -1) != scope.part(local: 0))
    expectEqual(scope.part(local: -1), scope.part(local: -86_400))
    for time in [Int64.min, .max] {
      expectEqual(TicketScope.perDay(begins: .seconds(5 * 3_600)).part(local: time).count, 9)
    }
  }

  @Test func eventsAreToldApartAndTheRestIsForEver() {
    expect(TicketScope.perEvent("a").part(local: 0) != TicketScope.perEvent("b").part(local: 0))
    expectEqual(TicketScope.perEvent("a").part(local: 0), TicketScope.perEvent("a").part(local: 1 << 40))
    for scope in [TicketScope.once, .untilExit, .every(.seconds(60))] {
      expectEqual(scope.part(local: 0), scope.part(local: 1 << 40))
    }
    expect(TicketScope.once.part(local: 0) != TicketScope.perEvent("").part(local: 0))
  }
}

@Suite struct LeavingTests {
  @Test func whoHasLeftComesInAgainOnTheSameEntry() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(bench.redemption("1", 100), at: 100).verdict, .admit)
    try expectEqual(bench.scan(bench.redemption("1", 100), at: 110).verdict, .refuse(.alreadyUsed))
    let hasLeft = bench.ledger.leave(bench.key)
    expect(hasLeft)
    // Twice by the exit is once in.
    let again = bench.ledger.leave(bench.key)
    expect(!again)
    let reentry = try bench.scan(bench.redemption("1", 100), at: 200)
    expectEqual(reentry.verdict, .admit)
    expectEqual(reentry.note, .reentry)
    try expectEqual(bench.scan(bench.redemption("1", 100), at: 210).verdict, .refuse(.alreadyUsed))
    expect(bench.ledger.unsettled.isEmpty)
  }

  @Test func aSaleOfTwoNeverHasMoreThanTwoIn() throws {
    var bench = LedgerBench()
    for (entry, time) in [("1", 100.0), ("2", 110)] {
      try expectEqual(bench.scan(bench.redemption(entry, Int64(time), quantity: 2), at: time).verdict, .admit)
    }
    let hasLeft = bench.ledger.leave(bench.key)
    expect(hasLeft)
    try expectEqual(bench.scan(bench.redemption("3", 120, quantity: 2), at: 120).verdict, .admit)
    try expectEqual(bench.scan(bench.redemption("4", 130, quantity: 2), at: 130).verdict, .refuse(.alreadyUsed))
  }

  @Test func whoWasNeverInDoesNotLeave() throws {
    var bench = LedgerBench()
    let unknown = bench.ledger.leave(bench.key)
    expect(!unknown)
    _ = try bench.lose(at: 100)
    let lost = bench.ledger.leave(bench.key)
    expect(!lost)
  }

  @Test func leavingOutlivesTheProcess() throws {
    var bench = LedgerBench()
    _ = try bench.scan(bench.redemption("1", 100), at: 100)
    _ = bench.ledger.leave(bench.key)
    let changes = bench.ledger.takeChanges()
    bench.ledger = AttemptLedger()
    for (place, memory) in changes {
      let memory = try #require(memory)
      let read = try JSONDecoder().decode(LedgerMemory.self, from: try JSONEncoder().encode(memory))
      expectEqual(read, memory)
      let isTaken = bench.ledger.restore(place, read, age: 0, isSameBoot: false)
      expect(isTaken)
    }
    try expectEqual(bench.scan(bench.redemption("1", 100), at: 200).note, .reentry)
  }
}

@Suite struct InterruptedSaleTests {
  private func redemption(_ entry: String, _ time: Int64) -> TicketAnswer {
    .redeemed(
      Redemption(
        entryID: entry, scannedAt: WallTime(seconds: time), quantity: 2, sale: "s", saleQuantity: 2,
        details: TicketDetails()))
  }

  @Test func whatMayHavePassedOnOneCodeCountsForTheWholeSale() throws {
    var bench = LedgerBench()
    let (sale, entry) = (bench.key, TicketKey([9]))
    try expectEqual(bench.scan(redemption("1", 100), at: 100).verdict, .admit)
    // Presented again, and the machine ended before the conclusion was durable.
    bench.ledger.interrupt(
      sale, attempt: AttemptID(), gate: bench.gate, began: bench.mono(110), wall: bench.wall(110), at: bench.mono(120),
      isSameBoot: false)
    let other = try bench.scan(redemption("7", 200), at: 200, key: entry)
    expectEqual(other.verdict, .undecided(.interrupted))
    // The ticket system shows that it was not redeemed: then the second person goes in.
    bench.ledger.noneRedeemed(sale, before: bench.mono(1_000))
    try expectEqual(bench.scan(redemption("7", 200), at: 1_001, key: entry).verdict, .admit)
  }

  @Test func aSaleThatIsLearntLaterCountsWhatWasCutOffBefore() throws {
    var bench = LedgerBench()
    bench.ledger.interrupt(
      bench.key, attempt: AttemptID(), gate: bench.gate, began: bench.mono(10), wall: bench.wall(10),
      at: bench.mono(20), isSameBoot: false)
    try expectEqual(bench.scan(redemption("1", 100), at: 100).verdict, .undecided(.interrupted))
    let entry = TicketKey([9])
    try expectEqual(bench.scan(redemption("7", 200), at: 200, key: entry).verdict, .admit)
    try expectEqual(bench.scan(redemption("8", 300), at: 300, key: TicketKey([10])).verdict, .undecided(.interrupted))
  }

  @Test func aClaimMayHaveBeenTakenBeforeTheMachineEnded() throws {
    for isSameBoot in [true, false] {
      var bench = LedgerBench()
      let attempt = try bench.lose(at: 100, pending: true)
      let late = bench.outcome(redemption("1", 101), from: 100, to: 104, date: 104)
      expectEqual(
        bench.ledger.late(bench.key, attempt: attempt, outcome: late, wall: bench.wall(104)), .claimable(entryID: "1"))
      let changes = bench.ledger.takeChanges()
      bench.ledger = AttemptLedger()
      for (place, memory) in changes {
        let isTaken = bench.ledger.restore(place, try #require(memory), age: 0, isSameBoot: isSameBoot)
        expect(isTaken)
      }
      let again = try bench.scan(redemption("1", 101), at: 120)
      expectEqual(again.verdict, (isSameBoot ? .admit : .undecided(.interrupted)))
    }
  }
}
