import Foundation
import ScanModel
import ScriptedHTTP
import Synchronization

/// A booking service as a door meets it: signs staff in, tells the list, checks codes; and does what a test says instead.
final class TheatreService: Sendable {
  /// How it writes what it tells.
  enum Shape: String, Sendable, CaseIterable {
    /// `{success:false,error}`, counts as text, times without seconds.
    case document
    /// `{error}`, numbers, whole times.
    case real
  }

  /// What it is asked for.
  enum Route: String, Sendable, CaseIterable {
    case signIn = "POST /api/venue-auth-new"
    case list = "GET /api/venues/v-1/bookings/today"
    case check = "POST /api/venues/v-1/validate"
  }

  /// What it does with a request.
  enum Reply: Sendable {
    /// As it should.
    case usual
    /// Answers so.
    case answer(String)
    /// Answers as it should, when `release` is called.
    case held
    /// Ends the connection.
    case cut
    /// Nothing, ever.
    case silence
  }

  /// A booking that it has.
  struct Row: Sendable {
    var code: String
    var status = "confirmed"
    var show = "night"
    var title = "Hamilton"
    var date = "2026-05-02"
    var time = "19:30:00"
    var seats = 4
    var holder = "Ada Byron"
    var id: String?

    init(_ code: String, changing: (inout Row) -> Void = { _ in }) {
      self.code = code
      changing(&self)
    }
  }

  private struct State {
    var rows: [Row] = []
    /// Bookings that the list does not tell.
    var late: [Row] = []
    var replies: [Route: [Reply]] = [:]
    var sessions: Set<String> = []
    var signedIn = 0
    var life: String? = "Max-Age=28800"
    var waiting: [@Sendable () -> Void] = []
    var taken = 0
  }

  static let password = "opéra house 7"
  let shape: Shape
  let time: any TimeSource
  private let state = Mutex(State())
  private let made = Mutex<ScriptedServer?>(nil)
  private let seen = AsyncStream<Int>.makeStream()

  init(_ shape: Shape = .real, time: any TimeSource) {
    self.shape = shape
    self.time = time
  }

  /// Opens it.
  /// - Returns: its port.
  func open() async throws -> Int {
    let server = ScriptedServer { [weak self] _, request, connection in
      guard let self else { return }
      take(request, connection)
      // What is held can be released from here on.
      seen.continuation.yield(
        state.withLock { state in
          state.taken += 1
          return state.taken
        })
    }
    made.withLock { $0 = server }
    return try await server.start()
  }

  func close() async { await made.withLock { $0 }?.stop() }

  /// Has bookings, on the list or not.
  func has(_ rows: Row..., late: [Row] = []) {
    state.withLock {
      $0.rows = rows
      $0.late = late
    }
  }

  func has(_ rows: [Row]) { state.withLock { $0.rows = rows } }

  /// What it does with the next requests of a route; the last one stays.
  func reply(to route: Route, _ replies: Reply...) { state.withLock { $0.replies[route] = replies } }

  /// How long its sessions hold, as the cookie says it; `nil` for a cookie that says nothing.
  func life(_ words: String?) { state.withLock { $0.life = words } }

  /// Knows nobody any more.
  func forgetSessions() { state.withLock { $0.sessions = [] } }

  /// Lets what is held be answered.
  func release() {
    for answer in state.withLock({ state in
      defer { state.waiting = [] }
      return state.waiting
    }) { answer() }
  }

  /// Returns once so many requests have come.
  func sees(_ count: Int) async {
    if state.withLock({ $0.taken >= count }) { return }
    for await number in seen.stream where number >= count { return }
  }

  /// What it was asked, whole.
  var requests: [String] { made.withLock { $0 }?.requests ?? [] }

  /// Which routes it was asked for, in order.
  var asked: [Route] { requests.compactMap(Self.route) }

  func count(_ route: Route) -> Int { asked.filter { $0 == route }.count }

  // MARK: Answers

