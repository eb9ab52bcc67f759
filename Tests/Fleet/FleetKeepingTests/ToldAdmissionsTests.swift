import Expectations
import FleetBook
import FleetTesting
import LibCrypto
import ScanModel
import ScanTesting
import Testing

@testable import FleetKeeping

/// Admissions that somebody takes out of the fleet's book after they were told.
@Suite(.timeLimit(.minutes(1))) struct ToldAdmissionsTests {
  private let key = FleetPlan.key(.ticket, 1)

  private func debt(_ number: Int, on key: ClaimKey? = nil, rule: ClaimDemand.Rule = .quantity(1)) -> ClaimDebt {
    ClaimDebt(
      key ?? self.key,
      ClaimEntry(scan: FleetPlan.scan(number), station: FleetPlan.station(1), gate: GateID("door")), .admitted,
      rule: rule)
  }

  private func known(_ entries: [ClaimEntry], folded: UInt32 = 0, at revision: UInt64) -> KnownClaim {
    KnownClaim(
      claim: Claim(entries: entries, folded: folded), revision: ClaimRevision(revision), time: WallTime(seconds: 1))
  }

  private func entry(_ number: Int, _ state: ClaimEntry.State = .admitted) -> ClaimEntry {
    ClaimEntry(scan: FleetPlan.scan(number), station: FleetPlan.station(1), gate: GateID("door"), state: state)
  }

  @Test func whatIsThereOrHasLeftIsNoLoss() {
    var told = ToldAdmissions()
    _ = told.take(debt(1), at: ClaimRevision(5))
    expectEqual(told.losses(in: known([entry(1)], at: 6), on: key), [])
    expectEqual(told.losses(in: known([entry(1, .left(by: FleetPlan.scan(9)))], at: 7), on: key), [])
    // From before it was told.
    expectEqual(told.losses(in: known([], at: 4), on: key), [])
    expectEqual(told.losses(in: known([], at: 5), on: key), [])
    // One of very many who are counted only.
    let many = (100..<164).map { entry($0) }
    expectEqual(told.losses(in: known(many, folded: 1, at: 8), on: key), [])
    // Another key's.
    expectEqual(told.losses(in: known([], at: 9), on: FleetPlan.key(.ticket, 2)), [])
  }

  @Test(arguments: [ClaimEntry.State.claimed, .interrupted, nil]) func whatWasTakenOutIsToldSoOften(
    _ state: ClaimEntry.State?
  ) {
    var told = ToldAdmissions()
    _ = told.take(debt(1), at: ClaimRevision(5))
    let entries = state.map { [entry(1, $0)] } ?? []
    for time in 1...ToldAdmissions.mostTimes {
      let found = known(entries, folded: 1, at: UInt64(5 + time))
      expectEqual(told.losses(in: found, on: key), [ToldAdmissions.Loss(debt: debt(1), isGivenUp: false)])
      expectEqual(told.losses(in: found, on: key), [], "each revision once")
    }
    expectEqual(
      told.losses(in: known(entries, at: 20), on: key), [ToldAdmissions.Loss(debt: debt(1), isGivenUp: true)])
    expectEqual(told.losses(in: known(entries, at: 21), on: key), [])
  }

  @Test func theOldestIsForgotten() {
    var told = ToldAdmissions()
    expectEqual(told.take(debt(1), at: ClaimRevision(1)).begun, key)
    expectEqual(told.take(debt(2), at: ClaimRevision(2)).begun, nil)
    func other(_ number: Int) -> ClaimDebt {
      let digest = [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
      return debt(number, on: ClaimKey(.sale, digest: digest))
    }
    for number in 0..<(ToldAdmissions.most - 2) {
      expectEqual(told.take(other(number), at: ClaimRevision(3)).ended, nil)
    }
    expectEqual(told.take(other(5_000), at: ClaimRevision(3)).ended, nil, "one is left of that key")
    expectEqual(told.losses(in: known([], at: 9), on: key).map(\.debt), [debt(2)])
    expectEqual(told.take(other(5_001), at: ClaimRevision(3)).ended, key)
    expectEqual(told.losses(in: known([], at: 10), on: key), [])
    expectEqual(told.take(other(5_002), at: ClaimRevision(3)).ended, other(0).key)
  }

  @Test func ofAnIntervalOnlyTheNewestAreKept() {
    var told = ToldAdmissions()
    _ = told.take(debt(1, rule: .interval(.seconds(60))), at: ClaimRevision(1))
    expectEqual(told.losses(in: known([], at: 9), on: key), [])
  }

  /// Who has south's credential writes a claim over.
  private func takeOut(_ fleet: KeptFleet, _ key: ClaimKey, leaving: [ClaimEntry] = []) async throws {
    let south = try #require(StationID("south"))
    while true {
      let stored = try #require(try await fleet.store.read(key, until: SystemTime().now() + .seconds(5)))
      let claim = Claim(quantity: 1, entries: leaving)
      let bytes = try #require(try fleet.seal(of: south).seal(claim, for: key, replacing: stored.revision))
      do throws(ClaimFault) {
        _ = try await fleet.store.update(
          key, bytes, at: stored.revision, until: SystemTime().now() + .seconds(5))
        return
      } catch { expectEqual(error, .wrongRevision) }
    }
  }

  @Test func whatAStolenCredentialTakesOutIsWrittenOnceMoreAndTold() async throws {
    let fleet = try KeptFleet()
    let (north, east) = (try await KeptStation(fleet, "north"), try await KeptStation(fleet, "east"))
    try await north.start()
    try await east.start()
    let key = try fleet.ticket(1)
    let scan = await north.present(key, .quantity(1)).scan
    await north.allTold()
    try await takeOut(fleet, key)
    for await case .stuck(let words) in north.news {
      expect(words.contains("station south") && words.contains("gate door"), "\(words)")
      expect(words.contains("scangate fleet revoke south"), "\(words)")
      break
    }
    await until { (try? await fleet.claim(key).entries.map(\.scan)) == [scan] }
    guard case .used = await east.present(key, .quantity(1)).verdict else { return expect(false, "a second came in") }
    await north.allTold()
  }

  /// Somebody was let in on the place that was made: both gates are named.
  @Test func whoCameInMeanwhileIsAConflict() async throws {
    let fleet = try KeptFleet()
    let north = try await KeptStation(fleet, "north")
    try await north.start()
    let key = try fleet.ticket(1)
    let scan = await north.present(key, .quantity(1)).scan
    await north.allTold()
    let other = ClaimEntry(
      scan: ScanID(), station: try #require(StationID("south")), gate: GateID("back"), state: .admitted)
    try await takeOut(fleet, key, leaving: [other])
    for await case .conflict(let conflict, let of, _, let subject) in north.news {
      expectEqual(of, scan)
      expectEqual(Set([conflict.first.scan, conflict.second.scan]), [scan, other.scan])
      expectEqual(subject, KeptStation.subject())
      break
    }
    await north.allTold()
    expectEqual(try await fleet.claim(key).entries.count, 2)
  }

  @Test func twoMachinesDoNotWriteAgainstEachOtherForEver() async throws {
    let fleet = try KeptFleet()
    let north = try await KeptStation(fleet, "north")
    try await north.start()
    let key = try fleet.ticket(1)
    let scan = await north.present(key, .quantity(1)).scan
    await north.allTold()
    for _ in 0..<ToldAdmissions.mostTimes {
      try await takeOut(fleet, key)
      await until { (try? await fleet.claim(key).entries.map(\.scan)) == [scan] }
      await north.allTold()
    }
    try await takeOut(fleet, key)
    for await case .stuck(let words) in north.news where words.contains("it is left alone") { break }
    // What comes after shows that nothing of it is under way.
    let next = try fleet.ticket(2)
    _ = await north.present(next)
    await north.allTold()
    expectEqual(try await fleet.claim(key).entries, [])
  }
}
