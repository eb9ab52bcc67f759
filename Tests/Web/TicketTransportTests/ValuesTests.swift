import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing
import TicketTransport

@Suite struct SecretTests {
  @Test func showsNothing() throws {
    let secret = try Secret(" \u{FEFF}s3cr3t-key-value\r\n")
    expectEqual("\(secret)", "(secret)")
    expectEqual(String(reflecting: secret), "(secret)")
    var dumped = ""
    dump([secret], to: &dumped)
    expect(!dumped.contains("s3cr3t"))
    expect(!String(describing: ["key": secret]).contains("s3cr3t"))
    expect(!"\(HTTPCall(.get, path: "/", credential: ("X-API-Key", "", secret)))".contains("s3cr3t"))
    expectEqual(secret, (try Secret("s3cr3t-key-value")))
  }

  @Test func refusesWhatNoHeaderCarries() {
    #expect(throws: Secret.Fault.empty) { try Secret(" \n\t ") }
    #expect(throws: Secret.Fault.invalidCharacter(position: 4)) { try Secret("abc\r\nX-Evil: 1") }
    #expect(throws: Secret.Fault.invalidCharacter(position: 2)) { try Secret("aé") }
    #expect(throws: Secret.Fault.tooLong) { try Secret(String(repeating: "k", count: 5_000)) }
  }
}

@Suite struct ServerAddressTests {
  @Test(arguments: [
    ("https://tickets.example", "tickets.example:443", "", true),
    ("HTTPS://Tickets.Example:8443/base/path//", "tickets.example:8443", "/base/path", true),
    ("http://127.0.0.1:8080/", "127.0.0.1:8080", "", false), ("http://127.9.9.9", "127.9.9.9:80", "", false),
    ("http://localhost:1/api", "localhost:1", "/api", false), ("http://[::1]:5", "[::1]:5", "", false),
    ("https://[2001:db8::1]", "[2001:db8::1]:443", "", true),
  ]) func reads(text: String, description: String, path: String, isSecure: Bool) throws {
    let address = try ServerAddress(text)
    expectEqual(address.hostAndPort, description)
    expectEqual(address.path, path)
    expectEqual(address.isSecure, isSecure)
  }

  @Test(arguments: [
    "", "tickets.example", "ftp://a", "https://", "https:///x", "https://user:pw@host", "https://a?x", "https://a#x",
    "https://a\\b",
    "https://a:0", "https://a:65536", "https://a:x", "https://a:", "https://a b", "https://[::1", "https://[x]",
    "https://[::1]x",
    "https://ä.example", "http://tickets.example", "http://127.0.0.1.example", "http://127.0.0.256",
    "http://localhost.example",
    "http://128.0.0.1", "http://[::2]", "https://a:+5", "https://a/<x>", "https://a/\"", "https://a\u{0}",
  ]) func refuses(text: String) {
    #expect(throws: ServerAddress.Fault.self) { try ServerAddress(text) }
  }

  @Test func plainHTTPOnlyWhenAllowed() throws {
    try expectEqual(ServerAddress("http://tickets.example", allowPlainHTTP: true).port, 80)
  }

  @Test(arguments: [
    ("https://tickets.example.org", "tickets.example.org", 443, "", true),
    ("HTTPS://Tickets.Example.org/", "tickets.example.org", 443, "", true),
    ("http://127.0.0.1:8080/base//", "127.0.0.1", 8080, "/base", false),
    ("http://[::1]:80/a/b", "::1", 80, "/a/b", false), ("http://localhost", "localhost", 80, "", false),
  ]) func readsParts(text: String, host: String, port: Int, path: String, isSecure: Bool) throws {
    let url = try ServerAddress(text)
    expect(url.host == host && url.port == port && url.path == path && url.isSecure == isSecure)
    try expectEqual(ServerAddress(url.description), url)
  }

  @Test(arguments: [
    "", "https://", "https:///x", "tickets.example.org", "ftp://x", "https://a b", "https://u@x", "https://u:p@x",
    "https://x:", "https://x:0", "https://x:65536", "https://x:+1", "https://x?q", "https://x#f", "https://-x",
    "https://x..y", "https://[::1", "https://[zz]", "https://x/../y", "https://x/%2e", "https://täst", "https://[::1]8",
    "https://x/b[c]",
  ]) func refusesOddAddresses(text: String) {
    #expect(throws: ServerAddress.Fault.self) { try ServerAddress(text, allowPlainHTTP: true) }
  }

  @Test func knowsLoopback() throws {
    let yes = ["http://localhost:1", "http://127.0.0.1", "http://127.9.9.9", "http://[::1]"]
    let no = ["http://127.0.0.1.example.org", "http://localhost.example.org", "http://127.1", "http://10.0.0.1"]
    try expect(yes.allSatisfy { try ServerAddress($0).isLoopback })
    try expect(!no.contains { try ServerAddress($0, allowPlainHTTP: true).isLoopback })
  }
}

