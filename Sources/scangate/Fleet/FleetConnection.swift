import FleetSetUp
import JetStreamClaims
import LinuxIO
import ScanModel

/// A connection to a fleet's servers that begins now.
func connected(_ settings: JetStreamSettings) throws -> JetStreamClaimStore {
  do throws(SystemError) {
    let store = try JetStreamClaimStore(settings)
    store.start()
    return store
  } catch { throw failure("No connection was begun: \(error.words).") }
}

/// What the first server that takes us tells, or nothing.
func told(_ store: JetStreamClaimStore, within most: Duration) async -> FleetFacts {
  let time = SystemTime()
  let end = time.now() + most
  while true {
    let facts = await store.facts(until: min(end, time.now() + .seconds(2)))
    if !facts.servers.isEmpty || facts.bucket != nil || time.now() >= end { return facts }
    try? await Task.sleep(for: .milliseconds(250))
  }
}
