import Bookings
import CodeSigning
import EventSchedule
import Glibc
import LinuxIO
import ScanConfiguration
import ScanModel
import ScriptedHTTP
import Sealing
import Subscriptions
import TicketLists
import TicketSystemKit

// What is decided without asking anybody, each a line: `WHAT p50 p99`, both in microseconds.
//
//   decide-bench FOLDER   in FOLDER, which is empty

let words = CommandLine.arguments
guard words.count == 2, let seal = SealKey(bytes: [UInt8](repeating: 7, count: SealKey.length)) else {
  print("decide-bench FOLDER")
  exit(2)
}
let folder = words[1]
let time = SystemTime()

/// Does something often, and tells what it took.
func measure(_ what: String, times: Int, _ work: (_ number: Int) async -> Bool) async {
  var took: [Duration] = []
  for number in 0..<times {
    let began = time.now()
    let isRight = await work(number)
    took.append(time.now() - began)
    guard isRight else {
      print("\(what): the answer \(number) is wrong")
      exit(1)
    }
  }
  took.sort()
  func microseconds(_ share: Double) -> Double {
    let value = took[min(took.count - 1, Int(Double(took.count) * share))]
    return Double(value / .nanoseconds(1)) / 1_000
  }
  print("\(what) \(microseconds(0.5)) \(microseconds(0.99))")
}

/// What the system of a configuration's one gate is to it.
func face(_ text: String, list: ListOnBoard? = nil) throws -> any TicketSystem {
  let options = ConfigurationOptions(ticketSystems: [.bookings, .eventSchedule, .subscriptions])
  let station = try ConfigurationFile.parse(text: text, file: "bench", options: options).configuration
  let connection = try station.ticketSystems[0].connect(
    list: list, credentials: CredentialResolver { _ in "bench-key" }, time: time)
  return connection.face(station.gates[0].ticket)
}

func configuration(_ system: String, ticket: String) -> String {
  """
  version: 1
  station: { name: bench }
  ticketSystems:
    main: { \(system) }
  readers:
    left: { type: serial, match: { path: /dev/null } }
  gates:
    north: { readers: [left], ticketSystem: main, ticket: { \(ticket) } }
  """
}

// MARK: One of 10,000 events

func eventRule() async throws {
  let ours = (0..<10_000).map { 100_000 + $0 * 3 }
  let system = try face(
    configuration(
      #"type: eventschedule, url: "http://127.0.0.1:9", apiKey: bench"#,
      ticket: "events: [\(ours.map(String.init).joined(separator: ", "))]"))
  guard let rule = system.rule else { exit(1) }
  await measure("event", times: 200_000) { number in
    let event = ours[number % ours.count] + number % 2
    let word = rule.word(on: TicketDetails(eventID: "\(event)"))
    if case .takes = word { return number % 2 == 0 }
    return number % 2 == 1
  }
}

// MARK: Passes

let key = PassKey.make()
let ids = (0..<100_000).compactMap { SubscriptionID([UInt8]("\(1_000_000_000_000_000 + $0)".utf8)) }
let inAWeek = time.wall() + .seconds(7 * 86_400)

func passes(recheck: Bool, at port: Int, list: ListOnBoard) throws -> any TicketSystem {
  try face(
    configuration(
      #"type: subscriptions, url: "http://127.0.0.1:\#(port)", accessToken: bench, "#
        + "passes: { keys: \(folder)/keys }\(recheck ? ", recheck: 1 h" : "")", ticket: "tiers: [premium]"), list: list)
}

func signatures(_ list: ListOnBoard) async throws {
  let system = try passes(recheck: false, at: 9, list: list)
  let genuine = try ids.prefix(1_000).map { id in
    Code(try SignedPass.text(id, notBefore: time.wall() - .seconds(60), ends: inAWeek, by: key))
  }
  let other = PassKey.make()
  let forged = try ids.prefix(1_000).map { id in
    Code(try SignedPass.text(id, notBefore: time.wall() - .seconds(60), ends: inAWeek, by: other))
  }
  await measure("pass", times: 20_000) { number in
    if case .proceed = system.examine(genuine[number % genuine.count], at: time.wall()) { return true }
    return false
  }
  await measure("forged", times: 20_000) { number in
    if case .refuse(.notGenuine) = system.examine(forged[number % forged.count], at: time.wall()) { return true }
    return false
  }
}

