import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing
import TicketTransport
import WireText

@testable import Bookings

/// What the box office makes of texts of a service, whatever they are.
@Suite struct OfficeReadingTests {
  private func value(_ text: String) throws -> JSONValue { try JSONValue([UInt8](text.utf8)) }

  @Test(arguments: [
    ("45.5", "£45.5"), ("0", "£0"), (#""25.00""#, "£25.00"), ("12345678901", "£12345678901"),
  ])
  func pounds(told: String, text: String) throws {
    expectEqual(Price(try value(told), .pounds)?.text, "\(text)")
  }

  @Test(arguments: [
    ("4550", "£45.50 (4550 p)"), ("5", "£0.05 (5 p)"), ("0", "£0.00 (0 p)"), (#""100""#, "£1.00 (100 p)"),
  ])
  func pence(told: String, text: String) throws {
    expectEqual(Price(try value(told), .pence)?.text, "\(text)")
  }

  @Test(arguments: [
    "-1", "-0", "1e3", "1e400", "123456789012", "null", "true", "[]", "{}", #""""#, #""x""#, #"" 5""#, #""05""#,
    #""5.""#, #"".5""#, #""1,5""#, #""٥""#, #""1.2.3""#,
  ])
  func whatIsNoPrice(told: String) throws {
    for unit in [Price.Unit.pounds, .pence] { expect(Price(try value(told), unit) == nil, "\(told)") }
    expect(Price(try value("45.5"), .pence) == nil)
  }

  @Test func aRecordIsReadAsItWasKept() throws {
    let server = try ServerAddress("https://then.example")
    let now = WallTime(seconds: 1_800_000_000)
    let started = StartedCheckout(
      server: server, session: "cs_test_1234", show: "8f14", title: "A “b”\n", seats: ["F-12", "G-\u{1}"],
      amount: Price(.number("9100"), .pence), email: "a@b.example", begun: now, ends: nil)
    expectEqual(StartedCheckout(started.bytes), started)
    expectEqual(started.ends, now + StartedCheckout.usualLife)
    let session = try #require(BoxSession(server: server, email: "a@b.example", token: "token-1234567", now: now))
    expectEqual(BoxSession(session.bytes)?.bytes, session.bytes)
    expectEqual(session.until, now + BoxSession.longest)
    var dumped = ""
    dump(session, to: &dumped)
    expect(![dumped, "\(session)", String(reflecting: session)].contains { $0.contains("token-1234567") })
  }

  /// Records that a power cut, or somebody, has changed are none, or others; nothing ends the process.
  @Test(arguments: 0..<UInt64(extent(landing: 20, release: 200)))
  func damagedRecords(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let now = WallTime(seconds: 1_800_000_000)
    let server = try ServerAddress("https://then.example")
    let session = try #require(BoxSession(server: server, email: "a@b.example", token: "token-1234567", now: now))
    let started = StartedCheckout(
      server: server, session: "cs_test_1234", show: "8f14", seats: ["F-12"], amount: nil, email: nil, begun: now,
      ends: nil)
    for record in [session.bytes, started.bytes] {
      var bytes = record
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
      if let read = BoxSession(bytes) { expect(read.bytes != [], "\(seed)") }
      if let read = StartedCheckout(bytes) { expect(CheckoutPage.isSession(read.session), "\(seed)") }
    }
  }

  @Test(
    arguments: [
      ("a.eyJleHAiOjE4MDAwMDAwMDB9.c", 1_800_000_000), ("a.e30.c", nil), ("a.b", nil), ("a.!!.c", nil), ("..", nil),
      ("a.eyJleHAiOi01fQ.c", nil), ("a.eyJleHAiOiJ4In0.c", nil), ("", nil),
    ] as [(String, Int64?)])
  func endsOfTokens(token: String, seconds: Int64?) {
    expectEqual(TokenClaims(token)?.ends?.seconds, seconds)
  }

  // MARK: Paying

  @Test(arguments: [
    "https://checkout.stripe.com/c/pay/cs_test_1#fid", "HTTPS://Checkout.Stripe.com/x",
    "https://pay.stripe.com:443/x?y=z",
    "https://then.example/pay/1", "https://then.example:8443/pay",
  ])
  func pagesThatAreShown(page: String) throws {
    expectEqual(CheckoutPage(page, of: try ServerAddress("https://then.example:8443")), .page(page))
  }

  @Test(
    arguments: [
      nil, "", "http://checkout.stripe.com/x", "https://", "https:///x", "https://checkout.stripe.com@evil.example/x",
      "https://stripe.com.evil.example/", "https://evilstripe.com/", "https://stripe.com/",
      "https://checkout.stripe.com:444/",
      "https://then.example:444/", "https://then.example.evil.example/", "https://checkout.stripe.com\\@evil.example",
      "https://evil.example/https://checkout.stripe.com", "https://checkout.stripe.com/a b",
      "https://checkout.stripe.com/\u{1B}[2J",
      "https://checkout.strіpe.com/", "//checkout.stripe.com/x", "javascript:1", "https://checkout.stripe.com/<script>",
      "https://checkout.stripe.com/" + String(repeating: "a", count: 2_000), "https://[::1/x",
      "https://checkout.stripe.com./x",
    ] as [String?])
  func pagesThatAreNot(page: String?) throws {
    let judged = CheckoutPage(page, of: try ServerAddress("https://then.example:8443"))
    if case .page(let text) = judged { expect(Bool(false), "\(text)") }
    if case .foreign(let host) = judged {
      expect(host.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) }, "\(host)")
    }
  }

  @Test(
    arguments: [
      (#"{"payment_status":"paid","verification_code":"LML-k7q2m9zx"}"#, "K7Q2M9ZX"),
      (#"{"payment_status":"paid","show_details":{"booking":{"validation_code":"K7Q2M9ZX"}}}"#, "K7Q2M9ZX"),
      (#"{"payment_status":"paid","verification_code":"K7Q2M9ZX","booking":{"validation_code":"AAAAAAAA"}}"#, nil),
      (#"{"payment_status":"PAID","verification_code":"K7Q2M9ZX"}"#, nil), (#"{"verification_code":"K7Q2M9ZX"}"#, nil),
      (#"{"payment_status":"paid","verification_code":"processing"}"#, nil),
      (#"{"payment_status":"paid","verification_code":" ERROR "}"#, nil), (#"{"payment_status":"paid"}"#, nil),
      (#"{"payment_status":["paid"],"verification_code":"K7Q2M9ZX"}"#, nil), ("[]", nil), ("null", nil),
    ] as [(String, String?)])
  func onlyPaidCounts(document: String, code: String?) throws {
    var told: String?
    if case .paid(let booking) = PaymentAnswer(try value(document), hiding: []) { told = booking.code.text }
    expectEqual(told, code, "\(document)")
  }

  @Test(arguments: [
    ("19:30", true), ("00:00:00", true), ("23:59:59", true), ("24:00:00", false), ("19:60", false), ("7:30", false),
    ("19", false), ("", false), ("١٩:٣٠", false), ("19:30:00:00", false), ("-1:30", false), ("19:30:00.000", false),
  ])
  func timesOfDay(text: String, isOne: Bool) { expectEqual(BoxShow.isTime(text), isOne, "\(text)") }
}
