import EventSchedule
import Expectations
import ScanModel
import ScanTesting
import Testing
import TicketTransport
import WireText

/// What a server tells of itself, in every spelling and with every mistake.
@Suite struct DiscoveryTests {
  private func read(_ text: String) throws -> Discovery? { Discovery(try JSONValue([UInt8](text.utf8))) }

  private static let document = """
    {"api_base_url":"https://your-domain.com/api","auth":{"type":"sanctum","endpoints":{"login":"/api/login",\
    "logout":"/api/logout"}},"branding_endpoint":"/api/meta/branding","features":{"events":true,"venues":true,"talent":true,\
    "tickets":true,"scanning":false},"versions":{"api":"1.0","backend":"2.0"},"min_app_version":"1.0.0",\
    "rate_limits":{"events":100,"checkins":1000}}
    """
  private static let real =
    #"{"apiBaseURL":"https://a.example/api","brandingEndpoint":"https://a.example/branding.json","features":["branding"]}"#

  @Test func theDocumentsSpelling() throws {
    let discovery = try #require(try read(Self.document))
    expectEqual(discovery.api, .told("https://your-domain.com/api"))
    expectEqual(discovery.branding, .told("/api/meta/branding"))
    expectEqual(discovery.features, ["events", "talent", "tickets", "venues"])
    expectEqual(discovery.signIn, "sanctum")
    expectEqual(discovery.signInEndpoints.map(\.value), ["/api/login", "/api/logout"])
    expectEqual(discovery.versions, [.init(name: "api", value: "1.0"), .init(name: "backend", value: "2.0")])
    expectEqual(discovery.oldestApp, "1.0.0")
    expectEqual(discovery.limits, [.init(name: "checkins", value: "1000"), .init(name: "events", value: "100")])
  }

  @Test func theRealServersSpelling() throws {
    let discovery = try #require(try read(Self.real))
    expectEqual(discovery.api, .told("https://a.example/api"))
    expectEqual(discovery.branding, .told("https://a.example/branding.json"))
    expectEqual(discovery.features, ["branding"])
    expect(discovery.limits.isEmpty && discovery.oldestApp == nil && discovery.signIn == nil)
  }

