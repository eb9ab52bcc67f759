import Expectations
import FleetBook
import Foundation
import ScanModel
import Synchronization
import Testing
import WireText

@testable import JetStreamClaims

/// A book that has gone back, as servers have it that are started with a copied disk.
@Suite struct OldBookTests {
  /// What a station remembers while its programs come and go.
  private final class Memory: BookMarks {
    private let mark = Mutex<BookMark?>(nil)

    nonisolated(nonsending) func recall(until end: MonotonicTime) async throws(JournalFault) -> BookMark? {
      mark.withLock { $0 }
    }

    func note(_ mark: BookMark) { self.mark.withLock { $0 = mark } }
  }

  private func started(_ servers: NATSServers, _ memory: Memory?, first: Int = 0) throws -> JetStreamClaimStore {
    var settings = servers.settings(first: first)
    settings.suspicion = .milliseconds(300)
    let store = try JetStreamClaimStore(settings, marks: memory)
    store.start()
    return store
  }

  private func accept(_ servers: NATSServers) async throws {
    let administrator = try JetStreamClaimStore(servers.administration())
    administrator.start()
    try await administrator.accept(until: soon(30))
    await administrator.stop()
  }

  private func refused(_ store: JetStreamClaimStore, _ part: String) async {
    guard case .otherVersion(let words)? = await store.fault() else { return expect(false, "not refused") }
    expect(words.contains(part) && words.contains("scangate fleet accept"), "\(words)")
    let fault = await store.fault(creating: freshKey(), [1], until: soon(1))
    expectEqual(fault, .otherVersion(words))
  }

  /// Servers whose books differ: one that leads next has fewer writes, and numbers what comes by them.
  @Test func whatIsNumberedAsSomethingBeforeIsNotBelieved() async throws {
    var settings = JetStreamSettings(
      servers: [.init(host: "127.0.0.1", port: 1)], authority: "", credential: try #require(NKey()), name: "north",
      bucket: "summer", mark: "m", replicas: 1)
    settings.suspicion = .zero
    let link = try JetStreamLink(settings, marks: Memory(), time: SystemTime())
    func told(_ last: UInt64, accepted: Int = 0, made: String = "today") throws -> BookTold {
      let metadata = "{\"scangate-accepted\":\"\(accepted)\"}"
      let text = "{\"created\":\"\(made)\",\"config\":{\"metadata\":\(metadata)},\"state\":{\"last_seq\":\(last)}}"
      return BookTold(try JSONValue(Array(text.utf8)))
    }
    let (first, second) = (freshKey(), freshKey())
    expectEqual(await link.judgeBook(try told(3), seen: .none), .good)
    expect(link.wrote(first, ClaimRevision(10), after: .none))
    // Sent before the other one was known, and acknowledged after it.
    expect(link.wrote(second, ClaimRevision(9), after: .none))
    expectEqual(link.highest, ClaimRevision(10))
    expect(link.wrote(second, ClaimRevision(11), after: ClaimRevision(10)))
    for revision in [5, 11] as [UInt64] {
      link.state.withLock { $0.isGood = true }
      expect(!link.wrote(freshKey(), ClaimRevision(revision), after: ClaimRevision(11)), "\(revision)")
      expect(!link.state.withLock { $0.isGood }, "nothing more is asked of it before it is judged")
    }
    link.saw(ClaimRevision(20))
    expect(!link.wrote(first, ClaimRevision(12), after: link.highest), "another station's was seen")
    // Who looks alone remembers nothing, and so believes.
    let looking = try JetStreamLink(settings, time: SystemTime())
    expect(looking.wrote(first, ClaimRevision(5), after: ClaimRevision(11)))
    // That it is accepted as it is begins it anew.
    expectEqual(await link.judgeBook(try told(7, accepted: 1), seen: ClaimRevision(20)), .good)
    expect(link.wrote(first, ClaimRevision(8), after: link.highest))
  }

