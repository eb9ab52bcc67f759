internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// What the service says of a payment. Only one that says `paid`, with a code that can open, is one.
enum PaymentAnswer: Sendable {
  /// The booking that was made.
  case paid(PaidBooking)
  /// It is being made.
  case notYet
  /// The service failed to make it.
  case failed
  /// Not paid: what it says instead.
  case unpaid(String?)
  /// It says that it is paid, and not by which code.
  case codeless

  /// Judges a document.
  init(_ document: JSONValue, hiding secrets: [Redaction]) {
    let details = document["show_details"]
    let booking = details?["booking"] ?? document["booking"] ?? .null
    let told = [
      document.first("verification_code", "verificationCode"),
      booking.first("validation_code", "validationCode", "qrCode", "qr_code"),
      document.first("validation_code", "validationCode", "qrCode"),
    ].compactMap { $0?.string }
    let words = Set(told.map { $0.uppercased().filter { !$0.isWhitespace } })
    let status = document.first("payment_status", "paymentStatus")?.string
    if words.contains("ERROR") {
      self = .failed
    } else if words.contains("PROCESSING") {
      self = .notYet
    } else if status != "paid" {
      self = .unpaid(status.flatMap { StaffText.clean($0, hiding: secrets) })
    } else {
      let codes = Set(told.map { BookingCode.ownForm(of: Code($0)) }.filter { BookingCode.fault(of: $0) == nil })
      // Two codes of one booking: which of them opens is not known.
      guard codes.count == 1, let code = codes.first else {
        self = .codeless
        return
      }
      self = .paid(PaidBooking(document, code: code, hiding: secrets))
    }
  }
}

/// A booking that was paid.
struct PaidBooking: Sendable {
  let id: String?
  let code: Code
  let show: String?
  let start: String?
  let venue: String?
  let name: String?
  let seats: [String]
  let amount: Price?

  init(_ document: JSONValue, code: Code, hiding secrets: [Redaction]) {
    let secrets = secrets + [Redaction(code.text, shownAs: code.shortened)]
    func text(_ value: JSONValue?) -> String? { value?.told(hiding: secrets) }
    let details = document["show_details"] ?? document["show"] ?? .null
    let booking = details["booking"] ?? document["booking"] ?? .null
    self.code = code
    id = booking["id"]?.identifier.flatMap { StaffText.clean($0, hiding: secrets) }
    show = text(details.first("name", "title"))
    start = text(details.first("start_time", "startTime"))
    venue = text(details["venue"]) ?? text(details["venue"]?["name"])
    name = text(booking.first("customer_name", "customerName")) ?? text(document["customer_details"]?["name"])
    seats = BoxBooking.seats(details["seats"] ?? document["seats"], hiding: secrets)
    amount = Price(document["amount_total"], .pence)
  }
}
