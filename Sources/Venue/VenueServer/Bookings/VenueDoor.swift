import Foundation
import HTTPTypes
import SQLiteFile

/// The door of a venue: staff sign in, fetch the list of today, look at one code. Nothing is marked anywhere.
struct VenueDoor {
  /// The cookie with the session.
  static let cookie = "venue-session"
  /// How long a session lasts, in seconds.
  static let sessionLife: Int64 = 8 * 3_600
  /// The most rows of the real server's list, and of one that tells other days' in place of an empty one.
  static let mostRows: Int64 = 100
  static let mostOthers: Int64 = 20

  let db: Database
  let shape: BookingShape
  let now: Timestamp

  // MARK: Sign-in

  /// `POST /api/venue-auth-new`
  func post(_ input: BookingInput) throws -> Answer {
    guard input.members != nil else { return shape.failure(.internalServerError, "Authentication failed") }
    switch input.text("action") {
    case "login": return try signIn(input)
    case "logout":
      if let session = input.session {
        try db.run("DELETE FROM theatre_sessions WHERE sha256 = ?", APIKeys.hash(session))
      }
      var answer = Answer.ok(["success": true, "message": "Logged out successfully"])
      answer.headers[.setCookie] = "\(Self.cookie)=; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"
      return answer
    default: return shape.failure(.badRequest, "Invalid action")
    }
  }

  private func signIn(_ input: BookingInput) throws -> Answer {
    guard let email = input.text("email"), case .string(let password)? = input.members?["password"], !password.isEmpty
    else { return shape.failure(.badRequest, "Email and password are required") }
    let staff = try db.row(
      """
      SELECT theatre_staff.*, slug FROM theatre_staff JOIN theatre_venues ON theatre_venues.id = venue_id
      WHERE email = ?1 AND password = ?2 AND (?3 IS NULL OR slug = ?3) ORDER BY slug
      """, email, try BookingUsers.hash(db, password, of: email), input.text("venueSlug"))
    guard let staff else { return shape.failure(.unauthorized, "Invalid credentials or no venue access") }
    var random = SystemRandomNumberGenerator()
    let session = Secret.uuid(&random) + "." + Secret.uuid(&random)
    let id: String = try staff["id"]
    // At the real server an account has one session at a venue: who signs in signs everybody else out.
    if shape == .real { try db.run("DELETE FROM theatre_sessions WHERE staff_id = ?", id) }
    try db.run(
      "INSERT INTO theatre_sessions (sha256, staff_id, expires_at) VALUES (?, ?, ?)", APIKeys.hash(session), id,
      now.seconds + Self.sessionLife)
    let permissions: String = try staff["permissions"]
    var answer = Answer.ok([
      "success": true, "userId": .string(id), "venueSlug": .string(try staff["slug"]),
      "venueId": .string(try staff["venue_id"]), "role": .string(try staff["role"]),
      "permissions": .array(permissions.split(separator: ",").map { .string(String($0)) }),
      "message": "Authentication successful",
    ])
    let ends = Timestamp(clamping: now.seconds + Self.sessionLife).httpDate
    answer.headers[.setCookie] =
      "\(Self.cookie)=\(session); Path=\(shape == .real ? "/venue" : "/"); Expires=\(ends); Max-Age=\(Self.sessionLife); "
      + (input.isEncrypted ? "Secure; " : "") + "HttpOnly; SameSite=lax"
    return answer
  }

  /// `GET /api/venue-auth-new`
  func who(_ input: BookingInput) throws -> Answer {
    guard let session = try session(input) else { return .ok(["success": true, "authenticated": false]) }
    return .ok([
      "success": true, "authenticated": true, "venueSlug": .string(session.slug), "venueId": .string(session.venueID),
      "permissions": .array(session.permissions.map { .string($0) }), "expiresAt": .string(session.expires.javaScript),
    ])
  }

  private struct Session {
    let venueID, slug: String
    let permissions: [String]
    let expires: Timestamp
  }

  private func session(_ input: BookingInput) throws -> Session? {
    guard let token = input.session else { return nil }
    return try db.row(
      """
      SELECT venue_id, slug, permissions, expires_at FROM theatre_sessions
      JOIN theatre_staff ON theatre_staff.id = staff_id JOIN theatre_venues ON theatre_venues.id = venue_id
      WHERE sha256 = ? AND expires_at > ?
      """, APIKeys.hash(token), now.seconds
    ).map { row in
      let permissions: String = try row["permissions"]
      return try Session(
        venueID: row["venue_id"], slug: row["slug"], permissions: permissions.split(separator: ",").map { String($0) },
        expires: Timestamp(clamping: row["expires_at"]))
    }
  }

