internal import ArgumentParser
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// `scangate booking reserve`
///
///     seats read ─▶ each there, once, to be had ─▶ sent once ─▶ session kept ─▶ seats read back ─▶ page shown
struct ReserveCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "reserve", abstract: "Reserve seats, and get the page on which the customer pays.",
    discussion: """
      Seats are called by their ids, or by row and number where that names one: F-12. They are read before, so that nothing is sent for \
      one that is not to be had, and read back, for the service may reserve fewer than were asked for and tells the number asked. When \
      the customer has paid: scangate booking confirm SESSION
      """)
  static let session = BoxOfficeSession.optional

  /// The most seats at once.
  private static let mostSeats = 100

  @Argument(help: ArgumentHelp("The show.", valueName: "show"), transform: TypedID.read) var show: String
  @Argument(help: ArgumentHelp("The seats.", valueName: "seat")) var seats: [String]
  @Flag(help: "Print a QR code of the page, for the customer's telephone.") var qr = false
  @Option(
    help: ArgumentHelp("Write that QR code to this new file: .svg, .png or .pgm.", valueName: "file"),
    completion: .file(extensions: ["svg", "png", "pgm"]))
  var picture: String?
  @OptionGroup var office: BoxOfficeArguments

  func validate() throws {
    guard (1...Self.mostSeats).contains(seats.count), seats.allSatisfy({ (1...128).contains($0.utf8.count) }) else {
      throw ValidationError("name 1 to \(Self.mostSeats) seats")
    }
  }

  func run(at office: BoxOffice) async throws {
    let chosen = try await choose(office)
    let answer = try await CheckoutAnswer(
      office.change(
        .post, "/api/seat-checkout", [],
        ["showId": .string(show), "specificSeatIds": .array(chosen.map { .string($0.id) })],
        look: "See what is reserved: scangate booking seats \(show)"))
    let page = CheckoutPage(answer.url, of: office.server)
    guard answer.session != nil || answer.url != nil else {
      throw DeskFault.unclear(
        "\(office.host) answered POST /api/seat-checkout with neither a page nor a session. It may have reserved them: scangate "
          + "booking seats \(show)")
    }
    let started = answer.session.map { session in
      StartedCheckout(
        server: office.server, session: session, show: show, seats: chosen.map(\.label), amount: answer.amount,
        email: office.session?.email, begun: office.time.wall(), ends: answer.ends)
    }
    // Before anything else can fail: without it nobody may confirm.
    if let started { try keep(started, office) }
    let missing = try await readBack(chosen, office)
    tell(chosen, answer, started, page, missing: missing, office)
    try await conclude(chosen, answer, page, missing: missing, office)
  }

  /// The seats that were typed.
  private func choose(_ office: BoxOffice) async throws -> [BoxSeat] {
    let told: BoxSeats
    do throws(DeskFault) {
      told = try await office.seats(show)
    } catch {
      guard case .unavailable(let words) = error else { throw error }
      throw DeskFault.unavailable("\(words) Nothing was reserved.")
    }
    do throws(BoxSeats.Fault) {
      return try told.named(seats)
    } catch {
      for note in told.notes { office.tell(note) }
      throw office.failure("\(error.words) Nothing was sent.", DeskExit.usage)
    }
  }

  private func keep(_ started: StartedCheckout, _ office: BoxOffice) throws {
    do {
      try self.office.checkouts(office).keep(started, at: office.time.wall())
    } catch {
      office.tell("The payment's session could not be kept: it cannot be confirmed from here. \(error)")
    }
  }

  /// Which of them are not reserved; `nil` where that cannot be told.
  private func readBack(_ chosen: [BoxSeat], _ office: BoxOffice) async throws -> [BoxSeat]? {
    let told: BoxSeats
    do throws(DeskFault) {
      told = try await office.seats(show)
    } catch {
      office.tell("\(error.words) The seats could not be read back.")
      return nil
    }
    let now = Dictionary(told.all.map { ($0.id, $0.status) }) { first, _ in first }
    return chosen.filter { seat in
      switch now[seat.id] {
      case .reserved?, .sold?: told.repeated.contains(seat.id)
      case .available?, .unknown?, nil: true
      }
    }
  }

  private func tell(
    _ chosen: [BoxSeat], _ answer: CheckoutAnswer, _ started: StartedCheckout?, _ page: CheckoutPage,
    missing: [BoxSeat]?, _ office: BoxOffice
  ) {
    let reserved = missing.map { missing in chosen.filter { seat in !missing.contains { $0.id == seat.id } } }
    var url: String?
    if case .page(let text) = page { url = text }
    office.print(
      .object([
        "showId": .string(show), "session": .text(answer.session), "reservation": .text(answer.reservation),
        "asked": .array(chosen.map { .string($0.label) }),
        "reserved": reserved.map { .array($0.map { .string($0.label) }) } ?? .null,
        "amount": answer.amount?.json ?? .null, "until": .text(started?.ends.iso8601Seconds), "url": .text(url),
      ]),
      [
        ("Session", answer.session ?? "-"), ("Asked for", chosen.map(\.label).joined(separator: " ")),
        (
          "Reserved",
          reserved.map { $0.isEmpty ? "none" : "\($0.count): " + $0.map(\.label).joined(separator: " ") } ?? "not known"
        ), ("Amount", answer.amount?.text),
        ("Until", started.map { "\($0.ends.iso8601Seconds)\(answer.ends == nil ? " (not told)" : "")" }),
        ("Pay at", url),
      ])
  }

  private func conclude(
    _ chosen: [BoxSeat], _ answer: CheckoutAnswer, _ page: CheckoutPage, missing: [BoxSeat]?, _ office: BoxOffice
  ) async throws {
    if let count = answer.count, count != chosen.count {
      office.tell("\(office.host) speaks of \(count) seats; \(chosen.count) were asked for.")
    }
    guard let missing else {
      throw DeskFault.unclear("Which seats are reserved is not known. See: scangate booking seats \(show)")
    }
    guard missing.isEmpty else {
      throw DeskFault.refused(
        status: 200,
        "\(chosen.count - missing.count) of \(chosen.count) seats are reserved: not \(missing.map(\.label).joined(separator: ", ")). "
          + "The page may ask for all: let nobody pay on it.")
    }
    switch page {
    case .page(let url):
      if picture != nil { try office.program.draw(url, picture: picture, isShown: false) }
      if qr { try office.program.draw(url, picture: nil, isShown: true) }
    case .foreign(let host):
      throw DeskFault.unavailable(
        "The seats are reserved, and the page for paying is at \(host), which is neither the payment service nor \(office.host): it "
          + "is not shown.")
    case .none:
      throw DeskFault.unavailable("The seats are reserved, and no page for paying was told that can be one (https).")
    }
    guard answer.session != nil else {
      return office.tell("No session was told: what becomes of the payment shows in: scangate booking bookings")
    }
    office.tell("When the customer has paid: scangate booking confirm SESSION")
  }
}
