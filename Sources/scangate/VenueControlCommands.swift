import ArgumentParser
import ScanModel
package import VenueServer

extension VenueCommand {
  /// `scangate venue misbehave`
  struct Misbehave: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "misbehave", abstract: "Tell a serving venue how to misbehave, or show how it does.",
      discussion: """
        Each TEXT is a fault and its conditions, such as status=503,next=3 or close=after,share=20%; docs/venue.md has them \
        all. They come on top of those in force; with --clear in their place. What is then in force is printed.
        """)

    @OptionGroup var socket: VenueSocket

    @Flag(help: "Forget the misbehaviours in force first.")
    var clear = false

    @Argument(
      help: ArgumentHelp("What goes wrong and when.", valueName: "text"), transform: { try Misbehaviour($0) })
    var texts: [Misbehaviour] = []

    func run() async throws {
      let client = socket.client
      let inForce =
        texts.isEmpty && !clear
        ? try await client.misbehaviours() : try await client.misbehave(texts, clearing: clear)
      for line in inForce { Terminal.out(line) }
      if inForce.isEmpty { Terminal.out("The venue behaves.") }
    }
  }

  /// `scangate venue ticket`
  struct Ticket: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "ticket", abstract: "Give a ticket of a serving venue another status, as when it is refunded.",
      discussion: "The whole sale of the ticket gets it, from the next request on. What was recorded stays in the book."
    )

    @OptionGroup var socket: VenueSocket

    @Option(help: "What the ticket is worth from now on.")
    var status: TicketStatus

    @Argument(help: "The whole code, as venue serve --seed and venue book --full print it.")
    var code: String

    func run() async throws {
      try await socket.client.setStatus(status, ofCode: code)
      Terminal.out("\(Code(code).shortened) is \(status.rawValue).")
    }
  }

  /// `scangate venue book`
  struct Book: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "book", abstract: "Print what a venue has recorded, oldest first, whether it serves or not.")

    @OptionGroup var venue: VenueSource

    @Flag(help: "Print whole codes, to compare books; else their last characters, as in scangate's events.")
    var full = false

    @Flag(help: "Print every ticket instead: what it is worth now, and how many entries the book has for it.")
    var tickets = false

    @Flag(help: "Print a line of JSON for each.")
    var json = false

    func run() async throws {
      if tickets { return try await printTickets() }
      try await printEntries()
    }

    private func printTickets() async throws {
      for ticket in try await venue.tickets() {
        let line = [
          shown(ticket.code), "sale \(ticket.saleID)", ticket.isSale ? "sale" : "entry", ticket.status.rawValue,
          "\(ticket.entries) of \(ticket.quantity) in",
        ].joined(separator: "  ")
        Terminal.out(json ? ticket.json(full ? { $0 } : { Code($0).shortened }) : line)
      }
    }

    private func printEntries() async throws {
      for entry in try await venue.book() {
        Terminal.out(json ? entry.json(full ? { $0 } : { Code($0).shortened }) : line(entry))
      }
    }

    private func line(_ entry: BookEntry) -> String {
      let parts = [
        entry.time, shown(entry.code), "sale \(entry.saleID)", "ticket \(entry.saleTicketID)", "entry \(entry.entryID)",
        entry.wasMadeByScan ? "made by the scan" : "printed",
        "seat \(entry.seat.map { TerminalText.clean($0) } ?? "-")",
      ]
      return parts.joined(separator: "  ")
    }

    private func shown(_ code: String) -> String {
      full ? TerminalText.clean(code, limit: 4_096) : Code(code).shortened
    }
  }
}

extension TicketStatus: ExpressibleByArgument {}

/// A venue that serves, by the socket on which it is told what to do.
struct VenueSocket: ParsableArguments {
  @Option(help: ArgumentHelp("The control socket of the venue: what it was given as --control.", valueName: "socket"))
  var control: String

  var client: VenueControlClient { VenueControlClient(path: control) }
}

/// A venue that is looked into, whether it serves or not.
struct VenueSource: ParsableArguments {
  @Option(help: ArgumentHelp("The SQLite file of the venue. It is only read.", valueName: "file"))
  var database: String?

  @Option(help: ArgumentHelp("The control socket of a serving venue, for one without a file.", valueName: "socket"))
  var control: String?

  func validate() throws {
    guard (database == nil) != (control == nil) else {
      throw ValidationError("Give either --database or --control.")
    }
  }

  func tickets() async throws -> [BookedTicket] {
    if let control { return try await VenueControlClient(path: control).tickets() }
    return try await VenueServer.tickets(ofFile: database ?? "")
  }

  func book() async throws -> [BookEntry] {
    if let control { return try await VenueControlClient(path: control).book() }
    return try await VenueServer.book(ofFile: database ?? "")
  }
}
