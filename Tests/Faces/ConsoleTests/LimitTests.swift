import Expectations
import Foundation
import Glibc
import NIOCore
import ScanConfiguration
import StationTesting
import Testing
import WireText

@testable import Console

@Suite struct LimitTests {
  private static let request = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n"

  /// Times that pass quickly, each far from the others.
  private static func quick(_ change: (inout ConsoleLimits) -> Void) -> BenchSetting {
    var setting = BenchSetting()
    change(&setting.limits)
    return setting
  }

  @Test func oneConnectionTooManyIsClosedAndTheOthersAreAnswered() async throws {
    let setting = Self.quick {
      $0.connections = 8
      $0.reserved = 0
    }
    try await withConsole(setting) { console in
      let places = try (0..<8).map { _ in try RawClient(port: console.port) }
      for client in places { client.send(Self.request + "\r\n") }
      for client in places { expectEqual(await client.until("}\n").status, 200) }
      expectEqual(console.server.connections, 8)
      let refused = try (0..<40).map { _ in try RawClient(port: console.port) }
      for client in refused { expectEqual(await client.rest().text, "") }
      // Who has a place is answered as before, and a place that is given back is taken.
      for client in places {
        client.send(Self.request + "\r\n")
        expectEqual(await client.until("}\n").status, 200)
      }
      places[0].endSending()
      _ = await places[0].rest()
      try await until { try await console.ask("GET /healthz").status == 200 }
    }
  }

  @Test func placesAreSharedOutByAddress() throws {
    var limits = ConsoleLimits()
    (limits.connections, limits.reserved, limits.connectionsPerAddress) = (10, 2, 3)
    let places = ConnectionPlaces(limits)
    func address(_ host: String) throws -> SocketAddress { try SocketAddress(ipAddress: host, port: 4_000) }
    for _ in 0..<3 { expect(places.take(try address("10.0.0.1"))) }
    expect(!places.take(try address("10.0.0.1")))
    // By whichever socket it comes, it is the same.
    expect(!places.take(try address("::ffff:10.0.0.1")))
    for number in 2..<7 { expect(places.take(try address("10.0.0.\(number)"))) }
    expect(!places.take(try address("10.0.0.9")))
    // The last ones are this machine's.
    expect(places.take(try address("127.0.0.1")))
    expect(places.take(try address("::1")))
    expect(!places.take(try address("127.0.0.1")))
    places.give(try address("10.0.0.1"))
    expect(places.take(try address("10.0.0.1")))
    expectEqual(places.count, 10)
  }

  /// Whatever runs on this machine: some places are left for others.
  @Test func thisMachineGetsNotAllOfThem() async throws {
    var limits = ConsoleLimits()
    (limits.connections, limits.reserved, limits.connectionsPerAddress) = (10, 2, 3)
    let places = ConnectionPlaces(limits)
    func address(_ host: String) throws -> SocketAddress { try SocketAddress(ipAddress: host, port: 4_000) }
    for number in 1...8 { expect(places.take(try address("127.0.0.\(number)"))) }
    for host in ["127.0.0.1", "127.0.0.9", "::1", "::ffff:127.0.0.1"] {
      expect(!places.take(try address(host)), "\(host)")
    }
    expect(places.take(try address("10.0.0.1")))
    expect(places.take(try address("10.0.0.2")))
    expect(!places.take(try address("10.0.0.3")))
    places.give(try address("127.0.0.1"))
    expect(places.take(try address("::1")))
    expectEqual(places.count, 10)
    let setting = Self.quick { ($0.connections, $0.reserved) = (8, 2) }
    try await withConsole(setting) { console in
      let clients = try (0..<6).map { _ in try RawClient(port: console.port) }
      for client in clients { client.send(Self.request + "\r\n") }
      for client in clients { expectEqual(await client.until("}\n").status, 200) }
      let refused = try RawClient(port: console.port)
      expectEqual(await refused.rest().text, "")
      expectEqual(console.server.connections, 6)
    }
  }

