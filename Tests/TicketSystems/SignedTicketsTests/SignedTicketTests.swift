import CodeSigning
import Expectations
import ScanModel
import Testing

@testable import SignedTickets

/// What is a ticket, and whose.
@Suite struct SignedTicketTests {
  /// A gate that has the vector's key alone.
  private static func judge(
    _ text: String, at now: WallTime? = Vector.issued + .seconds(60), performances: [String]? = nil,
    tenant: String = Issuer.tenant
  ) -> TicketJudge.Verdict { judge([UInt8](text.utf8), at: now, performances: performances, tenant: tenant) }

  private static func judge(
    _ bytes: [UInt8], at now: WallTime? = Vector.issued + .seconds(60), performances: [String]? = nil,
    tenant: String = Issuer.tenant
  ) -> TicketJudge.Verdict {
    TicketJudge(tenant: tenant, performances: performances, host: "h").judge(Code(bytes: bytes), at: now) { name in
      guard name == "dev-ed25519", let key = Issuer.vector.verifying else { return .absent }
      return .found(key)
    }
  }

  private static func isGood(_ verdict: TicketJudge.Verdict) -> Bool { if case .good = verdict { true } else { false } }

  @Test func theVectorIsRead() throws {
    let ticket = try #require(SignedTicket(Code(Vector.text)))
    expectEqual(ticket.keyID, "dev-ed25519")
    expectEqual(ticket.tenant, Issuer.tenant)
    expectEqual(ticket.order, "00000000-0000-0000-0000-000000000123")
    expectEqual(ticket.performance, "perf_1")
    expectEqual(ticket.seat, "A-1")
    expectEqual(ticket.id, "tkt_0011223344556677")
    expectEqual([ticket.issued, ticket.ends], [Vector.issued.seconds, Vector.ends.seconds])
    expectEqual(ticket.key, TicketKey([UInt8](Issuer.tenant.utf8) + [0] + [UInt8]("tkt_0011223344556677".utf8)))
    let key = try #require(Base64URL.bytes(Vector.x.utf8).flatMap { VerifyingKey(bytes: $0) })
    expect(ticket.isSigned(by: key))
    expectEqual(key, Issuer.vector.verifying)
  }

  @Test func theVectorIsGoodInItsTime() {
    for now in [Vector.issued - .seconds(60), Vector.issued, Vector.ends, Vector.ends + .seconds(59)] {
      expect(Self.isGood(Self.judge(Vector.text, at: now)), "\(now.seconds)")
    }
    expectEqual(Self.judge(Vector.text, at: Vector.issued - .seconds(61)), .refused(.tooEarly))
    expectEqual(Self.judge(Vector.text, at: Vector.ends + .seconds(60)), .refused(.expired))
    expectEqual(Self.judge(Vector.text, at: WallTime(nanoseconds: .min)), .refused(.tooEarly))
    expectEqual(Self.judge(Vector.text, at: WallTime(nanoseconds: .max)), .refused(.expired))
  }

  /// Every byte of it, and of each many others: none of these is a ticket.
  @Test func eachChangedByteSpoilsIt() {
    let whole = [UInt8](Vector.text.utf8)
    var count = 0
    for position in whole.indices {
      let old = whole[position]
      let others = Set((0..<8).map { old ^ (1 << $0) } + [UInt8]("A.-_=aZ09+/ ~".utf8) + [0, 0x0A, 0x7F, 0xC3, 0xFF])
      for other in others where other != old {
        var changed = whole
        changed[position] = other
        expectEqual(Self.judge(changed), .refused(.notGenuine), "byte \(position) is \(other)")
        count += 1
      }
      var shorter = whole
      shorter.remove(at: position)
      expectEqual(Self.judge(shorter), .refused(.notGenuine), "byte \(position) is missing")
      var longer = whole
      longer.insert(old, at: position)
      // Twice the same is a longer text whichever of them is the first.
      expectEqual(Self.judge(longer), .refused(.notGenuine), "byte \(position) is there twice")
    }
    expect(count > 20 * whole.count, "\(count)")
    for length in whole.indices { expectEqual(Self.judge(Array(whole.prefix(length))), .refused(.notGenuine)) }
    for more in [".", "=", "A", " ", "\n", ".A", "\u{0}"] {
      expectEqual(Self.judge(Vector.text + more), .refused(.notGenuine), "\(more)")
    }
  }

