import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing

@testable import Console

/// A browser without a window: cookies, forms, and an origin of its own.
private final class Browser {
  let console: ConsoleBench
  let address: String
  var cookies: [String: String] = [:]
  var origin: String { "http://127.0.0.1:\(console.port)" }

  init(_ console: ConsoleBench, from address: String = "127.0.0.5") {
    (self.console, self.address) = (console, address)
  }

  func get(_ path: String, _ fields: String...) async throws -> RawAnswer {
    try await ask("GET \(path)", fields, "")
  }

  /// Sends a form.
  /// - Parameter origin: `nil` for none.
  func post(_ path: String, _ form: [String: String], origin: String?, _ fields: [String] = []) async throws
    -> RawAnswer
  {
    let body = form.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
      .joined(separator: "&")
    let origin = origin.map { ["Origin: \($0)"] } ?? []
    return try await ask("POST \(path)", ["Content-Type: application/x-www-form-urlencoded"] + origin + fields, body)
  }

  func post(_ path: String, _ form: [String: String]) async throws -> RawAnswer {
    try await post(path, form, origin: origin)
  }

  /// The hidden field of the first form of a page.
  func token(_ path: String) async throws -> String { Self.token(in: try await get(path).body) }

  static func token(in page: String) -> String {
    guard let name = page.range(of: "name=\"form\" value=\"") else { return "" }
    return String(page[name.upperBound...].prefix { $0 != "\"" })
  }

  func signIn(_ name: String = "anna", _ password: String = "correct horse", next: String = "") async throws
    -> RawAnswer
  {
    let token = try await token("/sign-in")
    return try await post("/sign-in", ["user": name, "password": password, "form": token, "next": next])
  }

  private func ask(_ line: String, _ fields: [String], _ body: String) async throws -> RawAnswer {
    let client = try RawClient(port: console.port, from: address)
    var head =
      ["\(line) HTTP/1.1", "Host: 127.0.0.1:\(console.port)", "Connection: close", "Accept: text/html"] + fields
    if !cookies.isEmpty { head.append("Cookie: " + cookies.map { "\($0)=\($1)" }.joined(separator: "; ")) }
    if !body.isEmpty { head.append("Content-Length: \(body.utf8.count)") }
    client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
    let answer = await client.rest()
    for line in answer.text.components(separatedBy: "\r\n") where line.lowercased().hasPrefix("set-cookie: ") {
      let pair = line.dropFirst(12).prefix { $0 != ";" }.split(separator: "=", omittingEmptySubsequences: false)
      cookies[String(pair[0])] = pair.count > 1 && !pair[1].isEmpty ? String(pair[1]) : nil
    }
    return answer
  }
}

@Suite struct SignInTests {
  private func withPages(_ body: @escaping (ConsoleBench, AccessBench) async throws -> Void) async throws {
    try await withFolder { folder in
      let bench = AccessBench(folder)
      try bench.set("anna", "correct horse")
      try bench.set("tom", "battery staple", .technician)
      var setting = BenchSetting()
      setting.configuration.hasPages = true
      setting.access = bench.access
      try await withConsole(setting) { try await body($0, bench) }
    }
  }

  @Test func signingInAndOut() async throws {
    try await withPages { console, bench in
      let browser = Browser(console)
      let page = try await browser.get("/sign-in?next=%2Fattendant%2Fnorth")
      expectEqual(page.status, 200)
      expect(
        page.body.contains("value=\"/attendant/north\"") && page.body.contains("autocomplete=\"current-password\""))
      let answer = try await browser.signIn(next: "/attendant/north")
      expectEqual(answer.status, 303)
      expectEqual(answer.field("Location"), "/attendant/north")
      let cookie = try #require(answer.field("Set-Cookie"))
      expect(cookie.hasPrefix("__Host-scangate="))
      for word in ["; Path=/", "; Secure", "; HttpOnly", "; SameSite=Strict"] {
        expect(cookie.contains(word), "\(word)")
      }
      expect(!cookie.contains("Domain") && !answer.text.contains("correct horse"))
      let home = try await browser.get("/")
      expectEqual(home.status, 200)
      let sessions = try await browser.get("/sessions")
      expect(sessions.body.contains("anna") && sessions.body.contains("127.0.0.5"))
      expectEqual(bench.access.sessionCount, 1)
      let secret = browser.cookies["__Host-scangate"] ?? ""
      expect(!sessions.body.contains(secret))
      let end = try await browser.post("/sign-out", ["form": Browser.token(in: home.body)])
      expectEqual(end.status, 303)
      expectEqual(bench.access.sessionCount, 0)
      expect(browser.cookies["__Host-scangate"] == nil)
      browser.cookies["__Host-scangate"] = secret
      expectEqual(try await browser.get("/sessions").status, 303)
    }
  }

