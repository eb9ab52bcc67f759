import Expectations
import FleetBook
import ScanModel
import Synchronization
import Testing
import WireText

@testable import JetStreamClaims

/// Lists of tickets in a stream of their own, at real servers.
@Suite struct ListStoreTests {
  private func place(_ station: String = "station", _ part: ListPlace.Part = .manifest) throws -> ListPlace {
    ListPlace(station: try #require(StationID(station)), list: ScanID().bytes, part)
  }

  private func makeRoom(_ servers: NATSServers, _ bytes: Int64 = 10_000_000) async throws {
    let store = try JetStreamClaimStore(servers.administration())
    store.start()
    try await store.makeListRoom(bytes: bytes, until: soon(30))
    await store.stop()
  }

  @Test(arguments: [1, 3]) func whatIsPutIsThere(_ count: Int) async throws {
    let servers = try await NATSServers.shared(count)
    try await makeRoom(servers)
    // Asked for again it changes nothing, also where there would be no room for another one.
    for bytes: Int64 in [10_000_000, 20_000_000, 600_000_000] { try await makeRoom(servers, bytes) }
    let store = try await servers.store()
    let lists = store.lists
    let place = try place()
    expect(try await lists.get(place, until: soon()) == nil)
    let long = [UInt8](repeating: 7, count: 49_152)
    for value in [[1, 2, 3], long] {
      try await lists.put(place, value, until: soon())
      let found = try #require(try await lists.get(place, until: soon()))
      expectEqual(found.value, value)
      let now = try await lists.now(until: soon())
      expect(found.time <= now && now - found.time < .seconds(60))
    }
    await store.stop()
  }

  /// A station writes below its own name alone, and deletes nothing; and what it may not do with lists is nothing to claims.
  @Test func rights() async throws {
    let servers = try await NATSServers.shared(1)
    try await makeRoom(servers)
    let store = try await servers.store()
    let lists = store.lists
    let (mine, others) = (try place(), try place("office"))
    try await lists.put(mine, [1], until: soon())
    await #expect(throws: ClaimFault.self) {
      try await lists.put(others, [1], until: SystemTime().now() + .milliseconds(500))
    }
    expect(try await lists.get(others, until: soon()) == nil)
    let stream = store.link.settings.listStream
    for verb in ["STREAM.DELETE", "STREAM.PURGE", "STREAM.UPDATE", "STREAM.MSG.DELETE", "CONSUMER.CREATE"] {
      let answer = await store.link.ask(
        NATSRequest(subject: "$JS.API.\(verb).\(stream)", data: [UInt8]("{}".utf8)),
        until: SystemTime().now() + .milliseconds(200))
      if case .answered(let answers) = answer { expect(false, "\(verb): \(answers)") }
    }
    expectEqual(try await lists.get(mine, until: soon())?.value, [1])
    await store.stop()
  }

  /// Servers whose files are of before there were lists: claims work as ever, over every judgement, and the lists' fault says what to do.
  @Test func serversOfBefore() async throws {
    let servers = try await NATSServers(1) { text in
      text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        line.replacing(#/"LISTS\.[a-z]+\.station\.>", "[^"]*LISTS_[a-z]+", "[^"]*LISTS_[a-z]+", /#, with: "")
      }.joined(separator: "\n")
    }
    try await servers.makeBucket()
    let store = try await servers.store()
    let states = Mutex<[ClaimStoreState]>([])
    let watching = Task {
      for await state in store.states { states.withLock { $0.append(state) } }
    }
    let lists = store.lists
    let place = try place()
    for _ in 0..<12 {
      var fault: ClaimFault?
      do throws(ClaimFault) {
        _ = try await lists.get(place, until: SystemTime().now() + .milliseconds(300))
      } catch { fault = error }
      guard case .otherVersion(let words)? = fault else {
        expect(false, "\(fault as Any)")
        continue
      }
      expect(words.contains("install.sh") && words.contains("scangate fleet open"), "\(words)")
      await #expect(throws: ClaimFault.self) {
        try await lists.put(place, [1], until: SystemTime().now() + .milliseconds(300))
      }
      _ = try await store.create(freshKey(), [1], until: soon())
    }
    watching.cancel()
    expectEqual(states.withLock { $0 }, [.ready])
    await store.stop()
  }

  /// Servers that allow it and have no room for them yet.
  @Test func noRoomYet() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let store = try await servers.store()
    let place = try place()
    for call in [
      { _ = try await store.lists.get(place, until: soon(2)) },
      { try await store.lists.put(place, [1], until: soon(2)) },
    ] as [@Sendable () async throws -> Void] {
      await #expect(throws: ClaimFault.self) { try await call() }
    }
    try await makeRoom(servers)
    try await store.lists.put(place, [1], until: soon())
    // Where it is full, what is oldest goes.
    await store.stop()
  }
}