  @Test(.timeLimit(.minutes(2))) func oneServerWithAnOldDisk() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let (north, south) = (Memory(), Memory())
    var store = try started(servers, north)
    try await store.becomes(.ready)
    let early = try started(servers, south)
    try await early.becomes(.ready)
    _ = try await early.create(freshKey(), [1], until: soon())
    await early.stop()
    servers.kill(0)
    try servers.copyDisk(0)
    try servers.start(0)
    try await store.becomes(.ready)
    let key = freshKey()
    let revision = try await store.createInTheEnd(key, [1])
    servers.kill(0)
    try servers.restoreDisk(0)
    try servers.start(0)
    // One that has run all the time sees it, and so does one that is started anew, with what it remembers.
    await refused(store, "has gone back")
    await store.stop()
    // Whom nothing of theirs lacks write on, and one who has never been there as well, beyond what there was.
    let others = [try started(servers, south), try started(servers, nil)]
    for other in others {
      try await other.becomes(.ready)
      for _ in 0..<5 { expect(try await other.create(freshKey(), [2], until: soon()) >= revision) }
    }
    store = try started(servers, north)
    await refused(store, "has gone back")
    try await accept(servers)
    try await store.becomes(.ready)
    expectEqual(try await store.read(key, until: soon()), nil)
    _ = try await store.create(key, [3], until: soon())
    // Who has read a book that had more reads this one from its front.
    for await change in store.watch(after: ClaimRevision(revision.number + 1_000)) {
      if case .stored(let stored) = change, stored.key == key { break }
    }
    await store.stop()
    // What was accepted is not accepted once more: the same disk again is refused again.
    servers.kill(0)
    try servers.restoreDisk(0)
    try servers.start(0)
    store = try started(servers, north)
    await refused(store, "has gone back")
    // Nor by one that has written nothing since.
    await refused(others[0], "has gone back")
    try await accept(servers)
    try await store.becomes(.ready)
    for store in others + [store] { await store.stop() }
  }

  /// A book that was made anew is another one, whatever is in it.
  @Test func bookThatWasMadeAnew() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let memory = Memory()
    let store = try started(servers, memory)
    try await store.becomes(.ready)
    let administrator = try servers.administrate()
    for await state in administrator.states where state == .ready { break }
    _ = await administrator.ask(NATSRequest(subject: "$JS.API.STREAM.DELETE.KV_summer"), until: soon())
    await administrator.stop()
    try await servers.makeBucket()
    while case .otherVersion(let words)? = await store.fault() {
      // Between there was none at all.
      if words.contains("no bucket") { continue }
      expect(words.contains("is another one") && words.contains("scangate fleet accept"), "\(words)")
      break
    }
    try await accept(servers)
    try await store.becomes(.ready)
    // Whoever opens a book that was accepted finds it as it is.
    try await servers.makeBucket()
    await store.stop()
  }

  /// Nobody accepts what is not there, and no station accepts anything.
  @Test func whatCannotBeAccepted() async throws {
    let servers = try await NATSServers.shared(1)
    for (settings, isStation) in [
      (servers.administration("none"), false), (servers.settings(), true),
    ] {
      let store = try JetStreamClaimStore(settings)
      store.start()
      var fault: ClaimFault?
      do throws(ClaimFault) { try await store.accept(until: soon(isStation ? 1 : 5)) } catch { fault = error }
      if case .otherVersion(let words)? = fault { expect(words.contains("no book none"), "\(words)") }
      expect(isStation ? fault == .noQuorum : fault != .noQuorum && fault != nil, "\(String(describing: fault))")
      await store.stop()
    }
    guard case .stream(_, _, _, let told) = try await servers.stream() else { return expect(false, "no book") }
    expectEqual(told.accepted, 0)
  }

  /// A station whose server is only started again has nothing to accept.
  @Test func serverThatIsStartedAgain() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let memory = Memory()
    for _ in 0..<2 {
      let store = try started(servers, memory)
      try await store.becomes(.ready)
      _ = try await store.create(freshKey(), [1], until: soon())
      servers.kill(0)
      try servers.start(0)
      try await store.becomes(.away(.noQuorum))
      try await store.becomes(.ready)
      await store.stop()
    }
  }

  /// One old disk among three is healed by the two others.
  @Test(.enabled(if: extent(landing: 0, release: 1) == 1)) func oneOldDiskOfThree() async throws {
    let servers = try await NATSServers.shared(3)
    let memory = Memory()
    let old = (try await servers.leader() + 1) % 3
    let store = try started(servers, memory, first: old)
    try await store.becomes(.ready)
    servers.kill(old)
    try servers.copyDisk(old)
    try servers.start(old)
    try await servers.whole()
    try await store.becomes(.ready)
    let key = freshKey()
    let revision = try await store.createInTheEnd(key, [1])
    servers.kill(old)
    try servers.restoreDisk(old)
    try servers.start(old)
    try await servers.whole()
    try await store.becomes(.ready)
    expectEqual(try await store.readInTheEnd(key)?.revision, revision)
    await store.stop()
  }

  /// Two old disks of three outvote the one that knows, where that is away.
  @Test(.enabled(if: extent(landing: 0, release: 1) == 1)) func twoOldDisksOfThree() async throws {
    let servers = try await NATSServers(3)
    try await servers.makeBucket()
    let memory = Memory()
    let store = try started(servers, memory)
    try await store.becomes(.ready)
    for number in 0..<3 { servers.kill(number) }
    for number in 0..<2 { try servers.copyDisk(number) }
    for number in 0..<3 { try servers.start(number) }
    try await servers.whole()
    try await store.becomes(.ready)
    let key = freshKey()
    _ = try await store.createInTheEnd(key, [1])
    for number in 0..<3 { servers.kill(number) }
    for number in 0..<2 {
      try servers.restoreDisk(number)
      try servers.start(number)
    }
    await refused(store, "has gone back")
    try await accept(servers)
    try await store.becomes(.ready)
    await store.stop()
  }
}
