import Calls
import Expectations
import Foundation
import ScanModel
import ScanTesting
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport

@testable import Subscriptions

/// One presentation over real HTTP: what is asked, in which order, and what it comes to.
@Suite(.timeLimit(.minutes(1))) struct PresentationTests {
  private static let path = "/api/v1/apple/subs/\(exampleID)"
  private static let get = "GET \(path)"
  private static let patch = "PATCH \(path)"
  private static var ahead: WallTime { SystemTime().wall() + .seconds(3_600) }
  private static var past: WallTime { SystemTime().wall() - .seconds(3_600) }

  private static func good(_ tier: String = "premium") -> Service.Reply {
    .answer(Wire.response("200 OK", Wire.subscription(ends: ahead, tier: tier, renews: true)))
  }
  private static var ended: Service.Reply {
    .answer(Wire.response("200 OK", Wire.subscription(ends: past, renews: true)))
  }
  private static func refusal(_ status: String, _ message: String) -> Service.Reply {
    .answer(Wire.response(status, #"{"message":"\#(message)"}"#))
  }

  @Test func aGoodSubscriptionIsOneQuestion() async throws {
    let service = try await Service.open(Self.good())
    let text = try SignedPass.text(
      #require(SubscriptionID(exampleID)), notBefore: Self.past, ends: Self.ahead, by: passKey)
    for code in [exampleID, text, text.lowercased()] {
      let outcome = await service.attempt(code)
      guard case .valid(let right) = outcome.answer else { return expect(false, "\(outcome)") }
      expect(right.quantity == 1 && right.details.kind == "premium" && right.ends == right.details.ends)
      expect(outcome.fate == .answered && !outcome.mayHaveRedeemed && !outcome.isRemembered && outcome.offline == nil)
      expect(outcome.serverDate != nil)
    }
    expectEqual(service.asked, [Self.get, Self.get, Self.get])
    let request = try #require(service.server.requests.first)
    expect(request.contains("Authorization: Bearer test-token\r\n"), "\(request)")
    expectEqual(service.board.kept[Code(exampleID)]?.kind, "premium")
    await service.close()
  }

  @Test func aRenewalIsFoundByOneRefreshWhateverThatAnswers() async throws {
    let zero =
      #"{"subscription":{"environment":null,"originalTransactionId":"","expiresDateUtc":null,"tier":null},"membership":{}}"#
    for answer in [
      Wire.response("200 OK", Wire.subscription(ends: Self.ahead)), Wire.response("200 OK", zero),
      Wire.response("200 OK", "<html>", type: "text/html"), Wire.response("204 No Content", ""),
    ] {
      let service = try await Service.open(Self.ended, .answer(answer), Self.good())
      await expectEqual(name(service.attempt().answer), "valid")
      expectEqual(service.asked, [Self.get, Self.patch, Self.get])
      await service.close()
    }
  }

  /// It is never the verdict, whatever it says.
  @Test func whatARefreshAnswersAdmitsNobody() async throws {
    let service = try await Service.open(Self.ended, Self.good(), Self.ended)
    await expectEqual(name(service.attempt().answer), "refused expired")
    // Not again within ten minutes.
    for _ in 0..<3 { await expectEqual(name(service.attempt().answer), "refused expired") }
    expectEqual(service.asked, [Self.get, Self.patch, Self.get, Self.get, Self.get, Self.get])
    expectEqual(service.board.kept, [:])
    await service.close()
  }

  @Test func afterTenMinutesItIsRefreshedAgain() async throws {
    let time = MovableTime()
    let service = try await Service.open(Self.ended, time: time)
    await expectEqual(name(service.attempt().answer), "refused expired")
    time.advance(by: .seconds(599))
    await expectEqual(name(service.attempt().answer), "refused expired")
    expectEqual(service.asked.count { $0 == Self.patch }, 1)
    time.advance(by: .seconds(2))
    await expectEqual(name(service.attempt().answer), "refused expired")
    expectEqual(service.asked.count { $0 == Self.patch }, 2)
    await service.close()
  }

  @Test func theGraceHoldsAfterTheRefresh() async throws {
    let service = try await Service.open(Self.ended, grace: .seconds(7_200))
    let outcome = await service.attempt()
    guard case .valid(let right) = outcome.answer else { return expect(false, "\(outcome)") }
    expect(right.ends.map { $0 > SystemTime().wall() && $0 < SystemTime().wall() + .seconds(3_700) } == true)
    expectEqual(service.asked, [Self.get, Self.patch, Self.get])
    await service.close()
  }

  @Test(arguments: ["500 Internal Server Error", "502 Bad Gateway", "429 Too Many Requests"])
  func aServerThatCouldNotLookRefusesNobody(status: String) async throws {
    let service = try await Service.open(Self.ended, Self.refusal(status, "x"), Self.ended)
    let outcome = await service.attempt()
    expectEqual(name(outcome.answer), status.hasPrefix("429") ? "undecided rateLimited" : "undecided unreachable")
    await service.close()
  }

  @Test func aServerThatHasLookedAndRefusesIsBelieved() async throws {
    let body =
      #"{"message":"No subscription found","error":{"field":"latest_receipt_info","code":"missing_field"}}"#
    let service = try await Service.open(
      Self.ended, .answer(Wire.response("422 Unprocessable Entity", body)), Self.ended)
    await expectEqual(name(service.attempt().answer), "refused expired")
    await service.close()
  }

  /// A service that has lost the receipt, and a cache in its place, have asked no store.
  @Test func whoHasAskedNoStoreRefusesNobody() async throws {
    let ended = Wire.subscription(ends: Self.past, renews: true)
    for answer in [
      Wire.response("404 Not Found", #"{"message":"Not found the Apple subscription to refresh"}"#),
      Wire.response("404 Not Found", #"{"message":"Not Found"}"#),
      Wire.response("200 OK", ended, extra: "Age: 1\r\n"), Wire.response("200 OK", ended, extra: "Age: x\r\n"),
    ] {
      let service = try await Service.open(Self.ended, .answer(answer), Self.ended)
      for _ in 0..<2 { await expectEqual(name(service.attempt().answer), "undecided unreachable", "\(answer)") }
      expectEqual(service.asked, [Self.get, Self.patch, Self.get, Self.get])
      await service.close()
    }
    let fresh = try await Service.open(
      Self.ended, .answer(Wire.response("200 OK", ended, extra: "Age: 0\r\n")), Self.ended)
    await expectEqual(name(fresh.attempt().answer), "refused expired")
    await fresh.close()
  }

  /// Never counted as offline; it ends behind, and the next presentation is asked about first.
  @Test func aRefreshThatIsNotAnsweredInTimeIsUndecidedAndEndsBehind() async throws {
    let service = try await Service.open(
      Self.ended, .held(Wire.response("200 OK", "{}")), Self.good(), Self.good())
    let outcome = await service.attempt(within: .seconds(2)) { _ in expect(false, "nothing is late") }
    expectEqual(name(outcome.answer), "undecided unreachable")
    expect(outcome.fate == .answered && outcome.offline == nil && outcome.retryAfter == nil, "\(outcome)")
    expectEqual(service.asked, [Self.get, Self.patch])
    service.release()
    await expectEqual(name(service.attempt().answer), "valid")
    expectEqual(service.asked, [Self.get, Self.patch, Self.get])
    await service.close()
  }

  /// Whether it was renewed is not known: who is valid is not refused for an answer that was lost.
  @Test func aRefreshThatIsLostRefusesNobodyAndIsNotSentTwice() async throws {
    let service = try await Service.open(Self.ended, .cut, Self.ended)
    for _ in 0..<3 { await expectEqual(name(service.attempt().answer), "undecided unreachable") }
    expectEqual(service.asked.count { $0 == Self.patch }, 1)
    await service.close()
  }

  @Test func withLittleTimeLeftItIsRefreshedBehind() async throws {
    let service = try await Service.open(Self.ended, Self.good(), Self.good())
    let outcome = await service.attempt(within: RefreshBook.least - .milliseconds(1))
    // A machine that stood still has asked nothing.
    if outcome.fate == .answered {
      expectEqual(name(outcome.answer), "undecided unreachable")
      expect(outcome.offline == nil)
      await service.seen(2)
      expectEqual(service.asked, [Self.get, Self.patch])
    }
    await service.close()
  }

  @Test func noAnswerIsPendingAndMayComeLate() async throws {
    let service = try await Service.open(
      .held(Wire.response("200 OK", Wire.subscription(ends: Self.ahead))))
    let (late, told) = AsyncStream<AttemptOutcome>.makeStream()
    let outcome = await service.attempt(within: .milliseconds(400)) { told.yield($0) }
    expect(outcome.fate == .pending && outcome.offline == .timeOut && !outcome.mayHaveRedeemed, "\(outcome)")
    service.release()
    for await outcome in late {
      expectEqual(name(outcome.answer), "valid")
      expectEqual(service.board.kept[Code(exampleID)]?.kind, "premium")
      break
    }
    await service.close()
  }

  @Test func aConnectionThatEndsIsLost() async throws {
    let service = try await Service.open(.cut)
    let outcome = await service.attempt()
    expect(outcome.fate == .lost && outcome.offline == .noConnection && !outcome.mayHaveRedeemed, "\(outcome)")
    await service.close()
  }

  @Test func aTokenThatIsRefusedIsAnAlarmAndNeverShown() async throws {
    let service = try await Service.open(
      Self.refusal("403 Forbidden", "Invalid access token test-token of \(exampleID)"))
    for _ in 0..<2 {
      let outcome = await service.attempt()
      guard case .undecided(.keyRefused, let detail?) = outcome.answer else { return expect(false, "\(outcome)") }
      expect(
        detail.contains("Mend accessToken.") && !detail.contains("test-token") && !detail.contains(exampleID),
        "\(detail)")
    }
    await service.close()
  }

  @Test func whatIsNoPassIsAskedNobody() async throws {
    let service = try await Service.open(Self.good())
    for code in ["1234567", "x", "../12345678", "SCANPASS1:AEAS"] {
      await expectEqual(name(service.attempt(code).answer), "refused notGenuine")
    }
    expectEqual(service.asked, [])
    await service.close()
  }

  @Test func aMinuteHasSoManyRequests() async throws {
    let service = try await Service.open(Self.good(), budget: RateBudget(limit: 3, model: .window))
    for _ in 0..<3 { await expectEqual(name(service.attempt().answer), "valid") }
    for _ in 0..<20 {
      let outcome = await service.attempt()
      expect(
        name(outcome.answer) == "undecided rateLimited" && outcome.fate == .notSent && outcome.offline == .rateLimited)
    }
    expectEqual(service.asked.count, 3)
    await service.close()
  }

  // MARK: From memory

  @Test func aPassThatWasCheckedAMomentAgoOpensAtOnceAndIsAskedAboutBehindIt() async throws {
    let time = MovableTime()
    let service = try await Service.open(Self.good(), recheck: .seconds(600), time: time)
    expect(await !service.attempt().isRemembered)
    let second = await service.attempt()
    expect(second.isRemembered && name(second.answer) == "valid")
    await service.seen(2)
    time.advance(by: .seconds(1_201))
    expect(await !service.attempt().isRemembered)
    await service.close()
  }

  @Test func whatIsFoundBehindEndsIt() async throws {
    let service = try await Service.open(
      Self.good(), .answer(Wire.response("404 Not Found", #"{"message":"Not Found"}"#)), recheck: .seconds(600))
    await expectEqual(name(service.attempt().answer), "valid")
    expect(await service.attempt().isRemembered)
    while service.board.kept[Code(exampleID)] != nil { try await Task.sleep(for: .milliseconds(5)) }
    while service.client.check(of: try #require(SubscriptionID(exampleID))) != nil { await Task.yield() }
    let outcome = await service.attempt()
    expect(!outcome.isRemembered && name(outcome.answer) == "refused notFound")
    await service.close()
  }

  @Test func aRefusedTokenForgetsWhatWasChecked() async throws {
    let other = "1000000619244063"
    let service = try await Service.open(
      Self.good(), Self.refusal("403 Forbidden", "Invalid access token"), recheck: .seconds(600))
    await expectEqual(name(service.attempt().answer), "valid")
    await expectEqual(name(service.attempt(other).answer), "undecided keyRefused")
    await expectEqual(name(service.attempt().answer), "undecided keyRefused")
    await service.close()
  }

  @Test func memoryAdmitsNobodyAtAGateOfAnotherTierNorAfterTheEnd() throws {
    let id = try #require(SubscriptionID(exampleID))
    let now = WallTime(seconds: 1_763_800_000)
    let start = MonotonicTime(nanoseconds: 1_000_000_000)
    let answer = try VerdictTests.read(
      HTTPAnswer(
        status: 200, mediaType: "application/json",
        body: [UInt8](Wire.subscription(ends: now + .seconds(100)).utf8), serverDate: now))
    guard case .told(let subscription, _) = answer else { return expect(false, "\(answer)") }
    var memory = CheckMemory(recheck: .seconds(3_600))
    memory.take(.init(subscription: subscription, until: now + .seconds(100), now: now, at: start), of: id)
    expectEqual(memory.check(of: id, at: start + .seconds(99))?.now, now + .seconds(99))
    expect(memory.check(of: id, at: start + .seconds(100)) == nil)
    expect(memory.check(of: id, at: start - .seconds(1)) == nil, "a clock that jumped back")
    var none = CheckMemory(recheck: .zero)
    none.take(.init(subscription: subscription, until: now + .seconds(100), now: now, at: start), of: id)
    expect(none.check(of: id, at: start) == nil)
    for number in 0...CheckMemory.most {
      let other = try #require(SubscriptionID(String(20_000_000 + number)))
      memory.take(.init(subscription: subscription, until: now + .seconds(100), now: now, at: start), of: other)
    }
    memory.forgetAll()
    expect(memory.check(of: id, at: start) == nil)
  }

  // MARK: Who is owed

  @Test func whatIsOwedIsAskedAboutTheMomentOfTheAdmission() async throws {
    let service = try await Service.open(
      .answer(Wire.response("200 OK", Wire.subscription(ends: Self.past))))
    await expectEqual(name(service.attempt(owedFor: .seconds(7_200)).answer), "valid")
    await expectEqual(name(service.attempt(owedFor: .seconds(60)).answer), "refused expired")
    expectEqual(service.board.kept, [:])
    await service.close()
  }

  // MARK: Whether it would check a pass

  @Test(arguments: [
    (#"{"message":"Requires authorization."}"#, "401 Unauthorized"),
    (#"{"message":"Missing X-User-Id header"}"#, "401 Unauthorized"),
    (#"{"message":"No"}"#, "401 Unauthorized"),
    (#"{"message":"A user id is required"}"#, "400 Bad Request"),
    (#"{"total":0,"page":1,"limit":20,"data":[]}"#, "200 OK"),
  ]) func aTokenThatIsTakenAnswers(body: String, status: String) async throws {
    let service = try await Service.open(.answer(Wire.response(status, body)))
    let found = await service.system.reach(deadline: SystemTime().now() + .seconds(60))
    guard case .answers(let date?) = found else { return expect(false, "\(found)") }
    expect(date.seconds > 1_700_000_000)
    expectEqual(service.asked, ["GET /api/v1/apple/subs?page=1&per_page=1"])
    await service.close()
  }

  @Test(arguments: [
    (#"{"message":"Invalid access token"}"#, "403 Forbidden", UndecidedReason.keyRefused, "Mend accessToken."),
    (#"{"message":"Invalid access token of user 7"}"#, "401 Unauthorized", .keyRefused, "Mend accessToken."),
    (#"{"message":"Not Found"}"#, "404 Not Found", .badAnswer, "Mend url."),
    (#"{"data":{}}"#, "200 OK", .badAnswer, "Mend url."), ("{}", "302 Found", .badAnswer, "Mend url."),
  ]) func aFaultNamesItsSetting(body: String, status: String, reason: UndecidedReason, cure: String) async throws {
    let service = try await Service.open(.answer(Wire.response(status, body)))
    let found = await service.system.reach(deadline: SystemTime().now() + .seconds(60))
    guard case .fault(reason, let detail) = found else { return expect(false, "\(found)") }
    expect(detail.contains(cure) && !detail.contains("test-token"), "\(detail)")
    await service.close()
  }

  @Test(arguments: [
    ("401 Unauthorized", "Unauthorized"), ("401 Unauthorized", "Missing Authentication Token"),
    ("401 Unauthorized", "Wrong credentials of the user"), ("403 Forbidden", "No"), ("429 Too Many Requests", "No"),
    ("500 Internal Server Error", "No"),
  ]) func whatIsAboutSomethingElseProvesNothing(status: String, words: String) async throws {
    let service = try await Service.open(Self.refusal(status, words))
    let found = await service.system.reach(deadline: SystemTime().now() + .seconds(60))
    guard case .unclear = found else { return expect(false, "\(found)") }
    await service.close()
  }

  @Test func aServerThatIsAwayIsOffline() async throws {
    let service = try await Service.open(.answer(Wire.response("503 Service Unavailable", "")))
    await expectEqual(service.system.reach(deadline: SystemTime().now() + .seconds(60)), .offline(.gatewayFault))
    await service.close()
  }

  // MARK: A list to be taken on board

  @Test func aListEndsWhateverItsPagesSay() async throws {
    let ids = (0..<5).map { String(1_000_000_000 + $0) }
    func page(_ ids: [String], total: Int) -> String {
      let data = ids.map { Wire.subscription($0, ends: Self.ahead, tier: "standard") }
      return #"{"total":\#(total),"page":1,"limit":2,"data":[\#(data.joined(separator: ","))]}"#
    }
    // The total lies, and the last page comes again and again.
    let service = try await Service.open(
      .answer(Wire.response("200 OK", page([ids[0], ids[1]], total: 1))),
      .answer(Wire.response("200 OK", page([ids[1], ids[2]], total: 0))),
      .answer(Wire.response("200 OK", page([ids[1], ids[2]], total: 1_000_000))))
    let roster = SubscriptionsRoster(client: service.client, environment: .production)
    var told: [String] = []
    var number = 0
    var hasMore = true
    while hasMore {
      number += 1
      let page = try await roster.page(number)
      told += page.tickets.map(\.code)
      expect(
        page.tickets.allSatisfy {
          $0.status == .valid && $0.kind == "standard" && $0.until != nil && $0.obstacle == nil
        })
      hasMore = page.hasMore
    }
    expect(number == 3 && Set(told) == [ids[0], ids[1], ids[2]], "\(told)")
    expectEqual(service.asked.first, "GET /api/v1/apple/subs?page=1&per_page=100")
    await service.close()
  }

  @Test(arguments: ["Missing X-User-Id", "Requires authorization."])
  func aListOfOneUserAloneIsSaidToBe(words: String) async throws {
    let service = try await Service.open(Self.refusal("401 Unauthorized", words))
    let roster = SubscriptionsRoster(client: service.client, environment: .production)
    await #expect {
      _ = try await roster.page(1)
    } throws: {
      "\($0)".contains("tells each user's own subscriptions")
    }
    await service.close()
  }

  /// Who has left since stands in what a cache has kept.
  @Test func aListFromACacheIsNotTaken() async throws {
    let body = #"{"data":[\#(Wire.subscription(ends: Self.ahead))]}"#
    for age in ["1", "86400", "x"] {
      let service = try await Service.open(.answer(Wire.response("200 OK", body, extra: "Age: \(age)\r\n")))
      let roster = SubscriptionsRoster(client: service.client, environment: .production)
      await #expect {
        _ = try await roster.page(1)
      } throws: {
        "\($0)".contains("from a cache on the way (Age: \(age))")
      }
      expectEqual(service.asked.count, 1)
      await service.close()
    }
    let service = try await Service.open(.answer(Wire.response("200 OK", body, extra: "Age: 0\r\n")))
    let page = try await SubscriptionsRoster(client: service.client, environment: .production).page(1)
    expectEqual(page.tickets.map(\.code), [exampleID])
    await service.close()
  }

  /// A page of which nothing can be read is no end: what follows it is told.
  @Test func aPageOfNoSubscriptionsEndsNoList() async throws {
    func page(_ data: String) -> Service.Reply { .answer(Wire.response("200 OK", #"{"data":[\#(data)]}"#)) }
    let service = try await Service.open(
      page(#"{"id":1},{"id":2}"#), page(Wire.subscription(ends: Self.ahead)), page(""))
    let roster = SubscriptionsRoster(client: service.client, environment: .production)
    let first = try await roster.page(1)
    expect(first.hasMore && first.tickets.count == 2 && first.tickets.allSatisfy { $0.obstacle != nil })
    let second = try await roster.page(2)
    expect(second.hasMore && second.tickets.map(\.code) == [exampleID])
    expect(try await roster.page(3).hasMore == false)
    await service.close()
  }

  /// Who is meant is told to the server, and to nobody else.
  @Test func aListOfOneUserNamesTheUser() async throws {
    let user = "748bc0c8-f778-4616-8dff-7f4a8f4dd411"
    let service = try await Service.open(
      .answer(Wire.response("200 OK", #"{"data":[]}"#)), Self.refusal("401 Unauthorized", "No user \(user)"))
    let all = SubscriptionsRoster(client: service.client, environment: .production)
    let own = try #require(try all.of(user: user))
    _ = try await own.page(1)
    expect(service.server.requests[0].lowercased().contains("x-user-id: \(user)"), "\(service.server.requests)")
    await #expect {
      _ = try await own.page(1)
    } throws: {
      let words = "\($0)"
      return words.contains("that --user names (401)") && words.contains("…d411") && !words.contains(user)
    }
    for wrong in ["", " ", "a\r\nb", "ä"] {
      #expect(throws: TicketListFault.self) { try all.of(user: wrong) }
    }
    await service.close()
  }

  // MARK: Conformance

  @Test func behavesAsATicketSystemMust() async throws {
    let slow = "1000000619244069"
    let good = Wire.response("200 OK", Wire.subscription(ends: Self.ahead))
    let held = Mutex<ScriptedServer.Connection?>(nil)
    let server = ScriptedServer { _, request, connection in
      if request.contains(exampleID) {
        connection.send(good)
      } else if request.contains(slow) {
        held.withLock { $0 = connection }
      } else if request.contains("page=") {
        connection.send(Wire.response("401 Unauthorized", #"{"message":"Missing X-User-Id"}"#))
      } else {
        connection.send(Wire.response("404 Not Found", #"{"message":"Not Found"}"#))
      }
    }
    let service = try await Service.open(asking: server)
    let suite = TicketSystemConformance(
      system: service.system, goodCode: Code(exampleID), unknownCode: Code("1000000619244060"), slowCode: Code(slow),
      release: { held.withLock { $0 }?.send(Wire.response("200 OK", Wire.subscription(slow, ends: Self.ahead))) },
      time: SystemTime())
    await expectEqual(suite.failures(), [])
    await service.close()
  }
}