  /// Ends the request unless somebody has signed in here who may do this.
  private func enter(_ input: BookingInput, _ permission: String, _ refusal: String) throws {
    guard let slug: String = try db.value("SELECT slug FROM theatre_venues WHERE id = ?", input.id) else {
      throw shape.refusal(.notFound, "Venue not found")
    }
    guard let session = try session(input) else { throw shape.notSignedIn }
    guard session.venueID == input.id else {
      throw shape.refusal(.forbidden, "Access denied. You can only access \(session.slug), not \(slug)")
    }
    guard session.permissions.contains(permission) else { throw shape.refusal(.forbidden, refusal) }
  }

  // MARK: The list

  /// `GET /api/venues/ID/bookings/today`. Today is the day of UTC, whatever clocks at the venue show.
  func today(_ input: BookingInput) throws -> Answer {
    try enter(input, "view_door_list", "Insufficient permissions to view venue bookings")
    let listed = try rows(input.id, day: "\(now.day)", most: shape == .real ? Self.mostRows : -1)
    guard listed.isEmpty, shape == .real else { return .ok(.array(listed)) }
    return .ok(.array(try rows(input.id, day: nil, most: Self.mostOthers)))
  }

  /// Put together by SQLite: a house of 50,000 is told at once.
  private func rows(_ venue: String, day: String?, most: Int64) throws -> [JSONText] {
    let time =
      shape == .real
      ? "theatre_shows.time"
      : "CASE length(theatre_shows.time) WHEN 5 THEN theatre_shows.time || ':00' ELSE theatre_shows.time END"
    return try db.rows(
      """
      SELECT json_object('booking', json_object(
          'id', theatre_bookings.id, 'showId', show_id, 'userId', user_id, 'customerName', customer_name,
          'customerEmail', customer_email, 'customerPhone', NULL, 'status', status, 'totalAmountPence', total_pence,
          'validationCode', code, 'stripePaymentIntentId', 'pi_' || substr(session_id, -24),
          'stripeCheckoutSessionId', session_id, 'notes', NULL,
          'createdAt', strftime('%Y-%m-%dT%H:%M:%S.000Z', created_at, 'unixepoch'),
          'updatedAt', strftime('%Y-%m-%dT%H:%M:%S.000Z', updated_at, 'unixepoch')),
        'show', json_object('id', theatre_shows.id, 'title', title, 'date', date, 'time', \(time)),
        'seatCount', seat_count) AS told
      FROM (
        SELECT number AS listed FROM theatre_bookings JOIN theatre_shows ON theatre_shows.id = show_id
        WHERE venue_id = ?1 AND status = 'confirmed' AND (?2 IS NULL OR date = ?2)
        ORDER BY date DESC, time DESC, created_at DESC, number DESC LIMIT ?3)
      JOIN theatre_bookings ON number = listed JOIN theatre_shows ON theatre_shows.id = show_id
      ORDER BY date DESC, time DESC, created_at DESC, number DESC
      """, venue, day, most
    ).map { .json(try $0["told"]) }
  }

  // MARK: One code

  /// `POST /api/venues/ID/validate`: no date is looked at, and `LML-` stays where it is. Of a booking that is not confirmed the real
  /// server knows nothing.
  func validate(_ input: BookingInput) throws -> Answer {
    guard input.members != nil else { return shape.refusal(.internalServerError, "Failed to validate ticket") }
    guard case .string(let sent)? = input.members?["validationCode"], !sent.isEmpty else {
      return shape.refusal(.badRequest, "Validation code is required")
    }
    try enter(input, "validate_tickets", "Insufficient permissions to validate tickets")
    let code = sent.trimmingCharacters(in: .whitespacesAndNewlines).uppercased()
    let book = TheatreBook(db: db, now: now)
    for booking in try book.bookings(ofCode: code) {
      guard let show = try book.show(booking.showID), show.venueID == input.id,
        shape == .document || booking.status == BookingStatus.confirmed.rawValue
      else { continue }
      return .ok([
        "booking": .object(booking.columns),
        "show": [
          "id": .string(show.id), "title": .string(show.title), "date": .string(show.date),
          "time": .string(shape == .real ? show.time : show.longTime), "venueName": .string(show.venueName),
        ],
        "seats": .integer(booking.seatCount),
      ])
    }
    return shape.refusal(.notFound, "Invalid verification code or ticket not found")
  }
}
