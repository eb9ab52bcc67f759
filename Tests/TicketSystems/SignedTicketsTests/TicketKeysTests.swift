import Admission
import CodeSigning
import Expectations
import LinuxIO
import ScanConfiguration
import ScanModel
import ScriptedHTTP
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

@testable import SignedTickets

/// When keys are fetched, how long they are believed, and what an unknown one comes to.
@Suite(.timeLimit(.minutes(1))) struct TicketKeysTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)
  private static let wall = Vector.issued

  private func set(_ issuers: Issuer...) throws -> TicketKeySet {
    let text = #"{"keys":[\#(issuers.map { $0.jwk() }.joined(separator: ","))]}"#
    return try #require(TicketKeySet([UInt8](text.utf8)))
  }

  private func ring(_ set: TicketKeySet) -> TicketKeyRing {
    var ring = TicketKeyRing()
    ring.beginFetch(at: Self.start)
    _ = ring.take(set, began: Self.start, wall: Self.wall)
    return ring
  }

  // MARK: The ring

  @Test func theyAreBelievedForADay() throws {
    var ring = ring(try set(.vector))
    let key = try #require(Issuer.vector.verifying)
    for (age, isGood) in [(0, true), (86_399, true), (86_400, false), (900_000, false)] {
      let now = Self.start + .seconds(age)
      expectEqual(
        ring.key("dev-ed25519", at: now, wall: Self.wall + .seconds(age)), isGood ? .found(key) : .noKeys, "\(age) s")
      // No clock is needed where we have counted.
      expectEqual(ring.key("dev-ed25519", at: now, wall: nil), isGood ? .found(key) : .noKeys, "\(age) s")
    }
    // A machine that slept for two days has counted an hour.
    expectEqual(
      ring.key("dev-ed25519", at: Self.start + .seconds(3_600), wall: Self.wall + .seconds(172_800)), .noKeys)
  }

  @Test func whatAnEarlierProcessKeptIsAsOldAsItIs() throws {
    let key = try #require(Issuer.vector.verifying)
    for (age, isGood) in [(0, true), (86_399, true), (86_400, false), (-30, true), (-3_600, false)] {
      var ring = TicketKeyRing()
      ring.recall(try set(.vector), fetched: Self.wall)
      let finding = ring.key("dev-ed25519", at: Self.start, wall: Self.wall + .seconds(age))
      expectEqual(finding, isGood ? .found(key) : .noKeys, "\(age) s")
      expectEqual(ring.key("dev-ed25519", at: Self.start, wall: nil), .noKeys, "how old cannot be told")
      expectEqual(ring.nextFetch(at: Self.start), Self.start, "it is fetched anew at once")
    }
  }

  @Test func aNameThatIsNotThereIsNeverAnothersKey() throws {
    var ring = ring(try set(.vector, .other("k2")))
    let seen = Self.start + .seconds(10)
    expectEqual(ring.key("k3", at: seen, wall: nil), .notYet)
    // They were fetched before it was seen: asked for again, a minute after the last time.
    expectEqual(ring.nextFetch(at: seen), Self.start + .seconds(60))
    expectEqual(ring.key("k3", at: Self.start + .seconds(59), wall: nil), .notYet)
    let again = Self.start + .seconds(60)
    ring.beginFetch(at: again)
    // A fetch that is under way tells nothing yet.
    expectEqual(ring.key("k3", at: again + .seconds(1), wall: nil), .notYet)
    let areOthers = ring.take(try set(.vector, .other("k4")), began: again, wall: nil)
    expect(areOthers)
    expectEqual(ring.key("k3", at: again + .seconds(2), wall: nil), .absent)
    expectEqual(ring.key("k3", at: again + .seconds(60), wall: nil), .absent)
    // It may have come since.
    expectEqual(ring.key("k3", at: again + .seconds(61), wall: nil), .notYet)
    // One that was never seen was not looked for.
    expectEqual(ring.key("k5", at: again + .seconds(3), wall: nil), .notYet)
  }

  @Test func theServerIsAskedOnceAMinuteAtMost() throws {
    var ring = TicketKeyRing()
    expectEqual(ring.nextFetch(at: Self.start), Self.start)
    ring.beginFetch(at: Self.start)
    for second in 1..<60 {
      let now = Self.start + .seconds(second)
      _ = ring.key("k\(second)", at: now, wall: nil)
      expectEqual(ring.nextFetch(at: now), Self.start + .seconds(60))
    }
    _ = ring.take(try set(.vector), began: Self.start, wall: nil)
    for second in 1..<600 { _ = ring.key("x\(second)", at: Self.start + .seconds(second), wall: nil) }
    expectEqual(ring.nextFetch(at: Self.start + .seconds(700)), Self.start + .seconds(700))
    ring.beginFetch(at: Self.start + .seconds(700))
    _ = ring.take(try set(.vector), began: Self.start + .seconds(700), wall: nil)
    // Nothing is missing: in an hour.
    expectEqual(ring.nextFetch(at: Self.start + .seconds(800)), Self.start + .seconds(700 + 3_600))
  }

  // MARK: Over HTTP

  @Test func anUnknownKeyIsFetchedBehindTheGate() async throws {
    let next = Issuer.other("next")
    let door = try await Door.open()
    let ticket = next.ticket(at: door.time.wall())
    let news = News()
    let upkeep = Task { await door.keys.watch { news.take($0) } }
    // Who shows it is not kept waiting, and nothing is redeemed.
    await expectEqual(door.present(ticket), "undecided unreachable")
    door.service.publish(Issuer.jwks(Issuer.vector.jwk(), next.jwk()))
    expectEqual(door.service.keyFetches, 1)
    door.time.advance(by: .seconds(61))
    await expectEqual(door.present(ticket), "undecided unreachable")
    await door.service.until { door.service.keyFetches == 2 }
    let key = try #require(next.verifying)
    await until { door.keys.key("next") == .found(key) }
    await expectEqual(door.present(ticket), "redeemed")
    expectEqual(door.service.redemptions, 1)
    await until { !news.all.isEmpty }
    expectEqual(news.all.count, 1)
    expect(
      news.all.first.map { if case .notice(let words) = $0 { words.contains("dev-ed25519, next") } else { false } }
        ?? false)
    upkeep.cancel()
    await upkeep.value
    await door.close()
  }

  /// As the real server would redeem it: it takes its own key for a name that it does not know.
  @Test func aNameThatIsNoKeysIsRefusedUnasked() async throws {
    let door = try await Door.open()
    let swapped = Issuer.vector.ticket(at: door.time.wall(), kid: "dev-ed25518")
    await expectEqual(door.present(swapped), "undecided unreachable")
    await expectEqual(name(door.attempt(swapped).answer), "undecided unreachable")
    door.time.advance(by: .seconds(61))
    expectEqual(await door.keys.fetch(), [])
    await expectEqual(door.present(swapped), "refused notGenuine")
    await expectEqual(name(door.attempt(swapped).answer), "refused notGenuine")
    expectEqual(door.service.redemptions, 0)
    await expectEqual(door.present(door.ticket()), "redeemed")
    await door.close()
  }

  @Test func aKeyThatIsWithdrawnOpensNothingAnyMore() async throws {
    let (service, next) = (Service(), Issuer.other("next"))
    let door = try await Door.open(service)
    let ticket = door.ticket()
    service.publish(Issuer.jwks(next.jwk()))
    expectEqual(await door.keys.fetch().count, 1, "an operator is told")
    expect(await door.present(ticket) != "redeemed")
    await expectEqual(door.present(next.ticket("tkt_2", at: door.time.wall())), "redeemed")
    await door.close()
  }

  /// Whoever shows such a ticket is told what became of its key; a name that somebody made up is no fault of the gate's.
  @Test func whatIsMissingIsTold() async throws {
    let (service, next) = (Service(), Issuer.other("next"))
    let door = try await Door.open(service)
    func words(_ ticket: String) -> String {
      switch door.system.examine(Code(ticket), at: door.time.wall()) {
      case .undecided(.unreachable, let detail): detail
      case let other: "\(other)"
      }
    }
    let ticket = door.ticket()
    expect(words(next.ticket(at: door.time.wall())).contains("has not told yet. Its keys are being fetched"))
    service.publish(Issuer.jwks(next.jwk()))
    _ = await door.keys.fetch()
    expect(words(ticket).contains("tells no more: it was withdrawn"), "\(words(ticket))")
    service.answerKeys(Wire.response("404 Not Found", "{}"))
    _ = await door.keys.fetch()
    let unknown = words(Issuer.other("third").ticket(at: door.time.wall()))
    expect(unknown.contains("has not told yet. Its keys cannot be fetched: ") && unknown.contains("404"), "\(unknown)")
    // It is told again.
    service.answerKeys(nil)
    service.publish(Issuer.jwks(next.jwk(), Issuer.vector.jwk()))
    _ = await door.keys.fetch()
    await expectEqual(door.present(ticket), "redeemed")
    await door.close()
  }

  /// Without keys a scan says what keeps them away, as the gate does.
  @Test(arguments: [
    (Wire.response("302 Found", "", extra: "Location: /login\r\n"), UndecidedReason.badAnswer, "must be the final one"),
    (Wire.response("200 OK", Issuer.jwks(Issuer.vector.jwk()), type: nil), .badAnswer, "Content-Type"),
    (Wire.response("200 OK", "{}"), .badAnswer, "no key of Ed25519"),
    (Wire.response("404 Not Found", "{}"), .badAnswer, "404"),
    (Wire.response("500 Internal Server Error", "{}"), .unreachable, "500"),
  ]) func withoutKeysAScanSaysWhy(answer: String, reason: UndecidedReason, word: String) async throws {
    let door = try await Door.open(hasKeys: false)
    door.service.answerKeys(answer)
    _ = await door.keys.fetch()
    guard case .undecided(let found, let detail) = door.system.examine(Code(door.ticket()), at: door.time.wall()) else {
      return expect(false, "nobody is admitted without keys")
    }
    expectEqual(found, reason)
    expect(detail.contains("cannot be fetched: ") && detail.contains(word), "\(detail)")
    await door.close()
  }

  @Test func theyOutliveTheProcessForADay() async throws {
    let (records, service) = (Records(), Service())
    let door = try await Door.open(service, records: records)
    expectEqual(records.kept.count, 1)
    service.behave(.isAway)
    // The next process begins in an outage.
    let next = try await Door(service, "http://\(door.client.host)", nil, nil, nil, records, true, false)
    guard case .proceed = next.system.examine(Code(next.ticket()), at: next.time.wall()) else {
      return expect(false, "what was kept is believed")
    }
    next.time.advance(by: .seconds(86_400))
    await expectEqual(next.present(next.ticket()), "undecided unreachable")
    let other = try await Door(service, "http://127.0.0.1:9", nil, nil, nil, records, true, false)
    await expectEqual(other.present(other.ticket()), "undecided unreachable", "they are of one server")
    for door in [next, other, door] { await door.close() }
  }

  /// A machine that nobody has told the time yet: the answer's own time is what the keys' age is counted from.
  @Test func theAnswersOwnTimeLetsThemBeKept() async throws {
    let (service, disk) = (Service(), TicketStation.Disk())
    let address = "http://localhost:\(try await service.server.start())"
    let first = try await TicketStation(asking: service, at: address, disk: disk, isTrusted: false)
    expectEqual(disk.records.kept.count, 1)
    await first.close()
    service.behave(.isAway)
    let next = try await TicketStation(asking: service, at: address, disk: disk.left(), policy: .admitAndQueue)
    let ticket = next.door.ticket()
    let admitted = await next.present(ticket)
    expect(admitted.verdict == .admit && admitted.isProvisional, "\(admitted)")
    await next.close()
    await service.server.stop()
  }

  /// Where the server's clock is another, or it tells no time, they wait until ours is believed: then they are as old as they are.
  @Test(arguments: [nil, Duration.seconds(90)]) func theyAreKeptOnceTheClockIsBelieved(ahead: Duration?) async throws {
    let (records, service) = (Records(), Service())
    service.tellTime(ahead: ahead)
    let door = try await Door.open(service, records: records, isTrusted: false, hasKeys: false)
    let upkeep = Task { await door.keys.watch { _ in } }
    await service.until { service.keyFetches == 1 }
    let key = try #require(Issuer.vector.verifying)
    // A name that is asked for before they are there has them fetched once more.
    await until { door.keys.fault == nil }
    expectEqual(door.keys.key("dev-ed25519"), .found(key))
    expectEqual(records.kept.count, 0, "how old they are nobody could tell")
    door.time.advance(by: .seconds(1_800))
    let asked = door.time.wall() - .seconds(1_800)
    door.time.believe()
    // Whoever comes first is reason enough.
    _ = await door.present(door.ticket())
    await until { records.kept.count == 1 }
    guard case .kept(_, let at) = TicketKeyRecord(server: door.transport.server, records: records).read() else {
      return expect(false, "what was kept can be read")
    }
    let off = at - asked
    expect(off < .seconds(10) && off > .seconds(-10), "\(off)")
    upkeep.cancel()
    await upkeep.value
    await door.close()
  }

  /// A bit that was turned costs the keys, and is told.
  @Test func aRecordThatIsNotBelievedIsTold() async throws {
    let (records, service) = (Records(), Service())
    let door = try await Door.open(service, records: records)
    let (name, bytes) = try #require(records.kept.first)
    records.keep(Array(bytes.dropLast()), as: name)
    let next = try await Door(service, "http://\(door.client.host)", nil, nil, nil, records, true, false)
    let news = News()
    let upkeep = Task { await next.keys.watch { news.take($0) } }
    await until { !news.all.isEmpty }
    guard case .notice(let words)? = news.all.first else { return expect(false, "\(news.all)") }
    expect(words.contains("localhost") && words.contains("are not believed: the record ticket-keys."), "\(words)")
    upkeep.cancel()
    await upkeep.value
    for door in [next, door] { await door.close() }
  }

  @Test func whatIsNoSetChangesNothing() async throws {
    let door = try await Door.open()
    for keys in ["", "{}", #"{"keys":[]}"#, "<html>", Issuer.jwks(#"{"kty":"RSA"}"#)] {
      door.service.publish(keys)
      guard case .alarm(let words)? = await door.keys.fetch().first else {
        expect(keys != "", "an operator is told once")
        continue
      }
      expect(words.contains("localhost") && words.contains("Mend url."), "\(words)")
    }
    await expectEqual(door.present(door.ticket()), "redeemed")
    door.service.publish(Issuer.jwks(Issuer.vector.jwk()))
    guard case .notice? = await door.keys.fetch().first else { return expect(false, "that it is mended is told") }
    await door.close()
  }

  /// Away for an hour it is no news; away until the keys become old it is.
  @Test func whoIsAwayIsToldOfWhenItBecomesLate() async throws {
    let door = try await Door.open()
    door.service.behave(.isAway)
    expectEqual(await door.keys.fetch(), [])
    door.time.advance(by: .seconds(12 * 3_600))
    guard case .alarm(let words)? = await door.keys.fetch().first else { return expect(false, "nobody is told") }
    expect(words.contains("believed for 11 h more") || words.contains("believed for 12 h more"), "\(words)")
    expectEqual(await door.keys.fetch(), [], "once")
    await expectEqual(door.present(door.ticket()), "undecided unreachable", "its signature is good, and nobody answers")
    await door.close()
  }

  @Test func upkeepEndsWhenItIsToldTo() async throws {
    let door = try await Door.open()
    let upkeep = Task { await door.keys.watch { _ in } }
    upkeep.cancel()
    await upkeep.value
    await door.close()
  }
}

/// What an operator was told.
private final class News: Sendable {
  private let told = Mutex<[UpkeepNews]>([])
  var all: [UpkeepNews] { told.withLock { $0 } }
  func take(_ news: UpkeepNews) { told.withLock { $0.append(news) } }
}

/// Returns once that holds.
func until(_ holds: () async -> Bool) async {
  while await !holds() { try? await Task.sleep(for: .milliseconds(5)) }
}
