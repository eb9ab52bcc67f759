import Expectations
import FleetBook
import ScanModel
import Testing
import WireText

@testable import JetStreamClaims

/// The end of an event's book, with real servers.
@Suite struct BookClosingTests {
  /// A store of whoever administers.
  private func administrator(_ servers: NATSServers, bucket: String = NATSServers.bucket) throws -> JetStreamClaimStore
  {
    var settings = servers.administration()
    settings.bucket = bucket
    let store = try JetStreamClaimStore(settings)
    store.start()
    return store
  }

  @Test func whatIsClosedIsReadAndNeverWrittenAgain() async throws {
    let servers = try await NATSServers(3)
    try await servers.makeBucket()
    let (north, south) = (try await servers.store(), try await servers.store(first: 1))
    let key = freshKey()
    let revision = try await north.create(key, [1, 2, 3], until: soon())
    let administrator = try administrator(servers)
    let before = try await administrator.eventBook(until: soon(10))
    expect(before?.isClosed == false && before?.isOwn == true && before?.claims == 1, "\(String(describing: before))")
    expect((before?.age).map { $0 < .seconds(60) } == true, "\(String(describing: before))")
    // One that is open is none to remove.
    await #expect(throws: ClaimFault.self) { try await administrator.removeBook(until: soon(10)) }
    try await administrator.closeBook(until: soon(20))
    // Once more, as after a lost answer.
    try await administrator.closeBook(until: soon(20))
    for station in [north, south] {
      // What is on its way when it is closed, and what begins later.
      for await state in station.states where state == .away(StreamRules(settings: servers.settings()).closed) { break }
      guard case .refused(let words)? = await station.fault(creating: freshKey(), [1], until: soon()) else {
        Issue.record("a closed book is written")
        return
      }
      expect(words.contains("summer was closed") && words.contains("nobody can be let in"), "\(words)")
      expectEqual(try await station.read(key, until: soon())?.revision, revision)
      var seen: [ClaimRevision] = []
      watching: for await news in station.watch(after: .none) {
        switch news {
        case .stored(let claim): seen.append(claim.revision)
        case .caughtUp: break watching
        case .deleted, .interrupted: continue
        }
      }
      expectEqual(seen, [revision])
    }
    // It stays so whoever is started anew.
    let leader = try await servers.leader()
    servers.kill(leader)
    try servers.start(leader)
    let link = try servers.administrate()
    var answer: ClaimFault?
    await until {
      let outcome = await link.ask(
        NATSRequest(
          subject: servers.settings().subject(freshKey()), headers: [("Nats-Expected-Last-Subject-Sequence", "0")],
          data: [1]), until: soon(1))
      if case .failure(let fault) = ClaimAnswer.written(outcome) { answer = fault }
      if case .refused? = answer { return true } else { return false }
    }
    await link.stop()
    expect((try? await administrator.eventBook(until: soon(10)))??.claims == 1)
    for store in [north, south, administrator] { await store.stop() }
  }

  /// A station closes nothing and removes nothing.
  @Test func aStationClosesNoBook() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let station = try await servers.store()
    await #expect(throws: ClaimFault.noQuorum) { try await station.closeBook(until: soon(1)) }
    _ = try await station.createInTheEnd(freshKey(), [1])
    let administrator = try administrator(servers)
    try await administrator.closeBook(until: soon(20))
    await #expect(throws: ClaimFault.noQuorum) { try await station.removeBook(until: soon(1)) }
    expect(try await administrator.eventBook(until: soon(10))?.claims == 1)
    await station.stop()
    // Only now it goes, and twice is once.
    try await administrator.removeBook(until: soon(20))
    try await administrator.removeBook(until: soon(20))
    expect(try await administrator.eventBook(until: soon(10)) == nil)
    await administrator.stop()
    let other = try self.administrator(servers, bucket: "other")
    expect(try await other.eventBook(until: soon(10)) == nil)
    await #expect(throws: ClaimFault.otherVersion("The servers have no fleet's book other.")) {
      try await other.closeBook(until: soon(10))
    }
    await other.stop()
  }

  @Test func whatTheLeaderTellsIsRead() throws {
    var settings = JetStreamSettings(
      servers: [.init(host: "gate1", port: 4_222)], authority: "", credential: try #require(NKey()),
      name: "administrator",
      bucket: "summer", mark: "m", replicas: 1)
    func book(_ text: String) throws -> EventBook? { EventBook(try JSONValue(Array(text.utf8)), settings) }
    let text = """
      {"config":{"name":"KV_summer","metadata":{"scangate-fleet":"m"},"sealed":true},"ts":"2026-11-27T10:00:12Z",
       "state":{"messages":19,"num_subjects":7,"bytes":900,"last_ts":"2026-11-27T10:00:02.5Z"}}
      """
    try expectEqual(
      book(text), EventBook(isClosed: true, isOwn: true, claims: 7, bytes: 900, age: .milliseconds(9_500)))
    settings.mark = "another"
    try expectEqual(book(text)?.isOwn, false)
    // Nothing was written, or its time is none.
    try expectEqual(book(text.replacing("\"num_subjects\":7", with: "\"num_subjects\":0"))?.age, nil)
    try expectEqual(book(text.replacing("2026-11-27T10:00:02.5Z", with: "soon"))?.age, nil)
    // No fleet's.
    try expectEqual(book(text.replacing("scangate-fleet", with: "what")), nil)
    try expectEqual(book("{\"error\":{\"err_code\":10059}}"), nil)
    try expectEqual(book("[]"), nil)
  }
}
