import ScanModel
import TicketLists
import TicketSystemKit
import VenueServer

/// Tickets for the embedded venue from the same files that `scangate tickets import` takes, by the same reader.
enum VenueTicketFile {
  /// Reads a file; prints what was not taken.
  /// - Throws: after printing why nothing of it is.
  static func read(_ path: String, _ reading: TicketFileArgument) throws -> [ImportedTicket] {
    let file = try TicketFile.open(path)
    let zones = ZoneClock(usual: nil)
    let progress = ProgressLine()
    defer { progress.end() }
    var reader = TicketFileReader(
      reading.rules(hasHolders: true), recognise: TicketSystemRegistry.venue.recognise,
      zone: { zones.time(zone: $0, day: $1, clock: $2) })
    var tickets = VenueTickets()
    do throws(TicketListFault) {
      try reader.read(file.descriptor, named: path, onProgress: { progress.show("Reading: \($0) %") }) {
        tickets.add($0)
      }
    } catch {
      throw notImported(error)
    }
    progress.end()
    if let encoding = reader.encoding { TicketListText.tell(encoding, ignored: reader.ignored) }
    try tickets.tell()
    return tickets.all
  }
}

/// What the lines of a file are as tickets of a venue: one a code, and of what lines say of the same code the stricter, as in a list.
private struct VenueTickets {
  private(set) var all: [ImportedTicket] = []
  private var places: [String: Int] = [:]
  private var notes: [String] = []
  private var bad = 0
  private var used = 0

  mutating func add(_ line: TicketFileReader.Line) {
    switch line {
    case .bad(let line, let words):
      bad += 1
      note("line \(line): \(words)")
    case .good(let listed):
      let ticket = ImportedTicket(
        line: listed.line, code: listed.code.text, isSale: listed.kind.map { $0 == .sale }, status: Self.status(listed),
        name: listed.name ?? "", email: listed.email ?? "", quantity: listed.ticket.quantity,
        event: listed.ticket.event,
        day: listed.day, zone: listed.zone)
      if listed.ticket.status == .used { used += 1 }
      guard let place = places[ticket.code] else {
        places[ticket.code] = all.count
        all.append(ticket)
        return
      }
      var merged = all[place]
      if Self.order(ticket.status) > Self.order(merged.status) { merged.status = ticket.status }
      merged.quantity = min(merged.quantity, ticket.quantity)
      merged.isSale = merged.isSale ?? ticket.isSale
      if merged != all[place] {
        note("line \(ticket.line): it says something else on the code of line \(merged.line); the stricter counts")
      }
      all[place] = merged
    }
  }

  private mutating func note(_ words: String) { if notes.count < TicketImport.named { notes.append(words) } }

  /// Says what was not taken as it stands.
  /// - Throws: where more is bad than good.
  func tell() throws {
    for note in notes { Terminal.error(TerminalText.clean(note, limit: 1_000)) }
    if bad > 0 { Terminal.error("\(bad) lines were not taken.") }
    if used > 0 {
      Terminal.error("\(used) tickets were used already: in the venue they are paid, and nobody is in yet.")
    }
    if all.isEmpty, bad == 0 { Terminal.error("The file names no ticket.") }
    if all.isEmpty, bad > 0 { throw failure("Nothing was imported. No line of it is good.", Exit.data) }
    if bad > all.count { throw failure("Nothing was imported. More than half of it is bad.", Exit.data) }
  }

  private static func status(_ listed: ListedCode) -> TicketStatus {
    switch listed.ticket.status {
    case .valid, .used: .paid
    case .unpaid: .unpaid
    // No file says that one is unconfirmed.
    case .cancelled, .unconfirmed:
      listed.stateWord.flatMap(TicketStatus.init(rawValue:)) == .deleted ? .deleted : .cancelled
    case .refunded: .refunded
    case .expired: .expired
    }
  }

  /// As in a list: the greater counts.
  private static func order(_ status: TicketStatus) -> Int {
    switch status {
    case .paid: 0
    case .expired: 1
    case .unpaid: 2
    case .refunded: 3
    case .cancelled: 4
    case .deleted: 5
    }
  }
}
