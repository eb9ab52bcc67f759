import Expectations
import HTTPTypes
import ScanConfiguration
import ScanTesting
import Testing

@testable import Console

@Suite struct HostTests {
  @Test func loopbackIsKnownByItsAddressesAndNoOtherName() async throws {
    try await withConsole { console in
      let port = console.port
      for host in [
        "127.0.0.1", "127.0.0.1:\(port)", "localhost", "LocalHost:\(port)", "localhost.", "[::1]", "[::1]:1",
      ] {
        try await expectEqual(console.ask("GET /healthz", host: host).status, 200, "\(host)")
      }
      let others = [
        "evil.example", "evil.example:\(port)", "127.0.0.1.evil.example", "localhost.evil.example", "127.0.0.2",
        "10.0.0.1", "[::2]", "[::1", "127.0.0.1:x", "127.0.0.1:8088:9", "127.1", "0x7f.1", "2130706433",
        "localhost:123456",
        "localhost:65536",
        "user@127.0.0.1", "127.0.0.1/", "127.0.0.1,evil.example",
      ]
      for host in others {
        let answer = try await console.ask("GET /healthz", host: host)
        expectEqual(answer.status, 421, "\(host)")
        expect(!answer.text.contains("evil"))
      }
    }
  }

  @Test func namesOfTheFileAreKnown() async throws {
    var setting = BenchSetting()
    setting.configuration.hosts = ["North-Door.example", "2001:DB8::1"]
    setting.machine = "gatepc"
    try await withConsole(setting) { console in
      for host in ["north-door.example", "NORTH-DOOR.EXAMPLE:8088", "[2001:db8:0::1]:443"] {
        try await expectEqual(console.ask("GET /healthz", host: host).status, 200, "\(host)")
      }
      // On loopback the machine's name is none of ours: any name could be made to lead here.
      try await expectEqual(console.ask("GET /healthz", host: "gatepc").status, 421)
    }
  }

  @Test func beyondLoopbackTheMachinesNameIsKnown() async throws {
    var setting = BenchSetting()
    setting.configuration.listen = ListenAddress(host: "0.0.0.0", port: 0)
    setting.machine = "GatePC"
    try await withConsole(setting) { console in
      for host in ["gatepc", "gatepc.local:8088", "127.0.0.1", "localhost"] {
        try await expectEqual(console.ask("GET /healthz", host: host).status, 200, "\(host)")
      }
      try await expectEqual(console.ask("GET /healthz", host: "gatepc.evil.example").status, 421)
    }
  }

  @Test func aRequestNamesOneHost() async throws {
    try await withConsole { console in
      let none = try RawClient(port: console.port)
      none.send("GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")
      expectEqual(await none.rest().status, 400)
      for hosts in [["127.0.0.1", "evil.example"], ["evil.example", "127.0.0.1"], ["127.0.0.1", "127.0.0.1"]] {
        let client = try RawClient(port: console.port)
        client.send(
          "GET /healthz HTTP/1.1\r\n" + hosts.map { "Host: \($0)\r\n" }.joined() + "Connection: close\r\n\r\n")
        expect([400, 421].contains(await client.rest().status))
      }
    }
  }

  /// Whatever stands in the field: it is a host of printable ASCII without a port, or none.
  @Test(arguments: 0..<4) func anyTextIsAHostOrNone(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let pieces = [
      "127.0.0.1", "localhost", "[", "]", ":", "80", "::1", "a.b", "\u{0}", " ", "@", "ä", "/", ".", "🎟️", "\u{202E}",
    ]
    for _ in 0..<extent(landing: 2_000, release: 20_000) {
      let text = (0..<Int.random(in: 0...5, using: &random)).map { _ in pieces.randomElement(using: &random) ?? "" }
        .joined()
      guard let host = KnownHosts.host(of: text) else { continue }
      expect(!host.isEmpty && host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F })
      expectEqual(host, host.lowercased())
      expectEqual(KnownHosts.host(of: host.contains(":") ? "[\(host)]" : host), host)
    }
  }
}

@Suite struct OriginTests {
  @Test func aForeignPageChangesNothing() async throws {
    var setting = BenchSetting()
    setting.add("ops", ConsoleBench.token, [.orders, .events])
    try await withConsole(setting) { console in
      let token = "Authorization: Bearer \(ConsoleBench.token)"
      for origin in [
        "https://evil.example", "null", "http://127.0.0.1.evil.example", "http://127.0.0.2", "file://", "http://",
        "https://user@127.0.0.1",
      ] {
        let answer = try await console.ask("POST /api/v1/nothing", token, "Origin: \(origin)", body: "{}")
        expectEqual(answer.status, 403, "\(origin)")
        expect(answer.body.contains("urn:scangate:problem:foreignOrigin"))
      }
      let crossSite = try await console.ask("POST /api/v1/nothing", token, "Sec-Fetch-Site: cross-site", body: "{}")
      expectEqual(crossSite.status, 403)
      let twice = try await console.ask(
        "POST /api/v1/nothing", token, "Origin: http://127.0.0.1", "Origin: http://127.0.0.1", body: "{}")
      expectEqual(twice.status, 403)
      let own = try await console.ask(
        "POST /api/v1/nothing", token, "Origin: http://127.0.0.1:\(console.port)", "Sec-Fetch-Site: same-origin",
        body: "{}")
      expectEqual(own.status, 404)
      try await expectEqual(console.ask("POST /api/v1/nothing", token, body: "{}").status, 404)
    }
  }
}