  @Test func aHeadThatComesSlowlyIsCut() async throws {
    let setting = Self.quick { $0.head = .milliseconds(300) }
    try await withConsole(setting) { console in
      let silent = try RawClient(port: console.port)
      let slow = try RawClient(port: console.port)
      slow.send(Self.request)
      for client in [silent, slow] { expectEqual(await client.rest().text, "") }
      await until { console.server.connections == 0 }
    }
  }

  @Test func aBodyThatComesSlowlyIsCut() async throws {
    let setting = Self.quick { $0.body = .milliseconds(300) }
    try await withConsole(setting) { console in
      let slow = try RawClient(port: console.port)
      slow.send("POST /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n{")
      // It is answered, for nobody wants the body, and cut all the same.
      _ = await slow.rest()
      await until { console.server.connections == 0 }
    }
  }

  @Test func whoAsksNothingMoreIsCut() async throws {
    let setting = Self.quick { $0.idle = .milliseconds(300) }
    try await withConsole(setting) { console in
      let client = try RawClient(port: console.port)
      client.send(Self.request + "\r\n")
      expectEqual(await client.rest().status, 200)
      await until { console.server.connections == 0 }
    }
  }

  @Test func whoEndsHalfARequestIsAnsweredAndLet() async throws {
    try await withConsole { console in
      for half in [
        "G", "GET /healthz HTTP/1.1\r\nHost: 127", "POST /x HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n{",
      ] {
        let client = try RawClient(port: console.port)
        client.send(half)
        client.endSending()
        expect(![200, 500].contains(await client.rest().status))
      }
      await until { console.server.connections == 0 }
      try await expectEqual(console.ask("GET /healthz").status, 200)
    }
  }

