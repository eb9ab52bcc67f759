internal import ArgumentParser
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// Which door a command is about: a configured one, for its venue and its staff stand in the file, and what it asks counts as the station's.
struct DoorArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The ticket system, as the configuration names it.", valueName: "name"))
  var system: String?

  @Option(
    name: [.customLong("config"), .customShort("c")], help: ArgumentHelp("The configuration.", valueName: "file"),
    completion: .file(extensions: ["yaml", "yml"]))
  var configuration: String?

  @Option(help: ArgumentHelp("The state folder.", valueName: "folder"), completion: .directory)
  var state: String?

  @Flag(help: "Print JSON, a line an object.")
  var json = false

  /// Opens the door for `body`, and tells what goes wrong.
  func run(
    in program: any CommandHost, _ body: (DoorOffice) async throws -> Void
  ) async throws {
    let hosted = try program.ticketSystem(
      system, of: BookingsSection.type, configuration: configuration, state: state)
    guard let settings = hosted.settings as? BookingsSection.System else {
      throw SetupError("Ticket system \(hosted.id): its server is not known.")
    }
    let time = SystemTime()
    let (door, transport) = try settings.door(of: hosted.id, .list, hosted.credentials, time)
    let office = DoorOffice(door: door, hosted: hosted, program: program, isJSON: json, time: time)
    do {
      try await body(office)
      await transport.close()
    } catch {
      await transport.close()
      guard let fault = error as? TransportFault else { throw error }
      throw office.failure(fault.detail, DeskExit.unavailable)
    }
  }
}

/// What a command about a door works with.
struct DoorOffice: Sendable {
  let door: Door
  let hosted: HostedTicketSystem
  let program: any CommandHost
  let isJSON: Bool
  let time: any TimeSource

  /// Words for people beside what was asked for.
  func tell(_ words: String) { program.tell(shown(words)) }

  /// A line of what was asked for.
  func out(_ line: String) { program.out(shown(line)) }

  /// A document, as a line of JSON.
  func out(_ document: JSONValue) { program.out(document.shown(hiding: door.redactions(), Concealment())) }

  /// A failing end.
  func failure(_ words: String, _ status: Int32) -> any Error { program.failure(shown(words), status) }

  private func shown(_ text: String) -> String {
    TerminalText.clean(StaffText.hidden(text, door.redactions()), limit: 2_000)
  }

  /// A booking in words: `valid: “The Tempest”, 2026-12-01 19:30, 4 seats, Ada Brandt`.
  func words(_ ticket: ListedTicket) -> String {
    let parts = [
      ticket.event.map { "“\($0)”" }, ticket.from.map { ShowTime.words($0, in: door.zone, withDate: true) },
      "\(ticket.quantity) \(ticket.quantity == 1 ? "seat" : "seats")",
      ticket.seats.isEmpty ? nil : ticket.seats.joined(separator: " "), ticket.holder,
    ].compactMap(\.self)
    return "\(ticket.status.rawValue): \(parts.joined(separator: ", "))"
  }

  func json(_ ticket: ListedTicket, code: Code) -> JSONValue {
    .object([
      "code": .string(code.shortened), "status": .string(ticket.status.rawValue), "booking": .text(ticket.sale),
      "showId": .text(ticket.eventID), "show": .text(ticket.event),
      "begins": .text(ticket.from.map { ShowTime.words($0, in: door.zone, withDate: true) }),
      "seats": .number("\(ticket.quantity)"), "places": .array(ticket.seats.map { .string($0) }),
      "name": .text(ticket.holder),
    ])
  }
}

/// `scangate booking doorlist`
struct DoorListCommand: AsyncParsableCommand, TicketSystemCommand {
  static let configuration = CommandConfiguration(
    commandName: "doorlist", abstract: "Print the door list as the service tells it now.",
    discussion: """
      It is one of three lists that the station asks for in 15 minutes: its gates have theirs by themselves. It is printed, not taken \
      on board.
      """)

  @Option(help: ArgumentHelp("Of this show alone.", valueName: "id"), transform: TypedID.read) var show: String?
  @OptionGroup var door: DoorArguments

  func run(in program: any CommandHost) async throws {
    try await door.run(in: program) { office in
      let told = try await office.door.list()
      var rows: [Booking] = []
      var (unread, whole): (Int, Set<String>) = (0, [])
      for row in told.rows {
        guard let booking = try? row.get() else {
          unread += 1
          continue
        }
        // The same row a second time is one booking.
        if whole.insert("\(booking.code.text) \(booking.ticket.sale ?? "")").inserted { rows.append(booking) }
      }
      let wanted = rows.filter { show == nil || $0.ticket.eventID == show }.sorted {
        ($0.ticket.from ?? $0.ticket.until ?? WallTime(seconds: 0), $0.ticket.holder ?? "", $0.code.text)
          < ($1.ticket.from ?? $1.ticket.until ?? WallTime(seconds: 0), $1.ticket.holder ?? "", $1.code.text)
      }
      tellBookings(wanted, office)
      tell(rows, unread: unread, of: told.rows.count, office)
    }
  }

