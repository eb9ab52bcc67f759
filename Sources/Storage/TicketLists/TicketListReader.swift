internal import Glibc
internal import LinuxIO
internal import SQLiteFile
package import ScanModel
package import Sealing

/// An open list, used by one thread at a time. A list is never changed, only replaced: it is read without locks.
package final class TicketListReader {
  /// When the newest of its content was true, and how many codes it names.
  package var state: TicketListState { TicketListState(asOf: WallTime(nanoseconds: own.asOf), count: count) }
  /// How many codes it names.
  let count: Int
  /// What it was made with.
  let own: ListPart
  /// The other parts, by their numbers.
  private let parts: [Int64: ListPart]
  /// When it was told of all tickets.
  let whole: TicketListHead.Whole
  let guessability: Guessability
  /// Whether holders and seats are told, where it has them.
  package var keepsDetails: Bool
  private let path: String
  private let seals: TicketListSeals
  private let database: Database
  /// Whether its tickets may have the names of a fleet.
  let hasNames: Bool
  private let hasDetails: Bool
  /// Asks for all tickets.
  private let rows: String
  private let findTicket: Statement
  private let findSale: Statement

  /// Opens a list.
  /// - Throws: why it cannot be read, or that it is another ticket system's or another station's.
  package convenience init(
    _ place: TicketListPlace, key: SealKey, keepsDetails: Bool = false
  ) throws(TicketListFault) {
    try self.init(place, at: place.path, seals: TicketListSeals(key, of: place), keepsDetails: keepsDetails)
  }

  init(
    _ place: TicketListPlace, at path: String, seals: TicketListSeals, keepsDetails: Bool = false
  ) throws(TicketListFault) {
    self.keepsDetails = keepsDetails
    self.path = path
    self.seals = seals
    do throws(SQLiteError) {
      let database = try Database(path, .frozen, busyMilliseconds: 0)
      self.database = database
      guard try database.integer("PRAGMA application_id") == TicketListSchema.applicationID else {
        throw SQLiteError.damage("it is no list of tickets")
      }
      let version = try database.integer("PRAGMA user_version") ?? 0
      guard TicketListSchema.versions.contains(version) else {
        throw SQLiteError(code: 1, message: "it is of version \(version), and this program has another")
      }
      let (hasEvents, hasParts) = (version >= TicketListSchema.ofEvents, version >= TicketListSchema.ofParts)
      hasDetails = version >= TicketListSchema.ofDetails
      // Lists of any version may have names, and former programs leave them alone.
      hasNames = try database.integer("SELECT count(*) FROM pragma_table_info('ticket') WHERE name = 'name'") == 1
      try database.execute("PRAGMA cache_size = -4000")
      rows = """
        SELECT t.status, t."from", t."until", t.quantity, t.sale, t.proof, e.name, t.twin,
          \(hasEvents ? "e.identity, e.kind" : "NULL, NULL"), t.digest, \(hasParts ? "t.part" : "NULL"),
          \(hasDetails ? "t.details" : "NULL"), \(hasNames ? "t.name" : "NULL") FROM ticket t
        LEFT JOIN event e ON e.id = t.event
        """
      findTicket = try database.prepare(rows + " WHERE t.digest = ?1")
      findSale = try database.prepare("SELECT quantity, proof FROM sale WHERE sale = ?1")
      let parts = hasParts ? try Self.parts(database) : [:]
      self.parts = parts
      var read: (head: TicketListHead, proof: [UInt8], guessability: Guessability)?
      try database.prepare(
        """
        SELECT system, server, as_of, imported, count, proof, bits, looks, \(hasParts ? "whole" : "NULL") FROM list
        WHERE id = 1
        """
      ).each { row throws(SQLiteError) in
        guard let system = row.text(0), let server = row.text(1), let asOf = row.integer(2),
          let imported = row.integer(3), let count = row.integer(4)
        else { return }
        var head = TicketListHead(
          system: system, server: server, own: ListPart(asOf: asOf, imported: imported), count: count)
        if hasParts { head.whole = row.integer(8).map { parts[$0] }.map { $0.map { .part($0) } ?? .own } ?? .never }
        read = (
          head, row.blob(5) ?? [], Guessability(bits: Int(clamping: row.integer(6) ?? 0), looks: row.text(7) ?? "")
        )
      }
      guard let read else { throw SQLiteError.damage("it does not say what it is") }
      guessability = read.guessability
      count = Int(clamping: read.head.count)
      whole = read.head.whole
      try Self.check(read.head, read.proof, place, path, seals)
      own = ListPart(
        asOf: read.head.own.asOf, imported: read.head.own.imported,
        mark: try Self.mark(database, seals, read.head.own.birth))
    } catch let error {
      throw Self.fault(error, path)
    }
  }

  /// What it was last told of all tickets by; `nil` where it never was.
  private var complete: ListPart? {
    switch whole {
    case .own: own
    case .part(let part): part
    case .never: nil
    }
  }

  /// What the list is, as of now.
  func state(at now: ImportMark) -> TicketListState {
    TicketListState(asOf: WallTime(nanoseconds: own.asOf), count: count, age: own.age(at: now))
  }

  /// What the port tells of a code.
  /// - Parameters:
  ///   - mark: by which ages are told.
  ///   - now: by which holders and seats are over.
  func finding(_ code: Code, at mark: ImportMark, _ now: WallTime) throws(TicketListFault) -> ListFinding {
    guard let (ticket, part) = try named(code, at: now) else {
      return .unnamed(all: complete?.told(at: mark), any: own.told(at: mark))
    }
    return .named(ticket, part.told(at: mark))
  }

  /// What the list says of a code; `nil` where it does not name it.
  /// - Throws: that the list cannot be read, or that the ticket's row is not as it was written.
  package func find(_ code: Code) throws(TicketListFault) -> ListedTicket? { try find(code, at: SystemTime().wall()) }

  /// The same at some time.
  func find(_ code: Code, at now: WallTime) throws(TicketListFault) -> ListedTicket? {
    try named(code, at: now)?.ticket
  }

  private func named(
    _ code: Code, at now: WallTime
  ) throws(TicketListFault) -> (ticket: ListedTicket, part: ListPart)? {
    do throws(SQLiteError) {
      let digest = seals.digest(of: code)
      var found: StoredTicket?
      try findTicket.each([.blob(digest)]) { row throws(SQLiteError) in found = try ticket(of: row) }
      guard let found, let status = ListedTicket.Status(strictness: found.status), let quantity = found.quantity else {
        return nil
      }
      let details = try details(of: found, at: now)
      let listed = ListedTicket(
        status: status, from: found.from.map { WallTime(nanoseconds: $0) },
        until: found.until.map { WallTime(nanoseconds: $0) }, quantity: Int(clamping: quantity), sale: found.sale,
        saleQuantity: try saleQuantity(of: found, status), event: found.event?.name, eventID: found.event?.identity,
        kind: found.event?.kind, holder: details?.holder, seats: details?.seats ?? [],
        hasOtherSpelling: found.twin == 1)
      return (listed, found.part ?? own)
    } catch {
      throw TicketListFault(error, at: path)
    }
  }

  /// Holder and seats, where they are told and not over.
  private func details(of ticket: StoredTicket, at now: WallTime) throws(SQLiteError) -> KeptDetails? {
    guard keepsDetails, let sealed = ticket.details, !ticket.isOver(at: now) else { return nil }
    guard let details = seals.details(sealed, of: ticket.digest) else {
      throw SQLiteError.damage("a ticket's holder and seats are not as they were sealed")
    }
    return details
  }

  /// Whether it has holders or seats that are over: all of them, where none are kept. Reads all of it, in bits.
  func hasOldDetails(at now: WallTime) throws(TicketListFault) -> Bool {
    guard hasDetails else { return false }
    database.breathe(by: SharedPacer())
    let latest = now - TicketListSchema.keepsDetails
    let over = keepsDetails ? #" AND coalesce("from", "until") <= \#(latest.nanoseconds)"# : ""
    do throws(SQLiteError) {
      return try database.integer("SELECT count(*) FROM ticket WHERE details IS NOT NULL\(over)") != 0
    } catch {
      throw TicketListFault(error, at: path)
    }
  }

  /// Whether it tells of any ticket what sort it is: for an alarm, so that nobody need have sealed it.
  func tellsKinds() throws(TicketListFault) -> Bool {
    do throws(SQLiteError) {
      // A list of an earlier version has no such column.
      guard try database.integer("SELECT count(*) FROM pragma_table_info('event') WHERE name = 'kind'") == 1 else {
        return false
      }
      return try database.integer("SELECT count(*) FROM (SELECT 1 FROM event WHERE kind IS NOT NULL LIMIT 1)") == 1
    } catch {
      throw TicketListFault(error, at: path)
    }
  }

  /// A ticket as it was written.
  private func ticket(of row: Row) throws(SQLiteError) -> StoredTicket {
    var ticket = StoredTicket(
      digest: row.blob(10) ?? [], status: row.integer(0), from: row.integer(1), until: row.integer(2),
      quantity: row.integer(3), sale: row.text(4), twin: row.integer(7),
      event: StoredEvent(name: row.text(6), identity: row.text(8), kind: row.text(9)))
    if let number = row.integer(11) {
      guard let part = parts[number] else { throw SQLiteError.damage("a ticket's part is gone") }
      ticket.part = part
    }
    ticket.details = row.blob(12)
    if let kept = row.blob(13) {
      guard let name = seals.name(kept, of: ticket.digest) else {
        throw SQLiteError.damage("what the fleet calls a ticket is not as it was written")
      }
      ticket.name = name
    }
    guard row.blob(5) == seals.proof(of: ticket, in: own.birth), ListedTicket.Status(strictness: ticket.status) != nil,
      ticket.quantity.map({ $0 > 0 }) == true
    else { throw SQLiteError.damage("a ticket's row is not as it was written") }
    return ticket
  }

  /// All tickets, as their rows have them, each with how many its sale admits.
  func each(
    where condition: String = "TRUE", _ values: [Value] = [],
    _ body: (StoredTicket, _ saleQuantity: Int?) throws(SQLiteError) -> Void
  ) throws(TicketListFault) {
    do throws(SQLiteError) {
      try database.prepare("\(rows) WHERE \(condition)").each(values) { row throws(SQLiteError) in
        let ticket = try ticket(of: row)
        guard let status = ListedTicket.Status(strictness: ticket.status) else { return }
        try body(ticket, try saleQuantity(of: ticket, status))
      }
    } catch {
      throw TicketListFault(error, at: path)
    }
  }

  /// How many the ticket's sale admits. A sale whose row is gone would admit any number.
  private func saleQuantity(
    of ticket: StoredTicket, _ status: ListedTicket.Status
  ) throws(SQLiteError) -> Int? {
    guard let sale = ticket.sale else { return nil }
    let found = try quantity(ofSale: sale)
    if found == nil, status == .valid || status == .used { throw SQLiteError.damage("a sale's row is gone") }
    return found
  }

  private func quantity(ofSale sale: String) throws(SQLiteError) -> Int? {
    var found: (quantity: Int64, proof: [UInt8]?)?
    try findSale.each([.text(sale)]) { row throws(SQLiteError) in found = (row.integer(0) ?? 0, row.blob(1)) }
    guard let found else { return nil }
    guard found.quantity > 0, found.proof == seals.proof(ofSale: sale, quantity: found.quantity, in: own.birth) else {
      throw SQLiteError.damage("a sale's row is not as it was written")
    }
    return Int(clamping: found.quantity)
  }

  /// Counts the list's tickets by their state: reads all of it.
  package func summary() throws(TicketListFault) -> Summary {
    do throws(SQLiteError) {
      var counts: [ListedTicket.Status: Int] = [:]
      try database.prepare("SELECT status, count(*) FROM ticket GROUP BY status").each { row throws(SQLiteError) in
        guard let status = ListedTicket.Status(strictness: row.integer(0)) else {
          throw SQLiteError.damage("it has a state that is none")
        }
        counts[status] = Int(clamping: row.integer(1) ?? 0)
      }
      return Summary(
        state: state, imported: WallTime(nanoseconds: own.imported),
        completeAsOf: complete.map { WallTime(nanoseconds: $0.asOf) }, older: try older(), counts: counts,
        guessability: guessability)
    } catch {
      throw TicketListFault(error, at: path)
    }
  }

  private func older() throws(SQLiteError) -> [Summary.Part] {
    // What is of an earlier version has no such column.
    guard !parts.isEmpty else { return [] }
    let ask = "SELECT part, count(*) FROM ticket WHERE part IS NOT NULL GROUP BY part"
    return try database.prepare(ask).rows { row throws(SQLiteError) in
      guard let part = row.integer(0).flatMap({ parts[$0] }) else { throw SQLiteError.damage("a part is gone") }
      return Summary.Part(asOf: WallTime(nanoseconds: part.asOf), count: Int(clamping: row.integer(1) ?? 0))
    }.sorted { $0.asOf > $1.asOf }
  }

  /// Looks through the whole file for damage.
  /// - Parameter isUnhurried: whether nobody waits for it.
  func verify(isUnhurried: Bool = false) throws(TicketListFault) {
    if isUnhurried { database.breathe(by: SharedPacer()) }
    do throws(SQLiteError) {
      if let problem = try database.texts("PRAGMA integrity_check").first(where: { $0 != "ok" }) {
        throw SQLiteError.damage(problem)
      }
      guard try database.integer("SELECT count(*) FROM ticket") == Int64(clamping: state.count) else {
        throw SQLiteError.damage("it has not as many tickets as it says")
      }
    } catch {
      throw TicketListFault(error, at: path)
    }
  }
}
