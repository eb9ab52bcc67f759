import Expectations
import FleetBook
import FleetTesting
import ScanModel
import Testing

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
}
