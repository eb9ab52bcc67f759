import Expectations
import LibCrypto
import ScanModel
import ScanTesting
import Testing

@testable import FleetBook

/// What stations say of themselves: whose it is, and what of it is believed.
@Suite struct StationWordTests {
  private let keys = ["north", "south"].map { ($0, Ed25519.PrivateKey()) }

  private func seal(_ name: String, fleet: String = "fair-2026") throws -> ClaimSeal {
    let key = try #require(keys.first { $0.0 == name }).1
    return ClaimSeal(
      fleet: fleet, station: try #require(StationID(name)), key: key,
      stations: Dictionary(
        uniqueKeysWithValues: try keys.map { (try #require(StationID($0.0)), try #require($0.1.publicKey)) }))
  }

  private func stored(_ value: [UInt8], of name: String, at revision: UInt64 = 9, replaced: UInt64 = 4) throws
    -> StoredClaim
  {
    StoredClaim(
      key: .word(of: try #require(StationID(name))), value: value, revision: ClaimRevision(revision),
      replaced: ClaimRevision(replaced), time: WallTime(seconds: 1_800_000_000))
  }

  private let word = StationWord(
    program: "1.4.0", systems: [.init(address: 7, scope: .max), .init(address: 8, scope: 9)],
    zone: .init(january: 3_600, july: 7_200), count: .init(admitted: 812, left: 3), clockAhead: .seconds(-5))

  @Test func aWordIsReadAsItWasWritten() throws {
    let bytes = try #require(seal("north").seal(word, replacing: ClaimRevision(4)))
    let known = try #require(seal("south").word(stored(bytes, of: "north")))
    expectEqual(known.word, word)
    expectEqual(known.station.description, "north")
    expectEqual(known.revision, ClaimRevision(9))
    expectEqual(ClaimSeal.author(of: bytes)?.description, "north")
    // Its place has a name as claims have.
    let place = ClaimKey.word(of: try #require(StationID("north")))
    expectEqual(ClaimKey(place.description), place)
  }

  @Test func whatIsNotItsStationsIsNotBelieved() throws {
    let bytes = try #require(seal("north").seal(word, replacing: ClaimRevision(4)))
    let south = try seal("south")
    // In another's place, moved to another revision, of another fleet, of a later version, cut off, with a bit that is another.
    expect(south.word(try stored(bytes, of: "south")) == nil)
    expect(south.word(try stored(bytes, of: "north", at: 12, replaced: 9)) == nil)
    expect(try seal("south", fleet: "fair-2027").word(stored(bytes, of: "north")) == nil)
    expect(south.word(try stored([2] + bytes.dropFirst(), of: "north")) == nil)
    for place in bytes.indices {
      expect(south.word(try stored(Array(bytes.prefix(place)), of: "north")) == nil, "cut off at \(place)")
      var other = bytes
      other[place] ^= 1
      expect(south.word(try stored(other, of: "north")) == nil, "another byte \(place)")
    }
    var claim = try stored(bytes, of: "north")
    claim.key = try #require(ClaimKey(.ticket, digest: [UInt8](repeating: 1, count: ClaimKey.digestLength)))
    expect(south.word(claim) == nil)
  }

  @Test func aCountNeverEndsTheProcess() {
    var count = StationWord.Count(admitted: .max, left: 0)
    count.add(1)
    count.add(StationWord.Count(admitted: 5, left: 2))
    expectEqual(count, .init(admitted: .max, left: 2))
    expectEqual(count.balance, .max)
    expectEqual(StationWord.Count(admitted: 1, left: 4).balance, -3)
  }

  // MARK: What differs

  private func known(_ name: String, _ change: (inout StationWord) -> Void = { _ in }) throws -> KnownWord {
    var word = word
    change(&word)
    return KnownWord(
      station: try #require(StationID(name)), word: word, revision: ClaimRevision(1), time: WallTime(seconds: 0))
  }

  private func differences(_ words: KnownWord...) -> [String] {
    WordDifference.found(in: words).map { "\($0.station) \($0.kind)".split(separator: "(")[0].description }
  }

  @Test func whoSaysTheSameAsAllOthersIsNotNamed() throws {
    expectEqual(differences(try known("north")), [])
    expectEqual(differences(try known("north"), try known("south"), try known("west") { $0.systems.removeLast() }), [])
    expectEqual(differences(try known("north"), try known("bar") { $0.systems = [] }), [])
  }

  @Test func whoSaysSomethingElseIsNamed() throws {
    let far = try known("west") { $0.zone = .init(january: 0, july: 0) }
    expectEqual(differences(try known("north"), try known("south"), far), ["west zone"])
    let words = try #require(WordDifference.found(in: [known("north"), known("south"), far]).first).words
    expect(
      words.contains("west has another time zone") && words.contains("UTC+0, they UTC+1, in July UTC+2"), "\(words)")
    let scope = try known("west") { $0.systems[0].scope = 1 }
    expectEqual(differences(try known("north"), try known("south"), scope), ["west scope"])
    let address = try known("west") { $0.systems = [.init(address: 70, scope: 70)] }
    expectEqual(differences(try known("north"), try known("south"), address), ["west address"])
    let own = try known("west") { $0.systems.append(.init(address: 70, scope: 70)) }
    let found = WordDifference.found(in: [try known("north"), own])
    expectEqual(found.map(\.isDoubt), [false], "what may be meant: \(found)")
  }

  // MARK: Which server is asked first

  @Test func stationsBeginAtDifferentServersAndEachAlwaysAtTheSame() {
    let servers = (1...3).map { FleetServer(host: "gate\($0)", port: 4_222) }
    var firsts: [FleetServer: Int] = [:]
    for number in 0..<300 {
      let order = FleetServer.order(servers, of: "station-\(number)")
      expectEqual(order, FleetServer.order(servers, of: "station-\(number)"))
      expectEqual(Set(order), Set(servers))
      if let place = order.firstIndex(of: servers[0]) { expectEqual(order[(place + 1) % 3], servers[1]) }
      firsts[order[0], default: 0] += 1
    }
    expect(firsts.count == 3 && firsts.values.allSatisfy { $0 > 60 }, "\(firsts)")
    expectEqual(FleetServer.order([servers[0]], of: "north"), [servers[0]])
    expectEqual(FleetServer.order([], of: "north"), [])
  }

  // MARK: Certificates

  @Test(arguments: [(31, nil), (29, "ends in 29 days"), (0, "ends in 0 days"), (-1, "ended at")] as [(Int64, String?)])
  func certificatesAreNamedAMonthBefore(_ days: Int64, _ words: String?) {
    let now = WallTime(seconds: 1_800_000_000)
    let certificate = FleetCertificate(
      owner: "the server gate1", ends: now + .seconds(days * 86_400 + (days < 0 ? 0 : 60)))
    let said = certificate.words(at: now)
    expect(words.map { said?.contains($0) == true } ?? (said == nil), "\(said ?? "nothing")")
  }
}
