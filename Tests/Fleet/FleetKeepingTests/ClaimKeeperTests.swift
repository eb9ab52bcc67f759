import Expectations
import FleetBook
import FleetTesting
import ScanModel
import ScanTesting
import Testing

@testable import FleetKeeping

extension ClaimVerdict {
  /// Whether somebody else has it, or may have.
  fileprivate var isTaken: Bool {
    switch self {
    case .used, .busy, .interrupted: true
    default: false
    }
  }
}

@Suite(.timeLimit(.minutes(1))) struct ClaimKeeperTests {
  @Test func twoStationsAtTheSameInstantLetOneIn() async throws {
    let fleet = try KeptFleet()
    let (north, south) = (try await KeptStation(fleet, "north"), try await KeptStation(fleet, "south"))
    try await north.start()
    try await south.start()
    for number in 0..<20 {
      let key = try fleet.ticket(number)
      async let one = north.present(key)
      async let other = south.present(key)
      let verdicts = await [one.verdict, other.verdict]
      expectEqual(verdicts.count { $0 == .admit(isProvisional: false) }, 1, "\(verdicts)")
      expectEqual(verdicts.count { $0.isTaken }, 1, "\(verdicts)")
    }
    await north.allTold()
    await south.allTold()
    for number in 0..<20 {
      let claim = try await fleet.claim(fleet.ticket(number))
      expect(claim.entries.map(\.state) == [.admitted], "\(claim)")
    }
  }

  /// Servers that were there before the station asked after them are told of as well.
  @Test func aFleetThatAnswersFromTheFirstIsTold() async throws {
    let north = try await KeptStation(KeptFleet(), "north")
    try await north.start()
    for await news in north.news {
      expectEqual(news, .together)
      break
    }
  }

  @Test func whatAnotherMachineOfTheSameNameClaimsIsLeftAlone() async throws {
    let fleet = try KeptFleet()
    let north = try await KeptStation(fleet, "north", formerWrites: .zero)
    try await north.start()
    await until { await north.keeper.formerUntil != nil }
    // It has the credential, and a journal of its own.
    let twin = try await KeptStation(fleet, "north")
    try await twin.start()
    let (key, scan) = (try fleet.ticket(1), ScanID())
    expectEqual(await twin.claim(key, scan: scan), .held)
    for await news in north.news {
      guard case .stuck(let words) = news else { continue }
      expect(words.contains("Another machine writes claims as station north"), "\(words)")
      break
    }
    expectEqual(await north.keeper.owedCount, 0)
    expectEqual(try await fleet.claim(key).entries.map(\.scan), [scan])
    guard case .open = await twin.admitted(scan) else { return expect(false, "it does not open") }
    guard case .busy = await north.present(key).verdict else { return expect(false, "north does not wait") }
  }

  /// A process that ended while it claimed the sale knows of the ticket alone.
  @Test func aSaleThatAnEarlierProcessClaimedIsSeenTo() async throws {
    let fleet = try KeptFleet()
    let before = try await KeptStation(fleet, "north")
    try await before.start()
    let (key, sale, scan) = (try fleet.ticket(1), try fleet.sale(1), ScanID())
    expectEqual(await before.claim(key, scan: scan), .held)
    await before.keeper.end()
    let entry = ClaimEntry(scan: scan, station: before.id, gate: GateID("door"))
    let claim = Claim(quantity: 2, entries: [entry])
    let bytes = try #require(try fleet.seal(of: before.id).seal(claim, for: sale, replacing: .none))
    _ = try await fleet.store.create(sale, bytes, until: SystemTime().now() + .seconds(5))
    let after = try await KeptStation(fleet, "north", journal: before.journal)
    try await after.start()
    await until { (try? await fleet.claim(sale).entries.map(\.state)) == [.interrupted] }
    expectEqual(try await fleet.claim(sale).quantity, 2)
    await after.allTold()
    expectEqual(try await fleet.claim(key).entries.map(\.state), [.interrupted])
  }

  @Test func theOtherStationIsToldWhereAndWhen() async throws {
    let fleet = try KeptFleet()
    let (north, south) = (try await KeptStation(fleet, "north"), try await KeptStation(fleet, "south"))
    try await north.start()
    try await south.start()
    let key = try fleet.ticket(1)
    expectEqual(await north.present(key).verdict, .admit(isProvisional: false))
    await north.allTold()
    guard case .used(let entry) = await south.present(key).verdict else { return expect(false, "not refused") }
    expectEqual(entry.station, north.id)
    expectEqual(entry.gate, GateID("door"))
    expect(entry.at != nil)
  }

  @Test func anExitAtOneStationLetsInAtAnother() async throws {
    let fleet = try KeptFleet()
    let (north, south) = (try await KeptStation(fleet, "north"), try await KeptStation(fleet, "south"))
    try await north.start()
    try await south.start()
    let key = try fleet.ticket(1)
    _ = await north.present(key)
    await north.allTold()
    await south.keeper.left(ScanID(), at: GateID("out"), key)
    await south.allTold()
    expectEqual(await north.keeper.exits(of: key, until: SystemTime().now() + .seconds(5)).count, 1)
    expectEqual(await south.present(key).verdict, .admit(isProvisional: false))
    await south.allTold()
    guard case .used = await north.present(key).verdict else { return expect(false, "a third one came in") }
  }

  @Test func whatTheTicketSystemRefusesIsFreeAgain() async throws {
    let fleet = try KeptFleet()
    let (north, south) = (try await KeptStation(fleet, "north"), try await KeptStation(fleet, "south"))
    try await north.start()
    try await south.start()
    let (key, scan) = (try fleet.ticket(1), ScanID())
    expectEqual(await north.claim(key, scan: scan), .held)
    await north.keeper.ended(scan, surelyNothing: true)
    await north.allTold()
    expect(try await fleet.claim(key).entries.isEmpty)
    expectEqual(await south.present(key).verdict, .admit(isProvisional: false))
  }

  /// Nobody knows what the request did: it is for staff elsewhere, and for the same station it is its own.
  @Test func whatWasNotAnsweredIsItsOwnStationsAlone() async throws {
    let fleet = try KeptFleet()
    let (north, south) = (try await KeptStation(fleet, "north"), try await KeptStation(fleet, "south"))
    try await north.start()
    try await south.start()
    let (key, scan) = (try fleet.ticket(1), ScanID())
    expectEqual(await north.claim(key, scan: scan), .held)
    await north.keeper.ended(scan, surelyNothing: false)
    await north.allTold()
    guard case .interrupted = await south.present(key).verdict else { return expect(false, "not for staff") }
    let next = try await KeptStation(fleet, "north", journal: north.journal)
    try await next.start()
    expectEqual(await next.present(key).verdict, .admit(isProvisional: false))
    await next.allTold()
    expectEqual(try await fleet.claim(key).entries.map(\.state), [.admitted])
    // Nothing of it is remembered any more.
    expect(await next.keeper.rows.rows.isEmpty)
  }

  @Test func aSaleThatSeveralCodesStandForIsClaimedBeforeAnybodyPasses() async throws {
    let fleet = try KeptFleet()
    let (north, south) = (try await KeptStation(fleet, "north"), try await KeptStation(fleet, "south"))
    try await north.start()
    try await south.start()
    let sale = ClaimDemand(try fleet.sale(1), .quantity(1))
    expectEqual(await north.present(try fleet.ticket(1), sale: sale).verdict, .admit(isProvisional: false))
    await north.allTold()
    guard case .used = await south.present(try fleet.ticket(2), sale: sale).verdict else {
      return expect(false, "the sale was used up")
    }
    await south.allTold()
    expectEqual(try await fleet.claim(sale.key).entries.count, 1)
  }

  @Test func aProcessThatEndsHasItsAdmissionsTold() async throws {
    let fleet = try KeptFleet()
    let north = try await KeptStation(fleet, "north")
    try await north.start()
    let (key, scan) = (try fleet.ticket(1), ScanID())
    expectEqual(await north.claim(key, scan: scan), .held)
    guard case .open = await north.admitted(scan) else { return expect(false, "it may not open") }
    // The process ends before the gate says that it has opened.
    let next = try await KeptStation(fleet, "north", journal: north.journal)
    try await next.start()
    await next.allTold()
    expectEqual(try await fleet.claim(key).entries.map(\.state), [.admitted])
  }

  /// What comes to light while it ends is told by the next process, and holds nobody up.
  @Test func nothingBeginsAfterTheEnd() async throws {
    let fleet = try KeptFleet()
    let north = try await KeptStation(fleet, "north")
    try await north.start()
    let key = try fleet.ticket(1)
    expectEqual(await north.present(key).verdict, .admit(isProvisional: false))
    await north.allTold()
    north.network.cut(true)
    await north.keeper.end()
    await north.keeper.left(ScanID(), at: GateID("out"), key)
    expect(await north.keeper.telling == nil)
    let next = try await KeptStation(fleet, "north", journal: north.journal)
    try await next.start()
    await next.allTold()
    guard case .left = try await fleet.claim(key).entries.first?.state else { return expect(false, "it was not told") }
  }

  @Test func aProcessThatEndsBeforeItsConclusionHasLetNobodyIn() async throws {
    for (redeems, states) in [(true, [ClaimEntry.State.interrupted]), (false, [])] {
      let fleet = try KeptFleet()
      let north = try await KeptStation(fleet, "north")
      try await north.start()
      let key = try fleet.ticket(1)
      expectEqual(await north.claim(key, redeems: redeems), .held)
      let next = try await KeptStation(fleet, "north", journal: north.journal)
      try await next.start()
      await next.allTold()
      expectEqual(try await fleet.claim(key).entries.map(\.state), states)
    }
  }

  /// A claim came to the store, and the process ended before its journal had anything of it.
  @Test func aClaimThatNobodyAnswersForIsTakenBack() async throws {
    for (wasAdmitted, isReliable, states) in [
      (false, true, []), (true, true, [ClaimEntry.State.admitted]), (false, false, [.interrupted]),
    ] {
      let fleet = try KeptFleet()
      let key = try fleet.ticket(1)
      let id = try #require(StationID("north"))
      var claim = Claim()
      claim.entries = [ClaimEntry(scan: ScanID(), station: id, gate: GateID("door"))]
      let bytes = try #require(try fleet.seal(of: id).seal(claim, for: key, replacing: .none))
      _ = try await fleet.store.create(key, bytes, until: SystemTime().now() + .seconds(5))
      let north = try await KeptStation(fleet, "north", isReliable: isReliable, admitted: { _ in wasAdmitted })
      try await north.start()
      try await until { try await fleet.claim(key).entries.map(\.state) == states }
    }
  }

  @Test func withoutTheDiskNobodyPasses() async throws {
    let fleet = try KeptFleet()
    let north = try await KeptStation(fleet, "north")
    try await north.start()
    north.journal.setFault(JournalFault(.full, "the disk is full"))
    guard case .unkept(let fault) = await north.claim(try fleet.ticket(1)) else {
      return expect(false, "it was held")
    }
    expectEqual(fault.description, "the disk is full")
  }

  @Test func beforeItsJournalWasReadNobodyPasses() async throws {
    let north = try await KeptStation(try KeptFleet(), "north")
    guard case .unkept = await north.claim(try north.fleet.ticket(1)) else { return expect(false, "it was held") }
  }

  @Test func aFullStoreIsNoReasonToGoAlone() async throws {
    let fleet = try KeptFleet()
    fleet.store.fill(true)
    let north = try await KeptStation(fleet, "north", alone: .trust(.init(people: 10, time: .seconds(600))))
    try await north.start()
    expectEqual(await north.present(try fleet.ticket(1)).verdict, .failed(.full))
  }
}
