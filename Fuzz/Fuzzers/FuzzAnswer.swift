import WireText
import ScanModel
@testable import EventSchedule
@testable import TicketTransport

private let key = "Ky7-secret-key"

/// The value as JSON, written by hand: what we read must come back from it.
private func text(_ value: JSONValue) -> String {
  switch value {
  case .null: "null"
  case .bool(let bool): bool ? "true" : "false"
  case .number(let digits): digits
  case .string(let string): JSONText.string(string)
  case .array(let elements): "[" + elements.map(text).joined(separator: ", ") + "]"
  case .object(let members):
    "{" + members.map { JSONText.string($0.key) + " : " + text($0.value) }.joined(separator: ",") + "}"
  }
}

/// Answers of a ticket system: their JSON, what a gate makes of them, their times, and the codes that are URLs.
///
/// The input: a byte for the status, one for media type and sale ticket, then the body.
func fuzzAnswer(_ input: inout FuzzInput) {
  let status = input.choice([201, 200, 400, 401, 403, 404, 408, 422, 423, 429, 500, 302, 100, 999, -1])
  let kind = input.byte()
  let type = ["application/json", "application/problem+json", "text/html", nil][Int(kind & 3)]
  let body = input.remainder()
  let document = try? JSONValue(body)
  if let document {
    property((try? JSONValue([UInt8](text(document).utf8))) == document, "JSON that is written again reads the same")
  }

  let answer = HTTPAnswer(
    status: status, mediaType: type, body: body, clockAhead: kind & 4 == 0 ? nil : .seconds(Int64(kind)))
  let judged = ScanAnswer(
    answer, host: "host:1", saleTicketID: kind & 8 == 0 ? nil : 789, hiding: [Redaction(key, shownAs: "[key]")])
  let words = [document?["error"], document?["message"]]
  let isRefusal =
    (400...499).contains(status) && status != 408 && answer.isJSON
    && words.contains { $0?.string?.contains { !$0.isWhitespace } == true }
  property(judged.mayHaveRedeemed != isRefusal, "only the API's own refusal says that nothing was redeemed")
  if case .undecided(.keyRefused, _) = judged.answer { property(isRefusal, "a page is no fault of the key") }
  if case .undecided(.accessDenied, _) = judged.answer { property(isRefusal, "a page is no fault of the key") }
  if case .undecided(.keyBlocked, _) = judged.answer { property(isRefusal, "a page is no fault of the key") }
  var shown: [String?] = []
  switch judged.answer {
  case .redeemed(let redemption):
    property(status == 201 && answer.isJSON, "only a 201 with JSON admits")
    let data = document?["data"]
    property(data?["sale"]?["status"] == .string("paid"), "only a paid sale admits")
    property(data?["entry_id"]?.identifier == redemption.entryID, "only a recorded entry admits")
    property(data?["scanned_at"]?.string.flatMap(WallTime.init(iso8601:)) != nil, "only an entry with its time admits")
    property((1...1_000).contains(redemption.quantity), "a quantity is bounded")
    property((1...100_000).contains(redemption.saleQuantity ?? 1), "a sale's quantity is bounded")
    shown = [redemption.details.holder, redemption.details.event, redemption.details.eventID]
  case .refused(_, let detail): shown = [detail]
  case .undecided(_, let detail): shown = [detail]
  case .valid: property(false, "this ticket system redeems at once")
  }
  for case .some(let text) in shown {
    property(!text.lowercased().contains(key.lowercased()), "a secret is not shown")
    property(
      text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "it steers no terminal")
    property(text.unicodeScalars.count <= 500, "what is shown is short")
  }

  let start = String(decoding: body.prefix(80), as: UTF8.self)
  if let time = WallTime(iso8601: start) {
    // Whole seconds: the ends of the range, where far years stop, are none.
    property(
      WallTime(iso8601: time.iso8601Seconds)?.seconds == time.seconds, "a time that is written again reads the same")
  }
  _ = HTTPDate.read(start, now: WallTime(seconds: Int64(kind) * 30_000_000))
  let code = TicketURL.secret(in: Code(bytes: body))
  property(TicketURL.secret(in: code) == code, "a secret is not taken apart again")
  if let decoded = PercentCoding.decode(body) {
    let encoded = PercentCoding.encode(String(decoding: decoded, as: UTF8.self))
    property(encoded.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "percent-encoding is plain")
    if String(validating: decoded, as: UTF8.self) != nil {
      property(PercentCoding.decode(encoded.utf8) == decoded, "percent-encoding comes back")
    }
  }
}
