internal import LinuxIO
internal import SQLiteFile
package import ScanModel
package import Sealing
internal import WireCoding

/// The station's own list, read to be given to other stations, on a thread of its own that gives way to all else: gates ask the list
/// meanwhile as always. What was read lies in a temporary file of SQLite's.
package actor SharedListGiving {
  private let place: TicketListPlace
  private let key: SealKey
  private let thread: DeviceLoop
  private var pieces: (database: Database, find: Statement)?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// - Throws: that no thread can be had for it.
  package init(_ place: TicketListPlace, key: SealKey) throws(TicketListFault) {
    self.place = place
    self.key = key
    do throws(SystemError) {
      thread = try DeviceLoop(name: "list sharing")
    } catch {
      throw TicketListFault("No thread can be had for the list of tickets (\(error.words)).")
    }
  }

  deinit { thread.stop() }

  /// Reads the list.
  /// - Returns: what it is, and how old; `nil` where there is none, or none of it has a name that others know.
  /// - Throws: that it cannot be read, or has more than may be spread.
  package func read() throws(TicketListFault) -> (head: SharedListHead, told: ListAge)? {
    pieces = nil
    guard try place.isPresent() else { return nil }
    let reader = try TicketListReader(place, key: key)
    guard reader.hasNames else { return nil }
    // Some 64 bytes a ticket, and half a piece at most in the middle.
    var bits = 0
    while bits < SharedListHead.mostBits, reader.count * 64 > (SharedListHead.longestPiece / 2) << bits { bits += 1 }
    while true {
      if let read = try read(reader, bits: bits) { return read.count > 0 ? (read, reader.own.told(at: .now())) : nil }
      bits += 1
      guard bits <= SharedListHead.mostBits else {
        throw TicketListFault("The list of tickets of \(place.system) is too large to be given to other stations.")
      }
    }
  }

  /// One piece of what was read last.
  package func piece(_ number: Int) throws(TicketListFault) -> [UInt8] {
    guard let pieces else { return [] }
    do throws(SQLiteError) {
      return try pieces.find.rows([.integer(Int64(number))]) { row throws(SQLiteError) in row.blob(0) }.first ?? []
    } catch { throw TicketListFault(error, at: place.path) }
  }

  /// What was read is not needed any more.
  package func end() { pieces = nil }

  /// - Returns: `nil` where a piece would be too long.
  private func read(_ reader: TicketListReader, bits: Int) throws(TicketListFault) -> SharedListHead? {
    let pacer = SharedPacer()
    var spill = try told { () throws(SQLiteError) in try Spill() }
    var count = 0
    try reader.eachNamed { ticket, saleQuantity throws(SQLiteError) in
      pacer.breathe()
      guard spill.fits, let name = ticket.name else { return }
      try spill.close(before: SharedListHead.piece(of: name, bits: bits))
      count += 1
      var row = ticket
      row.digest = name
      spill.tickets.append(SharedTickets.Ticket(row: row, saleQuantity: saleQuantity))
    }
    guard
      let pieces = try told({ () throws(SQLiteError) in
        try spill.close(before: 1 << bits)
        return spill.fits ? try spill.end() : nil
      })
    else { return nil }
    self.pieces = pieces
    // What of it has no name others do not hear of: then a code that they do not find may be a ticket.
    let whole: SharedListHead.Whole =
      switch reader.whole {
      case _ where count < reader.count: .never
      case .own: .own
      case .part(let part): .at(WallTime(nanoseconds: part.asOf))
      case .never: .never
      }
    return SharedListHead(
      asOf: WallTime(nanoseconds: reader.own.asOf), whole: whole, count: count, codeBits: reader.guessability.bits,
      codeLooks: reader.guessability.looks, bits: bits)
  }
}

extension SharedListGiving {
  private func told<Value>(_ body: () throws(SQLiteError) -> Value) throws(TicketListFault) -> Value {
    do throws(SQLiteError) { return try body() } catch { throw TicketListFault(error, at: place.path) }
  }

  /// Pieces on their way into a temporary file.
  private struct Spill {
    private let database: Database
    private let put: Statement
    private var number = 0
    /// Those of the piece that is being made.
    var tickets: [SharedTickets.Ticket] = []
    /// Whether no piece was too long.
    private(set) var fits = true

    init() throws(SQLiteError) {
      database = try Database("", .present, busyMilliseconds: 0)
      try database.execute(
        """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500; PRAGMA temp_store = FILE;
        CREATE TABLE piece (number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        BEGIN;
        """)
      put = try database.prepare("INSERT INTO piece VALUES (?1, ?2)")
    }

    /// All pieces before one are whole.
    mutating func close(before next: Int) throws(SQLiteError) {
      while fits, number < next {
        guard let bytes = SharedTickets(tickets: tickets).bytes else {
          fits = false
          return
        }
        try put.run(.integer(Int64(number)), .blob(bytes))
        (number, tickets) = (number + 1, [])
      }
    }

    func end() throws(SQLiteError) -> (database: Database, find: Statement) {
      try database.execute("COMMIT")
      return (database, try database.prepare("SELECT bytes FROM piece WHERE number = ?1"))
    }
  }
}

extension TicketListReader {
  /// All tickets that have a name in the fleet, in the order of these.
  fileprivate func eachNamed(
    _ body: (StoredTicket, _ saleQuantity: Int?) throws(SQLiteError) -> Void
  ) throws(TicketListFault) {
    try each(where: "t.name IS NOT NULL ORDER BY t.name", [], body)
  }
}
