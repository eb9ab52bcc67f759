import Expectations
import FleetTesting
import Testing

/// The store in memory does what real servers do: the same suite is run against both.
@Suite struct ModelStoreTests {
  @Test func conforms() async {
    let store = ModelClaimStore()
    let suite = ClaimStoreConformance(store: store, delete: { store.delete($0) }, fill: { store.fill($0) })
    expectEqual(await suite.failures(), [])
  }
}
