import Expectations
import FleetBook
import LibCrypto
import ScanModel
import ScanTesting
import Testing
import TicketLists

@testable import FleetLists

/// What is told of lists: read by stations of the fleet, believed of those that are named, and of use nowhere else.
@Suite struct ListSealTests {
  private let fleet: SpreadFleet

  init() throws { fleet = try SpreadFleet(["office", "north", "south"]) }

  private func place(_ station: String, _ part: ListPlace.Part = .piece(3)) throws -> ListPlace {
    ListPlace(station: try fleet.id(station), list: fleet.name, part)
  }

  @Test func whatOneWritesAnotherReads() throws {
    let (writer, reader) = (try fleet.seal("office", believing: []), try fleet.seal("north", believing: ["office"]))
    let text = [UInt8]("one ticket".utf8)
    let value = try #require(writer.seal(text, in: try place("office")))
    expectEqual(try reader.open(value, in: try place("office")), text)
    expect(!String(decoding: value, as: UTF8.self).contains("ticket"))
    expect(writer.seal([UInt8](repeating: 0, count: ListSeal.longest), in: try place("office")) == nil)
    expect(
      writer.seal([UInt8](repeating: 0, count: SharedListHead.longestPiece), in: try place("office")) != nil)
  }

  /// In any other place, of another fleet or event, by another key, or of whoever is not named: it is nothing.
  @Test func whatIsElsewhereIsNotBelieved() throws {
    let writer = try fleet.seal("office", believing: [])
    let value = try #require(writer.seal([1, 2, 3], in: try place("office")))
    let reader = try fleet.seal("north", believing: ["office", "south"])
    var other = try place("office")
    other.list = fleet.key.name(ofListOf: SpreadFleet.server, scope: [1])
    for place in [try place("office", .piece(4)), try place("office", .manifest), try place("south"), other] {
      #expect(throws: ListSeal.Fault.unproven) { try reader.open(value, in: place) }
    }
    let key = try #require(FleetKey(bytes: [UInt8](repeating: 4, count: FleetKey.length)))
    for reader in [
      try fleet.seal("north", believing: ["south"]), try fleet.seal("north", believing: ["office"], fleet: "winter"),
      try fleet.seal("north", believing: ["office"], key: key),
    ] {
      #expect(throws: ListSeal.Fault.unproven) { try reader.open(value, in: try place("office")) }
    }
    // Another station of the fleet has its key, and cannot sign for this one.
    let forged = try #require(try fleet.seal("south", believing: []).seal([1, 2, 3], in: try place("office")))
    #expect(throws: ListSeal.Fault.unproven) { try reader.open(forged, in: try place("office")) }
    var later = value
    later[0] = 2
    #expect(throws: ListSeal.Fault.laterVersion) { try reader.open(later, in: try place("office")) }
  }

  /// Whatever a server makes of a value: it is read as it was written, or refused.
  @Test func garbage() throws {
    let writer = try fleet.seal("office", believing: [])
    let reader = try fleet.seal("north", believing: ["office"])
    let manifestPlace = try place("office", .manifest)
    for seed in 0..<UInt64(extent(landing: 200, release: 5_000)) {
      var random = SeededGenerator(seed: seed)
      let bits = Int.random(in: 0...5, using: &random)
      let wholes: [SharedListHead.Whole] = [.own, .never, .at(WallTime(seconds: .random(in: 0...9, using: &random)))]
      let manifest = ListManifest(
        head: SharedListHead(
          asOf: WallTime(nanoseconds: .random(in: .min ... .max, using: &random)),
          whole: wholes.randomElement(using: &random) ?? .own, count: .random(in: 0...99, using: &random),
          codeBits: .random(in: 0...300, using: &random), codeLooks: "é digits", bits: bits),
        age: .nanoseconds(Int64.random(in: 0 ... .max, using: &random)),
        digests: (0..<(1 << bits)).map { ListManifest.digest(of: [UInt8($0)]) })
      let value = try #require(writer.seal(manifest, in: manifestPlace))
      expectEqual(try reader.manifest(value, in: manifestPlace), manifest, "seed \(seed)")
      var spoiled = value
      switch Int.random(in: 0...2, using: &random) {
      case 0: spoiled.removeLast(Int.random(in: 1...spoiled.count, using: &random))
      case 1: spoiled.append(.random(in: 0...255, using: &random))
      default: spoiled[Int.random(in: 0..<spoiled.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
      }
      #expect(throws: ListSeal.Fault.self, "seed \(seed)") { try reader.manifest(spoiled, in: manifestPlace) }
      // What its station has signed may be nonsense all the same.
      var bytes = manifest.bytes
      bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      let nonsense = try #require(writer.seal(bytes, in: manifestPlace))
      if let read = try? reader.manifest(nonsense, in: manifestPlace) {
        expect(read.digests.count == read.head.pieces && read.age >= .zero, "seed \(seed)")
      }
    }
  }
}
