import Expectations
import FleetBook
import Glibc
import LibCrypto
import ScanModel
import Testing

@testable import JetStreamClaims

/// Servers and buckets that a fleet may not rely on.
@Suite struct RefusalTests {
  private func fault(
    _ servers: NATSServers, _ change: (inout JetStreamSettings) -> Void = { _ in }
  ) async throws -> String {
    var settings = servers.settings()
    change(&settings)
    let store = try JetStreamClaimStore(settings)
    store.start()
    let fault = await store.fault()
    // Nor is anything asked of them.
    expectEqual(await store.fault(creating: freshKey(), [1], until: soon()), fault)
    await store.stop()
    return switch fault {
    case .otherVersion(let words): "version: \(words)"
    case .refused(let words): "refused: \(words)"
    default: "\(String(describing: fault))"
    }
  }

  @Test func serverOfAnotherVersion() async throws {
    // It does not know a setting that it is to have.
    let servers = try await NATSServers(1, release: "bookworm") {
      $0.replacing(", sync_interval: always", with: "")
    }
    let words = try await fault(servers)
    expect(words.hasPrefix("version: ") && words.contains("nats-server 2.9.10"), "\(words)")
  }

  @Test func serverThatAcknowledgesBeforeItSyncs() async throws {
    let servers = try await NATSServers(1) { $0.replacing("sync_interval: always", with: "sync_interval: \"1s\"") }
    let words = try await fault(servers)
    expect(words.hasPrefix("version: ") && words.contains("sync_interval: always"), "\(words)")
  }

  /// One of three is enough.
  @Test func oneOfThreeThatDoesNotSync() async throws {
    let servers = try await NATSServers(3) {
      $0.contains("\"gate2\"") ? $0.replacing("sync_interval: always", with: "sync_interval: \"1s\"") : $0
    }
    try await servers.makeBucket()
    let words = try await fault(servers)
    expect(words.contains("gate2 acknowledges before"), "\(words)")
  }

  @Test func serverThatDoesNotTell() async throws {
    let servers = try await NATSServers(1) { text in
      text.split(separator: "\n").filter { !$0.contains("imports:") }.joined(separator: "\n")
    }
    try await servers.makeBucket()
    let words = try await fault(servers)
    expect(words.hasPrefix("version: ") && words.contains("does not tell"), "\(words)")
  }

  @Test func noBucket() async throws {
    let words = try await fault(try await NATSServers(1))
    expect(words.hasPrefix("version: ") && words.contains("no bucket summer"), "\(words)")
  }

  @Test func anotherFleetsBucket() async throws {
    let servers = try await NATSServers.shared(1)
    let words = try await fault(servers) { $0.mark = "another" }
    expect(words.contains("is another fleet's"), "\(words)")
  }

  @Test(arguments: [
    ("allow_direct", "true"), ("max_age", "3600000000000"), ("discard", "\"old\""), ("deny_delete", "false"),
  ]) func bucketThatWasMadeOtherwise(_ name: String, _ value: String) async throws {
    let servers = try await NATSServers(1)
    let administrator = try servers.administrate()
    let made = StreamRules(settings: administrator.settings).made(bytes: 1_000_000)
    let text = made.replacing(
      try Regex("\"\(name)\":(\"[a-z]*\"|[0-9]+|true|false)"), with: "\"\(name)\":\(value)")
    expect(text != made)
    await until {
      let answer = StreamAnswer(
        await administrator.ask(
          NATSRequest(
            subject: "$JS.API.STREAM.CREATE.\(administrator.settings.stream)", data: [UInt8](text.utf8)), until: soon()
        ))
      if case .stream = answer { return true } else { return false }
    }
    let words = try await fault(servers)
    expect(words.contains("its \(name) is not"), "\(words)")
    await administrator.stop()
  }

  @Test func bucketIsMadeOnce() async throws {
    let servers = try await NATSServers.shared(1)
    let store = try await servers.store()
    let key = freshKey()
    let revision = try await store.create(key, [1], until: soon())
    try await servers.makeBucket()
    expectEqual(try await store.read(key, until: soon())?.revision, revision)
    await store.stop()
  }

