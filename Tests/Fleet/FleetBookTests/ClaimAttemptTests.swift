import Expectations
import FleetBook
import FleetTesting
import ScanModel
import Testing

/// One presentation, step by step.
@Suite struct ClaimAttemptTests {
  private let key = FleetPlan.key(.ticket, 1)
  private let scan = FleetPlan.scan(1)
  private let here = FleetPlan.station(1)
  private let start = BootTime(nanoseconds: 5_000_000_000_000)
  private let wall = WallTime(seconds: 1_790_000_000)

  private func attempt(
    _ rule: ClaimDemand.Rule = .quantity(nil), redeems: Bool = true, repeats: Set<ScanID> = []
  ) -> ClaimAttempt {
    ClaimAttempt(
      scan, at: GateID("north"), of: here, [ClaimDemand(key, rule)], repeats: repeats, redeems: redeems)
  }

  private func entry(_ number: Int, _ state: ClaimEntry.State = .claimed) -> ClaimEntry {
    ClaimEntry(
      scan: FleetPlan.scan(number), station: FleetPlan.station(number), gate: GateID("south"), state: state,
      at: WallTime(seconds: 1_789_999_000))
  }

  private func known(_ entries: [ClaimEntry], at revision: UInt64, quantity: UInt32? = nil) -> ClaimAnswer {
    let claim = Claim(quantity: quantity, entries: entries)
    return .found(.known(KnownClaim(claim: claim, revision: ClaimRevision(revision), time: wall)))
  }

  /// The calls among effects, with their numbers.
  private func asked(_ effects: [ClaimAttempt.Effect]) -> (number: UInt32, call: ClaimCall)? {
    effects.lazy.compactMap { if case .call(let number, let call) = $0 { (number, call) } else { nil } }.first
  }

  private func note(_ effects: [ClaimAttempt.Effect]) -> ClaimIntent? {
    effects.lazy.compactMap { if case .note(let intent) = $0 { intent } else { nil } }.first
  }

  private func verdict(_ effects: [ClaimAttempt.Effect]) -> ClaimVerdict? {
    effects.lazy.compactMap { if case .end(let verdict, _) = $0 { verdict } else { nil } }.first
  }

  private func owed(_ effects: [ClaimAttempt.Effect]) -> [ClaimDebt.Goal]? {
    effects.lazy.compactMap { if case .end(_, let owed) = $0 { owed.map(\.goal) } else { nil } }.first
  }

