import Expectations
import FleetBook
import FleetTesting
import ScanModel
import Testing
import WireText

@testable import JetStreamClaims

/// What every store of claims must do, by real servers.
@Suite struct ConformanceTests {
  @Test func oneServer() async throws { try await Self.conforms(.shared(1)) }

  static func conforms(_ servers: NATSServers) async throws {
    try await servers.makeBucket("conforming")
    let store = try await servers.store(bucket: "conforming")
    let administrator = try servers.administrate("conforming")
    let settings = administrator.settings
    let suite = ClaimStoreConformance(
      store: store,
      delete: { key in
        _ = await administrator.ask(
          NATSRequest(subject: settings.subject(key), headers: [("KV-Operation", "DEL")]), until: soon())
      })
    expectEqual(await suite.failures(), [])
    await store.stop()
    await administrator.stop()
  }

  /// What was written over is still there, by its number: whoever catches up judges each write by what the others had then.
  @Test(.timeLimit(.minutes(1))) func everyRevisionStays() async throws {
    let servers = try await NATSServers.shared(1)
    try await servers.makeBucket("revisions", bytes: 10_000_000)
    let store = try await servers.store(bucket: "revisions")
    let key = freshKey()
    var written = [try await store.create(key, [0], until: soon())]
    for value in 1...3 as ClosedRange<UInt8> {
      written.append(try await store.update(key, [value], at: try #require(written.last), until: soon()))
    }
    for (value, revision) in written.enumerated() {
      var wish = JSONText()
      wish.add("seq", Int64(revision.number))
      let found = try await store.link.message(wish, until: soon()).get()
      expect(found?.value == [UInt8(value)], "revision \(revision.number): \(String(describing: found))")
    }
    // They are one claim.
    let facts = await store.facts(until: soon())
    expectEqual(facts.bucket?.keys, 1)
    // Who watches is told what a key has at last.
    var watch = store.watch(after: .none).makeAsyncIterator()
    var seen: [[UInt8]] = []
    while let change = await watch.next(), change != .caughtUp {
      if case .stored(let claim) = change { seen.append(claim.value) }
    }
    expectEqual(seen, [[3]])
    await store.stop()
  }
}
