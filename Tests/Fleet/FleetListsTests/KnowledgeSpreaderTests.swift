import Expectations
import FleetBook
import LinuxIO
import ScanModel
import ScanTesting
import Sealing
import Synchronization
import Testing

@testable import FleetLists

/// Stations that give and take what a ticket system tells besides its tickets, over a store in memory.
@Suite struct KnowledgeSpreaderTests {
  /// A station: what its ticket system has told, and what came.
  private final class Station: Sendable {
    struct Known {
      var bytes: [UInt8]?
      var at = MonotonicTime(nanoseconds: 0)
      var age = Duration.zero
      var taken: [(bytes: [UInt8], age: Duration, now: WallTime)] = []
      /// Whether it asks for anything, and how old it may be.
      var wants: Duration? = .seconds(86_400)
      var fault: SharedKnowledge.Fault?
      /// Why it has nothing to give.
      var problem: String?
      var words: [(isProblem: Bool, words: String)] = []
    }

    let known = Mutex(Known())
    let spreader: KnowledgeSpreader

    init(
      _ name: String, _ fleet: SpreadFleet, from: [String], store: any ListStore, isTrusted: Bool = false
    ) throws {
      var settings = ListSpreader.Settings(
        station: try fleet.id(name), seal: try fleet.seal(name, believing: from), key: SealKey.random().key,
        from: try from.map(fleet.id))
      settings.rest = .zero
      let late = Late()
      spreader = KnowledgeSpreader(
        settings, store: store, knowledge: { late.knowledge },
        clock: { JournalTime(wall: SystemTime().wall(), monotonic: SystemTime().now(), isTrusted: isTrusted) },
        tell: { late.station?.tell($0, $1) })
      late.set(
        KnowledgeSpreader.Knowledge(
          system: TicketSystemID("venue"), name: fleet.key.name(ofKnowledgeOf: SpreadFleet.server),
          gives: from.contains(name), takes: from.contains { $0 != name },
          shared: SharedKnowledge(
            what: "list of events", give: { late.station?.give($0) },
            problem: { late.station?.known.withLock { $0.problem } },
            wants: { age in late.station?.known.withLock { $0.wants.map { age <= $0 } ?? false } ?? false },
            take: { late.station?.take($0, $1, $2) })), self)
    }

    private func give(_ since: MonotonicTime?) -> SharedKnowledge.Told? {
      known.withLock { known in
        guard let bytes = known.bytes, known.at != since else { return nil }
        return SharedKnowledge.Told(at: known.at, age: known.age) { bytes }
      }
    }

    private func take(_ bytes: [UInt8], _ age: Duration, _ now: WallTime) -> SharedKnowledge.Fault? {
      known.withLock { known in
        if let fault = known.fault { return fault }
        known.taken.append((bytes, age, now))
        return nil
      }
    }

    private func tell(_ isProblem: Bool, _ words: String) { known.withLock { $0.words.append((isProblem, words)) } }

    /// Its ticket system tells something.
    func learn(_ bytes: [UInt8], age: Duration = .zero) {
      known.withLock { known in
        known.bytes = bytes
        known.age = age
        known.at = known.at + .seconds(1)
      }
    }

    var last: [UInt8]? { known.withLock { $0.taken.last?.bytes } }
    var problems: [String] { known.withLock { $0.words.filter(\.isProblem).map(\.words) } }
  }

  /// What is made before the station that it is of.
  private final class Late: Sendable {
    private struct State {
      var knowledge: [KnowledgeSpreader.Knowledge] = []
      weak var station: Station?
    }
    private let state = Mutex(State())
    func set(_ knowledge: KnowledgeSpreader.Knowledge, _ station: Station) {
      state.withLock { $0 = State(knowledge: [knowledge], station: station) }
    }
    var knowledge: [KnowledgeSpreader.Knowledge] { state.withLock { $0.knowledge } }
    var station: Station? { state.withLock { $0.station } }
  }

  private let fleet: SpreadFleet
  private let store = MemoryListStore()

  init() throws { fleet = try SpreadFleet(["office", "north", "south"]) }

  private func station(_ name: String, from: [String] = ["office"], isTrusted: Bool = false) throws -> Station {
    try Station(name, fleet, from: from, store: store, isTrusted: isTrusted)
  }

  private func place(_ station: String, _ part: ListPlace.Part) throws -> ListPlace {
    ListPlace(station: try fleet.id(station), list: fleet.key.name(ofKnowledgeOf: SpreadFleet.server), part)
  }

