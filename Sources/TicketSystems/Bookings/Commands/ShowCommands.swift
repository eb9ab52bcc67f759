internal import ArgumentParser
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

extension BoxOffice {
  /// All shows that the service tells, each once.
  func shows() async throws(DeskFault) -> [BoxShow] {
    let document = try await read("/api/shows", "/api/shows", mayBeCached: true)
    guard let elements = document.list("shows", "data") else {
      throw .unavailable("\(host) answered GET /api/shows with something that is no list. Check the address.")
    }
    let read = elements.compactMap { BoxShow($0, hiding: secrets) }
    guard !read.isEmpty || elements.isEmpty else {
      throw .unavailable(
        "\(host) answered GET /api/shows with something of which nothing could be read: none of \(elements.count) has an id."
      )
    }
    if read.count < elements.count { tell("\(elements.count - read.count) could not be read: they have no id.") }
    var known: Set<String> = []
    return read.filter { known.insert($0.id).inserted }
  }

  /// One show, by its own call or, where the service has none, by the list.
  func show(_ id: String) async throws(DeskFault) -> BoxShow {
    try await either(
      { () throws(DeskFault) in
        let document = try await read("/api/shows/\(PercentCoding.encode(id))", "/api/shows/ID", mayBeCached: true)
        guard let show = BoxShow(document.first("show", "data") ?? document, hiding: secrets) else {
          throw .unavailable("\(host) answered GET /api/shows/ID with something that is no show.")
        }
        guard show.id == id else {
          throw .unavailable("\(host) answered GET /api/shows/ID with another show than \(id).")
        }
        return show
      }, else: "The show was looked up in the list."
    ) { () throws(DeskFault) in
      guard let show = try await shows().first(where: { $0.id == id }) else {
        throw .refused(status: 404, "\(host) has no show \(id) in its list.")
      }
      return show
    }
  }

  /// The seats of a show, as they are now.
  func seats(_ show: String) async throws(DeskFault) -> BoxSeats {
    let document = try await read("/api/shows/\(PercentCoding.encode(show))/seats", "/api/shows/ID/seats")
    guard let seats = BoxSeats(document, of: show, hiding: secrets) else {
      throw .unavailable("\(host) answered GET /api/shows/ID/seats with something that is no list of seats.")
    }
    guard !seats.all.isEmpty || seats.unread == 0 else {
      throw .unavailable(
        "\(host) answered GET /api/shows/ID/seats with \(seats.unread) seats, none of which has an id.")
    }
    return seats
  }
}

/// `scangate booking shows`
struct ShowsCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "shows", abstract: "List shows, by date. Dates and times are the venue's own.")

  @Option(help: ArgumentHelp("Those that have this in their title or place.", valueName: "text")) var search: String?
  @Option(help: ArgumentHelp("Those of this day.", valueName: "YYYY-MM-DD")) var date: String?
  @OptionGroup var office: BoxOfficeArguments

  func validate() throws {
    if let date, date.utf8.count != 10 || CivilDay(iso8601: date) == nil {
      throw ValidationError("--date wants a day such as 2026-01-31.")
    }
  }

  func run(at office: BoxOffice) async throws {
    let shows = try await office.shows().filter { show in
      (search.map { show.mentions($0) } ?? true) && (date.map { show.date?.hasPrefix($0) == true } ?? true)
    }.sorted { ($0.date ?? "", $0.time ?? "", $0.id) < ($1.date ?? "", $1.time ?? "", $1.id) }
    if office.isJSON {
      for show in shows { office.out(show.json) }
    } else {
      var table = DeskTable(heads: BoxShow.heads)
      for line in table.lines(shows.map(\.cells)) { office.out(line) }
    }
  }
}

/// `scangate booking show`
struct ShowCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(commandName: "show", abstract: "Print a show.")

  @Argument(help: ArgumentHelp("The show.", valueName: "id"), transform: TypedID.read) var id: String
  @OptionGroup var office: BoxOfficeArguments

  func run(at office: BoxOffice) async throws {
    let show = try await office.show(id)
    office.print(show.json, show.fields)
  }
}

/// `scangate booking seats`
struct SeatsCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "seats", abstract: "List the seats of a show, as they are now.")

  @Argument(help: ArgumentHelp("The show.", valueName: "id"), transform: TypedID.read) var id: String
  @Flag(help: "Those alone that can be reserved.") var available = false
  @OptionGroup var office: BoxOfficeArguments

  func run(at office: BoxOffice) async throws {
    let seats = try await office.seats(id)
    let wanted = seats.all.filter { !available || $0.status == .available }
    if office.isJSON {
      for seat in wanted { office.out(seat.json) }
    } else {
      var table = DeskTable(heads: BoxSeat.heads)
      for line in table.lines(wanted.map(\.cells)) { office.out(line) }
    }
    for note in seats.notes { office.tell(note) }
  }
}
