import Expectations
import FleetBook
import FleetTesting
import ScanModel
import ScanTesting
import Testing

@testable import FleetKeeping

/// Stations that cannot ask their fleet, and what it costs afterwards.
@Suite(.timeLimit(.minutes(1))) struct AloneStationTests {
  private func bounds(_ people: Int) -> AlonePolicy.Bounds { .init(people: people, time: .seconds(600)) }

  private func cutOff(_ fleet: KeptFleet, _ name: String, _ alone: AlonePolicy) async throws -> KeptStation {
    let station = try await KeptStation(fleet, name, alone: alone)
    station.network.cut(true)
    try await station.start()
    return station
  }

  @Test func nobodyPassesWhereItRefuses() async throws {
    let fleet = try KeptFleet()
    let north = try await cutOff(fleet, "north", .refuse)
    expectEqual(await north.present(try fleet.ticket(1), within: .milliseconds(50)).verdict, .alone(.refuses))
    await north.join()
    expectEqual(await north.present(try fleet.ticket(1)).verdict, .admit(isProvisional: false))
  }

  /// A server that starts again is no fleet that is away.
  @Test func whoStandsThereWhileItConnectsAnewWaitsForTheFleet() async throws {
    let fleet = try KeptFleet()
    let south = try await KeptStation(fleet, "south")
    try await south.start()
    let key = try fleet.ticket(1)
    expectEqual(await south.present(key).verdict, .admit(isProvisional: false))
    await south.allTold()
    let north = try await KeptStation(fleet, "north", alone: .trust(bounds(10)), awayAfter: .seconds(30))
    north.network.cut(true)
    try await north.start()
    await until { await north.keeper.away != nil }
    async let found = north.present(key)
    await until { await !north.keeper.running.isEmpty }
    north.network.cut(false)
    guard case .used = await found.verdict else { return expect(false, "who was in came in again") }
  }

  @Test func asManyPassAsMay() async throws {
    let fleet = try KeptFleet()
    let north = try await cutOff(fleet, "north", .trust(bounds(2)))
    for number in 1...2 {
      expectEqual(
        await north.present(try fleet.ticket(number), within: .milliseconds(50)).verdict, .admit(isProvisional: true))
    }
    expectEqual(await north.present(try fleet.ticket(3), within: .milliseconds(50)).verdict, .alone(.people))
    // The next process counts those who are untold.
    let next = try await KeptStation(fleet, "north", journal: north.journal, alone: .trust(bounds(2)))
    next.network.cut(true)
    try await next.start()
    expectEqual(await next.keeper.untoldAlone, 2)
    expectEqual(await next.present(try fleet.ticket(4), within: .milliseconds(50)).verdict, .alone(.people))
    await next.join()
    await next.allTold()
    expectEqual(await next.keeper.untoldAlone, 0)
    for number in 1...2 {
      let claim = try await fleet.claim(fleet.ticket(number))
      expect(claim.entries.map(\.state) == [.admitted] && claim.entries.allSatisfy(\.isProvisional), "\(claim)")
    }
  }

  @Test func theListDecidesWhereItIsToldTo() async throws {
    let fleet = try KeptFleet()
    let north = try await cutOff(fleet, "north", .list(bounds(10)))
    expectEqual(await north.present(try fleet.ticket(1), within: .milliseconds(50)).verdict, .alone(.isNotListed))
    expectEqual(
      await north.present(try fleet.ticket(1), isListed: true, within: .milliseconds(50)).verdict,
      .admit(isProvisional: true))
  }

  @Test func twoThatWentOnAloneAreAConflictThatNamesBoth() async throws {
    let fleet = try KeptFleet()
    let key = try fleet.ticket(1)
    let north = try await cutOff(fleet, "north", .trust(bounds(10)))
    let south = try await cutOff(fleet, "south", .trust(bounds(10)))
    for station in [north, south] {
      expectEqual(await station.present(key, within: .milliseconds(50)).verdict, .admit(isProvisional: true))
    }
    await north.join()
    await north.allTold()
    await south.join()
    await south.allTold()
    let claim = try await fleet.claim(key)
    expect(claim.entries.count == 2 && claim.entries.allSatisfy { $0.state == .admitted && $0.isProvisional })
    // Whoever came later by what it told, the other one by what it has seen: each once.
    for station in [north, south] {
      var told = 0
      for await news in station.news {
        guard case .conflict(let conflict, _, _, let subject) = news else { continue }
        expectEqual(Set([conflict.first.station, conflict.second.station]), [north.id, south.id])
        expectEqual(subject, KeptStation.subject())
        told += 1
        break
      }
      expectEqual(told, 1)
      expectEqual(await station.keeper.conflictsTold, [key: 1])
    }
    // Nobody else passes on it.
    let east = try await KeptStation(fleet, "east")
    try await east.start()
    guard case .used = await east.present(key).verdict else { return expect(false, "a third one came in") }
  }

  /// The gate did not open: nobody is owed, and the next one may be let in.
  @Test func whoDidNotPassIsNotCounted() async throws {
    let fleet = try KeptFleet()
    let north = try await cutOff(fleet, "north", .trust(bounds(1)))
    let (key, scan) = (try fleet.ticket(1), ScanID())
    expectEqual(await north.claim(key, scan: scan, redeems: false, within: .milliseconds(50)), .held)
    guard case .open(_, true) = await north.admitted(scan) else { return expect(false, "it may not open") }
    await north.keeper.notOpened(scan)
    expectEqual(await north.keeper.untoldAlone, 0)
    expectEqual(
      await north.present(try fleet.ticket(2), within: .milliseconds(50)).verdict, .admit(isProvisional: true))
  }
}
