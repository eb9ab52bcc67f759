internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// One of a buyer's bookings, of any of three shapes: flat, as the document has it; the rows of the service's book; or told in parts.
struct BoxBooking: Sendable {
  static let heads = ["ID", "SHOW", "DATE", "TIME", "SEATS", "AMOUNT", "STATUS", "CODE"]

  let id: String
  let showID: String?
  let show: String?
  let date: String?
  let time: String?
  let venue: String?
  let seats: [String]
  let amount: Price?
  let status: String?
  let name: String?
  let made: String?
  /// What opens; `nil` where there is none that can.
  let code: Code?

  /// - Returns: `nil` where it has no id.
  init?(_ told: JSONValue, hiding secrets: [Redaction]) {
    guard let id = told["id"]?.identifier else { return nil }
    self.id = id
    code = Self.code(told)
    // Whatever holds the code shows no more of it than the code itself does.
    let secrets = secrets + [code.map { Redaction($0.text, shownAs: $0.shortened) }].compactMap(\.self)
    func text(_ value: JSONValue?) -> String? { value?.told(hiding: secrets) }
    let inner = told["show"]
    showID = (told.first("showId", "show_id") ?? inner?["id"])?.identifier
    show = text(told.first("showTitle") ?? inner?["title"])
    date = text(told.first("showDate") ?? inner?["date"])
    time = text(told.first("showTime") ?? inner?["time"])
    venue = text(told["venue"]) ?? text(told["venue"]?["name"])
    seats = Self.seats(told["seats"], hiding: secrets)
    amount =
      Price(told.first("totalAmountPence", "total_amount_pence") ?? told["pricing"]?["totalPence"], .pence)
      ?? Price(told.first("totalAmount"), .pounds)
    status = text(told["status"])
    name = text(told.first("customerName", "customer_name"))
    made = text(told.first("bookingDate", "createdAt"))
  }

  /// A code in the service's own form.
  private static func code(_ told: JSONValue) -> Code? {
    guard let text = told.first("validationCode", "validation_code", "qrCode", "qr_code")?.string else { return nil }
    let code = BookingCode.ownForm(of: Code(text))
    return BookingCode.fault(of: code) == nil ? code : nil
  }

  /// Seats as `F-12`, whether they are told as texts or in parts; two hundred at most.
  static func seats(_ told: JSONValue?, hiding secrets: [Redaction]) -> [String] {
    (told?.elements ?? []).prefix(200).compactMap { seat in
      if let text = seat.told(hiding: secrets) { return text }
      let parts = [
        seat.first("row_letter", "row")?.told(hiding: secrets),
        seat.first("seat_number", "number", "seatNumber")?.told(hiding: secrets),
      ].compactMap(\.self)
      return parts.isEmpty ? nil : parts.joined(separator: "-")
    }
  }

  /// Bookings of a list of which one code opens several: at a gate neither does.
  static func doubled(_ bookings: [BoxBooking]) -> [Code] {
    Dictionary(grouping: bookings.compactMap(\.code)) { $0 }.filter { $0.value.count > 1 }.keys
      .sorted { $0.text < $1.text }
  }

  var cells: [String] {
    [
      id, show ?? "-", date.map { CivilDay(iso8601: $0) == nil ? "\($0) (no date)" : String($0.prefix(10)) } ?? "-",
      time.map { BoxShow.isTime($0) ? $0 : "\($0) (no time)" } ?? "-",
      seats.isEmpty ? "-" : seats.joined(separator: " "), amount?.text ?? "-", status ?? "-", code?.shortened ?? "-",
    ]
  }

  var json: JSONValue {
    .object([
      "id": .string(id), "showId": .text(showID), "show": .text(show), "date": .text(date), "time": .text(time),
      "venue": .text(venue), "seats": .array(seats.map { .string($0) }), "amount": amount?.json ?? .null,
      "status": .text(status), "name": .text(name), "made": .text(made), "code": .text(code?.shortened),
    ])
  }
}
