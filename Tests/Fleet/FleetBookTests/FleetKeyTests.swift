import Expectations
import FleetBook
import Testing

@Suite struct FleetKeyTests {
  private let bytes = (0..<32).map { UInt8($0) }

  @Test func namesAreTheFleetsAlone() throws {
    let key = try #require(FleetKey(bytes: bytes))
    let same = try #require(FleetKey(bytes: bytes))
    let other = try #require(FleetKey(bytes: bytes.reversed()))
    expectEqual(key.name(.ticket, [1], [2, 3]), same.name(.ticket, [1], [2, 3]))
    let names = Set([
      key.name(.ticket, [1], [2, 3]), key.name(.ticket, [1, 2], [3]), key.name(.ticket, [1, 2, 3]),
      key.name(.sale, [1], [2, 3]), key.name(.line, [1], [2, 3]), other.name(.ticket, [1], [2, 3]),
    ])
    expectEqual(names.count, 6)
    expect(!names.contains(nil))
  }

  /// A place of a list of tickets and one of what else is told of the same server are two.
  @Test func listsAndWhatIsKnownHaveNamesOfTheirOwn() throws {
    let key = try #require(FleetKey(bytes: bytes))
    let other = try #require(FleetKey(bytes: bytes.reversed()))
    let names = Set([
      key.name(ofKnowledgeOf: "a"), key.name(ofKnowledgeOf: "b"), other.name(ofKnowledgeOf: "a"),
      key.name(ofListOf: "a", scope: []), key.name(ofListed: [], of: "a"),
    ])
    expectEqual(names.count, 5)
    expect(names.allSatisfy { $0.count == ClaimKey.digestLength })
  }

  @Test func theMarkTellsKeysApart() throws {
    let key = try #require(FleetKey(bytes: bytes))
    expectEqual(key.mark, try #require(FleetKey(bytes: bytes)).mark)
    expect(key.mark != (try #require(FleetKey(bytes: bytes.reversed()))).mark)
    expectEqual(key.mark.count, 32)
    expectEqual(FleetKey(bytes: [1, 2, 3])?.mark, nil)
  }

  @Test func aKeysTextIsReadBack() throws {
    let key = try #require(FleetKey(bytes: bytes)?.name(.sale, [7]))
    expectEqual(ClaimKey(key.description), key)
    expect(key.description.hasPrefix("s.") && key.description.utf8.count == 34)
    for text in ["", "s", "s.", "x" + key.description.dropFirst(), key.description + "0", key.description.uppercased()]
    {
      expectEqual(ClaimKey(text), nil, "\(text)")
    }
    expectEqual(ClaimKey(.ticket, digest: [1]), nil)
  }

  @Test func aStationsNameIsPlain() {
    expect(StationID("gate-1") != nil)
    for name in ["", "Gate", "gate 1", "tür", String(repeating: "a", count: 33), "a/b", "a.b"] {
      expectEqual(StationID(name), nil, "\(name)")
    }
  }
}