  @Test func whatIsTooLongIsRefused() async throws {
    try await withConsole { console in
      let long = String(repeating: "a", count: 200_000)
      for head in [
        "GET /\(long) HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", Self.request + "X-Long: \(long)\r\n\r\n",
        Self.request + (0..<2_000).map { "X-\($0): a\r\n" }.joined() + "\r\n",
        "GET / HTTP/1.1\r\nHost: \(long)\r\n\r\n", long, long + "\r\n\r\n",
      ] {
        let client = try RawClient(port: console.port)
        client.send(head)
        let answer = await client.rest()
        expect([0, 400].contains(answer.status), "\(answer.status)")
      }
      let body = String(repeating: "b", count: ConsoleLimits.maximumBody + 1)
      let told = try await console.ask("POST /nothing", body: body)
      expect([0, 413].contains(told.status))
      // What is not told beforehand is not heard out either.
      let endless = try RawClient(port: console.port)
      endless.send("POST /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = "1000\r\n" + String(repeating: "c", count: 4_096) + "\r\n"
      var sent = 0
      while sent < 100_000, endless.send(chunk) { sent += 1 }
      expect(sent < 100_000)
      await until { console.server.connections == 0 }
      try await expectEqual(console.ask("GET /healthz").status, 200)
    }
  }

  /// It asks and asks, and reads no answer: what waits for it has a bound, and it is cut.
  @Test func whoReadsNothingIsCut() async throws {
    let setting = Self.quick { $0.write = .milliseconds(300) }
    try await withConsole(setting) { console in
      let deaf = try RawClient(port: console.port, buffer: 4_096)
      let requests = String(repeating: Self.request + "\r\n", count: 64)
      var sent = 0
      // Sending ends when the console has cut it.
      while sent < 100_000, deaf.send(requests) { sent += 1 }
      expect(sent < 100_000)
      await until { console.server.connections == 0 }
      try await expectEqual(console.ask("GET /healthz").status, 200)
    }
  }

  /// Nothing of this is a request; whatever becomes of it, the next one is answered.
  @Test(arguments: [
    "\u{0}\u{0}\u{0}\u{0}", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n",
    "GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n folded\r\n\r\n",
    "CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: 127.0.0.1:22\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}",
    "BREW /pot HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "GET /%00%FF%zz?%%% HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
    "GET * HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
    "GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n",
  ]) func whatIsNoRequestHarmsNothing(_ text: String) async throws {
    try await withConsole { console in
      let client = try RawClient(port: console.port)
      client.send(text)
      client.endSending()
      let answer = await client.rest()
      expect(answer.status != 200 && answer.status != 500, "\(answer.status)")
      await until { console.server.connections == 0 }
      try await expectEqual(console.ask("GET /healthz").status, 200)
    }
  }

  /// What HTTP itself refuses is told as everything else that is refused.
  @Test(arguments: [
    "GET / HTTP/9.9\r\n\r\n", "\u{0}\u{0}\u{0}\u{0}\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Long: \(String(repeating: "a", count: 40_000))\r\n\r\n",
  ]) func whatIsNoHTTPIsAnsweredLikeEveryFault(_ text: String) async throws {
    try await withConsole { console in
      for before in ["", Self.request + "\r\n"] {
        let client = try RawClient(port: console.port)
        client.send(before + text)
        var answer = await client.rest()
        if !before.isEmpty {
          // The one before it has its own.
          expectEqual(answer.status, 200)
          let rest = answer.text.dropFirst().range(of: "HTTP/1.1 ").map { String(answer.text[$0.lowerBound...]) }
          answer = RawAnswer(text: rest ?? "")
        }
        expectEqual(answer.status, 400, "\(answer.text)")
        expectEqual(answer.field("Content-Type"), "application/problem+json")
        expectEqual(answer.field("Content-Length"), "\(answer.body.utf8.count)")
        expectEqual(answer.field("Connection"), "close")
        expectEqual(answer.field("Cache-Control"), "no-store")
        let problem = try JSONValue([UInt8](answer.body.utf8))
        expectEqual(problem["type"]?.string, "urn:scangate:problem:badRequest")
        expectEqual(problem["status"]?.integer, 400)
        expect(problem["detail"]?.string?.isEmpty == false)
      }
      await until { console.server.connections == 0 }
    }
  }

  @Test func aMessageIsAnsweredOnce() async throws {
    try await withConsole { console in
      let client = try RawClient(port: console.port)
      client.send("POST /nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n\r\n")
      let answer = await client.rest()
      expectEqual(answer.status, 404)
      expectEqual(answer.text.components(separatedBy: "HTTP/1.1 ").count, 2, "\(answer.text)")
      await until { console.server.connections == 0 }
    }
  }

  @Test func nothingIsForABrowserToKeep() async throws {
    try await withConsole { console in
      for path in ["/healthz", "/nothing", "/readyz"] {
        let answer = try await console.ask("GET \(path)")
        expectEqual(answer.field("Cache-Control"), "no-store")
        expectEqual(answer.field("X-Content-Type-Options"), "nosniff")
        expectEqual(answer.field("X-Frame-Options"), "DENY")
        expectEqual(answer.field("Referrer-Policy"), "no-referrer")
        expectEqual(answer.field("Cross-Origin-Resource-Policy"), "same-origin")
        expectEqual(answer.field("Content-Security-Policy"), "default-src 'none'; frame-ancestors 'none'")
        for field in ["Set-Cookie", "Access-Control-Allow-Origin", "Server"] { expectEqual(answer.field(field), nil) }
      }
    }
  }

  @Test func anAddressThatIsTakenIsTold() async throws {
    try await withConsole { console in
      var setting = BenchSetting()
      setting.configuration.listen = ListenAddress(host: "127.0.0.1", port: console.port)
      let second = ConsoleServer(
        ConsoleSetting(setting.configuration, version: "0.1.0", tokens: setting.book, logger: silentLogger),
        mirror: console.mirror)
      do {
        try await second.run()
        expect(false, "it listens")
      } catch let fault as ConsoleFault {
        expect(fault.description.contains("Another program listens at 127.0.0.1:\(console.port)"))
      }
    }
  }
}