  @Test func oneWayThrough() throws {
    var attempt = attempt()
    let begin = attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)
    let intent = try #require(note(begin))
    let (number, call) = try #require(asked(begin))
    let mine = ClaimEntry(scan: scan, station: here, gate: GateID("north"))
    expectEqual(call, ClaimCall(key, .write(Claim(entries: [mine]), at: .none)))
    // Claimed and noted, in whichever order; only then the ticket system is asked.
    expectEqual(attempt.handle(.answered(number, .written(ClaimRevision(7))), at: start, wall: wall), [])
    expectEqual(attempt.handle(.noted(intent), at: start, wall: wall), [.redeem])
    let concluding = attempt.handle(.redeemed([]), at: start, wall: wall)
    let debt = ClaimDebt(key, mine, .admitted)
    expectEqual(concluding, [.conclude(ClaimConclusion(scan: scan, isAdmission: true, debts: [debt]))])
    expectEqual(attempt.handle(.concluded, at: start, wall: wall), [.open(until: start + .seconds(10))])
    expectEqual(
      attempt.handle(.opened, at: start, wall: wall), [.end(.admit(isProvisional: false), owed: [debt])])
    expect(attempt.isEnded)
  }

  /// The disk is too slow for the conclusion: should it come to be durable later, the next one is behind it.
  @Test(arguments: [true, false]) func whatIsNotDurableOpensNothing(redeems: Bool) throws {
    var attempt = attempt(redeems: redeems)
    let begin = attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)
    let intent = try #require(note(begin))
    _ = attempt.handle(.answered(try #require(asked(begin)).number, .written(ClaimRevision(7))), at: start, wall: wall)
    _ = attempt.handle(.noted(intent), at: start, wall: wall)
    _ = attempt.handle(.redeemed([]), at: start, wall: wall)
    let effects = attempt.handle(.notOpened, at: start, wall: wall)
    expectEqual(verdict(effects), .late)
    expectEqual(owed(effects), [redeems ? .interrupted : .released])
    guard case .close(let conclusion)? = effects.first else { return expect(false, "nothing takes its place") }
    expect(!conclusion.isAdmission)
  }

  /// A code that may be for several is asked for again where that is known, and the fleet is not told of what may not be so.
  @Test func whatATicketMayBeForIsRoomAndNotTold() throws {
    var attempt = attempt(.atMost(3))
    let begin = attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)
    let reading = attempt.handle(
      .answered(try #require(asked(begin)).number, .failed(.wrongRevision)), at: start, wall: wall)
    let writing = attempt.handle(
      .answered(try #require(asked(reading)).number, known([entry(2, .admitted)], at: 9)), at: start, wall: wall)
    guard case .write(let claim, let revision)? = asked(writing)?.call.kind else {
      return expect(false, "there was room")
    }
    expectEqual(revision, ClaimRevision(9))
    expect(claim.entries.count == 2 && claim.quantity == nil)
  }

  @Test func nobodyIsAskedBeforeTheIntentIsDurable() throws {
    var attempt = attempt()
    let begin = attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)
    let noted = try #require(note(begin))
    expectEqual(attempt.handle(.noted(noted), at: start, wall: wall), [])
    let number = try #require(asked(begin)).number
    expectEqual(attempt.handle(.answered(number, .written(ClaimRevision(7))), at: start, wall: wall), [.redeem])
  }

  @Test func aLostAnswerIsAskedForByTheSameWrite() throws {
    var attempt = attempt()
    let first = try #require(asked(attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)))
    let again = try #require(
      asked(attempt.handle(.answered(first.number, .failed(.lostAnswer)), at: start, wall: wall)))
    expectEqual(again.call.kind, first.call.kind)
    // A connection that is over answers at once: nobody asks hundreds of times a second.
    expectEqual(again.call.after, ClaimPolicy().pause)
    // The answer to the first one is of no use any more.
    expectEqual(attempt.handle(.answered(first.number, .written(ClaimRevision(7))), at: start, wall: wall), [])
    let read = try #require(
      asked(attempt.handle(.answered(again.number, .failed(.wrongRevision)), at: start, wall: wall)))
    expectEqual(read.call.kind, .read)
    // An absent key proves nothing: the same once more.
    let third = try #require(
      asked(attempt.handle(.answered(read.number, .found(.absent)), at: start, wall: wall)))
    expectEqual(third.call.kind, first.call.kind)
    expectEqual(third.call.after, ClaimPolicy().pause)
    // Impatient now: it may still come, and is taken back.
    expectEqual(attempt.handle(.timeIsUp, at: start, wall: wall), [.askAlone])
    let end = attempt.handle(.alone(.refuses), at: start, wall: wall)
    expectEqual(verdict(end), .alone(.refuses))
    expectEqual(owed(end), [.released])
  }

  @Test func whoIsInIsNamed() throws {
    var attempt = attempt()
    let first = try #require(asked(attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)))
    let read = try #require(
      asked(attempt.handle(.answered(first.number, .failed(.wrongRevision)), at: start, wall: wall)))
    let end = attempt.handle(.answered(read.number, known([entry(2, .admitted)], at: 9)), at: start, wall: wall)
    expectEqual(verdict(end), .used(by: entry(2, .admitted)))
    expectEqual(owed(end), [])
  }

  @Test(arguments: [true, false]) func aClaimIsTakenOverOnlyWhereItWasWatched(isCutOff: Bool) throws {
    var attempt = attempt()
    let first = try #require(asked(attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)))
    let read = try #require(
      asked(attempt.handle(.answered(first.number, .failed(.wrongRevision)), at: start, wall: wall)))
    let next = attempt.handle(
      .answered(read.number, known([entry(2)], at: 9)), at: start, wall: wall,
      cutOff: isCutOff ? [entry(2).scan] : [])
    guard isCutOff else {
      expectEqual(verdict(next), .busy(with: entry(2)))
      return
    }
    let marking = try #require(asked(next))
    expectEqual(marking.call.kind, .write(Claim(entries: [entry(2, .interrupted)]), at: ClaimRevision(9)))
    let end = attempt.handle(.answered(marking.number, .written(ClaimRevision(10))), at: start, wall: wall)
    // Staff decide: nobody passes on a place that somebody may have.
    expectEqual(verdict(end), .interrupted(entry(2, .interrupted)))
  }

  @Test func theSamePersonAtTheSameStationTakesTheirOwnPlace() throws {
    let earlier = ClaimEntry(
      scan: FleetPlan.scan(9), station: here, gate: GateID("north"), state: .interrupted, mayHaveRedeemed: true,
      at: wall)
    var attempt = attempt(repeats: [earlier.scan])
    let first = try #require(asked(attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)))
    let read = try #require(
      asked(attempt.handle(.answered(first.number, .failed(.wrongRevision)), at: start, wall: wall)))
    let next = attempt.handle(.answered(read.number, known([earlier], at: 9)), at: start, wall: wall)
    let mine = ClaimEntry(scan: scan, station: here, gate: GateID("north"), mayHaveRedeemed: true)
    expectEqual(try #require(asked(next)).call.kind, .write(Claim(entries: [mine]), at: ClaimRevision(9)))
  }

  @Test func aPlaceThatWasTakenAloneBeyondThoseThereAreIsNone() throws {
    let earlier = ClaimEntry(
      scan: FleetPlan.scan(9), station: here, gate: GateID("north"), state: .interrupted, mayHaveRedeemed: true,
      isProvisional: true, at: wall)
    var attempt = attempt(repeats: [earlier.scan])
    let first = try #require(asked(attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)))
    let read = try #require(
      asked(attempt.handle(.answered(first.number, .failed(.wrongRevision)), at: start, wall: wall)))
    let both = known([entry(2, .admitted), earlier], at: 9)
    let end = attempt.handle(.answered(read.number, both), at: start, wall: wall)
    expectEqual(verdict(end), .used(by: entry(2, .admitted)))
  }

  @Test func afterTenSecondsNothingOpens() throws {
    var attempt = attempt()
    let begin = attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)
    let number = try #require(asked(begin)).number
    _ = attempt.handle(.noted(try #require(note(begin))), at: start, wall: wall)
    _ = attempt.handle(.answered(number, .written(ClaimRevision(7))), at: start, wall: wall)
    _ = attempt.handle(.redeemed([]), at: start + .seconds(9), wall: wall)
    let end = attempt.handle(.concluded, at: start + .milliseconds(10_001), wall: wall)
    expectEqual(verdict(end), .late)
    expectEqual(owed(end), [.interrupted])
  }

  @Test(arguments: [true, false]) func releasedIsOnlyWhatHasRedeemedNothing(surelyNothing: Bool) throws {
    var attempt = attempt()
    let begin = attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)
    let number = try #require(asked(begin)).number
    _ = attempt.handle(.noted(try #require(note(begin))), at: start, wall: wall)
    _ = attempt.handle(.answered(number, .written(ClaimRevision(7))), at: start, wall: wall)
    let end = attempt.handle(.refused(surelyNothing: surelyNothing), at: start, wall: wall)
    expectEqual(verdict(end), .refused)
    expectEqual(owed(end), [surelyNothing ? .released : .interrupted])
  }

  @Test func theSaleIsClaimedBeforeTheGateOpens() throws {
    let sale = FleetPlan.key(.sale, 1)
    var attempt = attempt()
    let begin = attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)
    let number = try #require(asked(begin)).number
    _ = attempt.handle(.noted(try #require(note(begin))), at: start, wall: wall)
    _ = attempt.handle(.answered(number, .written(ClaimRevision(7))), at: start, wall: wall)
    let second = try #require(
      asked(attempt.handle(.redeemed([ClaimDemand(sale, .quantity(2))]), at: start, wall: wall)))
    expectEqual(second.call.key, sale)
    let read = try #require(
      asked(attempt.handle(.answered(second.number, .failed(.wrongRevision)), at: start, wall: wall)))
    let full = known([entry(2, .admitted), entry(3, .admitted)], at: 9)
    let end = attempt.handle(.answered(read.number, full), at: start, wall: wall)
    expectEqual(verdict(end), .used(by: entry(2, .admitted)))
    // The ticket was redeemed: its own place is not free, and the sale's was never taken.
    expectEqual(owed(end), [.interrupted])
  }

  @Test func whatTheTicketSystemTellsOfTheTicketIsTold() throws {
    var attempt = attempt()
    let begin = attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)
    let number = try #require(asked(begin)).number
    _ = attempt.handle(.noted(try #require(note(begin))), at: start, wall: wall)
    _ = attempt.handle(.answered(number, .written(ClaimRevision(7))), at: start, wall: wall)
    let next = attempt.handle(.redeemed([ClaimDemand(key, .quantity(4))]), at: start, wall: wall)
    let mine = ClaimEntry(scan: scan, station: here, gate: GateID("north"))
    let debt = ClaimDebt(key, mine, .admitted, rule: .quantity(4))
    expectEqual(next, [.conclude(ClaimConclusion(scan: scan, isAdmission: true, debts: [debt]))])
    var telling = ClaimTelling(debt, policy: ClaimPolicy())
    guard case .call(let told) = telling.take(known([mine], at: 7)), case .write(let claim, _) = told.kind else {
      Issue.record("nothing is told")
      return
    }
    expectEqual(claim.quantity, 4)
  }

  @Test func anIntervalIsJudgedByTheLeadersClock() throws {
    for (seconds, isTooSoon) in [(999, true), (1_000, false)] as [(Int64, Bool)] {
      var attempt = attempt(.interval(.seconds(1_000)), redeems: false)
      let begin = attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)
      _ = attempt.handle(.noted(try #require(note(begin))), at: start, wall: wall)
      let first = try #require(asked(begin))
      let read = try #require(
        asked(attempt.handle(.answered(first.number, .failed(.wrongRevision)), at: start, wall: wall)))
      let last = entry(2, .admitted)
      let written = try #require(
        asked(attempt.handle(.answered(read.number, known([last], at: 9)), at: start, wall: wall)))
      let look = try #require(
        asked(attempt.handle(.answered(written.number, .written(ClaimRevision(10))), at: start, wall: wall)))
      expectEqual(look.call.kind, .read)
      let mine = ClaimEntry(scan: scan, station: here, gate: GateID("north"))
      let claim = KnownClaim(
        claim: Claim(entries: [last, mine]), revision: ClaimRevision(10),
        time: WallTime(seconds: 1_789_999_000 + seconds))
      let next = attempt.handle(.answered(look.number, .found(.known(claim))), at: start, wall: wall)
      if isTooSoon {
        expectEqual(verdict(next), .tooSoon(after: last))
        expectEqual(owed(next), [.released])
      } else {
        expectEqual(next, [.redeem])
      }
    }
  }

  @Test(arguments: [
    ClaimAnswer.failed(.full), .failed(.otherVersion("2.9.10")), .failed(.refused("revoked")), .failed(.deleted),
    .found(.unusable(.garbage("it ends"))), .found(.unusable(.laterVersion(9))),
    .found(.unusable(.signature(of: FleetPlan.station(3)))),
  ]) func whatCannotBeUsedIsNeverAlone(answer: ClaimAnswer) throws {
    var attempt = attempt()
    let first = try #require(asked(attempt.begin(at: start, wall: wall, knowing: nil, isAway: false)))
    let end = attempt.handle(.answered(first.number, answer), at: start, wall: wall)
    switch try #require(verdict(end)) {
    case .unusable, .failed: break
    case let other: Issue.record("\(other)")
    }
  }

  @Test func whoIsKnownToBeAloneDoesNotWait() throws {
    var attempt = attempt(redeems: false)
    expectEqual(attempt.begin(at: start, wall: wall, knowing: nil, isAway: true), [.askAlone])
    let noting = attempt.handle(.alone(.mayAdmit), at: start, wall: wall)
    let noted = try #require(note(noting))
    expectEqual(noted.aloneSince, wall)
    expectEqual(attempt.handle(.noted(noted), at: start, wall: wall), [.redeem])
    _ = attempt.handle(.redeemed([]), at: start, wall: wall)
    expectEqual(attempt.handle(.concluded, at: start, wall: wall), [.open(until: start + .seconds(10))])
    let end = attempt.handle(.opened, at: start, wall: wall)
    expectEqual(verdict(end), .admit(isProvisional: true))
    expectEqual(owed(end), [.admitted])
  }
}
