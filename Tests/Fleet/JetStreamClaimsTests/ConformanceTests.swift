import Expectations
import FleetBook
import FleetTesting
import ScanModel
import Testing

@testable import JetStreamClaims

/// What every store of claims must do, by real servers.
@Suite struct ConformanceTests {
  @Test(arguments: [1, 3]) func servers(_ count: Int) async throws {
    let servers = try await NATSServers.shared(count)
    let store = try await servers.store()
    let administrator = try servers.administrate()
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
