import Expectations
import FleetBook
import FleetTesting
import LibCrypto
import ScanModel
import Testing

/// The bytes of each format that stations of other versions read and write in the same evening. They were made beside this program, by another
/// one, of what is written in docs/decisions/0080: whoever changes them makes a format.
@Suite struct BookFormatTests {
  private let key: ClaimKey
  private let seal: ClaimSeal

  init() throws {
    key = try #require(ClaimKey(.ticket, digest: (16..<32).map { UInt8($0) }))
    let signing = try #require(Ed25519.PrivateKey(rawRepresentation: (0..<32).map { UInt8($0) }))
    let north = try #require(StationID("north"))
    seal = ClaimSeal(
      fleet: "summer", station: north, key: signing, stations: [north: try #require(signing.publicKey)])
  }

  private static let empty =
    "01000000000000000005006e6f72746800000000000000429b5901bb3ac15b30426ca867650d35bdbfe3a5a7f00de3b4"
    + "186712b950c108eeaf1aca342c9415af2e26328be28920fecd9d9df78de93d9f4834131e28a60b"

  private static let all =
    "01070000000000000005006e6f72746801030000004600000004000000000000000000000000000000000105006e6f72"
    + "74680400646f6f7201000000000000000000000000000000000000020500736f757468060054c3bc72203302010115cd"
    + "4e2b845bd718000000000000000000000000000000000305006e6f7274680400646f6f7203020100ca8d5f845bd71801"
    + "003658e8835bd71800000000000000000000000000000004040065617374000004000000000000000000000000000000"
    + "05030001ffffffffffffffff86ddd84975e30309062123fc7609003670a0530a8a62925a5732f36a1e4449f28f984d70"
    + "7b645440f335499e69098f53e58d71fc24cd16e116ae9d87c9c0db0b"

  /// Everything that a claim may have.
  private func full() throws -> Claim {
    let (north, south) = (try #require(StationID("north")), try #require(StationID("south")))
    let east = try #require(StationID("east"))
    return Claim(
      quantity: 3,
      entries: [
        ClaimEntry(scan: FleetPlan.scan(1), station: north, gate: GateID("door")),
        ClaimEntry(
          scan: FleetPlan.scan(2), station: south, gate: GateID("Tür 3"), state: .interrupted, mayHaveRedeemed: true,
          at: WallTime(nanoseconds: 1_790_000_000_123_456_789)),
        ClaimEntry(
          scan: FleetPlan.scan(3), station: north, gate: GateID("door"), state: .admitted, isProvisional: true,
          at: WallTime(seconds: 1_790_000_001), saidAt: WallTime(seconds: 1_789_999_999)),
        ClaimEntry(
          scan: FleetPlan.scan(4), station: east, gate: GateID(""), state: .left(by: FleetPlan.scan(5)),
          mayHaveRedeemed: true, isProvisional: true, saidAt: WallTime(nanoseconds: -1)),
      ], folded: 70)
  }

  private func stays(_ hex: String, _ claim: Claim, replacing: UInt64, _ format: BookFormat) throws {
    let written = try #require(seal.seal(claim, for: key, replacing: ClaimRevision(replacing), in: format))
    expectEqual(written.hex, hex, "written")
    let time = WallTime(seconds: 1)
    let stored = StoredClaim(
      key: key, value: [UInt8](hex: hex), revision: ClaimRevision(9), replaced: ClaimRevision(replacing), time: time)
    expectEqual(seal.open(stored), .known(KnownClaim(claim: claim, revision: ClaimRevision(9), time: time)), "read")
    expectEqual(ClaimSeal.author(of: stored.value)?.description, "north")
  }

  @Test func claimsOfTheFirst() throws {
    try stays(Self.empty, Claim(), replacing: 0, .first)
    try stays(Self.all, try full(), replacing: 7, .first)
  }

  /// Whatever is new in a claim is a new format: nothing may be added to one that is there, for who does not know it would write it over.
  @Test func nothingIsAddedToOne() throws {
    let bytes = [UInt8](hex: Self.all)
    for place in [bytes.count - 64, 14, 9] {
      var longer = bytes
      longer.insert(0, at: place)
      let stored = StoredClaim(
        key: key, value: longer, revision: ClaimRevision(9), replaced: ClaimRevision(7), time: WallTime(seconds: 1))
      guard case .unusable = seal.open(stored) else {
        expect(false, "a byte more at \(place) is taken")
        continue
      }
    }
  }

  @Test func aLaterOneIsToldAsSuch() throws {
    let later = BookFormat.newest.rawValue + 1
    let stored = StoredClaim(
      key: key, value: [later] + [UInt8](hex: Self.all).dropFirst(), revision: ClaimRevision(9),
      replaced: ClaimRevision(7), time: WallTime(seconds: 1))
    expectEqual(seal.open(stored), .unusable(.laterVersion(later)))
  }

  /// By these all stations name one ticket, one sale and one line.
  @Test func names() throws {
    let key = try #require(FleetKey(bytes: (0..<32).map { UInt8($0) }))
    expectEqual(key.mark, "63c18581c214a56c049f4c9b0ced19c4")
    expectEqual(
      key.name(.ticket, [UInt8]("https://tickets.example".utf8), [1, 2], [3])?.description,
      "t.bf5ad6db95512a0b1e0dd33c59e9b8ce")
    expectEqual(key.name(.sale, [UInt8]("sale".utf8))?.description, "s.687dc0315ffb326d8e1f40d947e9d95c")
    expectEqual(key.name(.line, [UInt8]("line".utf8))?.description, "l.d48cf903004ac10efc3fd1153aab87e9")
  }
}
