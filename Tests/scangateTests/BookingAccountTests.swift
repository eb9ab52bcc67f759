import Expectations
import Foundation
import Synchronization
import Testing

func expectStatus(_ result: Program.Result, _ status: Int32) {
  expectEqual(result.status, status, "\(result.output)\(result.errors)")
}

/// `scangate booking sign-up|sign-in|sign-out|whoami|verify-email|resend|password`, at services of both shapes.
@Suite struct BookingAccountTests {
  typealias Service = BookingService

  private static let shown = ["Id", "E-mail", "Name", "Role", "E-mail verified", "Signed in until"]

  private func names(_ result: Program.Result) -> [String] {
    result.lines.compactMap { line in line.firstRange(of: /\s\s/).map { String(line[..<$0.lowerBound]) } }
  }

  @Test(arguments: Service.Shape.allCases) func signUp(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      let result = await bench.run("sign-up", "--email", Service.email, "--name", "Ada Brandt")
      expectStatus(result, 0)
      expectEqual(names(result), Self.shown)
      let body = try bench.body(of: "POST /api/auth/signup")
      expectEqual(body["password"] as? String, Service.password)
      expectEqual(body["name"] as? String, "Ada Brandt")
      expectEqual(body["mobile"] as? Bool, true)
      expectEqual(body["userAgent"] as? String, "scangate")
      await expectStatus(bench.run("whoami"), 0)
    }
  }

  @Test(arguments: Service.Shape.allCases) func signIn(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      let result = await bench.run("sign-in", "--email", Service.email, "--json")
      expectStatus(result, 0)
      let told = try #require(result.objects.first)
      expectEqual(told["email"] as? String, Service.email)
      expectEqual(told["emailVerified"] as? Bool, true)
      expectEqual(bench.lines(), ["POST /api/auth/signin"])
      let body = try bench.body(of: "POST /api/auth/signin")
      expectEqual(body["email"] as? String, Service.email)
      expectEqual(body["mobile"] as? Bool, true)
      expectEqual(bench.terminal.records.withLock { $0.count }, 1)
    }
  }

  /// GET in reality, POST in the document: either is tried where there is no other, and that is said.
  @Test(arguments: Service.Shape.allCases) func whoami(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      await bench.signIn()
      let result = await bench.run("whoami")
      expectStatus(result, 0)
      expectEqual(names(result), Self.shown)
      let asked = ["GET /api/auth/verify"] + (shape == .document ? ["POST /api/auth/verify"] : [])
      expectEqual(bench.lines(after: 1), asked)
      expectEqual(result.errors.contains("by POST, as the document has it"), shape == .document, "\(result.errors)")
    }
  }

  @Test(arguments: Service.Shape.allCases) func signOut(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      await bench.signIn()
      await expectStatus(bench.run("sign-out"), 0)
      expectEqual(bench.terminal.records.withLock { $0.count }, 0)
      expectEqual(bench.lines().count, 1)
      let again = await bench.run("whoami")
      expectStatus(again, 64)
      expect(again.errors.contains("Nobody is signed in"), "\(again.errors)")
      expectEqual(bench.lines().count, 1)
    }
  }

  @Test(arguments: Service.Shape.allCases) func wrongPassword(shape: Service.Shape) async throws {
    try await BookingBench.open(shape, typing: ["wrong word 1"]) { bench in
      let result = await bench.run("sign-in", "--email", Service.email)
      expectStatus(result, 1)
      expect(result.errors.contains("(401): “Invalid email or password”"), "\(result.errors)")
      expect(bench.terminal.records.withLock { $0.isEmpty })
    }
  }

  /// Said with 200 all the same.
  @Test(arguments: ["POST /api/auth/signin", "POST /api/auth/signup", "GET /api/auth/verify"])
  func successFalseIsAFailure(call: String) async throws {
    try await BookingBench.open(.real) { bench in
      if call.hasPrefix("GET") { await bench.signIn() }
      // What was sent comes back.
      let secret = call.hasPrefix("GET") ? bench.service.token : Service.password
      bench.service.change { $0.instead[call] = .some(.init(200, #"{"success":false,"error":"No, \#(secret)"}"#)) }
      let words =
        switch call {
        case "GET /api/auth/verify": ["whoami"]
        case "POST /api/auth/signup": ["sign-up", "--email", Service.email, "--name", "Ada"]
        default: ["sign-in", "--email", Service.email]
        }
      let result = await bench.run(words)
      expectStatus(result, 1)
      expect(result.errors.contains("“No"), "\(result.errors)")
      expectEqual(result.output, "")
    }
  }

  @Test func tooManyTellsWhen() async throws {
    try await BookingBench.open(.real) { bench in
      bench.service.change {
        $0.instead["POST /api/auth/signin"] = .some(
          .init(
            429, #"{"success":false,"error":"Too many signin attempts"}"#, type: "application/json\r\nRetry-After: 840")
        )
      }
      let result = await bench.run("sign-in", "--email", Service.email)
      expectStatus(result, 1)
      expect(result.errors.contains("“Too many signin attempts”. Try again in 14 min."), "\(result.errors)")
      expectEqual(bench.lines(), ["POST /api/auth/signin"])
    }
  }

  /// Seven days, or what the token says where that is less; one that has ended is none.
  @Test(arguments: [(nil, 7.0), (0, nil), (86_400, 2.0), (30 * 86_400, 7.0)] as [(Int?, Double?)])
  func aSessionEnds(life: Int?, days: Double?) async throws {
    try await BookingBench.open(.real, { $0.life = life }) { bench in
      let result = await bench.run("sign-in", "--email", Service.email, "--json")
      guard let days else {
        expectStatus(result, 69)
        expect(result.errors.contains("Check this machine's clock"), "\(result.errors)")
        return expect(bench.terminal.records.withLock { $0.isEmpty })
      }
      expectStatus(result, 0)
      let text = try #require(result.objects.first?["until"] as? String)
      let until = try Date(text, strategy: .iso8601).timeIntervalSinceNow / 86_400
      expect(until <= days && until > days - 1.01, "\(text)")
    }
  }

  /// What ends between two calls is told as that, and one that ended here is not used.
  @Test func aSessionThatEndsBetweenTwoCalls() async throws {
    try await BookingBench.open(.real) { bench in
      await bench.signIn()
      bench.service.change {
        $0.instead["GET /api/auth/verify"] = .some(Service.refusal(401, "Invalid or expired token"))
      }
      let result = await bench.run("whoami")
      expectStatus(result, 1)
      expect(result.errors.contains("scangate booking sign-in"), "\(result.errors)")
    }
  }

  @Test func severalAccounts() async throws {
    try await BookingBench.open(.document, typing: [Service.password, Service.password]) { bench in
      await bench.signIn()
      bench.service.change {
        $0.instead["POST /api/auth/signin"] = .some(
          .init(200, #"{"success":true,"user":{"id":"u2","email":"Bo@guests.example"},"token":"another-token-12"}"#))
      }
      await expectStatus(bench.run("sign-in", "--email", "bo@guests.example"), 0)
      let which = await bench.run("bookings")
      expectStatus(which, 64)
      expect(which.errors.contains("ada@guests.example, bo@guests.example"), "\(which.errors)")
      await expectStatus(bench.run("bookings", "--account", "ADA@guests.example"), 0)
      await expectStatus(bench.run("sign-out", "--account", "bo@guests.example"), 0)
      await expectStatus(bench.run("bookings"), 0)
      // At another server nobody is.
      let elsewhere = await bench.terminal.run(["bookings", "--server", bench.server.address + "/x"])
      expectStatus(elsewhere, 64)
    }
  }

  /// A service that repeats what it was sent, and gave, wherever it can: none of it is shown.
  @Test(arguments: ["id", "name", "role"]) func whatRepeatsSecrets(field: String) async throws {
    try await BookingBench.open(.real) { bench in
      let token = bench.service.token
      let user =
        #"{"email":"\#(Service.email)","\#(field)":"x \#(Service.password) \#(token.uppercased()) \#(token) y"}"#
      bench.service.change {
        $0.instead["POST /api/auth/signin"] = .some(
          .init(200, #"{"success":true,"user":\#(user),"token":"\#(token)"}"#))
      }
      for more in [[], ["--json"]] {
        bench.terminal.type(Service.password)
        let result = await bench.run(["sign-in", "--email", Service.email] + more)
        expectStatus(result, 0)
        expect(!result.output.contains(token.uppercased()), "\(result.output)")
        expect(result.output.contains("x (secret)"), "\(result.output)")
      }
    }
  }

  @Test func anotherAccountsSessionIsNotKept() async throws {
    try await BookingBench.open(.real) { bench in
      let result = await bench.run("sign-in", "--email", "eve@guests.example")
      expectStatus(result, 69)
      expect(result.errors.contains("another account"), "\(result.errors)")
      expect(bench.terminal.records.withLock { $0.isEmpty })
    }
  }

  /// As the document has it, and after 400 as real ones want it.
  @Test(arguments: Service.Shape.allCases, ["google", "apple"])
  func social(shape: Service.Shape, provider: String) async throws {
    let token = Service.token(["sub": "google-77", "email": Service.email, "name": "Ada Brandt"])
    try await BookingBench.open(shape) { bench in
      let file = bench.server.folder.appending(path: "token").path
      try Data((token + "\n").utf8).write(to: URL(filePath: file))
      let result = await bench.run("sign-in", "--provider", provider, "--token", file)
      expectStatus(result, 0)
      expect(!(result.output + result.errors).contains(token))
      let calls = shape == .real ? 2 : 1
      expectEqual(bench.lines(), Array(repeating: "POST /api/auth/social", count: calls))
      let body = try bench.body(of: "POST /api/auth/social")
      expectEqual(body["provider"] as? String, provider)
      expectEqual(body["mobile"] as? Bool, true)
      if shape == .real {
        expectEqual(body["idToken"] as? String, token)
        expectEqual(
          body["user"] as? [String: String], ["id": "google-77", "email": Service.email, "name": "Ada Brandt"])
        expect(result.errors.contains("as idToken and user"), "\(result.errors)")
      } else {
        expectEqual(body["token"] as? String, token)
        expectEqual(body["email"] as? String, Service.email)
        expectEqual(body["name"] as? String, "Ada Brandt")
      }
      await expectStatus(bench.run("whoami"), 0)
    }
  }

  @Test func tokensOfFilesThatAreNone() async throws {
    try await BookingBench.open(.real) { bench in
      for (text, name) in [("", "empty"), ("two words", "words"), ("ключ-ключ", "letters")] {
        let file = bench.server.folder.appending(path: name).path
        try Data(text.utf8).write(to: URL(filePath: file))
        await expectStatus(bench.run("sign-in", "--provider", "apple", "--token", file), 65)
      }
      await expectStatus(bench.run("sign-in", "--provider", "apple", "--token", "/nowhere/at/all"), 65)
      await expectStatus(bench.run("sign-in", "--provider", "apple"), 64)
      await expectStatus(bench.run("sign-in"), 64)
      await expectStatus(bench.run("sign-in", "--email", "nobody"), 64)
      expect(bench.lines().isEmpty)
    }
  }

  /// GET verifies in reality, where POST would send another mail: it comes first.
  @Test(arguments: Service.Shape.allCases) func verifyEmail(shape: Service.Shape) async throws {
    try await BookingBench.open(shape, typing: [Service.mailed]) { bench in
      let result = await bench.run("verify-email", "--email", Service.email)
      expectStatus(result, 0)
      let methods = bench.server.requests.compactMap { $0.split(separator: " ").first.map { String($0) } }
      expectEqual(methods, shape == .real ? ["GET"] : ["GET", "POST"])
      if shape == .document {
        let body = try bench.body(of: "POST /api/auth/verify-email")
        expectEqual(body["token"] as? String, Service.mailed)
        expectEqual(body["email"] as? String, Service.email)
      }
    }
  }

  @Test(arguments: Service.Shape.allCases) func aWrongTokenVerifiesNothing(shape: Service.Shape) async throws {
    try await BookingBench.open(shape, typing: ["some-other-token"]) { bench in
      await expectStatus(bench.run("verify-email", "--email", Service.email), 1)
    }
  }

  @Test(arguments: Service.Shape.allCases) func resend(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      // The document knows no such thing: it misses a token.
      await expectStatus(bench.run("resend", "--email", Service.email), shape == .real ? 0 : 1)
      expectEqual(bench.lines(), ["POST /api/auth/verify-email"])
      expectEqual(try bench.body(of: "POST /api/auth/verify-email")["email"] as? String, Service.email)
    }
  }

  @Test(arguments: Service.Shape.allCases) func passwordReset(shape: Service.Shape) async throws {
    try await BookingBench.open(shape) { bench in
      let result = await bench.run("password", "reset", "--email", Service.email)
      expectStatus(result, shape == .real ? 0 : 69)
      expectEqual(result.errors.contains("website or app"), shape == .document, "\(result.errors)")
      expectEqual(bench.lines(), ["POST /api/auth/password-reset"])
    }
  }

  @Test(arguments: Service.Shape.allCases) func passwordConfirm(shape: Service.Shape) async throws {
    try await BookingBench.open(shape, typing: [Service.mailed, "Another Word 8"]) { bench in
      let result = await bench.run("password", "confirm", "--email", Service.email)
      expectStatus(result, shape == .real ? 0 : 69)
      expectEqual(bench.lines(), ["PUT /api/auth/password-reset"])
      let body = try bench.body(of: "PUT /api/auth/password-reset")
      expectEqual(body["newPassword"] as? String, "Another Word 8")
      expectEqual(body["token"] as? String, Service.mailed)
    }
  }
}
