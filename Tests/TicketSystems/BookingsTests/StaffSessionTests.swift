import Expectations
import Foundation
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

@testable import Bookings

/// Staff, signed in over real HTTP.
@Suite struct StaffSessionTests {
  private func header(_ name: String, _ request: String?) -> String? {
    request?.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
      .map { String($0.dropFirst(name.count + 2)) }
  }

  /// Why nobody is signed in.
  private func fault(_ stage: Stage) async -> TransportFault? {
    do throws(TransportFault) {
      _ = try await stage.door.session?.session(until: stage.time.now() + .seconds(30))
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: TheatreService.Shape.allCases)
  func theSessionGoesToTheAPIWhateverPathItsCookieNames(shape: TheatreService.Shape) async throws {
    let stage = try await Stage.open(shape)
    _ = try await stage.roster.current()
    let requests = stage.service.requests
    expectEqual(stage.service.asked, [.signIn, .list])
    expectEqual(header("Cookie", requests.first), nil)
    expectEqual(header("Cookie", requests.last), "venue-session=session-1=")
    let body = requests.first?.components(separatedBy: "\r\n\r\n").last
    expectEqual(
      body,
      "{\"action\":\"login\",\"email\":\"door@example.org\",\"password\":\"\(TheatreService.password)\",\"venueSlug\":\"hamilton\"}"
    )
    await stage.close()
  }

  /// A website that it knows, and no telephone.
  @Test func requestsSayWhereTheyComeFrom() async throws {
    let stage = try await Stage.open()
    _ = try await stage.roster.current()
    let plain = try stage.again { $0.origin = nil }
    _ = try await plain.roster.current()
    for (requests, site) in [
      (stage.service.requests.prefix(2), "https://lastminutelive.com"),
      (stage.service.requests.suffix(2), "http://127.0.0.1:\(stage.settings.url.port)"),
    ] {
      for request in requests {
        expectEqual(header("Origin", request), site)
        expectEqual(header("Referer", request), site + "/")
        expectEqual(header("User-Agent", request), "scangate")
        expect(header("x-mobile-app", request) == nil && header("x-platform", request) == nil)
      }
    }
    await plain.transport.close()
    await stage.close()
  }

  @Test(
    arguments: [
      ("Max-Age=1200", 900, 1_200), ("Expires=Sat, 02 May 2026 18:10:00 GMT", 900, 1_200),
      ("Expires=Sat, 02-May-2026 18:10:00 GMT; Max-Age=28800", 27_000, 28_800), (nil, 27_000, 28_800),
      ("Max-Age=soon", 27_000, 28_800),
    ] as [(String?, Int64, Int64)])
  func itIsRenewedBeforeItsEnd(life: String?, renews: Int64, ends: Int64) async throws {
    let stage = try await Stage.open()
    stage.service.life(life)
    try await stage.signIn()
    let first = stage.door.session?.held
    stage.time.advance(by: .seconds(renews - 30))
    stage.door.session?.renew()
    expect(stage.door.session?.held == first)
    expectEqual(stage.service.count(.signIn), 1)
    stage.time.advance(by: .seconds(60))
    expect(stage.door.session?.held == first, "it still holds")
    stage.service.life("Max-Age=28800")
    stage.door.session?.renew()
    await until { stage.door.session?.held != first }
    expectEqual(stage.service.count(.signIn), 2)
    await stage.close()
  }

  @Test func oneThatIsOverIsNotSent() async throws {
    let stage = try await Stage.open()
    stage.service.life("Max-Age=1200")
    try await stage.signIn()
    stage.time.advance(by: .seconds(1_201))
    expect(stage.door.session?.held == nil)
    await stage.close()
  }

  @Test func theNextProcessGoesOnWithIt() async throws {
    let records = Records()
    let stage = try await Stage.open(records: records)
    _ = try await stage.roster.current()
    let next = try stage.again()
    _ = try await next.roster.current()
    expectEqual(stage.service.asked, [.signIn, .list, .list])
    expect(records.all.keys.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == ".") } })
    await next.transport.close()
    await stage.close()
  }

  @Test func anotherConfigurationsIsNotUsed() async throws {
    let records = Records()
    let stage = try await Stage.open(records: records)
    try await stage.signIn()
    let changes: [(inout BookingsSection.System) -> Void] = [
      { $0.staff?.email = "other@example.org" }, { $0.venue.slug = "wicked" }, { $0.venue.id = "v-2" },
    ]
    for (index, change) in changes.enumerated() {
      // Each of them has put its own down before the next one comes.
      let other = try stage.again(changing: change)
      try await other.signIn()
      expectEqual(stage.service.count(.signIn), index + 2)
      await other.transport.close()
    }
    await stage.close()
  }

  /// A record that somebody has spoilt is none.
  @Test(arguments: ["", "{}", "[]", "{\"version\":1}", "{\"version\":2,\"subject\":\"s\"}", "\u{0}\u{1}"])
  func aSpoiltRecordIsNone(text: String) async throws {
    let records = Records()
    let stage = try await Stage.open(records: records)
    try await stage.signIn()
    for name in records.all.keys { records.keep([UInt8](text.utf8), as: name) }
    let next = try stage.again()
    try await next.signIn()
    expectEqual(stage.service.count(.signIn), 2)
    await next.transport.close()
    await stage.close()
  }

  @Test(arguments: TheatreService.Shape.allCases)
  func aRefusedSessionIsSignedInForOnceMore(shape: TheatreService.Shape) async throws {
    let stage = try await Stage.open(shape)
    try await stage.signIn()
    stage.service.forgetSessions()
    _ = try await stage.roster.current()
    expectEqual(stage.service.asked, [.signIn, .list, .signIn, .list])
    stage.service.reply(
      to: .list, .answer(stage.service.response("401 Unauthorized", stage.service.error("Session expired"))))
    stage.door.memory.ration.change { $0 = DoorRation() }
    do {
      _ = try await stage.roster.current()
      expect(false, "it was told")
    } catch {
      expect(
        "\(error)".contains("does not take our session (401)") && "\(error)".contains("credential set theatre-door"),
        "\(error)")
      expect(!Stage.holdsSecret("\(error)"))
    }
    expectEqual(stage.service.asked.suffix(3), [.list, .signIn, .list])
    await stage.close()
  }

  @Test func manyWhoNeedOneSignInOnce() async throws {
    let stage = try await Stage.open()
    stage.service.reply(to: .signIn, .held, .usual)
    let session = try #require(stage.door.session)
    let end = stage.time.now() + .seconds(30)
    async let all = withTaskGroup(of: Bool.self) { group in
      for _ in 0..<8 { group.addTask { (try? await session.session(until: end)) != nil } }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    await stage.service.sees(1)
    stage.service.release()
    let got = await all
    expectEqual(got, 8)
    expectEqual(stage.service.count(.signIn), 1)
    await stage.close()
  }

  /// A restart loop must not lock the account.
  @Test func threeSignInsAQuarterOfAnHourWhateverIsRestarted() async throws {
    let records = Records()
    let stage = try await Stage.open(password: "wrong", records: records)
    var faults: [TransportFault?] = [await fault(stage)]
    for _ in 0..<4 {
      let next = try stage.again(password: "wrong")
      faults.append(await fault(next))
      await next.transport.close()
    }
    expectEqual(stage.service.count(.signIn), 3)
    expectEqual(faults.map { $0?.reason }, [.keyRefused, .keyRefused, .keyRefused, .rateLimited, .rateLimited])
    expect(faults.last??.detail.contains("3 times in 15 min") == true, "\(faults)")
    stage.time.advance(by: DoorRation.period + DoorRation.toldMargin)
    let later = try stage.again()
    try await later.signIn()
    expectEqual(stage.service.count(.signIn), 4)
    await later.transport.close()
    await stage.close()
  }

  /// It is counted before it is sent.
  @Test func aSignInThatNobodyAnsweredCounts() async throws {
    let records = Records()
    let stage = try await Stage.open(records: records)
    stage.service.reply(to: .signIn, .silence)
    stage.door.session?.renew()
    await stage.service.sees(1)
    let kept = records.all.values.compactMap { DoorRecord($0) }
    expectEqual(kept.flatMap { $0.calls.map(\.place.use) }, [.signIn])
    expect(kept.allSatisfy { $0.session == nil })
    await stage.close()
  }

  @Test func theCountSurvivesAReloadAndAnotherPasswordIsTriedAtOnce() async throws {
    let stage = try await Stage.open(password: "wrong")
    expectEqual(await fault(stage)?.reason, .keyRefused)
    let again = await fault(stage)
    expect(
      again?.reason == .keyRefused && again?.detail.contains("tried again in 5 min") == true,
      "\(String(describing: again))")
    expectEqual(stage.service.count(.signIn), 1, "a password that was refused is not tried at once")
    let same = try stage.again(isReload: true, password: "wrong")
    expectEqual(await fault(same)?.reason, .keyRefused)
    expectEqual(stage.service.count(.signIn), 1)
    let mended = try stage.again(isReload: true)
    try await mended.signIn()
    expectEqual(stage.service.count(.signIn), 2)
    for other in [same, mended] { await other.transport.close() }
    await stage.close()
  }

  @Test func aWrongPasswordSaysWhichCredential() async throws {
    for shape in TheatreService.Shape.allCases {
      let stage = try await Stage.open(shape, password: "wrong pass\u{7}")
      let fault = await fault(stage)
      expectEqual(fault?.reason, .keyRefused)
      let words = fault?.detail ?? ""
      expect(
        words.contains("“Invalid email or password”") && words.contains("scangate credential set theatre-door"),
        "\(words)")
      expect(
        words.contains("f:3:5") && words.contains("systemctl reload scangate") && !words.contains("wrong pass"),
        "\(words)")
      await stage.close()
    }
  }

  /// What a sign-in may be answered with, and what that is.
  static let answers: [(status: String, type: String?, body: String, extra: String, reason: UndecidedReason)] = [
    ("200 OK", "application/json", "{\"success\":false,\"error\":\"No access to this venue\"}", "", .keyRefused),
    ("200 OK", "application/json", "{\"success\":true}", "", .badAnswer),
    ("200 OK", "application/json", "{\"success\":true}", "Set-Cookie: venue-session=; Path=/venue\r\n", .badAnswer),
    ("200 OK", "application/json", "{\"success\":true}", "Set-Cookie: venue-session\r\n", .badAnswer),
    ("200 OK", "application/json", "{\"success\":true}", "Set-Cookie: venue-session=a b; Path=/venue\r\n", .badAnswer),
    ("200 OK", "application/json", "{\"success\":true}", "Set-Cookie: venue-session=x; Max-Age=0\r\n", .badAnswer),
    ("200 OK", "application/json", "{\"success\":true}", "Set-Cookie: venue-session=x; Max-Age=-1\r\n", .badAnswer),
    (
      "200 OK", "application/json", "{\"success\":true}",
      "Set-Cookie: venue-session=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT\r\n", .badAnswer
    ),
    ("200 OK", "application/json", "{\"success\":true}", "Set-Cookie: other=session-9\r\n", .badAnswer),
    ("200 OK", "application/json", "[]", "Set-Cookie: venue-session=x\r\n", .badAnswer),
    ("200 OK", "application/json", "{\"success\":", "Set-Cookie: venue-session=x\r\n", .badAnswer),
    ("200 OK", "text/html", "<html>Waking up…</html>", "Set-Cookie: venue-session=x\r\n", .badAnswer),
    ("200 OK", nil, "", "", .badAnswer),
    ("302 Found", nil, "", "Location: https://evil.example/login\r\n", .badAnswer),
    ("400 Bad Request", "application/json", "{\"error\":\"Missing venueSlug\"}", "", .keyRefused),
    ("401 Unauthorized", "application/json", "{\"error\":\"Invalid credentials\"}", "", .keyRefused),
    ("401 Unauthorized", "text/html", "<html>portal</html>", "", .badAnswer),
    ("403 Forbidden", "application/json", "{\"error\":\"Invalid origin\"}", "", .accessDenied),
    ("403 Forbidden", "application/json", "{\"error\":\"Too many requests\"}", "Retry-After: 600\r\n", .rateLimited),
    ("403 Forbidden", "text/html", "<html>firewall</html>", "", .badAnswer),
    ("404 Not Found", "application/json", "{\"error\":\"Not found\"}", "", .badAnswer),
    ("422 Unprocessable", "application/json", "{\"error\":\"No such field\"}", "", .keyRefused),
    ("429 Too Many Requests", "application/json", "{}", "", .rateLimited),
    ("500 Oops", "application/json", "{\"error\":\"Internal\"}", "", .unreachable),
    ("503 Asleep", "text/html", "<html></html>", "", .unreachable),
  ]

  @Test(arguments: StaffSessionTests.answers.indices)
  func whatIsNoSignInIsToldInWords(index: Int) async throws {
    let (status, type, body, extra, reason) = Self.answers[index]
    let stage = try await Stage.open()
    stage.service.reply(to: .signIn, .answer(stage.service.response(status, body, type: type, extra: extra)))
    let fault = await fault(stage)
    expectEqual(fault?.reason, reason, "\(status) \(body) \(extra)")
    expect(fault?.detail.contains("127.0.0.1:\(stage.settings.url.port)") == true, "\(String(describing: fault))")
    expect(stage.door.session?.held == nil)
    expect(!Stage.holdsSecret("\(String(describing: fault))"))
    await stage.close()
  }

  @Test func aServiceThatRepeatsThePasswordIsHidden() async throws {
    let stage = try await Stage.open()
    stage.service.reply(
      to: .signIn,
      .answer(
        stage.service.response("401 Unauthorized", stage.service.error("No user with \(TheatreService.password)"))))
    let words = await fault(stage)?.detail ?? ""
    expect(words.contains("No user with (secret)") && !Stage.holdsSecret(words), "\(words)")
    await stage.close()
  }

  @Test func nothingPrintsASecret() async throws {
    let stage = try await Stage.open()
    _ = try await stage.roster.current()
    let session = try #require(stage.door.session)
    let state = stage.door.memory.signIn.withLock { $0 }
    var texts = ["\(session)", "\(state)", "\(stage.settings)"]
    for value in [state, stage.settings] as [Any] {
      var text = ""
      dump(value, to: &text)
      texts.append(text)
    }
    expect(texts.allSatisfy { !Stage.holdsSecret($0) })
    await stage.close()
  }
}
