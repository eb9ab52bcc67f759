import EventSchedule
import Expectations
import Glibc
import ScanModel
import Calls
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport

/// The machine's clocks, the civil one moved.
struct ShiftedTime: TimeSource {
  var shift = Duration.zero
  func now() -> MonotonicTime { SystemTime().now() }
  func wall() -> WallTime { SystemTime().wall() + shift }
}

/// The machine's clocks, which a test moves ahead.
final class MovableTime: TimeSource {
  private let ahead = Mutex(Duration.zero)

  func advance(by duration: Duration) { ahead.withLock { $0 += duration } }
  func now() -> MonotonicTime { SystemTime().now() + ahead.withLock { $0 } }
  func wall() -> WallTime { SystemTime().wall() + ahead.withLock { $0 } }
}

/// A port that refuses connections. One that a server has left may be another test's server by now.
let closedPort = 9

/// A ticket system that speaks to a scripted server, and what became of its attempts.
struct Venue {
  let server: ScriptedServer
  let client: EventScheduleClient
  let transport: HTTPTransport
  let system: EventScheduleTicketSystem
  let late = LateAnswers()

  /// - Parameter port: where requests go instead of to `server`, which then is not started.
  static func open(
    _ server: ScriptedServer, port: Int? = nil, certificate: String? = nil, scheme: String? = nil,
    host: String = "localhost",
    path: String = "",
    settings: HTTPTransport.Settings = HTTPTransport.Settings(), budget: RateBudget = RateBudget(),
    clockShift: Duration = .zero,
    saleTicketID: Int64? = nil, seatNumber: String? = nil, gate: EventScheduleSection.Gate = .init()
  ) async throws -> Venue {
    let time = ShiftedTime(shift: clockShift)
    let port = if let port { port } else { try await server.start(certificate: certificate) }
    let address = try ServerAddress("\(scheme ?? (certificate == nil ? "http" : "https"))://\(host):\(port)\(path)")
    let transport = try HTTPTransport(server: address, settings: settings, time: time)
    let client = EventScheduleClient(transport: transport, key: try Secret("test-key\n"), budget: budget, time: time)
    var gate = gate
    gate.saleTicket = gate.saleTicket ?? saleTicketID.map { Int($0) }
    gate.seat = gate.seat ?? seatNumber
    let system = EventScheduleTicketSystem(
      id: TicketSystemID("tickets"), client: client, gate: gate, longestInspection: .seconds(60), time: time)
    return Venue(server: server, client: client, transport: transport, system: system)
  }

  func close() async {
    await transport.close()
    await server.stop()
  }

  /// One attempt. The deadline is far away unless a test is about it: nothing here waits for it.
  func attempt(_ code: String = "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl", within limit: Duration = .seconds(60)) async
    -> AttemptOutcome
  {
    await attempt(code, within: limit, listed: nil)
  }

  /// One attempt with what is known of the ticket before.
  func attempt(
    _ code: String = "wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl", within limit: Duration = .seconds(60), listed: TicketDetails?,
    line: TicketDetails.LineID? = nil
  ) async -> AttemptOutcome {
    let request = AttemptRequest(
      attempt: AttemptID(), scan: ScanID(), code: Code(code), deadline: SystemTime().now() + limit, listed: listed,
      line: line)
    let late = late
    return await system.attempt(request) { late.add($0) }
  }
}

/// The late answers that came, to be awaited and counted.
final class LateAnswers: Sendable {
  private let outcomes = Mutex<[AttemptOutcome]>([])
  private let stream: AsyncStream<AttemptOutcome>
  private let feed: AsyncStream<AttemptOutcome>.Continuation

  init() { (stream, feed) = AsyncStream.makeStream() }

  func add(_ outcome: AttemptOutcome) {
    outcomes.withLock { $0.append(outcome) }
    feed.yield(outcome)
  }

  var count: Int { outcomes.withLock { $0.count } }

  func next() async -> AttemptOutcome? {
    for await outcome in stream { return outcome }
    return nil
  }
}

/// Answers as the real server writes them.
enum Answers {
  /// A `Date` header's value, made by the C library.
  static func date(_ offset: Int = 0) -> String {
    var now = time(nil) + offset
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
    return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  static func response(
    _ status: String, _ body: String, type: String? = "application/json", date: String? = date(), extra: String = ""
  ) -> String {
    var text = "HTTP/1.1 \(status)\r\n"
    if let type { text += "Content-Type: \(type)\r\n" }
    if let date { text += "Date: \(date)\r\n" }
    return text + extra + "Content-Length: \(body.utf8.count)\r\n\r\n" + body
  }

  static func sale(
    status: String = "\"paid\"", entry: String = "1001", at: String = "\"2025-12-17T14:30:00.000000Z\"",
    tickets: String = #"[{"id":789,"ticket_id":101,"quantity":2,"usage_status":"used"}]"#,
    event: String =
      #"{"id":"Mzg5NzM0","name":"Concert 2025","starts_at":"2025-12-20 19:00:00","members":[],"tickets":[{"sold":[]}]}"#,
    eventID: String = "456"
  ) -> String {
    """
    {"data":{"sale_id":123,"entry_id":\(entry),"scanned_at":\(at),"sale":{"id":123,"status":\(status),"name":"John Doe",\
    "email":"john@example.com","event_id":\(eventID),"event":\(event),"tickets":\(tickets)}}}
    """
  }

  static var admitted: String { response("201 Created", sale()) }
}

/// Records that something else came than the test needs to go on.
func unexpected(_ what: String, sourceLocation: SourceLocation = #_sourceLocation) {
  Issue.record("unexpected: \(what)", sourceLocation: sourceLocation)
}

/// Settings that trust only the given authority, which is written to a file for them.
func trusting(
  _ authority: String, _ settings: HTTPTransport.Settings = HTTPTransport.Settings()
) throws -> HTTPTransport.Settings {
  var path = [UInt8]("\(temporaryRoot)/authority-XXXXXX\0".utf8).map { CChar(bitPattern: $0) }
  let file = mkstemp(&path)
  try #require(file >= 0)
  let bytes = [UInt8](authority.utf8)
  try #require(write(file, bytes, bytes.count) == bytes.count)
  close(file)
  var settings = settings
  settings.trust = .onlyFile(path: String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  return settings
}
