import Foundation
import Synchronization

/// A booking service by a script, in the document's shape or the real one's, with a house of five seats.
final class BookingService: Sendable {
  enum Shape: String, CaseIterable, Sendable {
    case document, real
  }

  typealias Request = DeskServer.Request
  typealias Answer = DeskServer.Answer

  static let email = "ada@guests.example"
  static let password = "Long Walk, 7 days"
  static let mailed = "mail-token-5c4d3e2f1a"
  static let code = "K7Q2M9ZX4B"
  static let session = "cs_test_a1B2c3D4e5F6g7H8"
  static let page = "https://checkout.stripe.com/c/pay/\(session)"
  static let show = "8f14e45f"
  static let colour = "#1D4ED8"

  /// What is to be another than usual.
  struct State: Sendable {
    /// Each seat's status, by its id.
    var seats = ["s12": "available", "s13": "available", "s14": "available", "s15": "available", "g1": "sold"]
    /// Seats that are not reserved although the answer says so.
    var loses: Set<String> = []
    /// The page for paying.
    var page = BookingService.page
    /// When the reservation ends; `nil` for in a quarter of an hour.
    var ends: String?
    /// What is told of the payment: `paid`, `unpaid`, `PROCESSING`, `ERROR`.
    var payment = "unpaid"
    /// Whether no map of the house is told.
    var hasNoMap = false
    /// Whether bookings are told by an address alone.
    var asksForAddress = false
    /// What comes instead of an answer to a call: `POST /api/seat-checkout`; an answer, or nothing at all.
    var instead: [String: Answer?] = [:]
    /// When sessions end, from now, in seconds; `nil` where they do not say.
    var life: Int? = 3 * 86_400
  }

  let shape: Shape
  private let state: Mutex<State>

  init(_ shape: Shape, _ change: (inout State) -> Void = { _ in }) {
    self.shape = shape
    var state = State()
    change(&state)
    self.state = Mutex(state)
  }

  func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

  /// A token as the service and its providers make them.
  static func token(_ claims: [String: Any]) -> String {
    let parts = [["alg": "HS256"], claims].map { part in
      ((try? JSONSerialization.data(withJSONObject: part, options: [.sortedKeys])) ?? Data()).base64EncodedString()
        .replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
    }
    return parts.joined(separator: ".") + ".c2lnbmF0dXJlLW9mLXRoaXM"
  }

  /// The session that everybody is given.
  var token: String {
    let life = state.withLock { $0.life }
    // The same all day, and until the next one.
    let now = Int(Date().timeIntervalSince1970) / 86_400 * 86_400
    return Self.token(
      life.map { ["userId": "u1", "exp": now + $0 + ($0 > 0 ? 86_400 : 0)] } ?? ["userId": "u1"])
  }

