import Expectations
import FleetBook
import FleetTesting
import LibCrypto
import ScanModel
import ScanTesting
import Testing
import WireCoding

/// Values: what one station writes another reads, and nobody else's is believed.
@Suite struct ClaimSealTests {
  private let key = FleetPlan.key(.ticket, 1)
  private let one = FleetPlan.station(1)
  private let two = FleetPlan.station(2)
  private let keys: [StationID: Ed25519.PrivateKey]

  init() {
    keys = [FleetPlan.station(1): Ed25519.PrivateKey(), FleetPlan.station(2): Ed25519.PrivateKey()]
  }

  private func seal(
    _ station: StationID, fleet: String = "summer", by signer: StationID? = nil, believing: [StationID]? = nil
  ) throws -> ClaimSeal {
    var known: [StationID: Ed25519.PublicKey] = [:]
    for each in believing ?? [one, two] { known[each] = keys[each]?.publicKey }
    return ClaimSeal(
      fleet: fleet, station: station, key: try #require(keys[signer ?? station]), stations: known)
  }

  private func stored(
    _ value: [UInt8], _ key: ClaimKey? = nil, at revision: UInt64 = 5, replacing: UInt64 = 3
  ) -> StoredClaim {
    StoredClaim(
      key: key ?? self.key, value: value, revision: ClaimRevision(revision), replaced: ClaimRevision(replacing),
      time: WallTime(seconds: 1_790_000_000))
  }

  private func anyClaim(_ random: inout SeededGenerator) -> Claim {
    let entries = (0..<Int.random(in: 0...6, using: &random)).map { number in
      let states: [ClaimEntry.State] = [.claimed, .interrupted, .admitted, .left(by: FleetPlan.scan(900 + number))]
      return ClaimEntry(
        scan: FleetPlan.scan(number), station: FleetPlan.station(Int.random(in: 0...200, using: &random)),
        gate: GateID(["", "north", "Tür 3", String(repeating: "é", count: 32)].randomElement(using: &random) ?? ""),
        state: states.randomElement(using: &random) ?? .claimed, mayHaveRedeemed: random.chance(30),
        isProvisional: random.chance(30),
        at: random.chance(70) ? WallTime(nanoseconds: Int64.random(in: .min ... .max, using: &random)) : nil,
        saidAt: random.chance(30) ? WallTime(nanoseconds: Int64.random(in: .min ... .max, using: &random)) : nil)
    }
    return Claim(
      quantity: random.chance(50) ? .random(in: 0 ... .max, using: &random) : nil, entries: entries,
      folded: .random(in: 0 ... .max, using: &random))
  }

  @Test func whatOneWritesAnotherReads() throws {
    let writer = try seal(one)
    let reader = try seal(two)
    for number in 0..<UInt64(extent(landing: 300, release: 10_000)) {
      var random = SeededGenerator(seed: number)
      let claim = anyClaim(&random)
      let bytes = try #require(writer.seal(claim, for: key, replacing: ClaimRevision(3)))
      let known = KnownClaim(
        claim: claim, revision: ClaimRevision(5), time: WallTime(seconds: 1_790_000_000))
      expectEqual(reader.open(stored(bytes)), .known(known), "seed \(number)")
    }
  }

  @Test func whateverIsChangedIsNoClaim() throws {
    let writer = try seal(one)
    let reader = try seal(two)
    for number in 0..<UInt64(extent(landing: 2_000, release: 100_000)) {
      var random = SeededGenerator(seed: number)
      var bytes = try #require(writer.seal(anyClaim(&random), for: key, replacing: ClaimRevision(3)))
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[Int.random(in: bytes.indices, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      case 2: bytes.insert(.random(in: 0 ... .max, using: &random), at: Int.random(in: bytes.indices, using: &random))
      default:
        let head = Array(bytes.prefix(1))
        bytes =
          head + (0..<Int.random(in: 0..<300, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
      }
      guard case .unusable = reader.open(stored(bytes)) else {
        Issue.record("seed \(number): it is read as a claim")
        return
      }
    }
  }

  @Test func nothingIsMovedElsewhere() throws {
    let bytes = try #require(try seal(one).seal(Claim(), for: key, replacing: ClaimRevision(3)))
    let lies = ClaimReading.unusable(.signature(of: one))
    expectEqual(try seal(two).open(stored(bytes, FleetPlan.key(.ticket, 2))), lies)
    expectEqual(try seal(two).open(stored(bytes, FleetPlan.key(.sale, 1))), lies)
    expectEqual(try seal(two).open(stored(bytes, replacing: 4)), lies)
    expectEqual(try seal(two).open(stored(bytes, at: 3)), lies)
    expectEqual(try seal(two, fleet: "winter").open(stored(bytes)), lies)
  }

  @Test func whoLiesAboutTheirNameIsNotBelieved() throws {
    let bytes = try #require(try seal(one, by: two).seal(Claim(), for: key, replacing: ClaimRevision(3)))
    expectEqual(try seal(two).open(stored(bytes)), .unusable(.signature(of: one)))
  }

  @Test func whoIsNoneOfTheFleetIsNotBelieved() throws {
    let bytes = try #require(try seal(one).seal(Claim(), for: key, replacing: ClaimRevision(3)))
    expectEqual(try seal(two, believing: [two]).open(stored(bytes)), .unusable(.stranger("gate1")))
  }

  @Test func aLaterVersionIsToldFromGarbage() throws {
    var bytes = try #require(try seal(one).seal(Claim(), for: key, replacing: ClaimRevision(3)))
    bytes[0] = 2
    expectEqual(try seal(two).open(stored(bytes)), .unusable(.laterVersion(2)))
    bytes[0] = 0
    guard case .unusable(.garbage) = try seal(two).open(stored(bytes)) else {
      Issue.record("version 0 is believed")
      return
    }
    guard case .unusable(.garbage) = try seal(two).open(stored([])) else {
      Issue.record("nothing is believed")
      return
    }
  }

  @Test func aScanWithTwoEntriesIsNoClaim() throws {
    let entry = ClaimEntry(scan: FleetPlan.scan(1), station: one, gate: GateID("north"))
    let bytes = try #require(
      try seal(one).seal(Claim(entries: [entry, entry]), for: key, replacing: ClaimRevision(3)))
    expectEqual(try seal(two).open(stored(bytes)), .unusable(.garbage("a scan has two entries")))
  }

  @Test func theLongestClaimIsKept() throws {
    var claim = Claim(quantity: .max)
    for number in 0..<Claim.most {
      claim.entries.append(
        ClaimEntry(
          scan: FleetPlan.scan(number), station: try #require(StationID(String(repeating: "s", count: 32))),
          gate: GateID(String(repeating: "g", count: 64)), state: .left(by: FleetPlan.scan(number)),
          at: WallTime(nanoseconds: 1), saidAt: WallTime(nanoseconds: 1)))
    }
    let bytes = try #require(try seal(one).seal(claim, for: key, replacing: ClaimRevision(3)))
    expect(bytes.count <= ClaimSeal.longest, "\(bytes.count) bytes")
    guard case .known = try seal(two).open(stored(bytes)) else {
      Issue.record("it is not read")
      return
    }
    claim.entries.append(ClaimEntry(scan: FleetPlan.scan(999), station: one, gate: GateID("north")))
    expectEqual(try seal(one).seal(claim, for: key, replacing: ClaimRevision(3)), nil)
    let long = ClaimEntry(scan: FleetPlan.scan(1), station: one, gate: GateID(String(repeating: "g", count: 65)))
    expectEqual(try seal(one).seal(Claim(entries: [long]), for: key, replacing: ClaimRevision(3)), nil)
  }
}
