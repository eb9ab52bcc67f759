import EventSchedule
import Expectations
import ScanModel
import ScriptedHTTP
import Testing
import TicketTransport

/// A server that repeats our key or a code gets neither in front of staff or into a log, however it writes them.
@Suite struct RedactionTests {
  static let code = "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl"

  /// How a server may write a text so that readers still read it. As JSON strings.
  static let disguises: [@Sendable (String) -> String] = [
    { $0 },
    { $0 + "\u{301}" },
    { $0.prefix(3) + "\u{200B}" + $0.dropFirst(3) },
    { $0.prefix(3) + "\u{202E}\u{AD}" + $0.dropFirst(3) },
    { $0.prefix(3) + "\u{FE0F}\u{34F}" + $0.dropFirst(3) },
    { $0.uppercased() },
    { $0.utf8.map { "%" + String($0, radix: 16) }.joined() },
    { $0.utf8.map { "%" + String($0, radix: 16, uppercase: true) }.joined() },
    { "%" + String($0.utf8.first ?? 0, radix: 16) + $0.dropFirst() },
    { String(repeating: "x", count: 180) + $0 },
    { $0 + $0 },
  ]

  /// The text as an eye sees it, and with its percent-encoding undone.
  private func isReadable(_ secret: String, in text: String) -> Bool {
    let visible = String(
      String.UnicodeScalarView(text.unicodeScalars.filter { !$0.properties.isDefaultIgnorableCodePoint }))
    let bytes = Array(visible.lowercased().utf8)
    var plain: [UInt8] = []
    var index = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
        let byte = UInt8(String(decoding: bytes[(index + 1)...(index + 2)], as: UTF8.self), radix: 16)
      {
        plain.append(byte)
        index += 3
      } else {
        plain.append(bytes[index])
        index += 1
      }
    }
    let wanted = Array(secret.lowercased().utf8)
    return [bytes, Array(String(decoding: plain, as: UTF8.self).lowercased().utf8)].contains { text in
      text.count >= wanted.count
        && (0...(text.count - wanted.count)).contains { text[$0..<($0 + wanted.count)].elementsEqual(wanted) }
    }
  }

  private func check(_ answer: TicketAnswer, _ text: String) {
    let said: String
    switch answer {
    case .redeemed(let redemption): said = (redemption.details.holder ?? "") + "|" + (redemption.details.event ?? "")
    case .refused(_, let detail), .undecided(_, let detail): said = detail ?? ""
    case .valid: return unexpected("\(answer)")
    }
    expect(!isReadable("test-key", in: said), "\(text) became \(said)")
    expect(!isReadable(Self.code, in: said), "\(text) became \(said)")
    // What lies behind the cut must not show its first part either.
    expect(!isReadable(String(Self.code.prefix(8)), in: said), "\(text) became \(said)")
  }

  @Test(arguments: disguises.indices) func keysAndCodesAreHidden(index: Int) async throws {
    for secret in ["test-key", Self.code] {
      let text = Self.disguises[index](secret)
      let answers = [
        Answers.response("404 Not Found", #"{"error":"Ticket not found \#(text)!"}"#),
        Answers.response("403 Forbidden", #"{"message":"\#(text)"}"#),
        Answers.response("201 Created", Answers.sale(status: "\"\(text)\"")),
        Answers.response("201 Created", Answers.sale(event: #"{"name":"For \#(text)"}"#)),
        Answers.response("201 Created", Answers.sale().replacing("John Doe", with: text)),
      ]
      let venue = try await Venue.open(
        ScriptedServer { number, _, connection in connection.send(answers[(number - 1) % answers.count]) })
      for _ in answers { check(await venue.attempt(Self.code).answer, text) }
      await venue.close()
    }
  }

  @Test func aCodeWithControlCharactersIsHidden() async throws {
    for text in ["abcd\\u001defgh", "abcd efgh", "abcd%1Defgh", "ABCD%1defgh"] {
      let venue = try await Venue.open(
        ScriptedServer(answer: Answers.response("404 Not Found", #"{"error":"Ticket not found: \#(text)."}"#)))
      guard case .refused(.notFound, let detail?) = await venue.attempt("abcd\u{1D}efgh").answer else {
        return unexpected("not refused")
      }
      expectEqual(detail, "Ticket not found: …efgh.")
      await venue.close()
    }
  }

  @Test func listsHideTheKey() async throws {
    let page = #"{"data":[{"id":1,"status":"odd TEST-KEY","name":"N TEST-KEY","email":"test%2Dkey","tickets":[]}]}"#
    let server = ScriptedServer { number, _, connection in
      connection.send(
        number == 1
          ? Answers.response("200 OK", page) : Answers.response("403 Forbidden", #"{"message":"k test\u200b-key"}"#))
    }
    let venue = try await Venue.open(server)
    let sale = try await venue.client.sales(deadline: SystemTime().now() + .seconds(60)).sales.first
    expectEqual(sale?.name, "N (secret)")
    expectEqual(sale?.email, "(secret)")
    expectEqual(sale?.status, .other("odd (secret)"))
    let fault = await #expect(throws: TransportFault.self) {
      try await venue.client.sales(deadline: SystemTime().now() + .seconds(60))
    }
    expectEqual(fault?.detail.contains("k (secret)"), true)
    await venue.close()
  }

  /// An answer to the earlier key can come when another one is in use already.
  @Test func aReplacedKeyStaysHidden() async throws {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response("404 Not Found", #"{"error":"Ticket not found test-key other-key"}"#)))
    venue.client.replaceKey(try Secret("other-key"))
    guard case .refused(_, let detail?) = await venue.attempt().answer else { return unexpected("not refused") }
    expectEqual(detail, "Ticket not found (secret) (secret)")
    await venue.close()
  }
}