  /// Some pieces of bytes, none as another.
  private func text(_ bytes: Int) -> [UInt8] { (0..<bytes).map { UInt8(truncatingIfNeeded: $0 / 32_768 &+ $0) } }

  @Test func whatTheOfficeIsToldTheOthersHave() async throws {
    let (office, north) = (try station("office"), try station("north"))
    await north.spreader.look()
    expectEqual(north.last, nil)
    let large = text(100_000)
    office.learn(large, age: .seconds(60))
    await office.spreader.look()
    store.state.withLock { state in
      expectEqual(state.puts.map(\.part), [.piece(0), .piece(1), .piece(2), .piece(3), .manifest])
      for part in state.parts.values { expect(part.value.count < 33_000 && !part.value.starts(with: large.prefix(9))) }
    }
    store.pass(.seconds(600))
    await north.spreader.look()
    expectEqual(north.last, large)
    let (age, now) = north.known.withLock { ($0.taken[0].age, $0.taken[0].now) }
    expect(age >= .seconds(660) && age < .seconds(720), "\(age)")
    expect(now - store.state.withLock { $0.now } < .seconds(60))
    // Nothing new: nothing is written. Told anew, and the same: its manifest alone.
    let count = store.state.withLock { $0.puts.count }
    await office.spreader.look()
    expectEqual(store.state.withLock { $0.puts.count }, count)
    var other = large
    other[40_000] ^= 1
    for (bytes, parts) in [(large, [.manifest]), (other, [.piece(1), .manifest])] as [([UInt8], [ListPlace.Part])] {
      let (before, read) = store.state.withLock { ($0.puts.count, $0.gets.count) }
      office.learn(bytes)
      await office.spreader.look()
      expectEqual(store.state.withLock { $0.puts.dropFirst(before).map(\.part) }, parts)
      await north.spreader.look()
      expectEqual(north.last, bytes)
      expectEqual(
        store.state.withLock { $0.gets.dropFirst(read).map(\.part).filter { $0 != .manifest } },
        parts.filter { $0 != .manifest })
    }
    expectEqual(office.problems + north.problems, [])
    expectEqual(
      north.known.withLock { $0.words.map(\.words) },
      ["The list of events of venue came over the fleet, from the station office: 11 min old."])
    // What servers have lost is given again.
    store.state.withLock { $0.parts = [:] }
    await office.spreader.look()
    expectEqual(store.state.withLock { $0.parts.count }, 5)
  }

  @Test func whoWantsNothingAsksForNothing() async throws {
    let (office, north) = (try station("office"), try station("north"))
    office.learn([1], age: .seconds(90))
    await office.spreader.look()
    let before = store.state.withLock { $0.gets.count }
    north.known.withLock { $0.wants = nil }
    await north.spreader.look()
    expectEqual(store.state.withLock { $0.gets.count }, before)
    // One that is too old for it is looked at, and not fetched.
    north.known.withLock { $0.wants = .seconds(60) }
    await north.spreader.look()
    expect(store.state.withLock { !$0.gets.dropFirst(before).contains { $0.part != .manifest } })
    expectEqual(north.last, nil)
  }

  /// The station's own name, or the office's with other bytes, or another list's: nothing of it is taken, and it is told once.
  @Test func whoIsNotNamedIsNotBelieved() async throws {
    let south = try Station("south", fleet, from: ["south"], store: store)
    let north = try station("north")
    south.learn([1, 2, 3])
    await south.spreader.look()
    await north.spreader.look()
    expectEqual(north.last, nil)
    expectEqual(north.problems, [])
    store.state.withLock { state in
      for (place, part) in state.parts {
        var other = place
        if let office = StationID("office") { other.station = office }
        state.parts[other] = part
      }
    }
    for _ in 0..<3 { await north.spreader.look() }
    expectEqual(north.last, nil)
    expectEqual(north.problems.count, 1)
    expect(north.problems.first?.contains("is not what that station has signed") == true)
  }

  @Test func whatWasChangedIsNotTaken() async throws {
    let (office, north) = (try station("office"), try station("north"))
    office.learn(text(40_000))
    await office.spreader.look()
    for part in [ListPlace.Part.piece(1), .piece(0), .manifest] {
      store.change(try place("office", part)) { $0[20] ^= 1 }
      for _ in 0..<2 { await north.spreader.look() }
      expectEqual(north.last, nil)
      store.change(try place("office", part)) { $0[20] ^= 1 }
    }
    await north.spreader.look()
    expectEqual(north.last, text(40_000))
    expect(north.problems.count == 2, "\(north.problems)")
  }

