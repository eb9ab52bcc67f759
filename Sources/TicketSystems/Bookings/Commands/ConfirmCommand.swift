internal import ArgumentParser
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// `scangate booking confirm`
struct ConfirmPaymentCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "confirm", abstract: "Have the booking made that a customer has paid, and print it.",
    discussion: """
      To ask for it makes the booking: so it is asked for payments that were begun on this machine alone, after somebody has said that \
      the customer has paid, and until the payment ends. The code opens the door: it is shown whole with --show-code or --qr alone. \
      Where the booking is still being made this ends with 75: ask again.
      """)

  /// Not yet (sysexits.h: EX_TEMPFAIL).
  static let notYet: Int32 = 75

  @Argument(help: ArgumentHelp("The session, as reserve has printed it.", valueName: "session")) var session: String
  @Flag(help: "The customer has paid: do not ask.") var yes = false
  @Flag(help: "Print the whole code.") var showCode = false
  @Flag(help: "Print a QR code of the code, for the customer's telephone.") var qr = false
  @Option(
    help: ArgumentHelp("Write that QR code to this new file: .svg, .png or .pgm.", valueName: "file"),
    completion: .file(extensions: ["svg", "png", "pgm"]))
  var picture: String?
  @OptionGroup var office: BoxOfficeArguments

  func run(at office: BoxOffice) async throws {
    let started = try begun(office)
    if !yes {
      let seats = started.seats.isEmpty ? "the seats" : started.seats.joined(separator: " ")
      try office.program.confirm(
        TerminalText.clean("Has the customer paid for \(seats)\(started.amount.map { ", \($0.text)" } ?? "")?"),
        to: "say that the customer has paid", otherwise: "Nothing was asked.")
    }
    let path = "/api/checkout/success"
    let document = try await office.change(
      .get, path, [("session_id", session)],
      look: "See whether it was made: scangate booking bookings, or ask again: scangate booking confirm SESSION")
    switch PaymentAnswer(document, hiding: office.secrets) {
    case .paid(let booking): try tell(booking, office)
    case .notYet:
      throw office.failure(
        "\(office.host) is still making the booking: it is none yet. Ask again in some seconds.", Self.notYet)
    case .failed:
      throw office.failure(
        "\(office.host) failed to make the booking. Was it paid? See the payment service, and: scangate booking bookings",
        DeskExit.refused)
    case .unpaid(let status):
      throw office.failure(
        "\(office.host) says that it is not paid\(status.map { ": “\($0)”" } ?? ""). Nothing is booked.",
        DeskExit.refused)
    case .codeless:
      throw office.failure(
        "\(office.host) says that it is paid, and tells no code that can open. See: scangate booking bookings",
        DeskExit.unclear)
    }
  }

  /// The payment, where this station has begun it and it has not ended.
  private func begun(_ office: BoxOffice) throws -> StartedCheckout {
    guard CheckoutPage.isSession(session) else {
      throw office.failure("That is no session: it is printed by scangate booking reserve.", DeskExit.usage)
    }
    guard let started = try self.office.checkouts(office).find(session), started.server == office.server.description
    else {
      throw office.failure(
        "No payment of that session was begun on this machine at \(office.host). To ask for one makes a booking: ask where it was begun.",
        DeskExit.usage)
    }
    guard office.time.wall() < started.ends else {
      throw office.failure(
        "The payment ended at \(started.ends.iso8601Seconds). Was it paid before? See: scangate booking bookings",
        DeskExit.refused)
    }
    return started
  }

  private func tell(_ booking: PaidBooking, _ office: BoxOffice) throws {
    let code = booking.code
    let shown = office.hiding(showCode ? [] : [Redaction(code.text, shownAs: code.shortened)])
    shown.print(
      .object([
        "id": .text(booking.id), "show": .text(booking.show), "start": .text(booking.start),
        "venue": .text(booking.venue), "name": .text(booking.name), "seats": .array(booking.seats.map { .string($0) }),
        "amount": booking.amount?.json ?? .null, "code": .string(showCode ? code.text : code.shortened),
      ]),
      [
        ("Booking", booking.id ?? "-"), ("Show", booking.show ?? "-"), ("Begins", booking.start),
        ("Venue", booking.venue), ("Name", booking.name ?? "-"),
        ("Seats", booking.seats.isEmpty ? "-" : booking.seats.joined(separator: " ")), ("Paid", booking.amount?.text),
        ("Code", showCode ? code.text : code.shortened),
      ])
    if picture != nil { try office.program.draw(code.text, picture: picture, isShown: false) }
    if qr { try office.program.draw(code.text, picture: nil, isShown: true) }
    if !showCode, !qr, picture == nil { office.tell("The code is what opens: --show-code or --qr shows it.") }
  }
}
