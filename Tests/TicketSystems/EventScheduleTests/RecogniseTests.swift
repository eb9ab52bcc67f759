import EventSchedule
import Expectations
import ScanModel
import ScanTesting
import Testing
import TicketTransport

@Suite struct RecogniseTests {
  private func system() throws -> (EventScheduleTicketSystem, HTTPTransport) {
    let transport = try HTTPTransport(server: ServerAddress("https://tickets.example"))
    let client = EventScheduleClient(transport: transport, key: try Secret("k"))
    return (EventScheduleTicketSystem(id: TicketSystemID("tickets"), client: client), transport)
  }

  @Test(arguments: [
    (
      "https://tickets.example/ticket/view/Mzg5Mjg2/wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl",
      "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl"
    ),
    ("HTTP://host:8080/ticket/view/1/AbC", "AbC"), ("hTTps://host/base/path/ticket/view/x/s3cr3t/", "s3cr3t"),
    ("https://host/ticket/view/x/s3cr3t?utm=1#top", "s3cr3t"), ("https://host/ticket/view/x/s3cr3t/?a=/b", "s3cr3t"),
    ("https://host/ticket/view/x/s3cr3t#/ticket/view/y/other", "s3cr3t"),
    ("https://host/ticket/view/x/%41%c3%A9b", "Aéb"),
    ("https://host/ticket/view/ticket/view/a/b", "b"), ("https://[::1]/ticket/view/a/b", "b"),
    ("https://host/x@y/ticket/view/a/b", "b"),
  ]) func takesTheSecret(url: String, secret: String) throws {
    try expectEqual(system().0.recognise(Code(url)).code, Code(secret))
  }

  @Test(arguments: [
    "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl", "", "https://", "https://host", "https://host/ticket/view/x/",
    "https://host/ticket/view/x//",
    "https://host/ticket/view//s", "https://host/Ticket/view/x/s", "https://host/ticket/VIEW/x/s",
    "https://host/ticket/view/x/s/more",
    "https://host/ticket/view/x", "https://host/xticket/view/x/s", "ftp://host/ticket/view/x/s",
    "//host/ticket/view/x/s",
    "/ticket/view/x/s", "ticket/view/x/s", "https:/host/ticket/view/x/s", "https:///ticket/view/x/s",
    "https://user:pw@host/ticket/view/x/s", "https://host\\@evil/ticket/view/x/s", "https://host/ticket/view/x/s\\",
    "https://host/ticket/view/x/%", "https://host/ticket/view/x/%4", "https://host/ticket/view/x/%zz",
    "https://host/ticket/view/x/%00",
    "https://host/ticket/view/x/%ff", "https://h/ticket/view/x/https%3A%2F%2Fh%2Fticket%2Fview%2Fy%2Fz",
    "https://host/ticket/view/x/%20s", "https://host/ticket/view/x/s%0d%0a",
    "https://host?/ticket/view/x/s", "https://host#/ticket/view/x/s", "javascript:https://host/ticket/view/x/s",
    "https://host/ticket/view/x/s//",
  ]) func leavesEverythingElse(text: String) throws {
    try expectEqual(system().0.recognise(Code(text)), RecognisedCode(Code(text)))
  }

  /// Whoever prints a code can write any event into it: it is kept as it stands, where it can be an identifier.
  @Test(
    arguments: [
      ("https://h/ticket/view/Mzg5Mjg2/s", "Mzg5Mjg2"), ("https://h/ticket/view/a%2Bb%3D/s?x=1", "a+b="),
      ("https://h/ticket/view/ticket/view/a/b", "a"),
      ("https://h/ticket/view/0123456789012345678901234567890/s", "0123456789012345678901234567890"),
      ("https://h/ticket/view/wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl/s", nil), ("https://h/ticket/view/%00/s", nil),
      ("https://h/ticket/view/a%20b/s", nil), ("https://h/ticket/view/é/s", nil), ("https://h/ticket/view/%zz/s", nil),
      ("s", nil),
    ] as [(String, String?)]) func namesTheEvent(url: String, event: String?) throws
  {
    try expectEqual(system().0.recognise(Code(url)).event, event)
  }

  @Test func anyBytesAreSafe() throws {
    let system = try system().0
    var random = SeededGenerator(seed: 21)
    let pieces = [
      "https://", "http://", "host", "/", "ticket", "view", "%41", "%", "@", "?", "#", "\\", "s", "é", "\u{1D}", "//",
    ]
    var taken = 0
    for _ in 0..<20_000 {
      let text = (0..<Int.random(in: 0...14, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
      let recognised = system.recognise(Code(text))
      let code = recognised.code
      guard code != Code(text) else { continue }
      taken += 1
      expect(!code.bytes.isEmpty && !code.bytes.contains { $0 <= 0x20 })
      expect(recognised.event.map { (1...31).contains($0.utf8.count) } ?? true)
    }
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      expectEqual(system.recognise(Code(bytes: bytes)), RecognisedCode(Code(bytes: bytes)))
    }
    expect(taken < 20_000)
  }
}
