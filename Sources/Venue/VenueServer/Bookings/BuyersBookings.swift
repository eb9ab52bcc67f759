import Foundation
import HTTPTypes
import SQLiteFile

/// `GET /api/user/bookings`
extension BookingDesk {
  /// The document's by a token; the real server's by a token as it once was, and by a mere address as it is now.
  func buyersBookings(_ input: BookingInput) throws -> Answer {
    if let token = input.bearer {
      guard let user = try user(ofToken: token) else { return shape.refusal(.unauthorized, "Invalid or expired token") }
      let byUser = try book.bookings(ofUser: user.id)
      let byEmail = try book.bookings(ofEmail: user.email)
      guard shape == .real else {
        let ids = Set(byUser.map(\.id))
        return .ok(.array(try (byUser + byEmail.filter { !ids.contains($0.id) }).compactMap { try flat($0) }))
      }
      // What is the user's by account and by address is told twice.
      let all = (byUser + byEmail).sorted { $0.created.seconds > $1.created.seconds }
      return .ok(.array(try all.compactMap { try row($0) }))
    }
    guard shape == .real else { return shape.refusal(.unauthorized, "Unauthorized") }
    guard let email = input.query["email"].flatMap({ $0.isEmpty ? nil : $0 }) ?? input.email else {
      return Answer(
        status: .badRequest,
        body: [
          "error": "User email required",
          "message": "Please provide email as query parameter: ?email=user@example.com",
        ])
    }
    return try told(email.removingPercentEncoding ?? email)
  }

  /// As the document has it.
  private func flat(_ booking: TheatreBook.Booking) throws -> JSONText? {
    guard let show = try book.show(booking.showID) else { return nil }
    let seats = try book.seats(ofBooking: booking.id).map { seat -> JSONText in
      [
        "id": .string(seat.id), "row": .string(seat.row), "number": .string("\(seat.number)"),
        "section": .string(seat.section), "price": .pounds(seat.pence),
      ]
    }
    var members: [(key: String, value: JSONText)] = [
      ("id", .string(booking.id)), ("showId", .string(show.id)), ("showTitle", .string(show.title)),
      ("showDate", .string(show.date)), ("showTime", .string(show.longTime)), ("venue", .string(show.venueName)),
      ("seats", .array(seats)), ("totalAmount", .pounds(booking.pence)),
      ("bookingDate", .string(booking.created.javaScript)), ("status", .string(booking.status)),
    ]
    if booking.status == BookingStatus.confirmed.rawValue { members.append(("qrCode", .string(booking.code))) }
    return .object(members)
  }

  /// As the database has it.
  private func row(_ booking: TheatreBook.Booking) throws -> JSONText? {
    guard let show = try book.show(booking.showID) else { return nil }
    let more: [(key: String, value: JSONText)] = [
      (
        "show",
        [
          "id": .string(show.id), "title": .string(show.title), "description": .string(show.description),
          "date": .string(show.date), "time": .string(show.time), "imageUrl": nil,
        ]
      ),
      (
        "venue",
        ["id": .string(show.venueID), "name": .string(show.venueName), "address": .string(show.venueAddress)]
      ),
    ]
    return .object(booking.columns + more)
  }

  /// To whoever knows an address.
  private func told(_ email: String) throws -> Answer {
    let bookings = try book.bookings(ofEmail: email)
    var upcoming: Int64 = 0
    let texts = try bookings.compactMap { booking -> JSONText? in
      guard let show = try book.show(booking.showID) else { return nil }
      if let day = CalendarDay(show.date), Int64(day.number) * 86_400 > now.seconds { upcoming += 1 }
      let seats = try book.seats(ofBooking: booking.id).map { JSONText.string("\($0.row)-\($0.number)") }
      return [
        "id": .string(booking.id),
        "show": [
          "id": .string(show.id), "title": .string(show.title), "date": .string(show.date), "time": .string(show.time),
        ],
        "venue": [
          "id": .string(show.venueID), "name": .string(show.venueName), "address": .string(show.venueAddress),
        ],
        "seats": .array(seats),
        "pricing": [
          "totalPence": .integer(booking.pence),
          "totalDisplay": .string("£" + String(format: "%.2f", Double(booking.pence) / 100)),
        ],
        "qrCode": .string(booking.code), "status": .string(booking.status),
        "bookingDate": .string(booking.created.javaScript), "customerName": .string(booking.customerName),
      ]
    }
    let spent = bookings.reduce(Int64(0)) { $0.addingReportingOverflow($1.pence).partialValue }
    return .ok([
      "success": true, "userEmail": .string(email), "bookings": .array(texts),
      "summary": [
        "totalBookings": .integer(Int64(texts.count)), "upcomingBookings": .integer(upcoming),
        "totalSpent": .integer(spent),
      ],
    ])
  }
}
