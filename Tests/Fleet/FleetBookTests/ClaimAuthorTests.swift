import Expectations
import FleetBook
import FleetTesting
import LibCrypto
import Testing

/// Who says that they have written a claim.
@Suite struct ClaimAuthorTests {
  @Test func aValueSaysWhoseItIs() throws {
    let (station, key) = (FleetPlan.station(1), Ed25519.PrivateKey())
    let seal = ClaimSeal(fleet: "summer", station: station, key: key, stations: [:])
    let value = try #require(seal.seal(Claim(), for: FleetPlan.key(.ticket, 1), replacing: ClaimRevision(7)))
    expectEqual(ClaimSeal.author(of: value), station)
    for length in 0..<9 { expect(ClaimSeal.author(of: Array(value.prefix(length))) == nil, "\(length) bytes") }
    expect(ClaimSeal.author(of: [BookFormat.newest.rawValue + 1] + value.dropFirst()) == nil, "of a later format")
    expect(ClaimSeal.author(of: [UInt8](repeating: 1, count: ClaimSeal.longest + 1)) == nil)
    expect(ClaimSeal.author(of: [UInt8](repeating: 0xFF, count: 100)) == nil)
  }
}