/// Keeps what was said of 100,000 passes, and looks for them as a gate does offline.
func looking(_ stored: StoredTicketList, _ list: ListOnBoard) async throws {
  for (number, id) in ids.enumerated() {
    list.keep(CheckedTicket(ends: inAWeek, kind: "premium", at: time.wall()), of: Code(bytes: id.bytes))
    // What waits to be kept is bounded as it is where people come one after the other.
    if number % 100 == 99 { _ = try await stored.find(Code(bytes: id.bytes)) }
  }
  // The other half of the way: to the list's thread and back with nothing to do there.
  await measure("thread", times: 20_000) { _ in (try? await stored.state()) == .some(.none) }
  await measure("kept", times: 20_000) { _ in
    guard let id = ids.randomElement() else { return false }
    if case .named? = try? await stored.find(Code(bytes: id.bytes)) { return true }
    return false
  }
}

/// The verdict on a pass that was checked a moment ago.
func remembered(_ list: ListOnBoard) async throws {
  let id = ids[0]
  let text = String(decoding: id.bytes, as: UTF8.self)
  let body =
    #"{"environment":"Production","originalTransactionId":"\#(text)","lastTransactionId":"\#(text)","#
    + #""productId":"com.ft.ftchinese.mobile.subscription.member.monthly","purchaseDateUtc":"2020-01-25T00:19:53Z","#
    + #""expiresDateUtc":"\#(inAWeek.iso8601Seconds)","tier":"premium","cycle":"month","autoRenewal":true,"#
    + #""createdUtc":"2020-09-15T04:04:16Z","updatedUtc":"2020-09-18T01:20:06Z"}"#
  let server = ScriptedServer { _, _, connection in
    connection.send(
      "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
        + body)
  }
  let system = try passes(recheck: true, at: await server.start(), list: list)
  let pass = Code(try SignedPass.text(id, notBefore: time.wall() - .seconds(60), ends: inAWeek, by: key))
  func attempt() async -> Bool {
    let outcome = await system.attempt(
      AttemptRequest(attempt: AttemptID(), scan: ScanID(), code: pass, deadline: time.now() + .seconds(5)),
      late: { _ in })
    if case .valid = outcome.answer { return true }
    return false
  }
  guard await attempt() else { exit(1) }
  await measure("remembered", times: 20_000) { _ in await attempt() }
  await server.stop()
}

// MARK: Bookings

/// The verdict on bookings of a list of 100,000: nobody could be asked.
func bookings() async throws {
  let theatre = TicketSystemID("theatre")
  let stored = try StoredTicketList(
    TicketListPlace(state: folder, system: theatre, server: "bench"), key: seal, keepsDetails: true)
  let codes = (0..<100_000).map { Code("B\(1_000_000 + $0)") }
  let begins = time.wall() + .seconds(600)
  let replacement = try await stored.replacement(of: nil, asOf: time.wall(), folding: { _ in nil })
  for start in stride(from: 0, to: codes.count, by: 500) {
    try await replacement.add(
      codes[start...].prefix(500).map { code in
        ToldTicket(
          code: code.text, isWholeSale: true, status: .valid, from: begins, quantity: 4, sale: "booking-\(code.text)",
          event: "The Tempest", eventID: "show-1", holder: "Ada Brandt")
      })
  }
  _ = try await replacement.merge(whole: nil, forgetting: nil)
  let list = ListOnBoard(of: theatre, stored, maxAge: .seconds(12 * 3_600)) {
    JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true)
  }
  let system = try face(
    configuration(
      #"type: bookings, url: "http://127.0.0.1:9", venue: { id: venue-1, slug: hamilton, zone: Europe/London }"#,
      ticket: "shows: [show-1], opens: 24 h, closes: 24 h"), list: list)
  await measure("booking", times: 20_000) { _ in
    guard let code = codes.randomElement() else { return false }
    let outcome = await system.attempt(
      AttemptRequest(attempt: AttemptID(), scan: ScanID(), code: code, deadline: time.now() + .seconds(5)),
      late: { _ in })
    if case .valid(let right) = outcome.answer { return right.quantity == 4 }
    return false
  }
}

guard let line = key.publicKey.map({ "key bench \($0.text)\n" }) else { exit(1) }
guard let file = fopen("\(folder)/keys", "w") else { exit(1) }
fputs(line, file)
fclose(file)

let main = TicketSystemID("main")
let stored = try StoredTicketList(
  TicketListPlace(state: folder, system: main, server: "bench"), key: seal)
let list = ListOnBoard(of: main, stored, maxAge: .seconds(3_600), freshFor: .seconds(86_400)) {
  JournalTime(wall: time.wall(), monotonic: time.now(), isTrusted: true)
}
try await eventRule()
try await signatures(list)
try await looking(stored, list)
try await remembered(list)
try await bookings()
