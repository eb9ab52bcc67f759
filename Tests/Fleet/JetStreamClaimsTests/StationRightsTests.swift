import Expectations
import FleetBook
import ScanModel
import Synchronization
import Testing
import WireText

@testable import JetStreamClaims

/// What a station's credential can do in the hands of a program that is none of ours, tried at real servers.
@Suite struct StationRightsTests {
  private func thief(
    _ servers: NATSServers, _ bucket: String = NATSServers.bucket
  ) async throws -> (JetStreamLink, NATSConnection) {
    let link = try JetStreamLink(servers.settings(bucket: bucket), time: SystemTime())
    link.start()
    for await state in link.states where state == .ready { break }
    return (link, try #require(link.state.withLock { $0.session?.connection }))
  }

  /// By a consumer that delivers to the servers' own interface they would say there for a station what it may not.
  @Test(arguments: ["name", "durable_name"]) func consumer(_ name: String) async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let store = try await servers.store()
    let key = freshKey()
    let revision = try await store.create(key, [1], until: soon())
    let (thief, connection) = try await thief(servers)
    let stream = thief.settings.stream
    // It delivers where somebody listens.
    _ = connection.listen(to: "$JS.API.STREAM.DELETE.\(stream)") { _ in }
    var consumer = JSONText()
    consumer.add(name, "thief")
    consumer.add("deliver_subject", "$JS.API.STREAM.DELETE.\(stream)")
    consumer.add("deliver_policy", "all")
    consumer.add("ack_policy", "none")
    consumer.add("replay_policy", "instant")
    var wish = JSONText()
    wish.add("stream_name", stream)
    wish.add("config", object: consumer.text)
    for verb in ["CREATE.\(stream).thief", "DURABLE.CREATE.\(stream).thief", "CREATE.\(stream)"] {
      let answer = await thief.ask(
        NATSRequest(subject: "$JS.API.CONSUMER.\(verb)", data: wish.bytes),
        until: SystemTime().now() + .milliseconds(300))
      if case .answered(let answers) = answer { expect(false, "\(verb): \(answers)") }
    }
    // The request to delete has to be empty.
    _ = await thief.ask(NATSRequest(subject: thief.settings.subject(freshKey())), until: soon(1))
    expectEqual(try await store.read(key, until: soon())?.revision, revision)
    await thief.stop()
    await store.stop()
  }

  /// Nothing of the servers' interface is answered but what a station has to ask, and nothing of it is done.
  @Test func interface() async throws {
    let servers = try await NATSServers.shared(1)
    let store = try await servers.store()
    let key = freshKey()
    let revision = try await store.create(key, [1], until: soon())
    let (thief, connection) = try await thief(servers)
    let stream = thief.settings.stream
    let verbs = [
      "INFO", "STREAM.NAMES", "STREAM.LIST", "STREAM.CREATE.other", "STREAM.UPDATE.\(stream)",
      "STREAM.DELETE.\(stream)",
      "STREAM.PURGE.\(stream)", "STREAM.MSG.DELETE.\(stream)", "STREAM.SNAPSHOT.\(stream)", "STREAM.RESTORE.\(stream)",
      "STREAM.LEADER.STEPDOWN.\(stream)", "STREAM.PEER.REMOVE.\(stream)", "STREAM.TEMPLATE.NAMES",
      "ACCOUNT.PURGE.FLEET",
      "META.LEADER.STEPDOWN", "SERVER.REMOVE", "ACCOUNT.STREAM.MOVE.FLEET.\(stream)", "DIRECT.GET.\(stream)",
      "DIRECT.GET.\(stream).\(thief.settings.subject(key))", "CONSUMER.CREATE.\(stream)", "CONSUMER.CREATE.\(stream).x",
      "CONSUMER.CREATE.\(stream).x.>", "CONSUMER.DURABLE.CREATE.\(stream).x", "CONSUMER.NAMES.\(stream)",
      "CONSUMER.LIST.\(stream)", "CONSUMER.DELETE.\(stream).x", "CONSUMER.MSG.NEXT.\(stream).x",
      "CONSUMER.PAUSE.\(stream).x", "STREAM.INFO.other", "STREAM.MSG.GET.other",
    ].map { "$JS.API.\($0)" }
    let others = [
      "$SYS.REQ.SERVER.PING", "$SYS.REQ.SERVER.PING.VARZ", "$SYS.REQ.ACCOUNT.FLEET.CONNZ", "$SYS.REQ.USER.INFO",
      "$SYS.REQ.SERVER.X.RELOAD", "$JS.ACK.\(stream).x.1.1.1.1.0", "$JS.FC.x", "$NRG.AE.x", "$KV.other.x",
      "$JS.API.>", "anything",
    ]
    let answered = await withTaskGroup(of: String?.self) { group in
      for subject in verbs + others {
        for body in ["", "{}"] {
          group.addTask {
            let outcome = await thief.ask(
              NATSRequest(subject: subject, data: [UInt8](body.utf8)), until: SystemTime().now() + .milliseconds(700))
            if case .answered(let answers) = outcome, !answers.allSatisfy(\.isUnheard) { return subject }
            return nil
          }
        }
      }
      return await group.reduce(into: Set()) { if let subject = $1 { $0.insert(subject) } }
    }
    expectEqual(answered, [])
    // What a server answers to what may be asked is no request to it, wherever the answer is to go.
    for subject in [
      thief.settings.subject(freshKey()), "$JS.API.STREAM.INFO.\(stream)", "$JS.API.STREAM.MSG.GET.\(stream)",
      ServerAnswer.subject,
    ] {
      for place in verbs + ["$KV.summer.\(freshKey())", "$KV.other.x"] {
        _ = connection.send(NATSRequest(subject: subject, data: [UInt8]("{\"seq\":1}".utf8)), answerTo: place)
      }
    }
    _ = await thief.ask(NATSRequest(subject: "$JS.API.STREAM.INFO.\(stream)"), until: soon())
    let found = try await store.read(key, until: soon())
    expect(found?.revision == revision && found?.value == [1])
    let administrator = try servers.administrate("other")
    for await state in administrator.states where state != .away(.noQuorum) { break }
    guard
      case .error(10_059, _) = StreamAnswer(
        await administrator.ask(NATSRequest(subject: "$JS.API.STREAM.INFO.KV_other"), until: soon()))
    else { return expect(false, "a bucket was made") }
    for link in [thief, administrator] { await link.stop() }
    await store.stop()
  }