  private func tellBookings(_ bookings: [Booking], _ office: DoorOffice) {
    if office.isJSON {
      for booking in bookings { office.out(office.json(booking.ticket, code: booking.code)) }
      return
    }
    var table = DeskTable(heads: ["BEGINS", "SHOW", "SEATS", "STATUS", "NAME", "CODE", "SHOW ID"])
    let cells = bookings.map { booking in
      let ticket = booking.ticket
      return [
        ticket.from.map { ShowTime.words($0, in: office.door.zone, withDate: true) } ?? "-", ticket.event ?? "-",
        "\(ticket.quantity)", booking.hasKnownStatus ? ticket.status.rawValue : "not known", ticket.holder ?? "-",
        booking.code.shortened, ticket.eventID ?? "-",
      ]
    }
    for line in table.lines(cells) { office.out(line) }
  }

  private func tell(_ rows: [Booking], unread: Int, of count: Int, _ office: DoorOffice) {
    if unread > 0 { office.tell("\(unread) of \(count) could not be read.") }
    if count >= DoorList.mostRows {
      office.tell(
        "\(office.door.host) has told \(count) bookings; such a service tells \(DoorList.mostRows) at most, and there may be more. Import a file of all: scangate tickets "
          + "import FILE --system \(office.hosted.id)")
    }
    let doubled = Dictionary(grouping: rows, by: \.code).filter { $0.value.count > 1 }.keys.sorted { $0.text < $1.text }
    if !doubled.isEmpty {
      office.tell(
        "\(doubled.count) codes are of several bookings each (\(doubled.prefix(5).map(\.shortened).joined(separator: ", "))): neither "
          + "admits.")
    }
    let days = Set(rows.map(\.day))
    if days.count > 1 {
      office.tell(
        "They are of \(days.count) days: where nothing is booked for the day of UTC, the service tells some other bookings instead."
      )
    }
  }
}

/// `scangate booking check`
struct CheckBookingCommand: AsyncParsableCommand, TicketSystemCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Print what the service, and the list on board, say of a code; nothing is marked.",
    discussion: """
      It is one of two checks that the station makes in 15 minutes. Whether somebody is in already is in the station's own book alone: \
      scangate journal list. Ends with 1 where the code admits nobody.
      """)

  @Argument(help: ArgumentHelp("The code, as it is shown.", valueName: "code")) var code: String
  @OptionGroup var door: DoorArguments

  func run(in program: any CommandHost) async throws {
    let code = BookingCode.ownForm(of: Code(code))
    if let fault = BookingCode.fault(of: code) { throw program.failure(fault.words, DeskExit.data) }
    try await door.run(in: program) { office in
      let listed = await listed(code, office)
      let asked = try await asked(code, office)
      let service: (words: String, ticket: ListedTicket?)
      switch asked {
      case .said(.told(let ticket)): service = (office.words(ticket), ticket)
      case .said(.unknown(let words)): service = ("no booking has it\(words.map { " (“\($0)”)" } ?? "")", nil)
      case .undecided(_, let words): service = ("not told. \(words)", nil)
      }
      if office.isJSON {
        office.out(
          .object([
            "code": .string(code.shortened),
            "service": service.ticket.map { office.json($0, code: code) } ?? .null, "said": .string(service.words),
            "list": listed.ticket.map { office.json($0, code: code) } ?? .null, "listed": .string(listed.words),
          ]))
      } else {
        for line in DeskTable.lines([
          ("Code", code.shortened), ("Service", service.words), ("List on board", listed.words),
        ]) { office.out(line) }
      }
      try conclude(asked, listed.ticket, office)
    }
  }

  private func conclude(_ asked: DoorCheck.Result, _ listed: ListedTicket?, _ office: DoorOffice) throws {
    switch asked {
    case .said(.told(let ticket)) where ticket.status == .valid: return
    case .said: throw office.failure("The code admits nobody by what the service says.", DeskExit.refused)
    case .undecided:
      throw office.failure(
        "The service did not say\(listed == nil ? "" : ": the list on board decides at the gates").",
        DeskExit.unavailable)
    }
  }

  /// What the service says, within the station's ration.
  private func asked(_ code: Code, _ office: DoorOffice) async throws(TransportFault) -> DoorCheck.Result {
    let door = office.door
    let deadline = office.time.now() + Door.briefPatience
    await door.memory.ration.read(office.hosted.credentials.sessions, office.time)
    if let session = door.session { _ = try await session.session(until: deadline) }
    guard let check = await door.check(code, until: max(deadline, office.time.now() + BookingCalls.longestCheck)) else {
      throw TransportFault(.unreachable, "\(door.host) did not answer in time.")
    }
    // The next process must know of it.
    await door.memory.ration.keep(office.hosted.credentials.sessions, office.time)
    return check.result
  }

  /// What the list on board says.
  private func listed(_ code: Code, _ office: DoorOffice) async -> (words: String, ticket: ListedTicket?) {
    do throws(TicketListFault) {
      guard let list = try office.hosted.list() else { return ("there is none", nil) }
      switch try await list.find(code) {
      case .named(let ticket, let age)?: return ("\(office.words(ticket)); told \(when(age, office))", ticket)
      case .unnamed(_, let age)?: return ("not on it; told last \(when(age, office))", nil)
      case nil: return ("there is none", nil)
      }
    } catch {
      return (error.description, nil)
    }
  }

  private func when(_ age: ListAge, _ office: DoorOffice) -> String {
    ShowTime.words(age.asOf, in: office.door.zone, withDate: true)
  }
}