  /// What the ticket system's reader does not take is told once, and not fetched again until it is another.
  @Test(arguments: [
    (SharedKnowledge.Fault.laterVersion, "is of a later version"),
    (.unreadable("it is cut"), "cannot be read (it is cut)"),
  ])
  func whatCannotBeReadIsToldOnce(fault: SharedKnowledge.Fault, words: String) async throws {
    let both = ["office", "south"]
    let (office, south) = (try station("office", from: both), try station("south", from: both))
    let north = try station("north", from: both)
    office.learn([1])
    await office.spreader.look()
    north.known.withLock { $0.fault = fault }
    await north.spreader.look()
    let before = store.state.withLock { $0.gets.filter { $0.part != .manifest }.count }
    await north.spreader.look()
    expectEqual(store.state.withLock { $0.gets.filter { $0.part != .manifest }.count }, before)
    expectEqual(north.problems.count, 1)
    expect(north.problems.first?.contains(words) == true, "\(north.problems)")
    // An older one that can be read is taken all the same.
    store.pass(.seconds(9_000))
    office.learn([2])
    await office.spreader.look()
    south.learn([3], age: .seconds(600))
    store.state.withLock { state in state.parts = state.parts.filter { $0.key.station.description != "office" } }
    await south.spreader.look()
    north.known.withLock { $0.fault = nil }
    office.learn([4])
    await office.spreader.look()
    store.change(try place("office", .piece(0))) { $0[20] ^= 1 }
    await north.spreader.look()
    expectEqual(north.last, [3])
  }

  /// Whoever is named gives what it was told: another's may be what nobody can read.
  @Test func eachGivesIt() async throws {
    let both = ["office", "south"]
    let (office, south) = (try station("office", from: both), try station("south", from: both))
    for station in [office, south] { station.learn([1]) }
    await office.spreader.look()
    await south.spreader.look()
    store.state.withLock { expectEqual(Set($0.puts.map(\.station.description)), ["office", "south"]) }
  }

  /// A reload makes a ticket system's connection anew, while neither the fleet nor the ticket system answers.
  @Test func whatWasTakenIsNotForgottenWithAReload() async throws {
    let (office, north) = (try station("office"), try station("north"))
    office.learn([1, 2], age: .seconds(60))
    await office.spreader.look()
    await north.spreader.look()
    expectEqual(north.last, [1, 2])
    // Who has it wants no other that is as old.
    north.known.withLock { $0.wants = .seconds(30) }
    await north.spreader.lookAgain()
    expectEqual(north.known.withLock { $0.taken.count }, 1)
    north.known.withLock { $0.wants = .seconds(86_400) }
    store.state.withLock { $0.fault = .lostAnswer }
    await north.spreader.look()
    let taken = north.known.withLock { $0.taken }
    expectEqual(taken.last?.bytes, [1, 2])
    expectEqual(taken.count, 2)
    expect(taken[1].age >= taken[0].age && taken[1].age < taken[0].age + .seconds(60), "\(taken)")
  }

  /// Two sections of one server: the first one's key is wrong, and its server tells it nothing.
  @Test func ofTwoKeysTheRightOneGives() async throws {
    let told = Mutex<[String]>([])
    func known(_ system: String, _ gives: SharedKnowledge.Told?, _ problem: String?) -> KnowledgeSpreader.Knowledge {
      KnowledgeSpreader.Knowledge(
        system: TicketSystemID(system), name: fleet.key.name(ofKnowledgeOf: SpreadFleet.server), gives: true,
        takes: false,
        shared: SharedKnowledge(
          what: "list of events", give: { $0 == nil ? gives : nil }, problem: { problem }, wants: { _ in false },
          take: { _, _, _ in nil }))
    }
    let all = [
      known("first", nil, "It refused the key (401)."),
      known("second", SharedKnowledge.Told(at: SystemTime().now(), age: .zero) { [7] }, nil),
      known("third", SharedKnowledge.Told(at: SystemTime().now(), age: .zero) { [8] }, nil),
    ]
    let spreader = KnowledgeSpreader(
      ListSpreader.Settings(
        station: try fleet.id("office"), seal: try fleet.seal("office", believing: ["office"]),
        key: SealKey.random().key, from: [try fleet.id("office")]), store: store, knowledge: { all },
      clock: { JournalTime(wall: SystemTime().wall(), monotonic: SystemTime().now(), isTrusted: true) },
      tell: { _, words in told.withLock { $0.append(words) } })
    for _ in 0..<3 { await spreader.look() }
    expectEqual(
      told.withLock { $0 },
      [
        "The list of events of first is not given to the fleet. It refused the key (401).",
        "The list of events of second is given to the fleet.",
      ])
    let north = try station("north")
    await north.spreader.look()
    expectEqual(north.last, [7])
  }

