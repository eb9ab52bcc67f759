import Foundation
import HTTPTypes
import SQLiteFile

/// Reserving seats, and what becomes of it when somebody has paid, or not.
extension BookingDesk {
  /// For how long seats are held, in seconds.
  static let holdLife: Int64 = 900

  /// `POST /api/seat-checkout`: needs no account. What is taken already is left out, and the answer does not tell.
  func reserve(_ input: BookingInput) throws -> Answer {
    guard input.members != nil else { return shape.refusal(.internalServerError, "Internal server error") }
    guard let showID = input.text("showId") else { return shape.refusal(.badRequest, "Missing show ID") }
    guard case .array(let asked)? = input.members?["specificSeatIds"], !asked.isEmpty else {
      return shape.refusal(.badRequest, "No specific seat IDs provided")
    }
    guard let show = try book.show(showID) else { return shape.refusal(.notFound, "Show not found") }
    let known = Dictionary(uniqueKeysWithValues: try book.seats(ofShow: showID).map { ($0.id, $0) })
    let wanted = Set(asked.compactMap(\.text)).compactMap { known[$0] }.sorted { $0.id < $1.id }
    guard !wanted.isEmpty else {
      return Answer(
        status: .badRequest,
        body: [
          "error": "Invalid seat selection",
          "details": "The selected seats could not be mapped to valid database records. Please refresh and try again.",
        ])
    }
    var random = SystemRandomNumberGenerator()
    let token = Secret.uuid(&random)
    var held = 0
    for seat in wanted where try hold(seat.id, for: token) { held += 1 }
    guard held > 0 else { return shape.refusal(.badRequest, "Failed to reserve seats") }
    let amount = try amount(of: show, asked: asked.count, token)
    let session = "cs_test_" + Secret.apiKey(&random)
    try db.run(
      """
      INSERT INTO theatre_checkouts (session_id, reservation, show_id, state, asked, amount_pence, expires_at)
      VALUES (?, ?, ?, 'open', ?, ?, ?)
      """, session, token, show.id, Int64(asked.count), amount, now.seconds + Self.holdLife)
    let url = JSONText.string("https://checkout.stripe.com/c/pay/\(session)")
    guard shape == .real else { return .ok(["url": url]) }
    return .ok([
      "sessionId": .string(session), "url": url, "reservationId": .string(token),
      "expiresAt": .string(Timestamp(clamping: now.seconds + Self.holdLife).javaScript),
      "totalAmount": .integer(amount), "reservedSeats": .integer(Int64(asked.count)),
    ])
  }

  /// The real server charges the least price for each seat that was asked for; the document's what the seats cost.
  private func amount(of show: TheatreBook.Show, asked: Int, _ reservation: String) throws -> Int64 {
    guard shape == .real else { return try book.seats(ofReservation: reservation).reduce(0) { $0 + $1.pence } }
    let least = try book.pricing(of: show).map(\.pence).filter { $0 >= 50 }.min() ?? 0
    return (least + 50) / 100 * 100 * Int64(asked)
  }

  /// Whether a seat could be had: a free one, or one whose hold is over.
  private func hold(_ seat: String, for token: String) throws -> Bool {
    try db.run(
      """
      UPDATE theatre_seats SET status = 'reserved', reservation = ?1 WHERE id = ?2 AND (status = 'available' OR (
        status = 'reserved' AND reservation IN (SELECT reservation FROM theatre_checkouts WHERE expires_at < ?3)))
      """, token, seat, now.seconds)
    return try db.value("SELECT 1 FROM theatre_seats WHERE id = ? AND reservation = ?", seat, token) as Int64? != nil
  }

