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
    guard case .later(let seconds) = book.judge("guess", from: "10.0.0.1") else {
      return expect(false, "it is not slowed")
    }
    expect((1...6).contains(seconds))
    expectEqual(book.judge("guess", from: "10.0.0.2"), .unknown)
    // Who shows a right one waits for nobody's guesses, and forgives none of them.
    expectEqual(
      book.judge(ConsoleBench.token, from: "10.0.0.1"), .known(ConsoleCaller(name: "prometheus", scopes: [.metrics])))
    expectEqual(book.judge("guess", from: "10.0.0.1"), .later(seconds: seconds))
    time.advance(by: TokenBook.pause)
    // One more guess, and it waits again.
    expectEqual(book.judge("guess", from: "10.0.0.1"), .unknown)
    guard case .later = book.judge("guess", from: "10.0.0.1") else { return expect(false, "it is not slowed") }
    time.advance(by: TokenBook.pause * 20)
    expectEqual(
      book.judge(ConsoleBench.token, from: "10.0.0.1"), .known(ConsoleCaller(name: "prometheus", scopes: [.metrics])))
  }

  /// Whatever is tried when: one address is told no oftener than the pauses allow that it may try again, and memory has a bound.
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

  /// By whatever name: what is a token is one.
  @Test func aTokenInAURLIsToldToBeChanged() async throws {
    var setting = BenchSetting()
    setting.add("wall", ConsoleBench.token, [.events, .metrics])
    setting.add("desk", "a+token/with=marks~that.mean-something", [.events])
    try await withConsole(setting) { console in
      func expectTold(_ target: String, _ name: String, _ text: String) async throws {
        let answer = try await console.ask("GET \(target)", "Authorization: Bearer \(ConsoleBench.token)")
        expectEqual(answer.status, 400, "\(target)")
        expect(answer.body.contains("urn:scangate:problem:tokenInURL"), "\(target): \(answer.body)")
        expect(answer.body.contains("scangate console token \(name)") && !answer.text.contains(text), "\(answer.body)")
      }
      let wall = ConsoleBench.token
      for query in [
        "t=\(wall)", "gate=\(wall)", "type=scan,\(wall)", wall, "\(wall)=1", "a=b&x=\(wall)&c=d", "a=b;x=\(wall)",
        "a=%30" + wall.dropFirst(), "a=Bearer%20\(wall)", "a=bearer+\(wall)", "a=b?x=\(wall)",
      ] {
        for path in ["/healthz", "/metrics", "/api/v1/events", "/nothing"] {
          try await expectTold("\(path)?\(query)", "wall", wall)
        }
      }
      try await expectTold("/metrics/\(wall)", "wall", wall)
      try await expectTold("/api/v1/gates/\(wall)/", "wall", wall)
      for query in [
        "x=a+token/with=marks~that.mean-something", "a+token/with=marks~that.mean-something",
        "x=a%2Btoken%2Fwith%3Dmarks%7Ethat.mean-something",
      ] {
        try await expectTold("/healthz?\(query)", "desk", "marks")
      }
      // What is none is no matter here.
      for query in ["t=\(ConsoleBench.otherToken)", "t=\(wall)0", "t=" + String(repeating: "x", count: 4_000), "t=%"] {
        try await expectEqual(console.ask("GET /healthz?\(query)").status, 200, "\(query.prefix(40))")
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
        "GET /metrics", "Authorization: Bearer \(ConsoleBench.otherToken)", from: "127.0.0.9")
      expectEqual(slowed.status, 429)
      expect((1...6).contains(Int(slowed.field("Retry-After") ?? "") ?? 0))
      // Whoever guesses there keeps nobody out who knows one, there or elsewhere.
      for address in ["127.0.0.9", "127.0.0.8"] {
        let right = try await console.ask(
          "GET /metrics", "Authorization: Bearer \(ConsoleBench.token)", from: address)
        expectEqual(right.status, 200, "\(address)")
      }
    }
  }

  /// Whoever stands between brought somebody from elsewhere.
  @Test func loopbackIsWhoComesFromHereItself() async throws {
    try await withConsole { console in
      let own = try await console.ask("GET /metrics")
      expect(own.status != 401 && own.status != 403)
      for field in [
        "X-Forwarded-For: 10.0.0.1", "Forwarded: for=10.0.0.1", "Via: 1.1 proxy", "X-Real-IP: 10.0.0.1",
        "X-Forwarded-Proto: https", "x-forwarded-host: door.example",
      ] {
        try await expectEqual(console.ask("GET /metrics", field).status, 401, "\(field)")
      }
    }
  }
}
