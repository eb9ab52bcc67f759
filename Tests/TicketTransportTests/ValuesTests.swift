import Foundation
import ScanModel
import ScanTesting
import Testing
import TicketTransport

@Suite struct SecretTests {
  @Test func showsNothing() throws {
    let secret = try Secret(" \u{FEFF}s3cr3t-key-value\r\n")
    #expect("\(secret)" == "(secret)")
    #expect(String(reflecting: secret) == "(secret)")
    var dumped = ""
    dump([secret], to: &dumped)
    #expect(!dumped.contains("s3cr3t"))
    #expect(!String(describing: ["key": secret]).contains("s3cr3t"))
    #expect(!"\(HTTPCall(.get, path: "/", credential: ("X-API-Key", "", secret)))".contains("s3cr3t"))
    #expect(secret == (try Secret("s3cr3t-key-value")))
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
    #expect(address.description == description)
    #expect(address.path == path)
    #expect(address.isSecure == isSecure)
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
    #expect(try ServerAddress("http://tickets.example", allowPlainHTTP: true).port == 80)
  }
}

@Suite struct CivilTimeTests {
  let now = WallTime(seconds: 1_800_000_000)  // 2027

  @Test(
    arguments: [
      ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
      ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
      ("Thu, 29 Feb 2024 23:59:60 GMT", 1_709_251_200), ("Friday, 01-Jan-77 00:00:00 GMT", 3_376_684_800),
      ("Saturday, 01-Jan-78 00:00:00 GMT", 252_460_800),
    ] as [(String, Int64)]) func readsHTTPDates(text: String, seconds: Int64)
  {
    #expect(CivilTime.httpDate(text, now: now)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET", "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT",
    "Sun, 06 Nov 1994 -8:49:37 GMT", "Thu, 29 Feb 2023 00:00:00 GMT",
  ]) func refusesOtherDates(text: String) {
    #expect(CivilTime.httpDate(text, now: now) == nil)
  }

  @Test(
    arguments: [
      ("2025-12-17T14:30:00.000000Z", 1_765_981_800), ("2025-12-17T14:30:00Z", 1_765_981_800),
      ("2025-12-17T15:30:00+01:00", 1_765_981_800), ("2025-12-17t09:00:00.5-0530", 1_765_981_800),
      ("2025-12-17 14:30:00.999999999999Z", 1_765_981_800),
    ] as [(String, Int64)]) func readsTimestamps(text: String, seconds: Int64)
  {
    #expect(CivilTime.timestamp(text)?.seconds == seconds)
  }

  @Test(arguments: [
    "", "2025-12-17", "2025-12-17T14:30:00", "2025-12-17T14:30Z", "2025-13-17T14:30:00Z", "2025-12-17T14:30:00.Z",
    "2025-12-17T14:30:00ZZ",
    "2025-02-29T14:30:00Z", "2025-12-17T14:30:00+1", "２０25-12-17T14:30:00Z", "+025-12-17T14:30:00Z",
    "2025-12-17T14:30:00." + String(repeating: "0", count: 1_000) + "Z",
  ]) func refusesOtherTimestamps(text: String) {
    #expect(CivilTime.timestamp(text) == nil)
  }

  @Test func agreesWithFoundation() throws {
    let formatter = ISO8601DateFormatter()
    var random = SeededGenerator(seed: 11)
    for _ in 0..<2_000 {
      let seconds = Int64.random(in: -9_000_000_000...9_000_000_000, using: &random)
      let text = formatter.string(from: Date(timeIntervalSince1970: TimeInterval(seconds)))
      #expect(CivilTime.timestamp(text)?.seconds == seconds)
      #expect(CivilTime.text(WallTime(seconds: seconds)) == text)
    }
  }

  @Test func noTrapOnRandomBytes() {
    var random = SeededGenerator(seed: 5)
    let alphabet = Array("0123456789-:TZ+., GMTSunNov\u{0}é")
    var read = 0
    for _ in 0..<20_000 {
      let length = Int.random(in: 0...40, using: &random)
      let text = String((0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] })
      if CivilTime.timestamp(text) != nil || CivilTime.httpDate(text, now: now) != nil { read += 1 }
    }
    #expect(read == 0)
  }
}

