import Expectations
import ScanTesting
import SetUpCodes
import Testing

@Suite struct NamedServerTests {
  @Test(arguments: [
    ("https://tickets.example", "tickets.example:443", "", "https://tickets.example"),
    ("tickets.example", "tickets.example:443", "", "https://tickets.example"),
    ("HTTPS://Tickets.EXAMPLE:443/", "tickets.example:443", "", "https://tickets.example"),
    (
      "tickets.example:8443/Venue/a_b~c/", "tickets.example:8443", "/Venue/a_b~c",
      "https://tickets.example:8443/Venue/a_b~c"
    ),
    ("venue", "venue:443", "", "https://venue"),
    ("https:8443", "https:8443", "", "https://https:8443"),
    ("xn--bcher-kva.example", "xn--bcher-kva.example:443", "", "https://xn--bcher-kva.example"),
    ("0x7f.example", "0x7f.example:443", "", "https://0x7f.example"),
    ("127.0.0.1.example", "127.0.0.1.example:443", "", "https://127.0.0.1.example"),
    ("0xg", "0xg:443", "", "https://0xg"),
  ])
  func isRead(text: String, hostAndPort: String, path: String, url: String) throws {
    let server = try NamedServer(text)
    expect(server.hostAndPort == hostAndPort && server.path == path && server.url == url)
    try expectEqual(NamedServer(server.shortest), server)
    expectEqual("\(server)", hostAndPort)
  }

  /// Every spelling that some resolver takes for an address.
  @Test(arguments: [
    "127.0.0.1", "https://127.0.0.1:8443/x", "127.1", "127.0.1", "2130706433", "0x7f000001", "0x7F.1", "0x7f.0.0.0x1",
    "0177.0.0.1", "017700000001", "127.0.0.0x", "0x", "1", "0", "10.0.0.5", "192.168.1.4:3001", "256.256.256.256",
    "1.2.3.4.5", "example.1", "a.0x1f", "[::1]", "https://[::1]:8443", "[fe80::1%25eth0]", "::1", "2001:db8::1",
    "[::ffff:127.0.0.1]", "[v1.x]",
  ])
  func addressesAreRefused(text: String) {
    #expect { try NamedServer(text) } throws: { "\($0)".contains("never by an address") }
  }

  @Test(arguments: [
    "", "https://", "/activate", "http://tickets.example", "ftp://tickets.example", "file:///etc/passwd", "://x",
    "https://https://x", "localhost", "LOCALHOST:443", "a.localhost",
    "localhost.localdomain", "ip6-localhost", "localhost.", "127.0.0.1.", "tickets.example.",
    ".example",
    "a..b", "-a.example", "a-.example", "a_b.example", "user@tickets.example", "https://a:b@tickets.example",
    "tickets.example:443@evil.example", "tickets.example?x", "tickets.example#x", "tickets.example\\@evil.example",
    "tickets.example:0", "tickets.example:65536", "tickets.example:0443", "tickets.example:", "tickets.example:+1",
    "tickets.example: 1", "tickets.example:99999999999999999999", "tickets.example/../x", "tickets.example/.",
    "tickets.example//x", "tickets.example/%2e", "tickets.example/a b", "bücher.example", "tickets。example",
    "tickets.example\u{200B}", "tickets.example\0", "tickets.example\n", "tıckets.example", "Ⓔxample",
    String(repeating: "a", count: 64) + ".example", String(repeating: "a.", count: 140) + "example",
  ])
  func isRefused(text: String) {
    #expect { try NamedServer(text) } throws: { fault in
      // Nothing of it is shown.
      "\(fault)".hasSuffix(".") && (text.utf8.count < 16 || !"\(fault)".contains(text))
    }
  }

  @Test func theLongestIsReadWithItsScheme() throws {
    let server = try NamedServer("a.example/" + String(repeating: "x", count: 245))
    expectEqual(server.shortest.utf8.count, 255)
    try expectEqual(NamedServer(server.url + "/"), server)
    #expect(throws: NamedServer.Fault.self) { try NamedServer(server.shortest + "x") }
    #expect(throws: NamedServer.Fault.self) { try NamedServer(server.host + String(repeating: "/", count: 502)) }
  }

  @Test(arguments: [UInt64](1...20)) func whatIsReadReadsTheSameAgain(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("aZ09.-:/x@[]%_~?\\ é".unicodeScalars)
    var read = 0
    for _ in 0..<500 {
      let text = String(
        String.UnicodeScalarView(
          (0..<Int.random(in: 0...12, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "a" }))
      guard let server = try? NamedServer(text) else { continue }
      read += 1
      expect(
        (try? NamedServer(server.url)) == server && (try? NamedServer(server.shortest)) == server,
        "seed \(seed): \(text)")
      expect(server.host.utf8.allSatisfy { $0 != UInt8(ascii: "@") } && (1...65_535).contains(server.port))
    }
    expect(read > 0, "seed \(seed)")
  }
}
