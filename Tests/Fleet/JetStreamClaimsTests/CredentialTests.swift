import Expectations
import FleetBook
import LibCrypto
import ScanTesting
import Testing

@testable import JetStreamClaims

/// What a station is to its fleet, as text.
@Suite struct CredentialTests {
  private func fleet() throws -> [UInt8] { try #require(FleetKeyText.bytes(FleetKeyText.make())) }

  @Test func whatIsMadeIsTaken() throws {
    let fleet = try fleet()
    let (one, other) = (
      try #require(FleetCredential.make(fleet: fleet)), try #require(FleetCredential.make(fleet: fleet))
    )
    let again = try #require(FleetCredential(one.toBeSealed))
    expectEqual(again.user.user, one.user.user)
    expectEqual(again.signing.publicKey, one.signing.publicKey)
    // Stations of one fleet name a ticket alike, and are nobody else to servers and to each other.
    expectEqual(one.key.name(.ticket, [1]), other.key.name(.ticket, [1]))
    expectEqual(one.key.mark, other.key.mark)
    expect(one.user.user != other.user.user && one.signing.publicKey != other.signing.publicKey)
    expect(FleetCredential.make(fleet: Array(fleet.dropLast())) == nil)
  }

  @Test func itIsShownNowhere() throws {
    let credential = try #require(FleetCredential.make(fleet: try fleet()))
    for text in ["\(credential)", String(reflecting: credential)] {
      expect(!text.contains(credential.toBeSealed) && text.utf8.count < 60, "a secret is shown")
    }
  }

  @Test func whatWasMistypedIsNone() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    let good = Array(try #require(FleetCredential.make(fleet: try fleet())).toBeSealed)
    let key = Array(FleetKeyText.make())
    for _ in 0..<extent(landing: 500, release: 20_000) {
      let place = Int.random(in: 0..<good.count, using: &random)
      let letter = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567 -".randomElement(using: &random) ?? "A"
      guard good[place] != letter else { continue }
      var wrong = good
      wrong[place] = letter
      expect(FleetCredential(String(wrong)) == nil, "seed \(seed)")
      var other = key
      guard other[place % key.count] != letter else { continue }
      other[place % key.count] = letter
      expect(FleetKeyText.bytes(String(other)) == nil, "seed \(seed)")
    }
    for text in ["", String(good.dropLast()), String(good) + "A", String(key)] {
      expect(FleetCredential(text) == nil)
    }
  }
}
