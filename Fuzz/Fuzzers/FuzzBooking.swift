import LinuxIO
import ScanModel
import TicketTransport
import WireText

@testable import Bookings

private let asked = Code("NIGHT001")
private let password = "a-password-of-some-length"
private let zone = ZoneRules.named("Europe/London") ?? .utc
/// 2026-03-28 12:00 UTC: the night after it, London's clocks skip an hour.
private let noon = WallTime(seconds: 1_774_699_200)

/// The service: nobody asks it, for what it answers is the input.
private struct NoService: HTTPCalling {
  let server: ServerAddress
  var words: ServerWords { ServerWords() }

  func send(
    _ call: HTTPCall, deadline: MonotonicTime, late: @escaping @Sendable (HTTPOutcome) -> Void
  ) async -> HTTPOutcome {
    HTTPOutcome(.notSent(TransportFault(.unreachable, "nobody")), sentAt: nil, endedAt: MonotonicTime(nanoseconds: 0))
  }
}

private let door: Door = {
  guard let server = try? ServerAddress("http://127.0.0.1:9") else { preconditionFailure("this is an address") }
  let venue = BookingsSection.Venue(id: "v-1", slug: "hamilton", zone: zone, zoneName: "Europe/London")
  let calls = BookingCalls(transport: NoService(server: server), venue: venue, origin: nil, time: SystemTime())
  return Door(
    calls, session: nil, memory: DoorMemories().memory(of: "\(server)", venue: venue.id, account: nil), records: nil)
}()

/// What is shown at the door of a booking service, and what that tells.
///
/// The input: a byte for what it is, one for the time, one for status and form, then the code, the answer, or a record.
func fuzzBooking(_ input: inout FuzzInput) {
  let kind = input.byte()
  // Two days by quarters of an hour.
  let now = noon + .seconds(Int64(input.byte()) * 900 - 86_400)
  let form = input.byte()
  let body = input.remainder()
  let type: String? = form & 1 == 0 ? "application/json" : ["text/html", nil][Int(form >> 1 & 1)]
  var answer = HTTPAnswer(
    status: [200, 200, 404, 403, 401, 400, 500, 302][Int(form >> 2 & 7)], mediaType: type, body: body,
    serverDate: form & 0x20 == 0 ? now : nil, retryAfter: form & 0x40 == 0 ? nil : .seconds(60))
  switch kind % 5 {
  case 0: look(at: Code(bytes: body))
  case 1: look(at: answer, listedAt: now, took: .milliseconds(Int64(form) * 40))
  case 2: check(answer, at: now)
  case 3:
    // The first line is the cookie's.
    let line = body.prefix { $0 != 0x0A }
    answer.cookies.add(String(decoding: line, as: UTF8.self), at: now)
    answer.body = [UInt8](body.dropFirst(line.count + 1))
    signIn(answer)
  default:
    guard let record = DoorRecord(body) else { return }
    let again = DoorRecord(record.bytes)
    property(again?.bytes == record.bytes, "what is put down reads the same")
  }
}

private func look(at code: Code) {
  let own = BookingCode.ownForm(of: code)
  property(BookingCode.ownForm(of: own) == own, "a code in its own form stays as it is")
  property(BookingCode.fault(of: own) == BookingCode.fault(of: code), "a code's form is no matter of its spelling")
  guard BookingCode.fault(of: code) == nil else { return }
  property(isPlain(own), "what may be a booking's code is letters and digits")
  let printed = Code("LML-" + own.text.lowercased())
  property(BookingCode.ownForm(of: printed) == own, "the app's code is the booking's")
}

private func isPlain(_ code: Code) -> Bool {
  BookingCode.lengths.contains(code.bytes.count)
    && code.bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
}

// MARK: The list

