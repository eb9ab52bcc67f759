import Expectations
import FleetBook
import LinuxIO
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketLists

@testable import FleetLists

/// Stations that give and take a list, over a store in memory.
@Suite struct ListSpreaderTests {
  private let fleet: SpreadFleet
  private let store = MemoryListStore()

  init() throws { fleet = try SpreadFleet(["office", "north", "south"]) }

  private func station(_ name: String, from: [String] = ["office"], isTrusted: Bool = true) throws -> SpreadStation {
    try SpreadStation(name, fleet, from: from, store: store, isTrusted: isTrusted)
  }

  private func place(_ station: String, _ part: ListPlace.Part) throws -> ListPlace {
    ListPlace(station: try fleet.id(station), list: fleet.name, part)
  }

  @Test func whatTheOfficeFetchesTheOthersHave() async throws {
    let (office, north) = (try station("office"), try station("north"))
    await north.spreader.look()
    expect(try await north.status("one") == nil)
    try await office.fetch([("one", .valid), ("two", .refunded)])
    await office.spreader.look()
    await north.spreader.look()
    expectEqual(try await north.status("one"), .valid)
    expectEqual(try await north.status("two"), .refunded)
    expect(try await north.list.ownState() == nil)
    expectEqual(office.problems + north.problems, [])
    // Nothing is written or read again but to look.
    let calls = store.state.withLock { ($0.puts.count, $0.gets.filter { $0.part != .manifest }.count) }
    for station in [office, north] { await station.spreader.look() }
    let later = store.state.withLock { ($0.puts.count, $0.gets.filter { $0.part != .manifest }.count) }
    expect(calls == later, "\(calls) \(later)")
    // Fetched anew with the same tickets: its manifest alone.
    try await office.fetch([("one", .valid), ("two", .refunded)])
    await office.spreader.look()
    store.state.withLock { expectEqual($0.puts.dropFirst(later.0).map(\.part), [.manifest]) }
    try await office.fetch([("one", .refunded)])
    await office.spreader.look()
    await north.spreader.look()
    expectEqual(try await north.status("one"), .refunded)
  }

  /// The age is that of the fetch at the office, and grows by the servers' clock while the list lies with them.
  @Test func ageIsThatOfItsOrigin() async throws {
    let (office, north) = (try station("office"), try station("north", isTrusted: false))
    try await office.fetch([("one", .valid)], ago: .seconds(3_600))
    await office.spreader.look()
    store.pass(.seconds(7_200))
    await north.spreader.look()
    guard case .named(_, let told)? = try await north.list.find(Code("one")) else { return expect(false) }
    let running = try #require(told.running)
    expect(running >= .seconds(10_800) && running < .seconds(10_860), "\(running)")
    // A clock that nobody keeps right makes it no younger once it is set.
    expect(SystemTime().wall() - told.asOf >= .seconds(10_800))
  }

  @Test func whoIsNotNamedIsNotBelieved() async throws {
    let south = try SpreadStation("south", fleet, from: ["south"], store: store)
    let north = try station("north")
    try await south.fetch([("invented", .valid)])
    await south.spreader.look()
    expect(store.state.withLock { $0.parts.count } == 2)
    await north.spreader.look()
    expect(try await north.status("invented") == nil)
    // Nor where its pieces are put into the office's place.
    store.state.withLock { state in
      for (place, part) in state.parts {
        var other = place
        if let office = StationID("office") { other.station = office }
        state.parts[other] = part
      }
    }
    await north.spreader.look()
    expect(try await north.status("invented") == nil)
    expectEqual(north.problems.count, 1)
    expect(north.problems[0].contains("is not what that station has signed"))
  }

  @Test func aPieceThatWasChangedIsNotTaken() async throws {
    let (office, north) = (try station("office"), try station("north"))
    try await office.fetch([("one", .valid)])
    await office.spreader.look()
    store.change(try place("office", .piece(0))) { $0[20] ^= 1 }
    await north.spreader.look()
    expect(try await north.status("one") == nil)
    expectEqual(north.problems.count, 1)
    store.change(try place("office", .piece(0))) { $0[20] ^= 1 }
    await north.spreader.look()
    expectEqual(try await north.status("one"), .valid)
  }

