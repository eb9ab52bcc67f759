import WireText
import ScanModel
import TicketSystemKit
@testable import EventSchedule
@testable import TicketTransport

private let key = "Ky7-secret-key"

/// What servers tell the organiser's desk: lists, events, sales, check-ins, and what is sent back of an event that is changed.
///
/// The input: a byte for the status, one for media type and change, then the body.
func fuzzDesk(_ input: inout FuzzInput) {
  let status = input.choice([200, 201, 204, 301, 401, 403, 404, 405, 422, 429, 500, 999, -1])
  let kind = input.byte()
  let body = input.remainder()
  let secrets = [Redaction(key, shownAs: "[key]")]
  let answer = HTTPAnswer(status: status, mediaType: kind & 1 == 0 ? "application/json" : "text/html", body: body)
  for changes in [false, true] {
    let judged = DeskAnswer(
      answer, to: "PATCH /api/x", host: "host:1", changes: changes, hiding: secrets, words: ServerWords())
    switch judged.result {
    case .success: property((200...299).contains(status), "only a 2xx is a success")
    case .failure(let fault):
      if case .refused = fault { property(answer.isRefusal, "only the API's own word says that nothing was done") }
      if case .unclear = fault { property(changes, "what changes nothing leaves no doubt") }
      property(!fault.words.contains(key), "a secret is not shown")
      property(fault.words.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) }, "words steer no terminal")
    }
  }
  guard let document = try? JSONValue(body) else { return }
  var walk = PageWalk()
  let first = walk.take(document)
  if let first, first.end == nil {
    property(walk.take(document)?.end == .repeated, "a page that comes again is the end")
  }

  let clocks = DeskClocks()
  for value in ([document] + (first?.elements ?? [])).prefix(20) {
    var lines = [value.shown(hiding: secrets)]
    let records: [(any DeskRecord)?] = [
      DeskEvent(value, hiding: secrets), DeskProfile(value, hiding: secrets), DeskSale(value, hiding: secrets),
      DeskCheckIn(value, hiding: secrets),
    ]
    for case let record? in records {
      lines += record.cells(clocks) + record.fields(clocks).map(\.text) + [record.told.shown(hiding: secrets)]
    }
    for line in lines {
      property(line.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) }, "a line steers no terminal")
    }
    guard case .object = value else { continue }
    let changes: [String: JSONValue] =
      kind & 2 == 0 ? ["name": .string("other")] : ["starts_at": .string("2026-12-01T20:00")]
    guard let update = try? ResourceUpdate(.events, of: value, changes: changes) else { continue }
    for form in [ResourceUpdate.Form.asTold, .byClocks] {
      guard let sent = try? update.body(form) else { continue }
      property((try? JSONValue(sent.written)) == sent, "what is sent reads the same")
    }
  }
}