  private static func route(_ request: String) -> Route? {
    Route(rawValue: request.split(separator: " ").prefix(2).joined(separator: " "))
  }

  private func take(_ request: String, _ connection: ScriptedServer.Connection) {
    guard let route = Self.route(request) else {
      return connection.send(response("404 Not Found", error("no such path")))
    }
    let reply = state.withLock { state -> Reply in
      guard var replies = state.replies[route], let next = replies.first else { return .usual }
      if replies.count > 1 { replies.removeFirst() }
      state.replies[route] = replies
      return next
    }
    switch reply {
    case .usual: connection.send(usual(route, request))
    case .answer(let text): connection.send(text)
    case .held:
      let answer = usual(route, request)
      state.withLock { $0.waiting.append { connection.send(answer) } }
    case .cut: connection.close()
    case .silence: break
    }
  }

  private func usual(_ route: Route, _ request: String) -> String {
    let body = request.components(separatedBy: "\r\n\r\n").dropFirst().joined()
    if route == .signIn {
      guard body.contains("\"password\":\"\(Self.password)\"") else {
        return response("401 Unauthorized", error("Invalid email or password"))
      }
      let (name, life) = state.withLock { state -> (String, String?) in
        state.signedIn += 1
        state.sessions.insert("session-\(state.signedIn)=")
        return ("session-\(state.signedIn)=", state.life)
      }
      return response(
        "200 OK", "{\"success\":true}",
        extra: "Set-Cookie: theme=dark\r\nSet-Cookie: venue-session=\(name); Path=/venue; HttpOnly"
          + (life.map { "; \($0)" } ?? "") + "; SameSite=Strict\r\n")
    }
    let (sessions, rows, late) = state.withLock { ($0.sessions, $0.rows, $0.late) }
    let cookie = request.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix("cookie: ") }?.dropFirst(8)
    guard let cookie, sessions.contains(String(cookie.dropFirst("venue-session=".count))) else {
      return response("403 Forbidden", error("Authentication required"))
    }
    if route == .list {
      return response("200 OK", "[" + rows.map { json($0, "seatCount") }.joined(separator: ",") + "]")
    }
    let code = body.components(separatedBy: "\"").dropFirst(3).first ?? ""
    guard let row = (rows + late).first(where: { $0.code == code }) else {
      return response("404 Not Found", error("Invalid verification code or ticket not found"))
    }
    return response("200 OK", json(row, "seats"))
  }

  /// An answer with its head, with the service's clock.
  func response(
    _ status: String, _ body: String, type: String? = "application/json", date: WallTime? = nil, hasDate: Bool = true,
    extra: String = ""
  ) -> String {
    "HTTP/1.1 \(status)\r\n" + (type.map { "Content-Type: \($0)\r\n" } ?? "")
      + (hasDate ? "Date: \(Self.date(date ?? time.wall()))\r\n" : "") + extra
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// An error, as this shape writes one.
  func error(_ words: String) -> String {
    shape == .real ? "{\"error\":\"\(words)\"}" : "{\"success\":false,\"error\":\"\(words)\"}"
  }

  /// A booking, as this shape writes one.
  func json(_ row: Row, _ seats: String) -> String {
    let time = shape == .real ? row.time : String(row.time.prefix(5))
    let count = shape == .real ? "\(row.seats)" : "\"\(row.seats)\""
    return """
      {"booking":{"id":"\(row.id ?? "b-" + row.code)","validationCode":"\(row.code)","status":"\(row.status)","customerName":"\(row.holder)",\
      "customerEmail":"a@b.example","totalAmountPence":12000},"show":{"id":"\(row.show)","title":"\(row.title)","date":"\(row.date)",\
      "time":"\(time)"},"\(seats)":\(count)}
      """
  }

  /// A `Date` header's value.
  static func date(_ time: WallTime) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.string(from: Date(timeIntervalSince1970: Double(time.seconds)))
  }
}
