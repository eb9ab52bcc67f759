import Expectations
import FleetBook
import FleetTesting
import LibCrypto
import ScanModel
import ScanTesting
import Testing

@testable import FleetKeeping

/// Stations of one fleet over one store, each with a journal that outlives its process.
struct KeptFleet {
  static let names = ["north", "south", "east"]

  let store: ModelClaimStore
  let key: FleetKey
  let signing: [StationID: Ed25519.PrivateKey]

  init(_ store: ModelClaimStore = ModelClaimStore()) throws {
    self.store = store
    key = try #require(FleetKey(bytes: [UInt8](repeating: 7, count: FleetKey.length)))
    signing = Dictionary(
      uniqueKeysWithValues: try Self.names.map { (try #require(StationID($0)), Ed25519.PrivateKey()) })
  }

  func seal(of station: StationID) throws -> ClaimSeal {
    ClaimSeal(
      fleet: "summer", station: station, key: try #require(signing[station]),
      stations: signing.compactMapValues(\.publicKey))
  }

  func ticket(_ number: Int) throws -> ClaimKey { try #require(key.name(.ticket, [UInt8(number)])) }
  func sale(_ number: Int) throws -> ClaimKey { try #require(key.name(.sale, [UInt8(number)])) }

  /// What the fleet has of a ticket.
  func claim(_ key: ClaimKey) async throws -> Claim {
    guard let stored = try await store.read(key, until: SystemTime().now() + .seconds(5)) else { return Claim() }
    guard case .known(let known) = try seal(of: #require(signing.keys.first)).open(stored) else {
      throw JournalFault(.damaged, "no claim")
    }
    return known.claim
  }
}

/// A process of a station.
final class KeptStation: Sendable {
  let fleet: KeptFleet
  let id: StationID
  let keeper: ClaimKeeper
  let network: FaultyClaimStore
  let journal: MemoryJournal
  let news: AsyncStream<ClaimNews>
  let admitted: @Sendable (ScanID) async -> Bool?

  init(
    _ fleet: KeptFleet, _ name: String, journal: MemoryJournal = MemoryJournal(), alone: AlonePolicy = .refuse,
    policy: ClaimPolicy = ClaimPolicy(pause: .milliseconds(1)), isReliable: Bool = true,
    formerWrites: Duration = .seconds(60), awayAfter: Duration = .zero, word: StationWord? = nil,
    admitted: @escaping @Sendable (ScanID) async -> Bool? = { _ in false },
    fate: @escaping @Sendable () -> FaultyClaimStore.Fate = { .answered }
  ) async throws {
    self.fleet = fleet
    self.journal = journal
    self.admitted = admitted
    id = try #require(StationID(name))
    network = FaultyClaimStore(fleet.store, fate: fate)
    keeper = ClaimKeeper(
      ClaimKeeper.Settings(
        fleet: "summer", station: id, key: fleet.key, seal: try fleet.seal(of: id), alone: alone, policy: policy,
        tellingPause: .milliseconds(1), formerWrites: formerWrites, awayAfter: awayAfter, word: word,
        wordPause: .milliseconds(1), housePause: .milliseconds(1)),
      store: network, book: journal, memory: ClaimKeeper.Memory(wasAdmitted: admitted, isReliable: { isReliable }),
      loop: try GateThreads.next(), time: SystemTime())
    let (stream, continuation) = AsyncStream.makeStream(of: ClaimNews.self)
    news = stream
    await keeper.listen { continuation.yield($0) }
  }

  func start() async throws { try #require(await keeper.start() == nil) }

  static func subject() -> ClaimSubject {
    ClaimSubject(
      reader: ReaderID("left"), code: Code("a-ticket-of-somebody"), system: TicketSystemID("main"), server: "fake",
      ticket: TicketKey([1, 2, 3]), at: WallTime(seconds: 1_700_000_000))
  }

  func claim(
    _ key: ClaimKey, _ rule: ClaimDemand.Rule = .quantity(nil), scan: ScanID = ScanID(), redeems: Bool = true,
    within: Duration = .seconds(20), isListed: Bool = false
  ) async -> ClaimWord {
    await keeper.claim(
      ClaimPresentation(
        scan: scan, gate: GateID("door"), demand: ClaimDemand(key, rule), redeems: redeems, subject: Self.subject()),
      until: SystemTime().now() + within, isListed: { isListed })
  }

  func admitted(_ scan: ScanID, _ demands: [ClaimDemand] = []) async -> ClaimOpening {
    await keeper.admitted(scan, demands, until: SystemTime().now() + .seconds(20), isListed: { false })
  }

  /// A whole presentation of somebody whom the ticket system lets in; whether the gate has opened, and provisionally.
  func present(
    _ key: ClaimKey, _ rule: ClaimDemand.Rule = .quantity(nil), sale: ClaimDemand? = nil, isListed: Bool = false,
    within: Duration = .seconds(20)
  ) async -> (verdict: ClaimVerdict, scan: ScanID) {
    let scan = ScanID()
    switch await claim(key, rule, scan: scan, within: within, isListed: isListed) {
    case .stopped(let verdict): return (verdict, scan)
    case .unkept: return (.late, scan)
    case .held: break
    }
    switch await admitted(scan, [ClaimDemand(key, rule)] + [sale].compactMap(\.self)) {
    case .stopped(let verdict): return (verdict, scan)
    case .unkept: return (.late, scan)
    case .open(_, let isAlone):
      await keeper.opened(scan)
      return (.admit(isProvisional: isAlone), scan)
    }
  }

  /// Joins it with the fleet again, and returns when it knows.
  func join() async {
    network.cut(false)
    await until { await keeper.away == nil }
  }

  /// Returns when the fleet was told everything.
  func allTold() async {
    await until { await keeper.owedCount == 0 }
  }
}