  /// Nobody hears what another one is answered, nor what is written.
  @Test func others() async throws {
    let servers = try await NATSServers.shared(1)
    let (thief, connection) = try await thief(servers)
    let administrator = try servers.administrate()
    for await state in administrator.states where state == .ready { break }
    let heard = Mutex(0)
    for place in [
      ">", "_INBOX.>", "_INBOX.*.>", "\(administrator.settings.inbox).>", "$KV.>", "$JS.>", "$SYS.>",
      "$JS.EVENT.>",
    ] {
      _ = connection.listen(to: place) { _ in heard.withLock { $0 += 1 } }
    }
    _ = await thief.ask(NATSRequest(subject: "$JS.API.STREAM.INFO.KV_summer"), until: soon())
    for _ in 0..<5 {
      _ = await administrator.ask(
        NATSRequest(subject: administrator.settings.subject(freshKey()), data: [1]), until: soon())
      _ = await administrator.message(.object(("last_by_subj", ">")), until: soon())
    }
    _ = await thief.ask(NATSRequest(subject: "$JS.API.STREAM.INFO.KV_summer"), until: soon())
    expectEqual(heard.withLock { $0 }, 0)
    for link in [thief, administrator] { await link.stop() }
  }

  /// A claim can be spoiled, and shows it; it cannot be made to have never been, nor to go by itself.
  @Test func spoiling() async throws {
    let servers = try await NATSServers.shared(1)
    try await servers.makeBucket("spoiled")
    let store = try await servers.store(bucket: "spoiled")
    let (thief, connection) = try await thief(servers, "spoiled")
    for headers in [
      [("KV-Operation", "DEL")], [("KV-Operation", "PURGE")], [("KV-Operation", "PURGE"), ("Nats-Rollup", "sub")],
      [("Nats-Rollup", "all")],
    ] {
      let (key, other) = (freshKey(), freshKey())
      let revision = try await store.create(key, [1], until: soon())
      _ = try await store.create(other, [2], until: soon())
      _ = await thief.ask(NATSRequest(subject: thief.settings.subject(key), headers: headers), until: soon())
      expect(await store.fault(creating: key, [3], until: soon()) == .wrongRevision, "\(headers)")
      expectEqual(try await store.read(other, until: soon())?.value, [2])
      var fault: ClaimFault?
      var found: StoredClaim?
      do throws(ClaimFault) { found = try await store.read(key, until: soon()) } catch { fault = error }
      // To roll up is refused altogether.
      let isRefused = headers.contains { $0.0 == "Nats-Rollup" }
      expect(isRefused ? found?.revision == revision : fault == .deleted, "\(headers): \(found as Any) \(fault as Any)")
    }
    // A time to live, which later servers know, is refused or does nothing.
    let key = freshKey()
    _ = await thief.ask(
      NATSRequest(subject: thief.settings.subject(key), headers: [("Nats-TTL", "1s")], data: [1]), until: soon())
    let end = SystemTime().now() + .milliseconds(1_500)
    // Nor is a place of many keys one of any.
    for name in [">", "*", "t.*", "t.>", "t..x", "t"] {
      _ = await thief.ask(
        NATSRequest(subject: "$KV.spoiled.\(name)", data: [1]), until: SystemTime().now() + .milliseconds(100))
    }
    // What is longer than any message ends the thief's connection and nobody else's.
    _ = connection.send(
      NATSRequest(subject: thief.settings.subject(freshKey()), data: [UInt8](repeating: 0, count: 1_000_000)),
      answerTo: nil)
    let start = try await store.create(freshKey(), [4], until: soon())
    var told: [ClaimWatch] = []
    for await change in store.watch(after: ClaimRevision(start.number - 1)) {
      if change == .caughtUp { break }
      told.append(change)
    }
    expectEqual(told.count, 1)
    await until { SystemTime().now() > end }
    expectEqual(try await store.read(key, until: soon())?.value, [1])
    await thief.stop()
    await store.stop()
  }
}
