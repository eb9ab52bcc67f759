import Admission
import Expectations
import ScanModel
import Testing

/// What somebody would try who wants in twice, and what must not cost a visitor the entry because of it.
@Suite("Attempt ledger against a thief")
struct AttemptLedgerThiefTests {
  private let entrySecret = TicketKey([1])
  private let saleSecret = TicketKey([2])

  private func made(_ entry: String, _ scannedAt: Int64, quantity: Int = 1, of sale: Int? = 1) -> TicketAnswer {
    .redeemed(
      Redemption(
        entryID: entry, scannedAt: WallTime(seconds: scannedAt), quantity: quantity, sale: "s", saleQuantity: sale,
        details: TicketDetails()))
  }

  @Test("The entry secret and the sale secret of one sale admit together as often as was paid")
  func twoSecretsOfOneSale() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(made("e1", 100), at: 100.1, key: entrySecret).verdict, .admit)
    let second = try bench.scan(made("e2", 110), at: 110.1, key: saleSecret)
    expectEqual(second.verdict, .refuse(.alreadyUsed))
    var pair = LedgerBench()
    try expectEqual(pair.scan(made("e1", 100, of: 2), at: 100.1, key: entrySecret).verdict, .admit)
    try expectEqual(pair.scan(made("e2", 110, quantity: 2, of: 2), at: 110.1, key: saleSecret).verdict, .admit)
    try expectEqual(
      pair.scan(made("e3", 120, quantity: 2, of: 2), at: 120.1, key: saleSecret).verdict, .refuse(.alreadyUsed))
  }

  @Test("A claim counts by sale too")
  func claimIsBounded() throws {
    var bench = LedgerBench()
    let lost = try bench.lose(at: 100.2, pending: true)
    let late = bench.outcome(made("e1", 100), from: 100.2, to: 104, date: 104)
    expectEqual(
      bench.ledger.late(bench.key, attempt: lost, outcome: late, wall: bench.wall(104)), .claimable(entryID: "e1"))
    try expectEqual(bench.scan(made("e2", 105), at: 105.1, key: saleSecret).verdict, .admit)
    try expectEqual(bench.scan(made("e1", 100), at: 110).verdict, .refuse(.alreadyUsed))
  }

  @Test("What was admitted before the sale was known counts in it")
  func saleLearntLater() throws {
    var bench = LedgerBench()
    let nameless = Redemption(
      entryID: "e1", scannedAt: WallTime(seconds: 100), quantity: 2, details: TicketDetails())
    try expectEqual(bench.scan(.redeemed(nameless), at: 100.1).verdict, .admit)
    try expectEqual(bench.scan(made("e1", 100, quantity: 2, of: 2), at: 110).verdict, .refuse(.alreadyUsed))
    try expectEqual(bench.scan(made("e2", 120, quantity: 2, of: 2), at: 120.1, key: saleSecret).verdict, .admit)
    try expectEqual(
      bench.scan(made("e3", 130, quantity: 2, of: 2), at: 130.1, key: saleSecret).verdict, .refuse(.alreadyUsed))
  }

  @Test("One entry under two spellings of its code, in the same second, admits once")
  func twoSpellings() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(made("e1", 100, of: nil), at: 100.1, key: TicketKey([65])).verdict, .admit)
    let second = try bench.scan(made("e1", 100, of: nil), at: 100.6, key: TicketKey([97]))
    expectEqual(second.verdict, .refuse(.alreadyUsed))
    expectEqual(second.firstUse?.gate, bench.gate)
  }

  @Test("A late answer for another spelling is not claimable")
  func twoSpellingsLate() throws {
    var bench = LedgerBench()
    let lost = try bench.lose(at: 100.2, pending: true)
    try expectEqual(bench.scan(made("e1", 100, of: nil), at: 103, key: TicketKey([65])).verdict, .refuse(.alreadyUsed))
    try expectEqual(bench.scan(made("e9", 104, of: nil), at: 104.1, key: TicketKey([66])).verdict, .admit)
    let late = bench.outcome(made("e9", 104, of: nil), from: 100.2, to: 105, date: 105)
    let result = bench.ledger.late(bench.key, attempt: lost, outcome: late, wall: bench.wall(105))
    expectEqual(result, .settled)
    try expectEqual(bench.scan(made("e9", 104, of: nil), at: 106).verdict, .refuse(.alreadyUsed))
  }

  @Test("Refused for the money, paid at the desk: the entry that the refusal left is ours", arguments: [false, true])
  func expiredThenPaid(late: Bool) throws {
    var bench = LedgerBench()
    let refusal = TicketAnswer.refused(.expired, detail: nil)
    if late {
      let attempt = try bench.lose(at: 100.5, pending: true)
      let outcome = bench.outcome(refusal, from: 100.5, to: 104, date: 104)
      expectEqual(bench.ledger.late(bench.key, attempt: attempt, outcome: outcome, wall: bench.wall(104)), .settled)
    } else {
      try expectEqual(bench.scan(refusal, at: 100.5).verdict, .refuse(.expired))
    }
    expectEqual(bench.ledger.unsettled.map(\.askedAt), [bench.wall(100.5)])
    bench.ledger.forget(endedBefore: bench.mono(90_000))
    let paid = try bench.scan(made("e1", 100), at: 100_000)
    expect(paid.verdict == .admit && paid.note == .ownLostAnswer)
    try expectEqual(bench.scan(made("e1", 100), at: 100_010).verdict, .refuse(.alreadyUsed))
  }

  @Test("A refusal that may have redeemed excuses no use after it, not even within the grace")
  func refusalHasNoGrace() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(.refused(.expired, detail: nil), at: 100.5).verdict, .refuse(.expired))
    try expectEqual(bench.scan(made("e1", 110), at: 160.5).verdict, .refuse(.alreadyUsed))
  }

  @Test("Refused again and again, a ticket stays small and its first window stays known")
  func manyRefusals() throws {
    var bench = LedgerBench()
    for index in 0..<200 {
      _ = try bench.scan(.refused(.unpaid, detail: nil), at: 100.5 + Double(index) * 10)
    }
    expect(bench.ledger.unsettled.count <= 16)
    try expectEqual(bench.scan(made("e1", 100), at: 9_000).verdict, .admit)
  }

  @Test("A record ahead of the server's clock is judged again when that clock was put right")
  func clockPutRight() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(made("e1", 108), at: 100.5, date: 100).verdict, .undecided(.clockWrong))
    let second = try bench.scan(made("e1", 108), at: 160.5, date: 168)
    expect(second.verdict == .admit && second.note == .ownLostAnswer)
    try expectEqual(bench.scan(made("e1", 108), at: 400.5, date: 408).verdict, .refuse(.alreadyUsed))
  }

  @Test("A late record ahead of the clock is judged again too")
  func clockPutRightLate() throws {
    var bench = LedgerBench()
    let attempt = try bench.lose(at: 100.5, pending: true)
    let late = bench.outcome(made("e1", 115), from: 100.5, to: 104, date: 104)
    expectEqual(
      bench.ledger.late(bench.key, attempt: attempt, outcome: late, wall: bench.wall(104)), .surplus(entryID: "e1"))
    try expectEqual(bench.scan(made("e1", 115), at: 160.5, date: 171).verdict, .admit)
  }

  @Test("A clock put right that puts the record before our attempt: used elsewhere")
  func clockPutRightAgainstUs() throws {
    var bench = LedgerBench()
    try expectEqual(bench.scan(made("e1", 108), at: 100.5, date: 100).verdict, .undecided(.clockWrong))
    try expectEqual(bench.scan(made("e1", 108), at: 160.5, date: 190).verdict, .refuse(.alreadyUsed))
  }

  @Test("Lost here, used elsewhere a minute later: refused")
  func lostThenUsedElsewhere() throws {
    var bench = LedgerBench()
    _ = try bench.lose(at: 100.5)
    try expectEqual(bench.scan(made("e1", 160), at: 3_600).verdict, .refuse(.alreadyUsed))
  }

  @Test("The gate did not open: the admission is given back, once, and the next presentation costs no request")
  func givenBack() throws {
    var bench = LedgerBench()
    let first = try bench.scan(made("e1", 100), at: 100.1)
    let admission = try #require(first.admission)
    expectEqual(bench.ledger.giveBack(bench.key, admission: AttemptID(), at: bench.mono(101)), false)
    expectEqual(bench.ledger.giveBack(bench.key, admission: admission, at: bench.mono(101)), true)
    expectEqual(bench.ledger.giveBack(bench.key, admission: admission, at: bench.mono(101)), false)
    guard case .known(let again) = bench.begin(at: 105).1 else { return expect(false, "asked") }
    expect(again.verdict == .admit && again.admitted == 1 && again.note == .givenBack)
    expectEqual(bench.ledger.giveBack(bench.key, admission: admission, at: bench.mono(106)), false)
    guard case .known(let third) = bench.begin(at: 107).1 else { return expect(false, "asked") }
    expect(third.verdict == .refuse(.alreadyUsed) && third.firstUse?.at == bench.wall(105))
  }

  @Test("An admission that was given back leaves its place in the sale, for whoever comes first")
  func givenBackInSale() throws {
    var bench = LedgerBench()
    let first = try bench.scan(made("e1", 100), at: 100.1, key: entrySecret)
    expectEqual(bench.giveBack(first, at: 101, key: entrySecret), true)
    try expectEqual(bench.scan(made("e2", 110), at: 110.1, key: saleSecret).verdict, .admit)
    try expectEqual(bench.scan(made("e1", 100), at: 120, key: entrySecret).verdict, .refuse(.alreadyUsed))
  }

  @Test("Only the last admission can be given back")
  func onlyTheLast() throws {
    var bench = LedgerBench()
    let first = try bench.scan(made("e1", 100, quantity: 2, of: 2), at: 100.1)
    try expectEqual(bench.scan(made("e2", 110, quantity: 2, of: 2), at: 110.1).verdict, .admit)
    expectEqual(bench.giveBack(first, at: 111), false)
  }

  @Test("After the claim's time the server is asked, and the entry still admits; a refusal ends the claim at once")
  func givenBackLongAgo() throws {
    var bench = LedgerBench()
    let first = try bench.scan(made("e1", 100), at: 100.1)
    expectEqual(bench.giveBack(first, at: 101), true)
    expectEqual(bench.begin(at: 500).1, .ask)
  }

  @Test("An admission without a record can be given back too")
  func givenBackWithoutRecord() throws {
    var bench = LedgerBench()
    let valid = TicketAnswer.valid(Entitlement(quantity: 1, details: TicketDetails()))
    let first = try bench.scan(valid, at: 110)
    expectEqual(bench.giveBack(first, at: 111), true)
    guard case .known(let again) = bench.begin(at: 112).1 else { return expect(false, "asked") }
    expectEqual(again.verdict, .admit)
    try expectEqual(bench.scan(valid, at: 113).verdict, .refuse(.alreadyUsed))
  }
}
