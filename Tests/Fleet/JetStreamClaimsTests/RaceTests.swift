import Expectations
import FleetBook
import ScanModel
import Testing

@testable import JetStreamClaims

/// Stations at different servers, and what others put into their bucket.
@Suite struct RaceTests {
  /// Of those who write on one condition at once, each by a server of its own, one does.
  @Test func stationsAtThreeServers() async throws {
    let servers = try await NATSServers.shared(3)
    var stores: [JetStreamClaimStore] = []
    for first in 0..<3 { stores.append(try await servers.store(first: first)) }
    let stations = stores
    for _ in 0..<extent(landing: 50, release: 500) {
      let key = freshKey()
      var revision = ClaimRevision.none
      for step in 0..<2 {
        let base = revision
        let won = await withTaskGroup(of: (Int, ClaimRevision)?.self) { group in
          for (number, station) in stations.enumerated() {
            group.addTask {
              let value = [UInt8(step), UInt8(number)]
              let made =
                step == 0
                ? try? await station.create(key, value, until: soon(20))
                : try? await station.update(key, value, at: base, until: soon(20))
              return made.map { (number, $0) }
            }
          }
          var won: [(Int, ClaimRevision)] = []
          for await case let made? in group { won.append(made) }
          return won
        }
        guard won.count == 1, let (winner, made) = won.first else {
          return expect(false, "\(won.count) of 3 writes at one revision were made")
        }
        revision = made
        for station in stations {
          let found = try await station.read(key, until: soon(20))
          expectEqual(found?.value, [UInt8(step), UInt8(winner)])
          expectEqual(found?.replaced, base)
        }
      }
    }
    for station in stations { await station.stop() }
  }

  /// What is nobody's of a fleet is left out, and what has a delete mark is told.
  @Test func whatOthersWrite() async throws {
    let servers = try await NATSServers.shared(1)
    let store = try await servers.store()
    let administrator = try servers.administrate()
    for await state in administrator.states where state == .ready { break }
    let key = freshKey()
    let written = try await store.create(key, [1], until: soon())
    let settings = administrator.settings
    _ = await administrator.ask(NATSRequest(subject: "$KV.summer.nobody", data: [1]), until: soon())
    _ = await administrator.ask(
      NATSRequest(subject: settings.subject(key), headers: [("KV-Operation", "DEL")]), until: soon())
    // Written on no condition: it says that it replaces what it cannot have.
    let loose = freshKey()
    _ = await administrator.ask(NATSRequest(subject: settings.subject(loose), data: [9]), until: soon())
    var told: [ClaimWatch] = []
    for await change in store.watch(after: written) {
      if change == .caughtUp { break }
      told.append(change)
    }
    expectEqual(told.first, .deleted(key, ClaimRevision(written.number + 2)))
    guard told.count == 2, case .stored(let claim) = told[1] else { return expect(false, "\(told)") }
    expectEqual(claim.key, loose)
    expectEqual(claim.replaced, ClaimRevision(.max))
    await store.stop()
    await administrator.stop()
  }

  @Test func claimThatIsTooLong() async throws {
    let servers = try await NATSServers.shared(1)
    let store = try await servers.store()
    let key = freshKey()
    let fault = await store.fault(creating: key, [UInt8](repeating: 0, count: 70_000), until: soon())
    if case .refused(let words) = fault {
      expect(words.contains("longer"), "\(words)")
    } else {
      expect(false, "\(String(describing: fault))")
    }
    // The longest that a fleet writes is taken, and comes back.
    let longest = (0..<40_960).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    _ = try await store.create(key, longest, until: soon())
    expectEqual(try await store.read(key, until: soon())?.value, longest)
    await store.stop()
  }

  /// A station whose key is taken out of the servers' files is thrown out at once, and told why.
  @Test func keyIsRevoked() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let store = try await servers.store()
    try servers.revoke(0)
    guard case .refused(let words) = await store.fault() else { return expect(false, "not refused") }
    expect(words.contains("credential"), "\(words)")
    await store.stop()
  }
}