  /// `GET /api/checkout/success`: **makes** the booking where the session is paid.
  func success(_ session: String?) throws -> Answer {
    guard let session, !session.isEmpty else { return shape.refusal(.badRequest, "Session ID is required") }
    guard let row = try db.row("SELECT * FROM theatre_checkouts WHERE session_id = ?", session) else {
      return Answer(
        status: shape == .real ? .internalServerError : .notFound,
        body: ["verification_code": "ERROR", "error": "Internal server error"])
    }
    let checkout = try Checkout(row)
    switch checkout.state {
    case "open" where shape == .real:
      return unfinished(checkout, "ERROR", .badRequest, "Payment not completed")
    case "open": return unfinished(checkout, "PROCESSING", .ok, nil)
    case "failed": return unfinished(checkout, "ERROR", .badRequest, "Missing reservation information")
    case "processing": return unfinished(checkout, "PROCESSING", .ok, "Booking is being processed. Please wait...")
    default: break
    }
    // Once made it is told again, as often as anybody asks.
    let made = try checkout.bookingID.flatMap { try book.booking($0) }
    guard let booking = try made ?? make(checkout), let show = try book.show(booking.showID) else {
      return unfinished(checkout, "PROCESSING", .ok, "Booking is being processed. Please wait...")
    }
    return .ok(try paid(booking, show))
  }

  private struct Checkout {
    let session, reservation, showID, state: String
    let name, email, bookingID: String?
    let pence: Int64

    init(_ row: StoredRow) throws {
      (session, reservation, showID) = (try row["session_id"], try row["reservation"], try row["show_id"])
      (state, bookingID) = (try row["state"], try row["booking_id"])
      (name, email, pence) = (try row["customer_name"], try row["customer_email"], try row["amount_pence"])
    }
  }

  private func unfinished(
    _ checkout: Checkout, _ code: String, _ status: HTTPResponse.Status, _ words: String?
  ) -> Answer {
    var members: [(key: String, value: JSONText)] = [
      ("verification_code", .string(code)), ("payment_status", checkout.state == "open" ? "unpaid" : "paid"),
      (
        "customer_details",
        checkout.email == nil
          ? nil : ["email": .optional(checkout.email), "name": .optional(checkout.name)]
      ),
      ("amount_total", .integer(checkout.pence)), ("show_details", nil),
    ]
    if let words { members.append(("error", .string(words))) }
    return Answer(status: status, body: .object(members))
  }

  /// Nil where none of the seats is held any more.
  private func make(_ checkout: Checkout) throws -> TheatreBook.Booking? {
    let seats = try book.seats(ofReservation: checkout.reservation).filter { $0.status == "reserved" }
    guard !seats.isEmpty else { return nil }
    var random = SystemRandomNumberGenerator()
    let new = NewBooking(
      show: checkout.showID, seats: seats.map { $0.row + "\($0.number)" },
      customer: checkout.name ?? "Unknown Customer",
      email: checkout.email ?? "unknown@email.com")
    let made = try BookingMaking(db: db, now: now).add(new, session: checkout.session, &random)
    try db.run("UPDATE theatre_checkouts SET booking_id = ? WHERE session_id = ?", made.id, checkout.session)
    return try book.booking(made.id)
  }

  private func paid(_ booking: TheatreBook.Booking, _ show: TheatreBook.Show) throws -> JSONText {
    let time = shape == .real ? show.time : show.longTime
    let seats = try book.seats(ofBooking: booking.id).map { seat -> JSONText in
      [
        "id": .string(seat.id), "section_name": .string(seat.section), "row": .string(seat.row),
        "number": .integer(seat.number), "price_paid": .pounds(seat.pence), "section_color": .string(seat.color),
      ]
    }
    let details: JSONText = [
      "name": .string(show.title), "description": .string(show.description),
      "start_time": .string("\(show.date)T\(time)"), "date": .string(show.date), "time": .string(time),
      "venue": ["name": .string(show.venueName), "address": .string(show.venueAddress)],
      "booking": [
        "id": .string(booking.id), "validation_code": .string(booking.code),
        "customer_name": .string(booking.customerName), "customer_email": .string(booking.customerEmail),
        "total_amount": .pounds(booking.pence), "status": .string(booking.status),
        "created_at": .string(booking.created.javaScript),
      ],
      "seats": .array(seats),
    ]
    return [
      "verification_code": .string(booking.code), "payment_status": "paid",
      "customer_details": ["email": .string(booking.customerEmail), "name": .string(booking.customerName)],
      "amount_total": .integer(booking.pence), "show_details": details,
    ]
  }
}