  @Test(arguments: ["[]", "{}", "null", "7", #""x""#, #"{"error":"Not found"}"#, #"{"data":[]}"#, #"{"name":"x"}"#])
  func whatSaysNothingIsNone(text: String) throws { try expectEqual(read(text), nil) }

  @Test(
    arguments: [
      (#"{"api_base_url":null,"apiBaseURL":"https://b.example"}"#, Discovery.Address.told("https://b.example")),
      (#"{"api_base_url":""}"#, .absent), (#"{"api_base_url":7}"#, .unusable),
      (#"{"api_base_url":["https://b"]}"#, .unusable),
      (#"{"api_base_url":"https://b.example/\u001b[2J"}"#, .unusable),
      (#"{"api_base_url":"https://bücher.example"}"#, .unusable),
      (#"{"features":[]}"#, .absent),
    ] as [(String, Discovery.Address)])
  func anAddressIsOneOrNot(text: String, address: Discovery.Address) throws {
    try expectEqual(#require(try read(text)).api, address)
  }

  @Test func wrongTypesAreLeftOut() throws {
    let text = """
      {"api_base_url":"x","auth":"jwt","features":"all","versions":[],"rate_limits":7,"min_app_version":{},"name":[1]}
      """
    var expected = Discovery()
    expected.api = .told("x")
    try expectEqual(read(text), expected)
    try expectEqual(read(#"{"features":[1,null,{},"a","a"," a "]}"#)?.features, ["a"])
    try expectEqual(read(#"{"features":{"a":1,"b":0,"c":"yes","d":null,"e":{}}}"#)?.features, ["a"])
  }

  @Test func nothingSteersATerminalOrFillsAScreen() throws {
    let long = String(repeating: "x", count: 10_000)
    let names = (0..<200).map { #""f\#($0)\u001b[31m":true"# }.joined(separator: ",")
    let discovery = try #require(
      try read(
        #"{"name":"a\u202eb\r\n\#(long)","features":{\#(names)},"versions":{"\#(long)":"\u0007\#(long)"}}"#))
    expectEqual(discovery.features.count, Discovery.mostFacts)
    let shown = [discovery.name ?? ""] + discovery.features + discovery.versions.flatMap { [$0.name, $0.value] }
    for text in shown {
      expect(text.unicodeScalars.count <= Discovery.longestText)
      expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{202E}" }, "\(text)")
    }
  }

  /// Whatever was read is kept and read again as the same.
  @Test(arguments: 0..<UInt64(extent(landing: 300, release: 2_000)))
  func whatIsKeptReadsTheSame(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let texts = [
      "a", "á", "a\u{301}", "\u{202E}x", " ", "", String(repeating: "é ", count: 70), "\u{1F3AB}", "\"\\", "\u{0}",
    ]
    func value(_ depth: Int) -> String {
      switch Int.random(in: 0..<(depth == 0 ? 5 : 7), using: &random) {
      case 0: return "null"
      case 1: return "\(Bool.random(using: &random))"
      case 2: return "\(Int.random(in: -5...5_000, using: &random))"
      case 3, 4: return JSONText.string(texts.randomElement(using: &random) ?? "")
      case 5: return "[" + (0..<3).map { _ in value(depth - 1) }.joined(separator: ",") + "]"
      default:
        return "{" + (0..<3).map { "\"k\($0)\(depth)\":" + value(depth - 1) }.joined(separator: ",") + "}"
      }
    }
    let keys = [
      "api_base_url", "apiBaseURL", "auth", "branding_endpoint", "features", "versions", "min_app_version",
      "rate_limits", "name",
    ]
    let members = keys.filter { _ in random.chance(70) }.map { key in
      key == "auth" ? #""auth":{"type":\#(value(0)),"endpoints":\#(value(2))}"# : "\"\(key)\":\(value(2))"
    }
    guard let discovery = try read("{" + members.joined(separator: ",") + "}") else { return }
    try expectEqual(read(discovery.json), discovery, "seed \(seed): \(members)")
  }

  // MARK: Where the key goes

  @Test(
    arguments: [
      ("https://a.example", Discovery.Address.absent, "https://a.example"),
      ("https://a.example/api", .absent, "https://a.example"),
      ("https://a.example/x", .told("https://a.example/x/api"), "https://a.example/x"),
      ("https://a.example", .told("https://A.example:443/api/"), "https://a.example"),
      ("https://a.example", .told("/v2/api"), "https://a.example/v2"),
      ("http://127.0.0.1:80", .told("http://127.0.0.1/api"), "http://127.0.0.1"),
    ] as [(String, Discovery.Address, String)])
  func theTypedHostHasTheKey(typed: String, told: Discovery.Address, api: String) throws {
    try expectEqual(APIPlace.find(told, typed: ServerAddress(typed)).description, api)
  }

  @Test(arguments: [
    ("https://a.example", "https://b.example/api"), ("https://a.example", "https://a.example:444/api"),
    ("https://a.example", "https://a.example.b.example/api"), ("https://a.example", "https://a.example@b.example/api"),
    ("https://a.example", "http://a.example/api"), ("https://a.example", "http://127.0.0.1/api"),
    ("https://a.example", "//b.example/api"), ("https://a.example", "ftp://a.example"),
    ("https://a.example", "javascript:1"),
    ("https://a.example", "https://a.example\\@b.example/api"), ("https://a.example", "https:///api"),
    ("http://127.0.0.1", "http://127.0.0.1:81/api"), ("https://a.example", "https://a.example./api"),
    ("https://a.example", "https://localhost/api"),
  ])
  func noOtherHostHas(typed: String, told: String) throws {
    #expect(throws: SetupError.self) { try APIPlace.find(.told(told), typed: ServerAddress(typed)) }
    #expect(throws: SetupError.self) {
      try APIPlace.find(.told(told), typed: ServerAddress(typed), allowed: "c.example")
    }
  }

  @Test func anUnusableAddressIsNotTakenForNone() throws {
    #expect(throws: SetupError.self) { try APIPlace.find(.unusable, typed: ServerAddress("https://a.example")) }
  }

  @Test(arguments: [
    ("b.example", true), ("B.example:443", true), ("b.example:444", false), ("b.example/api", false), ("", false),
  ])
  func aPersonMayNameAnotherHost(named: String, isAllowed: Bool) throws {
    let typed = try ServerAddress("https://a.example")
    let found = try? APIPlace.find(.told("https://b.example/api"), typed: typed, allowed: named)
    expectEqual(found?.description, isAllowed ? "https://b.example" : nil)
    // Never without TLS.
    #expect(throws: SetupError.self) {
      try APIPlace.find(.told("http://b.example/api"), typed: typed, allowed: named)
    }
  }

  @Test(
    arguments: [
      ("/logo.png?v=1#x", "https://a.example:8443/logo.png?v=1"), ("https://b.example", "https://b.example/"),
      ("https://b.example?x", "https://b.example/?x"), ("http://a.example:8443/x", nil), ("//b.example/x", nil),
      ("data:image/png;base64,AA", nil), ("https://u:p@b.example/x", nil), ("file:///etc/passwd", nil), ("x.png", nil),
      ("https://b.example/\u{7f}", nil), ("https://b.example\\x", nil),
    ] as [(String, String?)])
  func picturesAreByHTTPS(text: String, address: String?) throws {
    let own = try ServerAddress("https://a.example:8443/below")
    expectEqual(LinkedAddress(text, of: own)?.description, address)
  }

  // MARK: Names

  @Test(arguments: [
    ("https://events.example", "events-example"), ("https://events.example:8443", "events-example-8443"),
    ("http://127.0.0.1:8080", "server-127-0-0-1-8080"), ("https://[::1]:8443", "server-1-8443"),
    ("https://a.very.long.name.of.a.server.example.org", "a-very-long-name-of-a-server-exa"),
    ("https://abcdefghijklmnopqrstuvwxyz", "abcdefghij-klmnopqrstuvwxyz"),
  ])
  func aServerHasAName(url: String, name: String) throws {
    let found = ConnectedInstance.name(for: try ServerAddress(url))
    expect(name.hasPrefix(found) && found.utf8.count > 10, "\(found)")
    expect(ConnectedInstance.isName(found), "\(found)")
    expectEqual(ConnectedInstance.name(ofRecord: ConnectedInstance.record(of: found)), found)
  }

  @Test func whatIsKeptOfAServerReadsTheSame() throws {
    let time = WallTime(seconds: 1_766_000_000)
    var instance = ConnectedInstance(
      name: "main", url: try ServerAddress("https://a.example"), api: try ServerAddress("https://b.example/x"),
      credential: "main-key", ownsCredential: true, caFile: "/etc/a b.pem",
      discovery: .init(try read(Self.document), at: time))
    expectEqual(ConnectedInstance(name: "main", instance.bytes), instance)
    instance.branding = .init(.usual, at: time)
    instance.discovery = .init(nil, at: time)
    expectEqual(ConnectedInstance(name: "main", instance.bytes), instance)
    for text in ["", "{}", "[]", #"{"version":2}"#] {
      expectEqual(ConnectedInstance(name: "main", [UInt8](text.utf8)), nil)
    }
    // 24 h, and never by a clock that was set back.
    expect(!instance.discovery.isOld(at: time + .seconds(86_399)))
    expect(instance.discovery.isOld(at: time + .seconds(86_400)))
    expect(instance.discovery.isOld(at: time - .seconds(1)))
  }
}