  func answer(_ request: Request) -> Answer? {
    let path = String(request.target.split(separator: "?", omittingEmptySubsequences: false)[0])
    let state = state.withLock { $0 }
    if let instead = state.instead["\(request.method) \(path)"] { return instead }
    switch (request.method, path) {
    case ("POST", "/api/auth/signup"), ("POST", "/api/auth/signin"): return account(request)
    case ("POST", "/api/auth/social"): return social(request)
    case (shape == .real ? "GET" : "POST", "/api/auth/verify"):
      guard request.head.contains("Authorization: Bearer \(token)") else { return Self.refusal(401, "Invalid token") }
      return signedIn
    case ("GET", "/api/auth/verify-email") where shape == .real:
      return request.target.contains("token=\(Self.mailed)&email=ada%40guests.example")
        ? .init(200, #"{"success":true}"#) : Self.refusal(400, "Invalid or expired verification token")
    case ("POST", "/api/auth/verify-email"):
      if shape == .real { return .init(200, #"{"success":true,"message":"sent"}"#) }
      return request.member("token") as? String == Self.mailed
        ? .init(200, #"{"success":true}"#) : Self.refusal(400, "Verification token is required")
    case ("POST", "/api/auth/password-reset") where shape == .real: return .init(200, #"{"success":true}"#)
    case ("PUT", "/api/auth/password-reset") where shape == .real:
      return request.member("token") as? String == Self.mailed && request.member("newPassword") != nil
        ? .init(200, #"{"success":true}"#) : Self.refusal(400, "Invalid or expired reset token")
    case ("GET", "/api/shows"): return .init(200, "[\(shows.joined(separator: ","))]")
    case ("GET", "/api/shows/\(Self.show)") where shape == .document: return .init(200, shows[0])
    case ("GET", "/api/shows/other") where shape == .document: return Self.refusal(404, "Show not found")
    case ("GET", "/api/shows/\(Self.show)/seats"): return seats(state)
    case ("GET", "/api/shows/\(Self.show)/seatmap"): return map(state)
    case ("POST", "/api/seat-checkout"): return reserve(request)
    case ("GET", "/api/checkout/success"): return success(request, state)
    case ("GET", "/api/user/bookings"): return bookings(request, state)
    case (_, "/api/auth/verify"), (_, "/api/auth/verify-email"): return .init(405, "", type: "text/plain")
    default: return .noRoute
    }
  }

  static func refusal(_ status: Int, _ words: String) -> Answer {
    .init(status, #"{"success":false,"error":"\#(words)"}"#)
  }

  // MARK: Accounts

  private var signedIn: Answer {
    let user = #"{"id":"u1","email":"\#(Self.email)","name":"Ada Brandt","role":"user","emailVerified":true}"#
    return .init(200, #"{"success":true,"message":"ok","user":\#(user),"token":"\#(token)"}"#)
  }

  private func account(_ request: Request) -> Answer {
    guard request.member("password") as? String == Self.password else {
      return Self.refusal(401, "Invalid email or password")
    }
    return signedIn
  }

  private func social(_ request: Request) -> Answer {
    let user = request.member("user") as? [String: Any]
    let isGood =
      shape == .real
      ? request.member("idToken") is String && user?["id"] is String && user?["email"] is String
      : request.member("token") is String
    return isGood ? signedIn : Self.refusal(400, "Missing required fields: provider, idToken, and user")
  }

  // MARK: Shows

  private var shows: [String] {
    let time = shape == .real ? "19:30" : "19:30:00"
    let section =
      shape == .real
      ? #"{"section_id":"x","section_name":"Stalls","color_code":"\#(Self.colour)","price":46,"available_seats":4,"total_seats":5,"is_accessible":false}"#
      : #"{"section":"Stalls","price":45.5}"#
    return [
      #"{"id":"\#(Self.show)","title":"The Tempest","description":"A play","date":"2026-12-01","time":"\#(time)","venue_name":"The Hamilton","location":"1 Stage Street","imageUrl":"","min_price":45.5,"max_price":45.5,"seatMapId":"m1","seat_pricing":[\#(section)]}"#,
      #"{"id":"zero","title":"A Reading","date":"0000-00-00","time":"24:00:00","venue_name":"The Palace","location":"x","min_price":-5,"max_price":-1,"seatMapId":null,"seat_pricing":[]}"#,
    ]
  }

  private func seats(_ state: State) -> Answer {
    let rows = ["s12", "s13", "s14", "s15", "g1"].map { id in
      let (row, number) = id == "g1" ? ("G", 1) : ("F", Int(id.dropFirst()) ?? 0)
      let status = state.seats[id] ?? "available"
      guard shape == .real else {
        return
          #"{"id":"\#(id)","row":"\#(row)","number":"\#(number)","section":"Stalls","price":45.5,"status":"\#(status)","seatMapId":"m1"}"#
      }
      let told = status == "sold" ? "booked" : status
      return
        #"{"id":"\#(id)","row_letter":"\#(row)","seat_number":\#(number),"price_pence":4550,"status":"\#(told)","display_name":"Stalls","color_hex":"\#(Self.colour)","position":{"x":\#(number * 24),"y":\#(row == "F" ? 60 : 90)}}"#
    }
    return .init(200, "[\(rows.joined(separator: ","))]")
  }

  private func map(_ state: State) -> Answer {
    if state.hasNoMap { return .init(404, #"{"error":"Show or seatmap not found"}"#) }
    let map =
      #"{"id":"m1","name":"Main House","layoutConfig":{"sections":[{"name":"Stalls","color":"\#(Self.colour)"}]}}"#
    return .init(200, shape == .real ? #"{"success":true,"seatMap":\#(map)}"# : map)
  }

  // MARK: Paying

  private func reserve(_ request: Request) -> Answer {
    guard request.member("showId") as? String == Self.show, let ids = request.member("specificSeatIds") as? [String],
      !ids.isEmpty
    else { return .init(400, #"{"error":"Missing required fields"}"#) }
    let (page, ends) = state.withLock { state in
      for id in ids where !state.loses.contains(id) { state.seats[id] = "reserved" }
      return (state.page, state.ends)
    }
    guard shape == .real else { return .init(200, #"{"url":"\#(page)"}"#) }
    let time = ends ?? Date(timeIntervalSinceNow: 900).formatted(.iso8601)
    return .init(
      200,
      #"{"sessionId":"\#(Self.session)","url":"\#(page)","reservationId":"r1","expiresAt":"\#(time)","totalAmount":\#(ids.count * 4_550),"reservedSeats":\#(ids.count)}"#
    )
  }

  private func success(_ request: Request, _ state: State) -> Answer {
    guard request.target.hasSuffix("session_id=\(Self.session)") else { return Self.refusal(404, "No such session") }
    switch state.payment {
    case "paid":
      let booking =
        #"{"id":"b1","validation_code":"\#(Self.code)","customer_name":"Ada \#(Self.code) Brandt","total_amount":91,"status":"confirmed"}"#
      let seats =
        #"[{"section_name":"Stalls","row":"F","number":12,"price_paid":45.5},{"section_name":"Stalls","row":"F","number":13}]"#
      let details =
        #"{"name":"The Tempest","start_time":"2026-12-01T19:30:00","venue":{"name":"The Hamilton"},"booking":\#(booking),"seats":\#(seats)}"#
      return .init(
        200,
        #"{"verification_code":"\#(Self.code)","payment_status":"paid","customer_details":{"name":"Ada"},"amount_total":9100,"show_details":\#(details)}"#
      )
    case "PROCESSING":
      return .init(
        200,
        #"{"verification_code":"PROCESSING","payment_status":"paid","show_details":null,"error":"Booking is being processed. Please wait..."}"#
      )
    case "ERROR": return .init(200, #"{"verification_code":"ERROR","payment_status":"paid","show_details":null}"#)
    default: return .init(200, #"{"verification_code":"\#(Self.code)","payment_status":"\#(state.payment)"}"#)
    }
  }

  // MARK: Bookings

  private func bookings(_ request: Request, _ state: State) -> Answer {
    if state.asksForAddress {
      guard request.target.contains("email=ada%40guests.example") else {
        return .init(400, #"{"error":"User email required","message":"Please provide email"}"#)
      }
      return .init(
        200,
        #"{"success":true,"userEmail":"\#(Self.email)","bookings":[{"id":"b1","show":{"id":"\#(Self.show)","title":"The Tempest","date":"2026-12-01","time":"19:30"},"venue":{"id":"v","name":"The Hamilton","address":"x"},"seats":["F-12","F-13"],"pricing":{"totalPence":9100,"totalDisplay":"£91.00"},"qrCode":"\#(Self.code)","status":"confirmed","bookingDate":"2026-11-01T10:00:00.000Z","customerName":"Ada"}],"summary":{}}"#
      )
    }
    guard request.head.contains("Authorization: Bearer \(token)") else { return Self.refusal(401, "Unauthorized") }
    guard shape == .real else {
      return .init(
        200,
        #"[{"id":"b1","showId":"\#(Self.show)","showTitle":"The Tempest","showDate":"2026-12-01","showTime":"19:30:00","venue":"The Hamilton","seats":[{"id":"s12","row":"F","number":"12"},{"id":"s13","row":"F","number":"13"}],"totalAmount":91,"bookingDate":"2026-11-01","status":"confirmed","qrCode":"\#(Self.code)"}]"#
      )
    }
    let row =
      #"{"id":"b1","showId":"\#(Self.show)","userId":"u1","customerName":"Ada","customerEmail":"\#(Self.email)","customerPhone":null,"status":"confirmed","totalAmountPence":9100,"validationCode":"\#(Self.code)","show":{"id":"\#(Self.show)","title":"The Tempest","description":"","date":"2026-12-01","time":"19:30","imageUrl":null},"venue":{"id":"v","name":"The Hamilton","address":"x"}}"#
    return .init(200, "[\(row),\(row)]")
  }
}

/// A box office: its terminal, before a service of a shape.
struct BookingBench: Sendable {
  let service: BookingService
  let server: DeskServer
  let terminal: BookingTerminal

  /// Opens both, and closes them behind `body`.
  static func open(
    _ shape: BookingService.Shape, typing: [String] = [BookingService.password], saysYes: Bool = false,
    hidesCode: Bool = true, _ change: (inout BookingService.State) -> Void = { _ in },
    _ body: (BookingBench) async throws -> Void
  ) async throws {
    let service = BookingService(shape, change)
    let server = try await DeskServer.start { service.answer($0) }
    let hidden =
      [service.token, BookingService.password, BookingService.mailed] + (hidesCode ? [BookingService.code] : [])
    let terminal = BookingTerminal(typing: typing, saysYes: saysYes, hiding: hidden)
    var outcome = Result<Void, any Error>.success(())
    do {
      try await body(BookingBench(service: service, server: server, terminal: terminal))
    } catch {
      outcome = .failure(error)
    }
    await server.end()
    try outcome.get()
  }

  /// Runs a command against it.
  @discardableResult func run(_ words: String...) async -> Program.Result { await run(words) }

  /// Likewise.
  @discardableResult func run(_ words: [String]) async -> Program.Result {
    await terminal.run(words + ["--server", server.address])
  }

  /// Signs the usual person in.
  func signIn() async {
    let result = await run("sign-in", "--email", BookingService.email)
    expectStatus(result, 0)
  }

  /// The requests since, and how many there were before.
  func lines(after count: Int = 0) -> [String] { Array(server.lines.dropFirst(count)) }

  /// The body of the last request to a path.
  func body(of line: String) throws -> [String: Any] {
    for request in server.requests.reversed() where request.hasPrefix(line + " ") {
      let parts = request.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
      return try JSONSerialization.jsonObject(with: Data((parts.last ?? "").utf8)) as? [String: Any] ?? [:]
    }
    return [:]
  }
}