  @Test func aClockThatIsKeptRightIsBelievedBeforeTheServers() async throws {
    let (office, north) = (try station("office"), try station("north", isTrusted: true))
    office.learn([1])
    await office.spreader.look()
    await north.spreader.look()
    let now = try #require(north.known.withLock { $0.taken.last?.now })
    expect(abs((now - SystemTime().wall()).components.seconds) < 60, "\(now)")
  }

  @Test func whatIsTooLongIsNotGivenAndServersThatRefuseAreLeft() async throws {
    let office = try station("office")
    office.learn([UInt8](repeating: 1, count: KnowledgeManifest.mostBytes + 1))
    for _ in 0..<2 { await office.spreader.look() }
    expectEqual(office.problems, ["The list of events of venue is not given to the fleet: it is too long."])
    office.learn([UInt8](repeating: 1, count: KnowledgeManifest.mostBytes))
    store.state.withLock { $0.fault = .otherVersion("They have none.") }
    for _ in 0..<3 { await office.spreader.look() }
    store.state.withLock { expectEqual($0.puts, []) }
    // Lists tell of it.
    expectEqual(office.problems.count, 1)
  }

  /// A station that is to give and cannot ask its ticket system says so, once, and again once it was over.
  @Test func whyNothingIsGivenIsTold() async throws {
    let office = try station("office")
    await office.spreader.look()
    expectEqual(office.problems, [])
    office.known.withLock { $0.problem = "a.example does not let this key see its events (403)." }
    for _ in 0..<2 { await office.spreader.look() }
    let words =
      "The list of events of venue is not given to the fleet. a.example does not let this key see its events (403)."
    expectEqual(office.problems, [words])
    office.learn([1])
    for _ in 0..<2 { await office.spreader.look() }
    store.state.withLock { $0.parts = [:] }
    office.known.withLock { $0.bytes = nil }
    await office.spreader.look()
    expectEqual(office.problems, [words, words])
  }

  /// Calls are lost, doubled, late, and answered from the past: what comes is always something that the office gave, whole; and in the end the
  /// last of it.
  @Test func wholeOrNothing() async throws {
    for seed in 0..<UInt64(extent(landing: 20, release: 2_000)) {
      let store = MemoryListStore(seed: seed, fails: 4)
      let office = try Station("office", fleet, from: ["office"], store: store)
      let north = try Station("north", fleet, from: ["office"], store: store)
      var given: [[UInt8]] = []
      for round in 0..<UInt8(6) {
        given.append([UInt8](repeating: round, count: 70_000))
        office.learn(given[given.count - 1])
        async let told: Void = office.spreader.look()
        await north.spreader.look()
        await told
        for taken in north.known.withLock({ $0.taken.map(\.bytes) }) { expect(given.contains(taken), "seed \(seed)") }
      }
      store.state.withLock { $0.fails = 0 }
      office.learn([7])
      await office.spreader.look()
      await north.spreader.look()
      expectEqual(north.last, [7], "seed \(seed)")
    }
  }

  /// What its station has signed may be nonsense all the same.
  @Test func manifestsAreReadOrRefused() throws {
    for seed in 0..<UInt64(extent(landing: 500, release: 20_000)) {
      var random = SeededGenerator(seed: seed)
      let manifest = KnowledgeManifest(
        age: .nanoseconds(Int64.random(in: 0 ... .max, using: &random)),
        digests: (0..<UInt8.random(in: 0...8, using: &random)).map { ListManifest.digest(of: [$0]) })
      expectEqual(try KnowledgeManifest(manifest.bytes), manifest, "seed \(seed)")
      var bytes = manifest.bytes
      switch Int.random(in: 0...2, using: &random) {
      case 0: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      case 1: bytes.append(.random(in: 0...255, using: &random))
      default: bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      if let read = try? KnowledgeManifest(bytes) {
        expect(read.age >= .zero && read.digests.count <= KnowledgeManifest.mostPieces, "seed \(seed)")
      }
    }
    var later = KnowledgeManifest(age: .zero, digests: []).bytes
    later[0] = 2
    #expect(throws: ListSeal.Fault.laterVersion) { try KnowledgeManifest(later) }
  }
}
