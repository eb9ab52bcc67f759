import Expectations
import FleetBook
import JetStreamClaims
import LibCrypto
import Testing

@testable import FleetSetUp

/// What is kept for nobody, and what of a station's credential is exchanged.
@Suite struct FleetKeysTests {
  @Test func eachKeyIsToldFromTheOthersAndMistypedOnesFromAll() throws {
    let change = try FleetChange.making(wish(), at: made)
    let administrator = String(try change.text("keep/administrator").dropLast())
    expectEqual(FleetAdministrator.key(administrator)?.user, change.layout.administrators.first)
    expect(FleetAdministrator.key(try change.credential("north").toBeSealed) == nil)
    expect(FleetCredential(administrator) == nil && FleetKeyText.bytes(administrator) == nil)
    let key = String(try change.text("keep/fleet.key").dropLast())
    expectEqual(
      FleetKeyText.bytes(key).flatMap { FleetKey(bytes: $0)?.mark }, try change.credential("north").key.mark)
    for place in administrator.indices.dropFirst(31) {
      var other = administrator
      other.replaceSubrange(place...place, with: administrator[place] == "A" ? "B" : "A")
      expect(FleetAdministrator.key(other) == nil, "a letter that was mistyped")
    }
  }

  @Test func aCredentialsKeysAreExchangedOneByOne() throws {
    let old = try FleetChange.making(wish(), at: made).credential("north")
    let user = try #require(old.withAnotherUser())
    expect(user.user.user != old.user.user && user.key.mark == old.key.mark)
    expectEqual(user.signing.rawRepresentation, old.signing.rawRepresentation)
    let bytes = [UInt8](repeating: 7, count: FleetKey.length)
    let fleet = try #require(old.with(fleet: bytes))
    expectEqual(fleet.key.mark, FleetKey(bytes: bytes)?.mark)
    expect(fleet.user.user == old.user.user)
    expectEqual(fleet.signing.rawRepresentation, old.signing.rawRepresentation)
    expectEqual(FleetCredential(fleet.toBeSealed)?.key.mark, fleet.key.mark)
    expect(old.with(fleet: []) == nil && old.with(fleet: bytes + [7]) == nil)
  }
}