  /// Two texts with other bits at the end would be one signature, or one payload.
  @Test func bitsThatBelongToNoByteAreNone() {
    expectEqual(Base64URL.bytes("".utf8), [])
    expectEqual(Base64URL.bytes("AA".utf8), [0])
    expectEqual(Base64URL.bytes("AAA".utf8), [0, 0])
    expectEqual(Base64URL.bytes("__-_".utf8), [0xFF, 0xFF, 0xBF])
    for text in ["A", "AB", "AAB", "AA=", "AA==", "AA+/", "AA\n", "AAAAA", "A A", "ÄA"] {
      expectEqual(Base64URL.bytes(text.utf8), nil, "\(text)")
    }
    for count in 0..<70 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
      expectEqual(Base64URL.bytes(Issuer.base64url(bytes).utf8), bytes)
    }
  }

  @Test func whatIsNoPayloadIsNoTicket() {
    let (issued, ends) = (Vector.issued.seconds, Vector.ends.seconds)
    func judged(_ change: (inout [(String, String)]) -> Void) -> TicketJudge.Verdict {
      Self.judge(Issuer.vector.text(Issuer.payload(issued: issued, ends: ends, changing: change)))
    }
    expect(Self.isGood(judged { _ in }))
    // What comes later is read over.
    expect(Self.isGood(judged { $0.append(("price", #"{"pence":4500,"of":[1,null]}"#)) }))
    for name in ["ver", "tenant_id", "order_id", "performance_id", "seat_id", "jti", "iat", "exp"] {
      expectEqual(judged { $0.removeAll { $0.0 == name } }, .refused(.notGenuine), "without \(name)")
      expectEqual(judged { $0.append(($0.first { $0.0 == name }) ?? ("", "")) }, .refused(.notGenuine), "\(name) twice")
      let isNumber = ["ver", "iat", "exp"].contains(name)
      let others =
        isNumber
        ? ["\"1\"", "1.0", "1e0", "-1", "true", "null", "[1]", "99999999999999999999", "9007199254740993"]
        : [
          "1", "null", "true", "\"\"", "[\"a\"]", "{}", "\"a\\u0000b\"", "\"a\\nb\"",
          "\"\(String(repeating: "a", count: 129))\"",
        ]
      for other in others {
        let verdict = judged { members in
          for index in members.indices where members[index].0 == name { members[index].1 = other }
        }
        expectEqual(verdict, .refused(.notGenuine), "\(name) is \(other)")
      }
    }
    for other in ["2", "0"] {
      expectEqual(judged { $0[0].1 = other }, .refused(.notGenuine), "version \(other)")
    }
    expectEqual(judged { $0[5].1 = "\"tkt 1\"" }, .refused(.notGenuine), "an id with a blank")
    expectEqual(judged { $0[5].1 = "\"tkt_é\"" }, .refused(.notGenuine), "an id beyond ASCII")
    expectEqual(judged { $0[7].1 = "\(issued)" }, .refused(.notGenuine), "it ends when it begins")
    // Milliseconds are years away.
    expectEqual(
      judged {
        $0[6].1 = "\(issued)000"; $0[7].1 = "\(ends)000"
      }, .refused(.tooEarly))
    for text in ["", "null", "[]", "1", "{", "{}", "\u{FEFF}{}", "\"ver\""] {
      expectEqual(Self.judge(Issuer.vector.text([UInt8](text.utf8))), .refused(.notGenuine), "\(text)")
    }
    expectEqual(Self.judge(Issuer.vector.text([0xFF, 0xFE])), .refused(.notGenuine))
    expectEqual(
      Self.judge(Issuer.vector.text([UInt8](String(repeating: "[", count: 1_000).utf8))), .refused(.notGenuine))
    expectEqual(
      Self.judge(
        Issuer.vector.text(
          Issuer.payload(issued: issued, ends: ends) { $0.append(("x", "\"\(String(repeating: "a", count: 2_000))\"")) }
        )),
      .refused(.notGenuine), "longer than a code can be")
  }

  /// By the words of the real server's own tests: `bad.token` is none.
  @Test func codesOfOtherSystemsAreNoTickets() {
    for text in [
      "", "bad.token", "ed25519.v1", "ed25519.v1...", "ed25519.v2" + Vector.text.dropFirst(10),
      "ED25519.V1" + Vector.text.dropFirst(10), "LML-4F7QK2M9XZ1", "SCANPASS1:AEBQ", Vector.text.uppercased(),
      Vector.text.replacing(".", with: ".."), " " + Vector.text, "https://x/" + Vector.text,
    ] { expectEqual(Self.judge(text), .refused(.notGenuine), "\(text)") }
  }

  @Test func anothersKeyIsNone() {
    let (issued, ends) = (Vector.issued.seconds, Vector.ends.seconds)
    let payload = Issuer.payload(issued: issued, ends: ends)
    expectEqual(Self.judge(Issuer.other("dev-ed25519").text(payload)), .refused(.notGenuine), "another key, our name")
    expectEqual(Self.judge(Issuer.vector.text(payload, kid: "other")), .refused(.notGenuine), "our key, another name")
    expectEqual(Self.judge(Issuer.vector.text(payload, kid: "")), .refused(.notGenuine))
    expectEqual(Self.judge(Issuer.vector.text(payload, kid: "DEV-ED25519")), .refused(.notGenuine))
    expectEqual(
      Self.judge(Issuer.vector.text(payload, kid: String(repeating: "k", count: 65))), .refused(.notGenuine))
  }

  @Test func whatIsForeignIsOfAnotherEvent() {
    expectEqual(Self.judge(Vector.text, tenant: "another"), .refused(.wrongEvent))
    expectEqual(Self.judge(Vector.text, performances: ["perf_2"]), .refused(.wrongEvent))
    expect(Self.isGood(Self.judge(Vector.text, performances: ["perf_2", "perf_1"])))
    // What looks alike is another name: its bytes are others.
    for (admitted, named) in [("caf\u{E9}", "cafe\u{301}"), ("cafe\u{301}", "caf\u{E9}")] {
      let payload = Issuer.payload(performance: named, issued: Vector.issued.seconds, ends: Vector.ends.seconds)
      expectEqual(Self.judge(Issuer.vector.text(payload), performances: [admitted]), .refused(.wrongEvent))
      expect(Self.isGood(Self.judge(Issuer.vector.text(payload), performances: [admitted, named])))
    }
    let kelvin = Issuer.payload(tenant: "\u{212A}", issued: Vector.issued.seconds, ends: Vector.ends.seconds)
    expectEqual(Self.judge(Issuer.vector.text(kelvin), tenant: "K"), .refused(.wrongEvent))
    // However old it is.
    expectEqual(Self.judge(Vector.text, at: nil, tenant: "another"), .refused(.wrongEvent))
  }

  @Test func aClockThatNobodyTrustsAdmitsNobody() {
    guard case .undecided(.clockWrong, _) = Self.judge(Vector.text, at: nil) else {
      return expect(false, "\(Self.judge(Vector.text, at: nil))")
    }
    var forged = [UInt8](Vector.text.utf8)
    forged[40] ^= 1
    expectEqual(Self.judge(forged, at: nil), .refused(.notGenuine))
  }

  /// Spelled with other members, in another order or with blanks, it is the same ticket: one id of one organisation.
  @Test func twoSpellingsAreOneTicket() throws {
    let (issued, ends) = (Vector.issued.seconds, Vector.ends.seconds)
    let one = try #require(SignedTicket(Code(Vector.text)))
    let payload = Issuer.payload(seat: "B-2", issued: issued + 5, ends: ends) { $0.reverse() }
    let two = try #require(SignedTicket(Code(Issuer.vector.text(payload))))
    expect(one != two)
    expectEqual(one.key, two.key)
    let foreign = Issuer.payload(tenant: "another", issued: issued, ends: ends)
    expect(try #require(SignedTicket(Code(Issuer.vector.text(foreign)))).key != one.key)
  }
}
