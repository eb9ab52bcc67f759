import Expectations
import FleetBook
import ScanModel
import Testing

@testable import JetStreamClaims

/// What others put into a bucket, and what may be put there.
@Suite struct RaceTests {
  /// What is nobody's of a fleet is left out, and what has a delete mark is told.
  @Test func whatOthersWrite() async throws {
    let servers = try await NATSServers.shared(1)
    try await servers.makeBucket("others")
    let store = try await servers.store(bucket: "others")
    let administrator = try servers.administrate("others")
    for await state in administrator.states where state == .ready { break }
    let key = freshKey()
    let written = try await store.create(key, [1], until: soon())
    let settings = administrator.settings
    _ = await administrator.ask(NATSRequest(subject: "$KV.others.nobody", data: [1]), until: soon())
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
