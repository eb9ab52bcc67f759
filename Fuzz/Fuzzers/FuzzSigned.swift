import CodeSigning
import LibCrypto
import ScanModel
import TicketTransport
import WireText

@testable import SignedTickets

/// The issuer: anybody can look up this private half (RFC 8032, 7.1).
private let issuer: (key: Ed25519.PrivateKey, verifying: VerifyingKey) = {
  let seed = Base64.bytes("nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=") ?? []
  guard let key = Ed25519.PrivateKey(rawRepresentation: seed),
    let verifying = key.publicKey.flatMap({ VerifyingKey(bytes: $0.rawRepresentation) })
  else { preconditionFailure("a key of 32 bytes is one") }
  return (key, verifying)
}()

private let tenant = "00000000-0000-0000-0000-000000000001"

/// What is scanned at a gate for signed tickets, the keys that its server publishes, and what it answers.
///
/// The input: a byte for what it is, then the code, a payload that the issuer signs, a set of keys, or a status and a body.
func fuzzSigned(_ input: inout FuzzInput) {
  let kind = input.byte()
  switch kind & 3 {
  case 0: look(at: Code(bytes: input.remainder()))
  case 1:
    let payload = input.remainder()
    let signature = issuer.key.signature(for: payload) ?? []
    look(at: Code("ed25519.v1.k.\(text(signature)).\(text(payload))"))
  case 2:
    guard let set = TicketKeySet(input.remainder()) else { return }
    property((1...TicketKeySet.mostKeys).contains(set.keys.count), "a set is bounded, and not empty")
    property(set.keys.keys.allSatisfy { SignedTicket.isKeyID($0.utf8) }, "a key's name is one")
  default:
    answer(
      input.choice([200, 200, 200, 201, 302, 400, 401, 403, 404, 409, 409, 422, 429, 500, 503]), kind, input.remainder()
    )
  }
}

private func look(at code: Code) {
  guard let ticket = SignedTicket(code) else { return }
  property(SignedTicket.lengths.contains(code.bytes.count), "a ticket has its length")
  property(ticket.issued >= 0 && ticket.issued < ticket.ends && ticket.ends <= 1 << 53, "a ticket is good for a time")
  for name in [ticket.tenant, ticket.order, ticket.performance, ticket.seat, ticket.id, ticket.keyID] {
    property((1...128).contains(name.utf8.count), "a name is bounded")
    property(name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a name steers no terminal")
  }
  let isSigned = ticket.isSigned(by: issuer.verifying)
  let parts = code.bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
  property(parts.count == 5, "a ticket has five parts")
  if isSigned {
    let payload = Base64URL.bytes(parts[4]) ?? []
    property(text(payload) == String(decoding: parts[4], as: UTF8.self), "each payload has one text")
    property(Base64URL.bytes(parts[3]) == issuer.key.signature(for: payload), "who is believed has signed what passes")
  }
  for offset in [-61, 0, 61] as [Int64] {
    let now = WallTime(seconds: ticket.issued + offset)
    let judge = TicketJudge(tenant: tenant, performances: ["perf_1"], host: "h")
    let verdict = judge.judge(code, at: now) { $0 == "k" ? .found(issuer.verifying) : .absent }
    guard case .good = verdict else { continue }
    property(isSigned && ticket.keyID == "k", "only a ticket that its own key has signed is good")
    property(ticket.tenant == tenant && ticket.performance == "perf_1", "only a ticket of this gate is good")
    property(now.seconds < ticket.ends + 60 && now.seconds >= ticket.issued - 60, "only a ticket in its time is good")
  }
  property(
    judge(code, at: nil) != .good(ticket), "without a clock none is good")
}

private func judge(_ code: Code, at now: WallTime?) -> TicketJudge.Verdict {
  TicketJudge(tenant: tenant, performances: nil, host: "h").judge(code, at: now) { _ in .found(issuer.verifying) }
}

private func answer(_ status: Int, _ kind: UInt8, _ body: [UInt8]) {
  let payload =
    #"{"ver":1,"tenant_id":"\#(tenant)","order_id":"o","performance_id":"perf_1","seat_id":"A-1","jti":"tkt_1","iat":1,"exp":9}"#
  let code = Code("ed25519.v1.k.\(text([UInt8](repeating: 7, count: 64))).\(text([UInt8](payload.utf8)))")
  guard let ticket = SignedTicket(code) else { return property(false, "this is a ticket") }
  let type = (["application/json", "application/problem+json", "text/html", nil] as [String?])[Int(kind >> 2 & 3)]
  let answer = HTTPAnswer(status: status, mediaType: type, body: body)
  let secrets = [
    Redaction("a-token-of-some-length", shownAs: "(secret)"), Redaction(code.text, shownAs: code.shortened),
  ]
  let said = RedeemAnswer(
    answer, of: ticket, at: WallTime(seconds: 5), host: "host:1", hiding: secrets, words: ServerWords())
  let document = try? JSONValue(body)
  switch said.answer {
  case .redeemed(let redemption):
    property(status == 200 && answer.isJSON, "only a 200 with JSON admits")
    property(
      document?["status"] == .string("redeemed") && document?["jti"] == .string("tkt_1"), "only our ticket admits")
    property(redemption.entryID == "tkt_1" && redemption.quantity == 1, "a ticket admits one")
  case .valid: property(false, "nothing else admits")
  case .refused(let reason, let detail):
    property((400...499).contains(status) && answer.isJSON && !said.mayHaveRedeemed, "only the API's own word refuses")
    property(RedeemProblem(answer) != nil, "only a problem of its own refuses")
    property(
      reason != .alreadyUsed || document?["type"]?.string?.hasSuffix(":already_redeemed") == true, "used is by its type"
    )
    property(detail.map { isPlain($0) } ?? true, "no text steers a terminal or shows a secret")
  case .undecided(_, let detail):
    property(detail.map { isPlain($0) } ?? true, "no text steers a terminal or shows a secret")
    property(status < 500 || said.mayHaveRedeemed, "a server that fails may have redeemed")
  }
}

private func isPlain(_ text: String) -> Bool {
  !text.contains("a-token-of-some-length")
    && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
}

/// Base64 for URLs, without padding.
private func text(_ bytes: [UInt8]) -> String {
  String(Base64.text(bytes).prefix { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
}