private func look(at answer: HTTPAnswer, listedAt now: WallTime, took: Duration) {
  let read = Door.rows(answer.body, in: zone)
  guard let rows = (try? JSONValue(answer.body))?.array else {
    return property(read == nil, "what is no list is none")
  }
  guard let read else { return property(false, "a list is one") }
  for row in rows {
    guard let booking = try? Booking(row, seats: "seatCount", in: zone) else { continue }
    property(isPlain(booking.code), "a booking's code is in its own form")
    property(
      booking.ticket.status != .valid || row["booking"]?["status"]?.string?.lowercased() == "confirmed",
      "only what is confirmed admits")
    property((1...1_000).contains(booking.ticket.quantity), "a booking has seats, and not too many")
    judge(booking.ticket, at: now)
  }
  let told = Door.ListAnswer(answer: answer, rows: read, began: MonotonicTime(nanoseconds: 0), took: took)
  let list = DoorList(
    door: door,
    clock: {
      JournalTime(wall: now, monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true)
    }
  ).answer(told, at: JournalTime(wall: now, monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true))
  property(list.tickets.count <= rows.count, "a row is one ticket at most")
  property(rows.count < DoorList.mostRows || list.whole == nil && list.gap != nil, "a full list is not whole")
  if let whole = list.whole {
    let hours = (whole.upperBound - whole.lowerBound) / .seconds(3_600)
    property((23...25).contains(hours), "an answer speaks for one day")
  }
  let valid = list.tickets.filter { $0.status == .valid }
  property(Set(valid.map(\.code)).count == valid.count, "no two tickets that admit have one code")
  for ticket in list.tickets {
    property(ticket.code.isEmpty || isPlain(Code(ticket.code)), "a listed code is in its own form")
    property(ticket.status != .valid || ticket.from != nil && ticket.obstacle == nil, "what admits has its time")
    for text in [ticket.event, ticket.holder, ticket.obstacle] { lookAtWords(text) }
  }
  lookAtWords(list.gap)
}

// MARK: Verdicts

private func judge(_ ticket: ListedTicket, at now: WallTime) {
  let gates = [
    BookingsSection.Gate(), BookingsSection.Gate(shows: .ids(["show-1"]), party: .whole),
    BookingsSection.Gate(opens: .zero, closes: .zero),
  ]
  for gate in gates {
    switch BookingJudge(gate: gate, zone: zone).judge(ticket, at: now) {
    case .valid(let right):
      property(ticket.status == .valid, "only what is good admits")
      property(right.quantity == (gate.party == .each ? ticket.quantity : 1), "a party is as many as it has seats")
      property(right.ends.map { now < $0 } ?? false, "nobody is admitted after the end")
      if case .ids(let ids) = gate.shows {
        property(ticket.eventID.map(ids.contains) ?? false, "only the gate's show admits")
      }
      if let from = ticket.from {
        // What a clock change doubles is on twice, an hour apart.
        property(from - gate.opens <= now && now < from + gate.closes + .seconds(3_600), "a show admits in its time")
      }
    case .refused(_, let detail): lookAtWords(detail)
    case .undecided(_, let words): lookAtWords(words)
    }
  }
}

private func check(_ answer: HTTPAnswer, at now: WallTime) {
  let at = MonotonicTime(nanoseconds: 0)
  let check = DoorCheck(HTTPOutcome(.answered(answer), sentAt: at, endedAt: at), of: asked, door)
  property(check.fate == .answered, "an answer is one")
  switch check.result {
  case .said(.told(let ticket)):
    property(answer.status == 200 && answer.isJSON, "only a 200 with JSON tells a booking")
    let code = (try? JSONValue(answer.body))?["booking"]?["validationCode"]?.string
    property(code.map { BookingCode.ownForm(of: Code($0)) } == asked, "only the booking that was asked for is told")
    property(ticket.status != .unconfirmed, "a state that is not known tells nothing")
    judge(ticket, at: now)
  case .said(.unknown(let words)):
    property(answer.status == 404 && answer.isJSON, "only the service's own word says that there is no such booking")
    lookAtWords(words, hiding: asked.text)
  case .undecided(_, let words): lookAtWords(words, hiding: asked.text)
  }
}

private func signIn(_ answer: HTTPAnswer) {
  let at = MonotonicTime(nanoseconds: 0)
  let secrets = [Redaction(password, shownAs: "(password)")]
  switch SignInAnswer.session(answer, host: "host:1", words: ServerWords(), hiding: secrets, at: at) {
  case .success(let session):
    property((200...299).contains(answer.status) && answer.isJSON, "only a yes in JSON signs in")
    property(answer.cookies[SignInAnswer.cookie] != nil, "a session is a cookie")
    property(at < session.ends && session.renews < session.ends, "a session has an end, and is renewed before")
    property(session.ends <= at + SignInState.longestLife, "and no endless one")
  case .failure(let fault): lookAtWords(fault.detail, hiding: password)
  }
}

private func lookAtWords(_ words: String?, hiding secret: String? = nil) {
  guard let words else { return }
  property(secret.map { !words.contains($0) } ?? true, "a secret is not shown")
  property(words.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }, "it steers no terminal")
  property(words.unicodeScalars.count <= 1_000, "what is shown is short")
}
