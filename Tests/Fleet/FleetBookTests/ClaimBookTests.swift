import Expectations
import FleetBook
import FleetTesting
import ScanModel
import Testing

/// What is told later, what comes of partitions, and what a station does alone.
@Suite struct ClaimBookTests {
  private let key = FleetPlan.key(.ticket, 1)
  private let wall = WallTime(seconds: 1_790_000_000)
  private let start = BootTime(nanoseconds: 1_000_000_000_000)

  private func entry(
    _ number: Int, _ state: ClaimEntry.State = .admitted, isProvisional: Bool = false, at: Int64 = 0
  ) -> ClaimEntry {
    ClaimEntry(
      scan: FleetPlan.scan(number), station: FleetPlan.station(number), gate: GateID("gate"), state: state,
      isProvisional: isProvisional, at: WallTime(seconds: 1_790_000_000 + at))
  }

  private func found(_ claim: Claim) -> ClaimAnswer {
    .found(.known(KnownClaim(claim: claim, revision: ClaimRevision(4), time: wall)))
  }

  private func written(_ step: ClaimTelling.Step) -> Claim? {
    if case .call(let call) = step, case .write(let claim, _) = call.kind { claim } else { nil }
  }

  @Test func whatIsThereIsNotToldTwice() {
    var telling = ClaimTelling(ClaimDebt(key, entry(1), .admitted), policy: ClaimPolicy())
    expectEqual(telling.begin(), ClaimCall(key, .read))
    expectEqual(telling.take(found(Claim(entries: [entry(1)]))), .told([]))
  }

  @Test func anAbsentEntryProvesNothing() {
    var telling = ClaimTelling(ClaimDebt(key, entry(1), .released), policy: ClaimPolicy())
    // It is written as it was, so that nothing that is on its way comes any more.
    expectEqual(written(telling.take(found(Claim(entries: [entry(2)])))), Claim(entries: [entry(2)]))
    expectEqual(telling.take(.written(ClaimRevision(5))), .told([]))
    expectEqual(written(telling.take(.found(.absent))), Claim())
  }

  @Test func anAdmissionThatWasTakenAwayIsToldOnceMore() {
    var telling = ClaimTelling(
      ClaimDebt(key, entry(1, .claimed), .admitted, rule: .quantity(1), isRetold: true), policy: ClaimPolicy())
    let claim = written(telling.take(found(Claim(entries: [entry(2)]))))
    expectEqual(claim?.entries.map(\.state), [.admitted, .admitted])
    guard case .told(let conflicts) = telling.take(.written(ClaimRevision(5))) else {
      Issue.record("it is not told")
      return
    }
    expectEqual(conflicts.count, 1)
    // Who has left may be one of those that are counted only; and of an interval the newest are kept.
    var left = ClaimTelling(ClaimDebt(key, entry(1, .claimed), .admitted, isRetold: true), policy: ClaimPolicy())
    let folded = Claim(entries: [entry(2)], folded: 1)
    expectEqual(written(left.take(found(folded))), folded)
    let interval = ClaimDemand.Rule.interval(.seconds(60))
    var spaced = ClaimTelling(ClaimDebt(key, entry(1, .claimed), .admitted, rule: interval), policy: ClaimPolicy())
    let newest = Claim(entries: [entry(2, at: 9_000)])
    expectEqual(written(spaced.take(found(newest))), newest)
  }

  @Test func anAdmissionAloneIsMergedAndTheConflictNamesBoth() {
    var telling = ClaimTelling(
      ClaimDebt(key, entry(2, .claimed, isProvisional: true), .admitted, rule: .quantity(1)), policy: ClaimPolicy())
    let claim = written(telling.take(found(Claim(entries: [entry(1)]))))
    expectEqual(claim?.entries.map(\.station.description), ["gate1", "gate2"])
    expectEqual(claim?.entries.last?.isProvisional, true)
    guard case .told(let conflicts) = telling.take(.written(ClaimRevision(5))) else {
      Issue.record("it is not told")
      return
    }
    expectEqual(conflicts.map { [$0.first.station.description, $0.second.station.description] }, [["gate1", "gate2"]])
  }

  @Test func conflictsOfAnIntervalAreThoseWithinIt() {
    let claim = Claim(entries: [entry(1, at: 0), entry(2, at: 5_000), entry(3, at: 5_100)])
    let conflicts = ClaimConflict.found(in: claim, .interval(.seconds(3_600)))
    expectEqual(conflicts.map { [$0.first.scan, $0.second.scan] }, [[entry(2).scan, entry(3).scan]])
  }

  @Test func anExitWaitsForWhomItLets() {
    let exit = ClaimEntry(scan: FleetPlan.scan(9), station: FleetPlan.station(2), gate: GateID("out"))
    var telling = ClaimTelling(ClaimDebt(key, exit, .left(by: exit.scan, of: nil)), policy: ClaimPolicy())
    expectEqual(telling.take(found(Claim(entries: [entry(1, .claimed)]))), .later)
    expectEqual(
      written(telling.take(found(Claim(entries: [entry(1)]))))?.entries.map(\.state), [.left(by: exit.scan)])
    // Told twice it is one exit.
    expectEqual(telling.take(found(Claim(entries: [entry(1, .left(by: exit.scan)), entry(3)]))), .told([]))
  }

