import CodeSigning
import Expectations
import ScanModel
import ScanTesting
import SetUpCodes
import Testing

/// All forms of set-up codes that are met, literally, and whom they may name.
@Suite struct SetUpReaderTests {
  private static let configured = "kiosk.example:443"
  /// Within the hour of 2025-07-08T18:40:00Z.
  private static let now = WallTime(seconds: 1_752_000_600)
  private static let id = "0b9d3f0e-6c1c-4c0a-9a53-3d6a9f2b7c11"

  private static func reader(_ list: String = "", configured: String? = configured) throws -> SetUpReader {
    SetUpReader(trust: try TrustList.read(list, file: "trust.txt"), configured: configured)
  }

  private func read(
    _ text: String, _ list: String = "", configured: String? = Self.configured, at wall: WallTime = Self.now,
    clockIsTrusted: Bool = true
  ) throws -> SetUpReader.Reading {
    try Self.reader(list, configured: configured).read(Code(text), at: wall, clockIsTrusted: clockIsTrusted)
  }

  private func refusal(_ reading: SetUpReader.Reading) -> SetUpRefusal? {
    if case .refused(let refusal, _) = reading { refusal } else { nil }
  }

  // MARK: The forms

  static let good: [(text: String, code: String, kiosk: String?)] = [
    // 1: by the service's page, with its address.
    (
      #"{"type":"kiosk_activation","code":"A1B2C3D4","server":"kiosk.example:443","timestamp":1752000000000}"#,
      "A1B2C3D4", nil
    ),
    (
      #"{"type":"kiosk_activation","code":"a1b2c3d4","server":"https://KIOSK.example","timestamp":1752000000000}"#,
      "A1B2C3D4", nil
    ),
    (#"{"type":"kiosk_activation","code":"A1B2C3D4","server":null,"timestamp":"1752000000000"}"#, "A1B2C3D4", nil),
    (#"{"type":"kiosk_activation","code":"A1B2C3D4","server":"","timestamp":null,"more":[1]}"#, "A1B2C3D4", nil),
    (
      #"{"TYPE":"KIOSK_ACTIVATION","CODE":"a1b2c3d4","SERVER":"KIOSK.EXAMPLE:443","TIMESTAMP":1752000000000}"#,
      "A1B2C3D4", nil
    ),
    // 2: with the identifier of its making, which is no kiosk's, and an end.
    (#"{"type":"kiosk_activation","id":"\#(id)","code":"K3J9QZ","expires":"2025-07-08T21:00:00.000Z"}"#, "K3J9QZ", nil),
    (#"{"type":"kiosk_activation","id":"\#(id)","code":"K3J9QZ","kioskId":"K-1"}"#, "K3J9QZ", "K-1"),
    (#"{"TYPE":"KIOSK_ACTIVATION","CODE":"k3j9qz","KIOSKiD":"k-1A"}"#, "K3J9QZ", "K-1a"),
    (#"{ "expires" : "2025-07-08T21:00:00+01:00" , "code" : "K3J9QZ" , "type" : "kiosk_activation" }"#, "K3J9QZ", nil),
    // 3: a link, of which the address may be missing.
    ("https://kiosk.example/activate?kioskId=\(id)&code=A1B2C3D4", "A1B2C3D4", id),
    ("HTTPS://KIOSK.EXAMPLE/ACTIVATE?KIOSKID=K-1&CODE=A1B2C3D4", "A1B2C3D4", "k-1"),
    ("https://kiosk.example:443/admin/activate?code=a1b2c3d4&kioskId=k%2D1#top", "A1B2C3D4", "k-1"),
    ("/activate?kioskId=\(id)&code=A1B2C3D4", "A1B2C3D4", id),
    ("/admin/activate/?kioskId=&code=A1B2C3D4", "A1B2C3D4", nil),
    ("https:///activate?code=A1B2C3D4", "A1B2C3D4", nil),
    ("kiosk.example/activate?code=A1B2C3D4", "A1B2C3D4", nil),
    // 4: bare.
    ("A1B2C3D4", "A1B2C3D4", nil), ("k3j9qz", "K3J9QZ", nil), ("ABC123DEF456", "ABC123DEF456", nil),
    ("NOVA123", "NOVA123", nil), ("KIOSK001", "KIOSK001", nil), ("1234", "1234", nil), ("AB-12-CD", "AB-12-CD", nil),
    (String(repeating: "a", count: 32), String(repeating: "A", count: 32), nil),
  ]

  @Test(arguments: good.indices) func formsAreReadForTheConfiguredService(index: Int) throws {
    let form = Self.good[index]
    let isLinked =
      form.text.lowercased().contains("activate")
      && form.text.contains("?")
    let expected = SetUpCode.activation(
      ActivationCode(code: form.code, kioskID: form.kiosk, isLinked: isLinked), at: nil)
    try expectEqual(read(form.text), .code(expected), "\(form.text)")
  }

  @Test(arguments: [
    "", "ABC", "A B C D", "----", "Ä1B2C3", "A1B2C3D4\u{1D}", String(repeating: "A", count: 33), "A1B2_C3D4",
    "{}", "[]", #"{"type":"ticket","code":"A1B2C3D4"}"#, #"{"type":"kiosk_activation""#,
    #"{"type":"kiosk_activation"}"#, #"{"type":"kiosk_activation","code":7}"#,
    #"{"type":"kiosk_activation","code":null}"#, #"{"type":"kiosk_activation","code":["A1B2C3D4"]}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","code":"A1B2C3D5"}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","Code":"A1B2C3D5"}"#,
    #"{"type":"kiosk_activation","code":"A1B2 C3D4"}"#, #"{"type":"kiosk_activation","code":"\u202eA1B2C3D4"}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","server":{}}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","server":7}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","timestamp":"soon"}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","timestamp":-1}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","timestamp":1e999}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","expires":"tomorrow"}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","expires":1752000000000}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","id":"a b"}"#,
    #"{"type":"kiosk_activation","code":"A1B2C3D4","id":{}}"#,
    "https://kiosk.example/activate?kioskId=1", "https://kiosk.example/activate", "/activate?code=",
    "/activate?code=A1",
    "/activate?code=A1B2C3D4&code=A1B2C3D5", "/activate?code=A1B2%2", "/activate?code=A1B2C3D4&kioskId=%ff",
    "/activate?code=A1B2C3D4&kioskId=a%0ab", "/deactivate?code=A1B2C3D4",
    "https://kiosk.example/other?code=A1B2C3D4", "SCANGATE1:", "SCANGATE1:AAAA", "scangate1:!", "SCANGATE2:AAAA",
    "nova-tv://auth?session=abc&code=123456", "https://kiosk.example/admin/tv-activate?device=a&screen=1x1",
  ])
  func whatIsNoneIsWrong(text: String) throws {
    let reading = try read(text)
    expectEqual(refusal(reading), .wrong, "\(text): \(reading)")
    guard case .refused(_, let detail) = reading else { return }
    expect(detail.hasSuffix(".") && !detail.contains("A1B2"), "\(detail)")
  }

  // MARK: Time

  @Test func expiredOnesSaySinceWhen() throws {
    let made = #"{"type":"kiosk_activation","code":"A1B2C3D4","server":"kiosk.example","timestamp":1752000000000}"#
    let ends = #"{"type":"kiosk_activation","code":"K3J9QZ","expires":"2025-07-08T21:00:00.000Z"}"#
    for (text, end, words) in [
      (made, 1_752_003_600, "2025-07-08T19:40:00Z"), (ends, 1_752_008_400, "2025-07-08T21:00:00Z"),
    ] {
      let end = WallTime(seconds: Int64(end))
      expect(refusal(try read(text, at: end - .nanoseconds(1))) == nil)
      guard case .refused(.expired, let detail) = try read(text, at: end) else {
        Issue.record("it has not expired")
        continue
      }
      expect(detail.contains("until \(words)"))
      // Whether it has is the server's to judge while nobody here knows the time.
      expect(refusal(try read(text, at: end, clockIsTrusted: false)) == nil)
    }
    let both =
      #"{"type":"kiosk_activation","code":"A1B2C3D4","timestamp":1752000000000,"expires":"2025-07-08T18:41:00Z"}"#
    expectEqual(refusal(try read(both)), .expired)
  }

  @Test func timesBeyondAllMeasureDoNotTrap() throws {
    for text in ["9223372036854775807", "1"] {
      _ = try read(#"{"type":"kiosk_activation","code":"A1B2C3D4","timestamp":\#(text)}"#)
    }
  }

  // MARK: Whom they may name

  private func forms(_ server: String, isLink: Bool = true) -> [String] {
    [#"{"type":"kiosk_activation","code":"A1B2C3D4","server":"\#(server)","timestamp":1752000000000}"#]
      + (isLink
        ? ["https://\(server)/x/activate?kioskId=k&code=A1B2C3D4", "//\(server)/activate?code=A1B2C3D4&kioskId=k"] : [])
  }

  @Test func aServerOfTheListIsNamed() throws {
    for form in forms("Other.example:8443") {
      guard case .code(.activation(let code, let server)) = try read(form, "server other.example:8443") else {
        Issue.record("\(form) is not taken")
        continue
      }
      // The path of a link is that of a page.
      expect(code.code == "A1B2C3D4" && server?.url == "https://other.example:8443")
    }
  }

  @Test(arguments: [
    "other.example", "other.example:8444", "a.other.example:8443", "kiosk.example:8443", "kiosk.example.evil.example",
    "kiosk.example@evil.example", "evil.example#kiosk.example", "127.0.0.1", "2130706433", "0x7f.1", "[::1]",
    "localhost:443",
    "kiosk.example.", "kiosk.example%00.evil.example", "kiosk。example",
  ])
  func anyOtherIsUntrusted(server: String) throws {
    let isPlain = !server.contains { "#%@。".contains($0) }
    for form in forms(server, isLink: isPlain) {
      let reading = try read(form, "server other.example:8443")
      expectEqual(refusal(reading), .untrusted, "\(form): \(reading)")
    }
  }

  @Test func plainHTTPIsNotSpoken() throws {
    for form in ["http://other.example/activate?code=A1B2C3D4", "ftp://other.example/activate?code=A1B2C3D4"] {
      expectEqual(refusal(try read(form, "server other.example\nserver other.example:80")), .untrusted)
    }
  }

  /// Where the configuration itself has an address, a code may repeat it: what is spoken to is what is configured.
  @Test(arguments: [
    ("192.168.1.5:3001", #"{"type":"kiosk_activation","code":"A1B2C3D4","server":"192.168.1.5:3001"}"#),
    ("[::1]:3001", "http://[::1]:3001/activate?code=A1B2C3D4"),
    ("localhost:80", "http://localhost/activate?code=A1B2C3D4"),
  ])
  func theConfiguredServerMayBeAnything(configured: String, text: String) throws {
    let code = ActivationCode(code: "A1B2C3D4", isLinked: text.hasPrefix("http"))
    try expectEqual(read(text, configured: configured), .code(.activation(code, at: nil)))
    expectEqual(refusal(try read(text, configured: "kiosk.example:443")), .untrusted)
    expectEqual(refusal(try read(text, configured: nil)), .untrusted)
  }

  @Test func withoutAConfiguredServiceACodeMustNameOne() throws {
    expectEqual(refusal(try read("A1B2C3D4", configured: nil)), .wrong)
    expectEqual(refusal(try read("/activate?code=A1B2C3D4", configured: nil)), .fault)
    let named = forms("other.example")[0]
    expect(refusal(try read(named, "server other.example", configured: nil)) == nil)
  }

  // MARK: Signed codes

  private func signed(_ content: SignedCode.Content, at server: String = "venue.example") throws -> String {
    try SignedCode.text(
      content, at: NamedServer(server), expires: WallTime(seconds: 1_752_001_200), by: #require(SignedCodeTests.key))
  }

  private static let list = "key organiser \(SignedCodeTests.publicKey)"
  private static let stranger = "key stranger PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw="

  @Test func aSignedCodeNamesWhomItWants() throws {
    let secret = EnrolmentSecret.random()
    let enrolment = try signed(.enrolment(gate: "north", secret: secret), at: "venue.example:8443/v")
    let expected = EnrolmentCode(
      server: try NamedServer("venue.example:8443/v"), gate: "north", secret: secret,
      expires: WallTime(seconds: 1_752_001_200))
    try expectEqual(read(enrolment, Self.list), .code(.enrolment(expected)))
    try expectEqual(read(enrolment, Self.list + "\n" + Self.stranger, configured: nil), .code(.enrolment(expected)))
    try expectEqual(
      read(enrolment, "server venue.example:8443"), .code(.enrolment(expected)), "the server itself is trusted")
    for list in ["", Self.stranger, "server venue.example"] {
      expectEqual(refusal(try read(enrolment, list)), .untrusted, "\(list)")
    }
    // Who may activate stations may not give them keys.
    let own = try signed(.enrolment(gate: "north", secret: secret), at: "kiosk.example")
    expectEqual(refusal(try read(own)), .untrusted)
  }

  @Test func aSignedActivationNamesItsService() throws {
    let code = ActivationCode(code: "A1B2C3D4", kioskID: Self.id)
    let text = try signed(.activation(code))
    try expectEqual(read(text, Self.list), .code(.activation(code, at: NamedServer("venue.example"))))
    expectEqual(refusal(try read(text)), .untrusted)
    let own = try signed(.activation(code), at: "kiosk.example")
    try expectEqual(read(own), .code(.activation(code, at: nil)))
  }

  @Test func aForgedSignatureOfAKnownKeyIsWrongWhateverItNames() throws {
    let text = try signed(.activation(ActivationCode(code: "A1B2C3D4")))
    let bytes = try #require(Base32.bytes(text.utf8.dropFirst(10)))
    let forged = SignedCode.prefix + Base32.text(bytes.dropLast() + [(bytes.last ?? 0) ^ 1])
    expectEqual(refusal(try read(forged, Self.list + "\nserver venue.example")), .wrong)
    expect(refusal(try read(forged, "server venue.example")) == nil)
  }

  @Test func aSignedCodeExpires() throws {
    let text = try signed(.activation(ActivationCode(code: "A1B2C3D4")))
    let end = WallTime(seconds: 1_752_001_200)
    expect(refusal(try read(text, Self.list, at: end - .nanoseconds(1))) == nil)
    expectEqual(refusal(try read(text, Self.list, at: end)), .expired)
    expect(refusal(try read(text, Self.list, at: end, clockIsTrusted: false)) == nil)
    // A stranger's is not told to be renewed.
    expectEqual(refusal(try read(text, at: end)), .untrusted)
  }

  // MARK: At a working gate

  @Test func structuredFormsAreToldFromTickets() throws {
    for form in Self.good {
      expectEqual(SetUpReader.isSetUpCode(Code(form.text)), form.text.contains { "{/".contains($0) })
    }
    for text in [
      "SCANGATE1:", "scangate1:xyz", "nova-tv://auth?session=a&code=123456", "/admin/tv-activate?device=a&screen=1x1",
    ] {
      expect(SetUpReader.isSetUpCode(Code(text)))
    }
    // Damaged by a keymap, cut off, or written badly: a secret may be in them all the same.
    for text in [
      "SCANGATE1>AEAQ", #"{"type":"kiosk_activation","code":"C0DE5555","server":"kiosk.example""#,
      #"{"type":"KIOSK_ACTIVATION","code":"A","Code":"B"}"#,
      "https://kiosk.example/activate?kioskId=a bc&code=C0DE8888",
      "https://kiosk.example/activate/x?code=C0DE8888",
    ] {
      expect(SetUpReader.isSetUpCode(Code(text)), "\(text)")
    }
    for text in [
      "A1B2C3D4", "", "{", #"{"type":"ticket"}"#, "https://tickets.example/ticket/view/abc/def", "SCANGATE",
      "https://kiosk.example/activate?kioskId=1", "https://x.example/?code=ABCD", "\u{0}",
    ] {
      expect(!SetUpReader.isSetUpCode(Code(text)), "\(text)")
    }
  }

  @Test(arguments: [UInt64](1...20)) func noBytesTrapAndNoneNamesAStranger(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let reader = try Self.reader("server other.example", configured: Self.configured)
    let words = [
      "{", "}", ":", ",", "\"", "type", "kiosk_activation", "code", "server", "timestamp", "expires", "A1B2C3D4",
      "kiosk.example",
      "evil.example", "other.example", "https://", "http://", "//", "/activate", "?", "&", "=", "kioskId", "%", "@",
      "#", "\\",
      "SCANGATE1:", "AEAQ", "127.0.0.1", "1752000000000", "2025-07-08T21:00:00Z", "\u{0}", "é", " ", "[::1]", ".",
      "\r\n",
    ]
    for _ in 0..<2_000 {
      var bytes = (0..<Int.random(in: 0...14, using: &random)).flatMap { _ in
        [UInt8]((words.randomElement(using: &random) ?? "").utf8)
      }
      if random.chance(20), let place = bytes.indices.randomElement(using: &random) {
        bytes[place] = UInt8.random(in: 0...255, using: &random)
      }
      let code = Code(bytes: bytes)
      switch reader.read(code, at: Self.now, clockIsTrusted: true) {
      case .code(.activation(let activation, let server)):
        expect(server == nil || server?.hostAndPort == "other.example:443", "seed \(seed)")
        expect((4...32).contains(activation.code.utf8.count) && activation.code == activation.code.uppercased())
      case .code(.enrolment): Issue.record("nobody has signed it, seed \(seed)")
      case .refused(_, let detail): expect(detail.hasSuffix("."), "seed \(seed)")
      }
      _ = SetUpReader.isSetUpCode(code)
    }
  }
}
