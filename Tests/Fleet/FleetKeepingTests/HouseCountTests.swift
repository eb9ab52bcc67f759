import Expectations
import FleetBook
import FleetTesting
import ScanModel
import ScanTesting
import Testing

@testable import FleetKeeping

/// How many are in the house, as each station of a fleet knows it.
@Suite(.timeLimit(.minutes(1))) struct HouseCountTests {
  private static let word = StationWord(
    program: "1", systems: [.init(address: 1, scope: 2)], zone: .init(january: 0, july: 0))

  /// A process of a station that counts, without a pause.
  private func station(
    _ fleet: KeptFleet, _ name: String, journal: MemoryJournal = MemoryJournal(), alone: AlonePolicy = .refuse,
    word: StationWord? = word
  ) async throws -> KeptStation {
    let station = try await KeptStation(fleet, name, journal: journal, alone: alone, word: word)
    try await station.start()
    return station
  }

  /// Waits until a station knows it so.
  private func becomes(_ station: KeptStation, _ venue: Int64?, here: Int64, alone: Int = 0) async {
    await until {
      let house = await station.keeper.house
      return house?.venue == venue && house?.here == here && house?.alone == alone
    }
  }

  private func leave(_ station: KeptStation, _ key: ClaimKey) async {
    await station.keeper.left(ScanID(), at: GateID("out"), key)
    await station.allTold()
  }

  @Test func eachKnowsTheVenuesAndItsOwn() async throws {
    let fleet = try KeptFleet()
    let (north, south) = (try await station(fleet, "north"), try await station(fleet, "south"))
    for number in 0..<5 { _ = await north.present(try fleet.ticket(number)) }
    // Two on one ticket, and a sale beside it that is no other person.
    _ = await south.present(try fleet.ticket(9), .quantity(2), sale: ClaimDemand(try fleet.sale(1), .quantity(4)))
    _ = await south.present(try fleet.ticket(9), .quantity(2), sale: ClaimDemand(try fleet.sale(1), .quantity(4)))
    _ = await south.present(try fleet.ticket(0))
    await becomes(north, 7, here: 5)
    await becomes(south, 7, here: 2)
    // Who came in at one leaves at the other.
    await leave(south, try fleet.ticket(1))
    await leave(south, try fleet.ticket(2))
    await leave(south, try fleet.ticket(3))
    // Nobody is in on these.
    await leave(south, try fleet.ticket(3))
    await leave(south, try fleet.ticket(77))
    await becomes(north, 4, here: 5)
    await becomes(south, 4, here: -1)
  }

  @Test func itGoesOnOverRestartsAndNewJournals() async throws {
    let fleet = try KeptFleet()
    let (north, south) = (try await station(fleet, "north"), try await station(fleet, "south"))
    for number in 0..<3 { _ = await north.present(try fleet.ticket(number)) }
    await becomes(south, 3, here: 0)
    await north.keeper.end()
    let again = try await station(fleet, "north", journal: north.journal)
    await becomes(again, 3, here: 3)
    _ = await again.present(try fleet.ticket(3))
    await becomes(south, 4, here: 0)
    await again.keeper.end()
    // A machine with a new disk goes on where its own word had come to.
    let new = try await station(fleet, "north")
    await becomes(new, 4, here: 4)
    _ = await new.present(try fleet.ticket(4))
    await becomes(south, 5, here: 0)
    await becomes(new, 5, here: 5)
  }

  @Test func nobodyKnowsWhileTheFleetIsAway() async throws {
    let fleet = try KeptFleet()
    let bounds = AlonePolicy.Bounds(people: 10, time: .seconds(600))
    let north = try await station(fleet, "north", alone: .trust(bounds))
    let south = try await station(fleet, "south")
    _ = await south.present(try fleet.ticket(1))
    await becomes(north, 1, here: 0)
    north.network.cut(true)
    await until { await north.keeper.away != nil }
    _ = await north.present(try fleet.ticket(2), within: .milliseconds(50))
    await becomes(north, nil, here: 1, alone: 1)
    await becomes(south, 1, here: 1)
    await north.join()
    await north.allTold()
    await becomes(north, 2, here: 1)
    await becomes(south, 2, here: 1)
  }

  @Test func whoTellsNothingIsNamed() async throws {
    let fleet = try KeptFleet()
    let north = try await station(fleet, "north")
    let former = try await station(fleet, "south", word: nil)
    await becomes(north, 0, here: 0)
    _ = await former.present(try fleet.ticket(1))
    await until { await north.keeper.house?.uncounted.map(\.description) == ["south"] }
    expect(await former.keeper.house == nil)
    await former.keeper.end()
    // It is updated.
    let south = try await station(fleet, "south", journal: former.journal)
    _ = await south.present(try fleet.ticket(2))
    await becomes(north, 1, here: 0)
    await until { await north.keeper.house?.uncounted == [] }
  }

  @Test func aTicketThatIsGoodAgainIsOnePerson() async throws {
    let fleet = try KeptFleet()
    let north = try await station(fleet, "north")
    let key = try fleet.ticket(1)
    for _ in 0..<3 {
      _ = await north.present(key, .interval(.milliseconds(1)))
      try await Task.sleep(for: .milliseconds(3))
    }
    await north.allTold()
    await becomes(north, 1, here: 1)
    await leave(north, key)
    await becomes(north, 0, here: 0)
    _ = await north.present(key, .interval(.milliseconds(1)))
    await becomes(north, 1, here: 1)
  }

  @Test func whatIsTakenBackCountsNoMore() async throws {
    let fleet = try KeptFleet()
    let north = try await station(fleet, "north")
    let (verdict, scan) = await north.present(try fleet.ticket(1))
    expectEqual(verdict, .admit(isProvisional: false))
    await becomes(north, 1, here: 1)
    expect(await north.keeper.annul(scan, at: GateID("door")) != nil)
    await becomes(north, 0, here: 0)
  }

  @Test func itIsToldOnceAndWhoDiffersIs() async throws {
    let fleet = try KeptFleet()
    let north = try await station(fleet, "north")
    var other = Self.word
    other.systems[0].scope = 3
    _ = try await station(fleet, "south", word: other)
    var (houses, isTold): ([HouseCount], Bool) = ([], false)
    _ = await north.present(try fleet.ticket(1))
    for await news in north.news {
      switch news {
      case .house(let house): houses.append(house)
      case .differences(let found):
        expectEqual(found.map(\.kind), [.scope])
        isTold = true
      default: continue
      }
      if isTold, houses.last?.venue == 1 { break }
    }
    expect(zip(houses, houses.dropFirst()).allSatisfy { $0 != $1 }, "\(houses)")
    expectEqual(await north.keeper.look.differences.count, 1)
  }
}