  @Test func manyExitsAreCountedOnly() {
    let gone = (0..<64).map { entry($0, .left(by: FleetPlan.scan(100 + $0))) }
    var telling = ClaimTelling(
      ClaimDebt(key, entry(80, .claimed, isProvisional: true), .admitted), policy: ClaimPolicy())
    let claim = written(telling.take(found(Claim(entries: gone))))
    expectEqual(claim?.entries.count, 64)
    expectEqual(claim?.folded, 1)
    // An exit that may have been told already, and may be one of them, gives no place away.
    var again = ClaimTelling(
      ClaimDebt(key, entry(81), .left(by: FleetPlan.scan(99), of: nil), isRetold: true), policy: ClaimPolicy())
    let kept = Claim(entries: [entry(1)], folded: 1)
    expectEqual(written(again.take(found(kept))), kept)
  }

  @Test(arguments: [ClaimFault.full, .otherVersion("2.9.10"), .refused("revoked"), .deleted])
  func whatCannotBeToldStaysOwed(fault: ClaimFault) {
    var telling = ClaimTelling(ClaimDebt(key, entry(1), .admitted), policy: ClaimPolicy())
    guard case .stuck = telling.take(.failed(fault)) else {
      Issue.record("it is taken for told")
      return
    }
  }

  @Test func aClaimThatHasNoPlaceTakesNothing() {
    var telling = ClaimTelling(
      ClaimDebt(key, entry(900, .claimed, isProvisional: true), .admitted), policy: ClaimPolicy())
    let crowd = (0..<Claim.most).map { entry($0) }
    expectEqual(telling.take(found(Claim(entries: crowd))), .stuck(.full, nil))
  }

  @Test func aConflictWhoseTellingWasLostIsTold() {
    var telling = ClaimTelling(
      ClaimDebt(key, entry(2, .claimed, isProvisional: true), .admitted, rule: .quantity(1)), policy: ClaimPolicy())
    _ = telling.take(found(Claim(quantity: 1, entries: [entry(1)])))
    _ = telling.take(.failed(.lostAnswer))
    guard case .told(let conflicts) = telling.take(found(Claim(quantity: 1, entries: [entry(1), entry(2)]))) else {
      Issue.record("it is told twice")
      return
    }
    expectEqual(conflicts.count, 1)
  }

  @Test func whoIsAloneHasBounds() {
    var refusing = AloneBook(.refuse)
    refusing.alone(at: start)
    expectEqual(refusing.word(isListed: true, at: start), .refuses)

    var listing = AloneBook(.list(AlonePolicy.Bounds(people: 2, time: .seconds(60))))
    listing.alone(at: start)
    expectEqual(listing.word(isListed: false, at: start), .isNotListed)
    expectEqual(listing.word(isListed: true, at: start + .seconds(59)), .mayAdmit)
    expectEqual(listing.word(isListed: true, at: start + .seconds(60)), .time)
    listing.admit()
    listing.admit()
    expectEqual(listing.word(isListed: true, at: start), .people)
    // What was told makes room; being together again, time.
    listing.told()
    expectEqual(listing.word(isListed: true, at: start), .mayAdmit)
    listing.together()
    listing.alone(at: start + .seconds(100))
    expectEqual(listing.word(isListed: true, at: start + .seconds(159)), .mayAdmit)

    let trusting = AloneBook(.trust(AlonePolicy.Bounds(people: 1, time: .seconds(60))), admitted: 1)
    expectEqual(trusting.word(isListed: false, at: start), .people)
  }

  @Test func aClaimIsWatchedByThisStationsClock() {
    var seen = SeenClaims()
    let claim = Claim(entries: [entry(1, .claimed), entry(2)])
    expectEqual(seen.see(claim, at: start, limit: .seconds(30)), [])
    expectEqual(seen.see(claim, at: start + .milliseconds(29_999), limit: .seconds(30)), [])
    expectEqual(seen.see(claim, at: start + .seconds(30), limit: .seconds(30)), [entry(1).scan])
    // Another claim on the same ticket is another one.
    let next = Claim(entries: [entry(1), entry(3, .claimed)])
    expectEqual(seen.see(next, at: start + .seconds(31), limit: .seconds(30)), [])
    for number in 0..<(2 * SeenClaims.most) {
      _ = seen.see(Claim(entries: [entry(10 + number, .claimed)]), at: start + .seconds(40), limit: .seconds(30))
    }
    expectEqual(seen.see(next, at: start + .seconds(90), limit: .seconds(30)), [], "what was forgotten is watched anew")
  }

  @Test func aStoreInMemoryConforms() async {
    let store = ModelClaimStore()
    let suite = ClaimStoreConformance(
      store: store, delete: { store.delete($0) }, fill: { store.fill($0) })
    expectEqual(await suite.failures(), [])
  }
}