@Suite struct TextTests {
  @Test func staffTextCannotSteerATerminal() {
    #expect(StaffText.clean("a\u{1B}[31mb\r\n\tc\u{0}\u{202E}d\u{200B}") == "a [31mb c d")
    #expect(StaffText.clean(" \u{7}\u{9B} ") == nil)
    #expect(StaffText.clean("Zoë 李小龍") == "Zoë 李小龍")
    let long = StaffText.clean(String(repeating: "x", count: 5_000)) ?? ""
    #expect(long.unicodeScalars.count == StaffText.longest)
    #expect(long.hasSuffix("…"))
    #expect(
      (StaffText.clean("e" + String(repeating: "\u{301}", count: 5_000)) ?? "").unicodeScalars.count
        <= StaffText.longest)
  }

  @Test func percentCoding() {
    #expect(PercentCoding.encode("a b&c=é~") == "a%20b%26c%3D%C3%A9~")
    #expect(PercentCoding.decode("a%20%c3%A9".utf8) == [UInt8]("a é".utf8))
    for bad in ["%", "%2", "%zz", "a%2", "%%20", "%+1"] { #expect(PercentCoding.decode(bad.utf8) == nil) }
    var random = SeededGenerator(seed: 9)
    for _ in 0..<200 {
      let text = random.text()
      #expect(PercentCoding.decode(PercentCoding.encode(text).utf8) == [UInt8](text.utf8))
    }
  }
}

@Suite struct RedactionTests {
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
    #expect(StaffText.clean(text, hiding: secrets) == shown)
  }

  @Test func nothingIsCutInTheMiddleOfASecret() throws {
    let secrets = [try Secret("SECRETKEY").redaction]
    for count in 150...260 {
      let shown = StaffText.clean(String(repeating: "x", count: count) + "SECRETKEY", hiding: secrets) ?? ""
      #expect(!shown.contains("S"), "\(count): \(shown)")
      #expect(shown.unicodeScalars.count <= StaffText.longest)
    }
    // Far more than is shown: hidden to the end of what is looked at.
    let secret = String(repeating: "k", count: 1_000)
    let long = StaffText.clean(
      String(repeating: secret, count: 200), hiding: [Redaction(secret, shownAs: "…")])
    #expect(long?.contains("k") == false)
    // One that overlaps itself through the whole text.
    let run = String(repeating: "a", count: 200_000)
    #expect(StaffText.clean(run, hiding: [Redaction("aaaa", shownAs: "…aa")]) == "…aa…")
  }

  @Test func showsNothingOfItself() throws {
    let redaction = try Secret("SECRETKEY").redaction
    var dumped = ""
    dump([redaction], to: &dumped)
    #expect(!dumped.lowercased().contains("secretkey"))
    #expect(!"\(redaction)\(String(reflecting: redaction))".lowercased().contains("secretkey"))
  }

  @Test(arguments: [UInt64](1...20)) func noTextEscapesOrTraps(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let hidden = String(random.text().prefix(12))
      let text = random.text() + hidden + "\u{301}" + random.text()
      let shown = StaffText.clean(text, hiding: [Redaction(hidden, shownAs: "")]) ?? ""
      #expect(shown.unicodeScalars.count <= StaffText.longest)
      let needle = Array((StaffText.clean(hidden) ?? "").utf8)
      guard needle.count > 3 else { continue }
      let bytes = Array((StaffText.clean(text, hiding: [Redaction(hidden, shownAs: "\u{2588}")]) ?? "").utf8)
      let found = bytes.indices.contains { bytes[$0...].starts(with: needle) }
      #expect(!found, "seed \(seed): \(text)")
    }
  }
}