  /// A book that was opened before formats were told is of the first; one of a later format this program leaves alone.
  @Test func bookOfAnotherVersion() async throws {
    let servers = try await NATSServers(1)
    let administrator = try servers.administrate()
    let made = StreamRules(settings: administrator.settings).made(bytes: 100_000_000)
    let stream = administrator.settings.stream
    func ask(_ verb: String, _ text: String) async {
      await until {
        let answer = StreamAnswer(
          await administrator.ask(
            NATSRequest(subject: "$JS.API.STREAM.\(verb).\(stream)", data: [UInt8](text.utf8)), until: soon()))
        if case .stream = answer { return true } else { return false }
      }
    }
    let former = made.replacing(#","scangate-format":"1""#, with: "")
    expect(former != made)
    await ask("CREATE", former)
    // Asked for again, it changes nothing.
    try await servers.makeBucket()
    let store = try await servers.store()
    let key = freshKey()
    let revision = try await store.create(key, [1], until: soon())
    expectEqual(store.format, .first)
    await ask("UPDATE", made.replacing(#""scangate-format":"1""#, with: #""scangate-format":"2""#))
    let words = "is of format 2, and this program knows none later than 1"
    guard case .otherVersion(let told) = await store.fault() else { return expect(false, "it is not refused") }
    expect(told.contains(words) && told.contains("Update this station to that version"), "\(told)")
    expect(try await fault(servers).contains(words))
    await #expect(throws: ClaimFault.self) { _ = try await store.update(key, [2], at: revision, until: soon()) }
    await #expect(throws: ClaimFault.self) { try await servers.makeBucket() }
    await store.stop()
    await administrator.stop()
  }

  @Test func keyThatNobodyKnows() async throws {
    let servers = try await NATSServers.shared(1)
    let other = try #require(NKey())
    let words = try await fault(servers) { $0.credential = other }
    expect(words.hasPrefix("refused: ") && words.contains("credential"), "\(words)")
    expect(!words.contains(other.toBeSealed))
  }

  /// A certificate of another name, and one that is over.
  @Test(arguments: [("gate9.example", Int64(86_400)), ("127.0.0.1", -60)]) func certificate(
    _ name: String, _ end: Int64
  ) async throws {
    let servers = try await NATSServers(1, names: [name], holds: NATSServers.span(-86_400, end))
    let words = try await fault(servers)
    expect(words.hasPrefix("refused: TLS"), "\(words)")
  }

  @Test func anotherAuthority() async throws {
    let other = try #require(CertificateAuthority(named: "another one", holds: NATSServers.span(-60, 86_400)))
    let words = try await fault(.shared(1)) { $0.authority = String(decoding: other.certificate, as: UTF8.self) }
    expect(words.hasPrefix("refused: TLS"), "\(words)")
  }

  /// Whom the machine believes in other matters signs no server of a fleet.
  @Test func authorityThatTheMachineBelieves() async throws {
    let servers = try await NATSServers.shared(1)
    let other = try #require(CertificateAuthority(named: "another one", holds: NATSServers.span(-60, 86_400)))
    setenv("SSL_CERT_FILE", "\(servers.folder)/authority.pem", 1)
    let words = try await fault(servers) { $0.authority = String(decoding: other.certificate, as: UTF8.self) }
    expect(words.hasPrefix("refused: TLS"), "\(words)")
  }

  /// A station's key makes no bucket, changes none and deletes none.
  @Test func stationMayWriteClaimsAlone() async throws {
    let servers = try await NATSServers.shared(1)
    let link = try JetStreamLink(servers.settings(), time: SystemTime())
    link.start()
    for await state in link.states where state == .ready { break }
    for name in ["STREAM.DELETE.KV_summer", "STREAM.PURGE.KV_summer", "STREAM.UPDATE.KV_summer", "STREAM.CREATE.other"]
    {
      let outcome = await link.ask(
        NATSRequest(subject: "$JS.API.\(name)"), until: SystemTime().now() + .milliseconds(300))
      if case .answered(let answers) = outcome { expect(false, "\(name): \(answers)") }
    }
    await link.stop()
  }

  /// A server that begins TLS and does not go on with it keeps one thread and nobody else.
  @Test func serverThatStopsInTheHandshake() async throws {
    let servers = try await NATSServers.shared(1)
    let silent = try SilentServer()
    var settings = servers.settings()
    settings.servers.insert(.init(host: "127.0.0.1", port: silent.port), at: 0)
    let store = try JetStreamClaimStore(settings)
    store.start()
    try await store.becomes(.ready)
    _ = try await store.create(freshKey(), [1], until: soon())
    await store.stop()
    silent.end()
  }
}