  @Test func noNameIsToldToExist() async throws {
    try await withPages { console, _ in
      let known = Browser(console, from: "127.0.0.6")
      let unknown = Browser(console, from: "127.0.0.7")
      let (one, other) = (try await known.signIn("anna", "wrong"), try await unknown.signIn("nobody", "wrong"))
      expectEqual(one.status, other.status)
      expectEqual(
        one.body.replacing(Browser.token(in: one.body), with: ""),
        other.body.replacing(Browser.token(in: other.body), with: ""))
      expect(!one.body.contains("anna"))
      let hostile = try await Browser(console, from: "127.0.0.8").signIn("<script>alert(1)</script>", "\u{202E}x")
      expect(!hostile.text.contains("<script>alert") && !hostile.text.contains("\u{202E}"))
    }
  }

  @Test func aWrongOneIsToldToWait() async throws {
    try await withPages { console, _ in
      let browser = Browser(console)
      try await expectEqual(browser.signIn("anna", "wrong").status, 403)
      let answer = try await browser.signIn()
      expectEqual(answer.status, 429)
      expectEqual(answer.field("Retry-After"), "1")
      // Nobody else waits.
      try await expectEqual(Browser(console, from: "127.0.0.6").signIn().status, 303)
    }
  }

  /// A form comes from a page of ours: of this host and port, and no other.
  @Test func aSecondOriginSendsNothing() async throws {
    try await withPages { console, bench in
      let browser = Browser(console)
      try await expectEqual(browser.signIn().status, 303)
      let token = try await browser.token("/sessions")
      let id = bench.access.sessions(of: "anna").first?.id ?? ""
      for origin in [
        nil, "null", "https://evil.example", "http://127.0.0.1", "http://127.0.0.1:\(console.port + 1)",
        "http://localhost:\(console.port)", "http://127.0.0.1:\(console.port).evil.example",
        "ftp://127.0.0.1:\(console.port)",
      ] {
        let answer = try await browser.post("/sessions", ["form": token, "session": id], origin: origin)
        expectEqual(answer.status, 403, "\(origin ?? "none")")
      }
      for site in ["cross-site", "same-site"] {
        let answer = try await browser.post(
          "/sessions", ["form": token, "session": id], origin: browser.origin, ["Sec-Fetch-Site: \(site)"])
        expectEqual(answer.status, 403, "\(site)")
        try await expectEqual(browser.get("/sessions", "Sec-Fetch-Site: \(site)", "Sec-Fetch-Dest: image").status, 403)
        try await expectEqual(
          browser.get("/sessions", "Sec-Fetch-Site: \(site)", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Mode: navigate")
            .status, 403)
        try await expectEqual(
          browser.get("/sign-in", "Sec-Fetch-Site: \(site)", "Sec-Fetch-Dest: document", "Sec-Fetch-Mode: navigate")
            .status, 200)
      }
      expectEqual(bench.access.sessionCount, 1)
      try await expectEqual(browser.post("/sessions", ["form": token, "session": id]).status, 303)
      expectEqual(bench.access.sessionCount, 0)
    }
  }

  @Test func aFormIsItsSessions() async throws {
    try await withPages { console, bench in
      let (anna, tom) = (Browser(console), Browser(console, from: "127.0.0.6"))
      try await expectEqual(anna.signIn().status, 303)
      try await expectEqual(tom.signIn("tom", "battery staple").status, 303)
      let (tokenOfAnna, tokenOfTom) = (try await anna.token("/sessions"), try await tom.token("/sessions"))
      expect(tokenOfAnna != tokenOfTom && tokenOfAnna.utf8.count == 64)
      for token in ["", "0", tokenOfTom, String(tokenOfAnna.dropLast()), tokenOfAnna + "0"] {
        try await expectEqual(anna.post("/sign-out", ["form": token]).status, 403, "\(token.prefix(4))")
      }
      try await expectEqual(anna.post("/sign-out", ["x": "y"]).status, 403)
      // What another's session is called ends nothing of it.
      let id = bench.access.sessions(of: "tom").first?.id ?? ""
      try await expectEqual(anna.post("/sessions", ["form": tokenOfAnna, "session": id]).status, 303)
      expectEqual(bench.access.sessionCount, 2)
      // Replayed after the session's end, and in the next one.
      try await expectEqual(anna.post("/sign-out", ["form": tokenOfAnna]).status, 303)
      try await expectEqual(anna.post("/sign-out", ["form": tokenOfAnna]).status, 403)
      try await expectEqual(anna.signIn().status, 303)
      try await expectEqual(anna.post("/sign-out", ["form": tokenOfAnna]).status, 403)
    }
  }

  /// Whoever puts a cookie into a browser before its user signs in has none of the session.
  @Test func aSessionIsNotFixedBefore() async throws {
    try await withPages { console, bench in
      let browser = Browser(console)
      let planted = PageSecret.new()
      browser.cookies["__Host-scangate"] = planted
      try await expectEqual(browser.signIn().status, 303)
      expect(browser.cookies["__Host-scangate"] != planted)
      expect(bench.access.caller(session: planted, isUse: true) == nil)
      // A session in which somebody signs in anew is over.
      let first = browser.cookies["__Host-scangate"] ?? ""
      try await expectEqual(browser.signIn("tom", "battery staple").status, 303)
      expect(bench.access.caller(session: first, isUse: true) == nil)
      expectEqual(bench.access.sessionCount, 1)
      // Nobody is signed in by a form that was made for another browser.
      let other = Browser(console, from: "127.0.0.9")
      let token = try await browser.token("/sign-in")
      let answer = try await other.post("/sign-in", ["user": "anna", "password": "correct horse", "form": token])
      expectEqual(answer.status, 403)
    }
  }

  @Test func twoCookiesAreNone() async throws {
    try await withPages { console, _ in
      let browser = Browser(console)
      try await expectEqual(browser.signIn().status, 303)
      let twice = try await browser.get("/sessions", "Cookie: __Host-scangate=\(PageSecret.new())")
      expectEqual(twice.status, 303)
    }
  }

  @Test func everyPageSaysWhatABrowserMay() async throws {
    try await withPages { console, _ in
      let browser = Browser(console)
      try await expectEqual(browser.signIn().status, 303)
      for path in ["/sign-in", "/device", "/sessions", "/", "/nothing"] {
        let answer = try await browser.get(path)
        let policy = try #require(answer.field("Content-Security-Policy"))
        expect(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "\(path)")
        expect(!policy.contains("unsafe") && !policy.contains("*"))
        expectEqual(answer.field("X-Content-Type-Options"), "nosniff")
        expectEqual(answer.field("X-Frame-Options"), "DENY")
        expectEqual(answer.field("Cache-Control"), "no-store")
        for name in [
          "Referrer-Policy", "Permissions-Policy", "Cross-Origin-Opener-Policy", "Cross-Origin-Embedder-Policy",
          "Cross-Origin-Resource-Policy",
        ] { expect(path == "/nothing" || answer.field(name) != nil, "\(path): \(name)") }
        expect(!answer.body.contains("<style") && !answer.body.contains(" style=") && !answer.body.contains(" onclick"))
      }
    }
  }

  @Test func aDoorScreenIsSetUpByItsCode() async throws {
    try await withPages { console, bench in
      let code = try bench.add("wall", gate: "north")
      let screen = Browser(console)
      let token = try await screen.token("/device")
      try await expectEqual(screen.post("/device", ["code": "AAAA-AAAA-AAAA-AAAA", "form": token]).status, 403)
      bench.time.advance(by: .seconds(1))
      let answer = try await screen.post("/device", ["code": code, "form": token])
      expectEqual(answer.status, 303)
      let cookie = try #require(answer.field("Set-Cookie"))
      expect(cookie.hasPrefix("__Host-scangate-device=") && cookie.contains("Max-Age=31536000"))
      expectEqual(try await screen.get("/").field("Location"), "/door/north")
      try bench.revoke("wall")
      expect(try await screen.get("/").field("Location") != "/door/north")
    }
  }

  @Test func whatIsNoFormIsRefused() async throws {
    try await withPages { console, bench in
      let browser = Browser(console)
      let token = try await browser.token("/sign-in")
      for type in ["application/json", "text/plain", "multipart/form-data; boundary=x"] {
        let answer = try await browser.post(
          "/sign-in", ["form": token], origin: browser.origin, ["Content-Type: \(type)"])
        expect([400, 403].contains(answer.status), "\(type)")
      }
      try await expectEqual(browser.post("/sign-in", ["form": token]).status, 400)
      try await expectEqual(browser.get("/sign-out").status, 405)
      expectEqual(bench.access.hashes.all, 0)
    }
  }
}