  /// An own list that is newer stays, and what a station has fetched itself it does not ask for.
  @Test func newestWins() async throws {
    let (office, north) = (try station("office"), try station("north"))
    try await office.fetch([("one", .valid)], ago: .seconds(3_600))
    try await north.fetch([("one", .cancelled)], ago: .seconds(60))
    await office.spreader.look()
    await north.spreader.look()
    expectEqual(try await north.status("one"), .cancelled)
    expect(store.state.withLock { !$0.gets.contains { $0.part != .manifest } })
    try await office.fetch([("one", .refunded)])
    await office.spreader.look()
    // As new as each other.
    await north.spreader.look()
    expectEqual(try await north.status("one"), .cancelled)
    try await north.fetch([("one", .cancelled)], ago: .seconds(7_200))
    await north.spreader.look()
    expectEqual(try await north.status("one"), .refunded)
  }

  /// Two that can fetch do not both give it: whose list is as new leaves it to the other.
  @Test func oneGivesIt() async throws {
    let both = ["office", "south"]
    let (office, south) = (try station("office", from: both), try station("south", from: both))
    for station in [office, south] { try await station.fetch([("one", .valid)]) }
    await office.spreader.look()
    await south.spreader.look()
    store.state.withLock { expectEqual(Set($0.puts.map(\.station.description)), ["office"]) }
    try await office.fetch([("one", .valid)], ago: .seconds(9_000))
    store.pass(.seconds(9_000))
    try await south.fetch([("one", .cancelled)])
    await south.spreader.look()
    store.state.withLock { expectEqual(Set($0.puts.map(\.station.description)), ["office", "south"]) }
    await office.spreader.look()
    expectEqual(try await office.status("one"), .cancelled)
  }

  @Test func serversWithoutRoomAreToldOnce() async throws {
    let office = try station("office")
    try await office.fetch([("one", .valid)])
    store.state.withLock { $0.fault = .otherVersion("They have none.") }
    for _ in 0..<3 { await office.spreader.look() }
    expectEqual(
      office.problems, ["Lists of tickets are not spread over the fleet; all else works. They have none."])
  }

  /// Calls are lost, doubled, late, and answered from the past: what a station has is always one list that the office had, whole; and in the end
  /// the last one.
  @Test func wholeOrNothing() async throws {
    let fleet = fleet
    for seed in 0..<UInt64(extent(landing: 2, release: 200)) {
      let store = MemoryListStore(seed: seed, fails: 4)
      var random = SeededGenerator(seed: seed)
      let office = try SpreadStation("office", fleet, from: ["office"], store: store)
      let north = try SpreadStation("north", fleet, from: ["office"], store: store)
      let codes = (0..<600).map { "code-\($0)" }
      func status(_ round: Int, _ number: Int) -> ListedTicket.Status {
        number < 3 ? (round % 2 == 0 ? .valid : .refunded) : .valid
      }
      for round in 0..<4 {
        try await office.fetch(codes.enumerated().map { ($1, status(round, $0)) })
        if random.chance(50) { await office.spreader.look() }
        async let given = office.spreader.look()
        await north.spreader.look()
        _ = await given
        var found: Set<ListedTicket.Status> = []
        if try await north.list.state() != nil {
          for code in codes.prefix(3) { if let status = try await north.status(code) { found.insert(status) } }
          expect(found.count == 1, "seed \(seed), round \(round): \(found)")
          expectEqual(try await north.list.state()?.count, codes.count, "seed \(seed)")
        }
      }
      store.state.withLock { $0.fails = 0 }
      try await office.fetch(codes.map { ($0, .used) })
      await office.spreader.look()
      await north.spreader.look()
      expectEqual(try await north.status(codes[0]), .used, "seed \(seed)")
    }
  }
}
