import Expectations
import FleetBook
import FleetTesting
import LibCrypto
import ScanModel
import Synchronization
import Testing
import WireText

@testable import JetStreamClaims

/// The order for a whole fleet beside its book, at real servers.
@Suite struct BookOrderTests {
  /// What a station was shown.
  private final class Shown: Sendable {
    private let all = Mutex<[[UInt8]]>([])
    func add(_ bytes: [UInt8]) { all.withLock { $0.append(bytes) } }
    var last: [UInt8]? { all.withLock { $0.last } }
    var count: Int { all.withLock { $0.count } }
  }

  private func station(_ servers: NATSServers, _ shown: Shown, first: Int = 0) throws -> JetStreamClaimStore {
    let store = try JetStreamClaimStore(servers.settings(first: first)) { shown.add($0) }
    store.start()
    return store
  }

  private func administrator(_ servers: NATSServers) throws -> JetStreamClaimStore {
    let store = try JetStreamClaimStore(servers.administration())
    store.start()
    return store
  }

  private func metadata(_ servers: NATSServers) async throws -> JSONValue? {
    guard case .stream(let found, _, _, _) = try await servers.stream() else { return nil }
    return found["metadata"]
  }

  @Test(.timeLimit(.minutes(2))) func stationsAreShownItBeforeTheyClaim() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let administrator = try administrator(servers)
    expectEqual(try await administrator.order(until: soon(20)), nil)
    let early = Shown()
    let one = try station(servers, early)
    try await one.becomes(.ready)
    expectEqual(early.count, 0)
    try await administrator.put(order: [1, 2, 3], until: soon(20))
    expectEqual(try await administrator.order(until: soon()), [1, 2, 3])
    await until { early.last == [1, 2, 3] }
    // Whoever begins is shown it first.
    let late = Shown()
    let two = try station(servers, late)
    try await two.becomes(.ready)
    expectEqual(late.last, [1, 2, 3])
    let facts = await two.facts(until: soon())
    expectEqual(facts.bucket?.order, [1, 2, 3])
    _ = try await two.create(freshKey(), [1], until: soon())
    // It stays where the book is accepted as it is, and where somebody asks for it to be made once more; another one takes its place.
    try await administrator.accept(until: soon(20))
    try await servers.makeBucket()
    expectEqual(try await administrator.order(until: soon()), [1, 2, 3])
    try await administrator.put(order: [4], until: soon(20))
    expectEqual(try await administrator.order(until: soon()), [4])
    guard case .stream(let found, _, _, let told) = try await servers.stream() else { return expect(false, "no book") }
    expect(told.accepted > 0)
    expect(StreamRules(settings: servers.settings()).fault(found) == nil)
    // A server that is started again has it still.
    servers.kill(0)
    try servers.start(0)
    try await two.becomes(.ready)
    await until { late.last == [4] }
    for store in [one, two, administrator] { await store.stop() }
  }

  /// Whoever has stolen a station's credential puts nothing there, and takes nothing away: neither by its own program's words to the servers, nor by
  /// whatever it writes into the book.
  @Test(.timeLimit(.minutes(1))) func noStationGivesOrTakesOne() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let administrator = try administrator(servers)
    try await administrator.put(order: [7], until: soon(20))
    guard case .stream(.object(var config), _, _, _) = try await servers.stream() else {
      return expect(false, "no book")
    }
    config["metadata"] = .object([StreamRules.markName: .string(NATSServers.mark)])
    let without = [UInt8](JSONValue.object(config).text.utf8)
    let thief = try JetStreamLink(servers.settings(), time: SystemTime())
    thief.start()
    for await state in thief.states where state == .ready { break }
    let stream = thief.settings.stream
    for subject in [
      "$JS.API.STREAM.UPDATE.\(stream)", "$JS.API.STREAM.CREATE.\(stream)", "$JS.API.STREAM.RESTORE.\(stream)",
      "$JS.API.STREAM.DELETE.\(stream)",
    ] {
      let outcome = await thief.ask(
        NATSRequest(subject: subject, data: without), until: SystemTime().now() + .milliseconds(300))
      if case .answered(let answers) = outcome, !answers.allSatisfy(\.isUnheard) {
        expect(false, "\(subject): \(answers)")
      }
    }
    for (place, headers) in [
      ("scangate-order", []), ("order", [("KV-Operation", "PURGE")]), ("t.x", [("Nats-Rollup", "all")]),
    ] {
      _ = await thief.ask(
        NATSRequest(subject: "$KV.\(thief.settings.bucket).\(place)", headers: headers, data: [9]), until: soon(1))
    }
    await thief.stop()
    // By our own program neither.
    let shown = Shown()
    let store = try station(servers, shown)
    var fault: ClaimFault?
    do throws(ClaimFault) { try await store.put(order: [8], until: soon(1)) } catch { fault = error }
    expectEqual(fault, .noQuorum)
    expectEqual(shown.last, [7])
    expectEqual(try await administrator.order(until: soon()), [7])
    for store in [store, administrator] { await store.stop() }
  }

  /// The loss of the server that leads, and a book that is no more or is closed.
  @Test(.timeLimit(.minutes(2))) func overTheLossOfALeader() async throws {
    let servers = try await NATSServers(3)
    try await servers.makeBucket()
    let administrator = try administrator(servers)
    try await administrator.put(order: [1], until: soon(20))
    servers.kill(try await servers.leader())
    try await administrator.put(order: [2], until: soon(40))
    let shown = Shown()
    let store = try station(servers, shown)
    try await store.becomes(.ready)
    expectEqual(shown.last, [2])
    try await administrator.closeBook(until: soon(30))
    var fault: ClaimFault?
    do throws(ClaimFault) { try await administrator.put(order: [3], until: soon(20)) } catch { fault = error }
    guard case .refused(let words)? = fault else { return expect(false, "\(String(describing: fault))") }
    expect(words.contains("was closed"), "\(words)")
    expectEqual(try await administrator.order(until: soon(10)), [2])
    try await administrator.removeBook(until: soon(30))
    do throws(ClaimFault) { _ = try await administrator.order(until: soon(10)) } catch { fault = error }
    guard case .otherVersion? = fault else { return expect(false, "\(String(describing: fault))") }
    for store in [store, administrator] { await store.stop() }
  }

  /// What is no order, however long, ends nothing, and is cut.
  @Test func whateverLiesThere() {
    expectEqual(OrderText.bytes("AQID"), [1, 2, 3])
    expectEqual(OrderText.bytes("not base 64"), Array("not base 64".utf8))
    expectEqual(OrderText.bytes(""), [])
    expectEqual(OrderText.bytes(String(repeating: "A", count: 100_000)).count, 1_024)
    expectEqual(OrderText.bytes(String(repeating: "é", count: 100_000)).count, 1_024)
    for text in [#"{"config":{"metadata":{"scangate-order":7}}}"#, #"{"config":{"metadata":[]}}"#, "{}"] {
      expectEqual((try? JSONValue([UInt8](text.utf8))).map { BookTold($0).order }, .some(nil))
    }
  }

  /// A key signs no text for a server that could be an order, and no order that a server could have drawn.
  @Test func whatAServerDrawsIsNoOrder() throws {
    let key = try #require(NKey())
    let half = try #require(NKey.publicKey(of: key.user))
    let drawn = Array("Xv8J2kQp-1aZ_9w".utf8)
    expect(half.isValidSignature(try #require(key.signature(drawn)), for: drawn))
    let own: [UInt8] = [0xFF, 0x00, 1, 2]
    expect(half.isValidSignature(try #require(key.signature(ofOwn: own)), for: own))
    for bytes: [UInt8] in [own, [], [0], [0xFF], Array("a b".utf8), drawn + [0], [UInt8](repeating: 65, count: 257)] {
      expect(key.signature(bytes) == nil, "\(bytes)")
    }
    for bytes in [drawn, [], [0]] { expect(key.signature(ofOwn: bytes) == nil, "\(bytes)") }
    for text in ["", String(key.user.dropLast()), key.user + "A", key.toBeSealed, "U" + key.user.dropFirst(2) + "A"] {
      expect(NKey.publicKey(of: text) == nil)
    }
  }
}
