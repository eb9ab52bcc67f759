import Expectations
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing

@testable import Console

@Suite struct TokenTests {
  private static func book(_ time: any TimeSource) -> TokenBook {
    TokenBook(
      [
        (ConsoleToken(credential: credential("prometheus"), scopes: [.metrics]), ConsoleBench.token),
        (ConsoleToken(credential: credential("wall"), scopes: [.events, .orders]), ConsoleBench.otherToken),
      ], time: time)
  }

  @Test func eachTokenIsItsOwn() {
    let book = Self.book(ManualTime())
    expectEqual(
      book.judge(ConsoleBench.token, from: "10.0.0.1"), .known(ConsoleCaller(name: "prometheus", scopes: [.metrics])))
    expectEqual(
      book.judge(ConsoleBench.otherToken, from: "10.0.0.1"),
      .known(ConsoleCaller(name: "wall", scopes: [.events, .orders])))
    for wrong in [
      "", "x", ConsoleBench.token + "0", String(ConsoleBench.token.dropLast()), ConsoleBench.token.uppercased(),
    ] {
      expectEqual(book.judge(wrong, from: "10.0.0.\(wrong.utf8.count)"), .unknown)
    }
  }

  @Test func whoGuessesWaits() {
    let time = ManualTime()
    let book = Self.book(time)
    for _ in 0..<TokenBook.mostFailures { expectEqual(book.judge("guess", from: "10.0.0.1"), .unknown) }
    guard case .later(let seconds) = book.judge(ConsoleBench.token, from: "10.0.0.1") else {
      return expect(false, "a right token is looked at all the same")
    }
    expect((1...6).contains(seconds))
    // Others are not kept waiting.
    expectEqual(
      book.judge(ConsoleBench.token, from: "10.0.0.2"), .known(ConsoleCaller(name: "prometheus", scopes: [.metrics])))
    time.advance(by: TokenBook.pause)
    // One more guess, and it waits again.
    expectEqual(book.judge("guess", from: "10.0.0.1"), .unknown)
    guard case .later = book.judge("guess", from: "10.0.0.1") else { return expect(false, "it is not slowed") }
    time.advance(by: TokenBook.pause * 20)
    expectEqual(
      book.judge(ConsoleBench.token, from: "10.0.0.1"), .known(ConsoleCaller(name: "prometheus", scopes: [.metrics])))
  }

  /// Whatever is tried when: one address has no more tries than the pauses allow, and memory has a bound.
  @Test(arguments: 0..<4) func triesAreBounded(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let time = ManualTime()
    let book = Self.book(time)
    var (tries, passed) = (0, Duration.zero)
    for _ in 0..<extent(landing: 5_000, release: 50_000) {
      switch book.judge("guess", from: "10.0.0.1") {
      case .unknown: tries += 1
      case .later, .known: break
      }
      _ = book.judge(
        "guess", from: "10.1.\(Int.random(in: 0...255, using: &random)).\(Int.random(in: 0...255, using: &random))")
      let step = Duration.milliseconds(Int.random(in: 0...2_000, using: &random))
      time.advance(by: step)
      passed += step
      expect(Double(tries) <= Double(TokenBook.mostFailures) + passed / TokenBook.pause + 1)
    }
    expect(tries > TokenBook.mostFailures)
    expect(book.remembered <= TokenBook.mostAddresses)
  }

  @Test func aTokenIsAskedForAndNotShown() async throws {
    var setting = BenchSetting()
    setting.add("wall", ConsoleBench.token, [.events])
    try await withConsole(setting) { console in
      for field in [
        "Bearer wrong-\(ConsoleBench.otherToken)", "Bearer", "Basic \(ConsoleBench.token)", "Bearer a b", "",
      ] {
        let answer = try await console.ask("GET /metrics", "Authorization: \(field)")
        expectEqual(answer.status, 401, "\(field)")
        expectEqual(answer.field("WWW-Authenticate"), "Bearer realm=\"scangate console\"")
        expect(!answer.text.contains(ConsoleBench.otherToken))
      }
      let twice = try await console.ask(
        "GET /metrics", "Authorization: Bearer \(ConsoleBench.token)", "Authorization: Bearer \(ConsoleBench.token)")
      expectEqual(twice.status, 401)
    }
  }

  @Test func aTokenInAURLIsRefused() async throws {
    var setting = BenchSetting()
    setting.add("wall", ConsoleBench.token, [.events, .metrics])
    try await withConsole(setting) { console in
      for query in ["token", "access_token", "Token", "%74oken", "a=b&token", "api_key", "auth"] {
        for path in ["/healthz", "/metrics", "/api/v1/snapshot", "/nothing"] {
          let answer = try await console.ask("GET \(path)?\(query)=\(ConsoleBench.token)")
          expectEqual(answer.status, 400, "\(query)")
          expect(answer.body.contains("urn:scangate:problem:tokenInURL"))
          expect(!answer.text.contains(ConsoleBench.token))
        }
      }
    }
  }

  @Test func addressesThatGuessAreSlowed() async throws {
    var setting = BenchSetting()
    setting.add("wall", ConsoleBench.token, [.metrics])
    try await withConsole(setting) { console in
      for _ in 0..<TokenBook.mostFailures {
        try await expectEqual(
          console.ask("GET /metrics", "Authorization: Bearer \(ConsoleBench.otherToken)", from: "127.0.0.9").status, 401
        )
      }
      let slowed = try await console.ask(
        "GET /metrics", "Authorization: Bearer \(ConsoleBench.token)", from: "127.0.0.9")
      expectEqual(slowed.status, 429)
      expect((1...6).contains(Int(slowed.field("Retry-After") ?? "") ?? 0))
      let other = try await console.ask(
        "GET /metrics", "Authorization: Bearer \(ConsoleBench.token)", from: "127.0.0.8")
      expect(other.status != 429 && other.status != 401)
    }
  }

  /// Whoever stands between brought somebody from elsewhere.
  @Test func loopbackIsWhoComesFromHereItself() async throws {
    try await withConsole { console in
      let own = try await console.ask("GET /metrics")
      expect(own.status != 401 && own.status != 403)
      for field in ["X-Forwarded-For: 10.0.0.1", "Forwarded: for=10.0.0.1", "Via: 1.1 proxy", "X-Real-IP: 10.0.0.1"] {
        try await expectEqual(console.ask("GET /metrics", field).status, 401, "\(field)")
      }
    }
  }
}