@Suite struct TextTests {
  @Test func staffTextCannotSteerATerminal() {
    expectEqual(StaffText.clean("a\u{1B}[31mb\r\n\tc\u{0}\u{202E}d\u{200B}"), "a [31mb c d")
    expect(StaffText.clean(" \u{7}\u{9B} ") == nil)
    expectEqual(StaffText.clean("Zoë 李小龍"), "Zoë 李小龍")
    let long = StaffText.clean(String(repeating: "x", count: 5_000)) ?? ""
    expectEqual(long.unicodeScalars.count, StaffText.longest)
    expect(long.hasSuffix("…"))
    expect(
      (StaffText.clean("e" + String(repeating: "\u{301}", count: 5_000)) ?? "").unicodeScalars.count
        <= StaffText.longest)
  }
}

@Suite struct RedactionTests {
  /// A long secret is hidden by its parts, too: of 16 characters, and of all more that follow.
  @Test func partsOfASecretAreHidden() {
    let secret = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
    let parts = [Redaction(partsOf: secret, shownAs: "…6789")]
    for start in 0...(secret.count - 16) {
      for length in 16...(secret.count - start) {
        let part = secret.dropFirst(start).prefix(length)
        expectEqual(StaffText.clean("x \(part)! y", hiding: parts), "x …6789! y")
        expectEqual(StaffText.clean("x \(part.lowercased())! y", hiding: parts), "x …6789! y")
      }
    }
    expectEqual(StaffText.clean("ABCDEFGHIJKLMN%4f%50QRS.", hiding: parts), "…6789.")
    expectEqual(StaffText.clean("ABCDEFGHIJKLMNO", hiding: parts), "ABCDEFGHIJKLMNO", "15 of them are none")
    expectEqual(StaffText.clean("ABCDEFGH IJKLMNOP", hiding: parts), "ABCDEFGH IJKLMNOP")
    for short in ["", "ABC"] {
      expectEqual(StaffText.clean("ABC", hiding: [Redaction(partsOf: short, shownAs: "…")]), "ABC")
    }
  }

  @Test(arguments: [
    ("a SECRETKEY b", "a (secret) b"), ("secretkey\u{301}", "(secret)\u{301}"), ("SECRETK\u{200B}EY", "(secret)"),
    ("S\u{FE0F}ECRETKEY", "(secret)"), ("%53ecret%4bey%4", "(secret)%4"), ("SECRETKE", "SECRETKE"),
    ("xSECRETKEYSECRETKEYx", "x(secret)(secret)x"), ("n 4%2f5ABCD.", "n …ABCD."), ("n 4/5abcd.", "n …ABCD."),
    // One that begins inside the other is hidden to its end.
    ("4/5ABCDECRET", "…ABCD"), ("é%C3%A9", "é%C3%A9"),
  ]) func hides(text: String, shown: String) throws {
    let secrets = [
      try Secret("SECRETKEY").redaction, Redaction("4/5ABCD", shownAs: "…ABCD"), Redaction("DECRET", shownAs: "…CRET"),
    ]
    expectEqual(StaffText.clean(text, hiding: secrets), shown)
  }

  @Test func nothingIsCutInTheMiddleOfASecret() throws {
    let secrets = [try Secret("SECRETKEY").redaction]
    for count in 150...260 {
      let shown = StaffText.clean(String(repeating: "x", count: count) + "SECRETKEY", hiding: secrets) ?? ""
      expect(!shown.contains("S"), "\(count): \(shown)")
      expect(shown.unicodeScalars.count <= StaffText.longest)
    }
    // Far more than is shown: hidden to the end of what is looked at.
    let secret = String(repeating: "k", count: 1_000)
    let long = StaffText.clean(
      String(repeating: secret, count: 200), hiding: [Redaction(secret, shownAs: "…")])
    expectEqual(long?.contains("k"), false)
    // One that overlaps itself through the whole text.
    let run = String(repeating: "a", count: 200_000)
    expectEqual(StaffText.clean(run, hiding: [Redaction("aaaa", shownAs: "…aa")]), "…aa…")
  }

  @Test func showsNothingOfItself() throws {
    let redaction = try Secret("SECRETKEY").redaction
    var dumped = ""
    dump([redaction], to: &dumped)
    expect(!dumped.lowercased().contains("secretkey"))
    expect(!"\(redaction)\(String(reflecting: redaction))".lowercased().contains("secretkey"))
  }

  @Test(arguments: [UInt64](1...20)) func noTextEscapesOrTraps(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let hidden = String(random.text().prefix(12))
      let text = random.text() + hidden + "\u{301}" + random.text()
      let shown = StaffText.clean(text, hiding: [Redaction(hidden, shownAs: "")]) ?? ""
      expect(shown.unicodeScalars.count <= StaffText.longest)
      let needle = Array((StaffText.clean(hidden) ?? "").utf8)
      guard needle.count > 3 else { continue }
      let bytes = Array((StaffText.clean(text, hiding: [Redaction(hidden, shownAs: "\u{2588}")]) ?? "").utf8)
      let found = bytes.indices.contains { bytes[$0...].starts(with: needle) }
      expect(!found, "seed \(seed): \(text)")
    }
  }
}
