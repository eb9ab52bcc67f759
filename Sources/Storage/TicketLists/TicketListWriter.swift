internal import Glibc
internal import LinuxIO
internal import SQLiteFile
internal import ScanModel
internal import Sealing

/// Writes a list beside the one in use, and puts it into its place when it is whole: a kill or a cut of power leaves the old one
/// or the new one.
///
/// What comes in is put down unsorted in a temporary file of SQLite's (digests, never codes), then sorted by digest: so equal
/// codes meet, whatever their number, in little memory, and the tree is written from one end to the other.
final class TicketListWriter {
  /// Two lines with the same code that say different things.
  struct Contradiction: Equatable {
    var first: Int
    var second: Int
  }

  private let place: TicketListPlace
  private let seals: TicketListSeals
  private let path: String
  /// Locked as long as this import is at work; `nil` where nothing is kept.
  private var new: FileReplacement?
  private let database: Database
  /// Gone before the file is closed.
  private var raw: Statement?
  private var numbers: [StoredEvent: Int64] = [:]
  private var events: [StoredEvent] = []
  private var meter = GuessabilityMeter()
  /// Of the list from which rows were taken over.
  private var kept: Guessability?

  /// Begins a list.
  /// - Parameter isTrial: whether nothing is kept: it is written to a temporary file of SQLite's.
  init(_ place: TicketListPlace, key: SealKey, isTrial: Bool) throws(TicketListFault) {
    self.place = place
    seals = TicketListSeals(key, of: place)
    path = isTrial ? "" : place.path + FileReplacement.ending
    do throws(SystemError) {
      new = isTrial ? nil : try Self.begin(path, place)
    } catch {
      if error.errno == EWOULDBLOCK {
        throw TicketListFault("Another import of \(place.system.name) is at work. Wait for it, then try again.")
      }
      throw TicketListFault(error, at: path)
    }
    do throws(SQLiteError) {
      // Who interrupts the import takes the file away: it is not made again.
      database = try Database(path, isTrial ? .write : .present, busyMilliseconds: 0)
      // Nobody reads the file before it is whole, and a broken-off one is thrown away: neither log nor locks are needed.
      try database.execute(
        """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -8000;
        PRAGMA temp_store = FILE; PRAGMA temp.journal_mode = OFF; PRAGMA temp.cache_size = -8000;
        CREATE TEMP TABLE raw (
          digest BLOB, line INTEGER, status INTEGER, "from" INTEGER, "until" INTEGER, quantity INTEGER, sale TEXT,
          sale_quantity INTEGER, event INTEGER, kind INTEGER, folded BLOB, twin INTEGER
        );
        CREATE TEMP TABLE part (sale TEXT, quantity INTEGER, told INTEGER, kind INTEGER);
        """)
      try database.execute(TicketListSchema.tables)
      try database.execute("BEGIN")
      raw = try database.prepare("INSERT INTO raw VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")
    } catch {
      throw TicketListFault(error, at: place.path)
    }
  }

  /// Makes the file for its owner alone, empty and locked.
  private static func begin(_ path: String, _ place: TicketListPlace) throws(SystemError) -> FileReplacement {
    let new = try FileReplacement(of: place.path) { () throws(SystemError) in
      let file = try OwnedDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK)
      guard flock(file.number, LOCK_EX | LOCK_NB) == 0 else { throw SystemError(errno: errno, call: "flock") }
      var (opened, named) = (stat(), stat())
      // Another import may have put it into place between the two calls: it is the list in use then.
      guard fstat(file.number, &opened) == 0, lstat(path, &named) == 0, opened.st_ino == named.st_ino,
        opened.st_mode & S_IFMT == S_IFREG
      else { throw SystemError(errno: EWOULDBLOCK, call: "stat") }
      return file
    }
    guard fchmod(new.file.number, 0o600) == 0, ftruncate(new.file.number, 0) == 0 else {
      throw SystemError(errno: errno, call: "truncate")
    }
    return new
  }

  /// Throws away what was begun, where it is not in its place.
  func discard() { new = nil }

  /// Adds a ticket.
  /// - Parameter folded: what its code has in common with all that the ticket system may take for it.
  func add(_ listed: ListedCode, folded: TicketKey?) throws(TicketListFault) {
    meter.see(listed.code.bytes)
    let ticket = listed.ticket
    let event = try number(of: StoredEvent(name: ticket.event, identity: ticket.eventID, kind: ticket.kind))
    do throws(SQLiteError) {
      try raw?.run(
        .blob(seals.digest(of: listed.code)), .integer(Int64(listed.line)), .integer(ticket.status.strictness),
        Value(ticket.from?.nanoseconds), Value(ticket.until?.nanoseconds), .integer(Int64(ticket.quantity)),
        Value(ticket.sale), Value(ticket.saleQuantity.map { Int64($0) }), Value(event),
        Value(listed.kind?.rawValue), folded.map { Value.blob(seals.digest(ofFolded: $0)) } ?? .null, .null)
    } catch {
      throw TicketListFault(error, at: place.path)
    }
  }

  /// Takes over what the list in use has, but for tickets whose first moment is in a span, all where it is `nil`. Of a code that was
  /// added, that counts alone.
  /// - Returns: how many it does not take over.
  func keep(outside span: Range<WallTime>?) throws(TicketListFault) -> Int {
    guard try place.isPresent() else { return 0 }
    var gone = 0
    let former = try TicketListReader(place, at: place.path, seals: seals)
    kept = former.guessability
    try former.each { ticket, saleQuantity throws(SQLiteError) in
      if span.map({ span in ticket.from.map { span.contains(WallTime(nanoseconds: $0)) } ?? false }) ?? true {
        gone += 1
        return
      }
      try raw?.run(
        .blob(ticket.digest), .integer(Self.keptLine), Value(ticket.status), Value(ticket.from), Value(ticket.until),
        Value(ticket.quantity), Value(ticket.sale), Value(saleQuantity.map { Int64($0) }),
        Value(try number(kept: ticket.event)), .null,
        .null, Value(ticket.twin))
    }
    return gone
  }

  /// Behind all that was added.
  private static let keptLine = Int64.max

  private func number(kept event: StoredEvent?) throws(SQLiteError) -> Int64? {
    guard let event else { return nil }
    do throws(TicketListFault) {
      return try number(of: event)
    } catch {
      throw SQLiteError(code: 1, message: error.description)
    }
  }

  /// The number of an event; `nil` where nothing is said of one. A file with very many of them is one with the wrong column: the rest
  /// goes without a name, but not without what may decide on it.
  private func number(of event: StoredEvent) throws(TicketListFault) -> Int64? {
    if event == StoredEvent() { return nil }
    if let known = numbers[event] { return known }
    guard events.count < 10_000 else {
      if event.isPlain { return 0 }
      throw TicketListFault(
        "It has more than 10000 different events and kinds of tickets: a column says something else. Leave it out with --column "
          + "ignored=NAME.", isOfData: true)
    }
    events.append(event)
    numbers[event] = Int64(events.count)
    return Int64(events.count)
  }

  /// What became of the lines.
  struct Result {
    var codes = 0
    /// Lines that say again what another says.
    var repeated = 0
    /// Lines that say something else on a code than another.
    var contradicting = 0
    /// The first of these.
    var contradictions: [Contradiction] = []
    var counts: [ListedTicket.Status: Int] = [:]
    var guessability = Guessability(bits: 0, looks: "")
  }

  /// Sorts and writes what was added; nothing is in place yet.
  func write(
    asOf: WallTime, imported: WallTime, _ onProgress: (TicketImport.Step) -> Void
  ) throws(TicketListFault) -> Result {
    var result = Result()
    do throws(SQLiteError) {
      for (index, event) in events.enumerated() {
        try database.prepare("INSERT INTO event VALUES (?1, ?2, ?3, ?4)").run(
          .integer(Int64(index + 1)), Value(event.name), Value(event.identity), Value(event.kind))
      }
      if !events.allSatisfy(\.isPlain) { try database.execute("PRAGMA user_version = \(TicketListSchema.version)") }
      let birth = TicketListHead.birth(asOf: asOf.nanoseconds, imported: imported.nanoseconds)
      try writeTickets(&result, birth, onProgress)
      try writeSales(birth)
      let head = TicketListHead(
        system: place.system.name, server: place.server, asOf: asOf.nanoseconds, imported: imported.nanoseconds,
        count: Int64(result.codes))
      result.guessability = meter.result
      if let kept, meter.isEmpty || kept.bits < result.guessability.bits { result.guessability = kept }
      try database.prepare("INSERT INTO list VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)").run(
        .text(head.system), .text(head.server), .integer(head.asOf), .integer(head.imported), .integer(head.count),
        .blob(seals.proof(of: head)), .integer(Int64(result.guessability.bits)), .text(result.guessability.looks))
      let mark = ImportMark.now()
      try database.prepare("INSERT INTO import VALUES (1, ?1, ?2, ?3)").run(
        .text(mark.boot), .integer(mark.sinceBoot), .blob(seals.proof(of: mark, in: birth)))
      try database.execute("COMMIT")
    } catch {
      throw TicketListFault(error, at: place.path)
    }
    return result
  }

  /// Puts the whole list into its place.
  func publish() throws(TicketListFault) {
    raw = nil
    database.close()
    try TicketListReader(place, at: path, seals: seals).verify()
    do throws(SystemError) {
      try new?.finish()
    } catch {
      throw TicketListFault(error, at: place.path)
    }
  }

  // MARK: Sorting

  /// A row of what came in.
  private struct Raw {
    var line: Int
    var ticket: StoredTicket
    var event: Int64?
    var told: Int64?
    var kind: Int64?

    /// Takes in what another line says of the same code: the stricter of both counts, and a bigger quantity does not.
    mutating func merge(_ other: Raw) {
      ticket.status = Self.pick(ticket.status, other.ticket.status, max)
      ticket.from = Self.pick(ticket.from, other.ticket.from, max)
      ticket.until = Self.pick(ticket.until, other.ticket.until, min)
      ticket.quantity = Self.pick(ticket.quantity, other.ticket.quantity, min)
      told = Self.pick(told, other.told, min)
      ticket.sale = ticket.sale ?? other.ticket.sale
      event = event ?? other.event
      kind = kind ?? other.kind
    }

    private static func pick(_ a: Int64?, _ b: Int64?, _ choose: (Int64, Int64) -> Int64) -> Int64? {
      guard let a, let b else { return a ?? b }
      return choose(a, b)
    }

    func saysTheSame(as other: Raw) -> Bool {
      (ticket.status, ticket.from, ticket.until, ticket.quantity) == (
        other.ticket.status, other.ticket.from, other.ticket.until, other.ticket.quantity
      ) && (ticket.sale, told, event, kind) == (other.ticket.sale, other.told, other.event, other.kind)
    }
  }

  private func writeTickets(
    _ result: inout Result, _ birth: [UInt8], _ onProgress: (TicketImport.Step) -> Void
  ) throws(SQLiteError) {
    onProgress(.sorting)
    let lines = Int(clamping: try database.integer("SELECT count(*) FROM raw") ?? 0)
    let insert = try database.prepare("INSERT INTO ticket VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
    let part = try database.prepare("INSERT INTO part VALUES (?1, ?2, ?3, ?4)")
    func keep(_ raw: Raw) throws(SQLiteError) {
      var ticket = raw.ticket
      ticket.event = raw.event.flatMap { (1...Int64(events.count)).contains($0) ? events[Int($0) - 1] : nil }
      try insert.run(
        .blob(ticket.digest), Value(ticket.status), Value(ticket.from), Value(ticket.until), Value(ticket.quantity),
        Value(ticket.sale), Value(ticket.twin), Value(raw.event == 0 ? nil : raw.event),
        .blob(seals.proof(of: ticket, in: birth)))
      result.codes += 1
      if result.codes % 1_000 == 0 { onProgress(.writing(result.codes, of: lines)) }
      guard let status = ListedTicket.Status(strictness: ticket.status) else { return }
      result.counts[status, default: 0] += 1
      // What is cancelled or not paid adds nobody to a sale.
      if let sale = ticket.sale, status == .valid || status == .used {
        try part.run(.text(sale), Value(ticket.quantity), Value(raw.told), Value(raw.kind))
      }
    }
    var first: Raw?
    var merged: Raw?
    // Codes that fold alike and are not the same: hardly ever any.
    try database.execute(
      """
      CREATE TEMP TABLE twin AS SELECT folded FROM raw WHERE folded IS NOT NULL
      GROUP BY folded HAVING min(digest) <> max(digest)
      """)
    try database.prepare(
      """
      SELECT digest, line, status, "from", "until", quantity, sale, sale_quantity, event, kind,
        coalesce(folded IN (SELECT folded FROM twin), twin, 0) FROM raw
      ORDER BY digest, line
      """
    ).each { row throws(SQLiteError) in
      let next = Raw(
        line: Int(clamping: row.integer(1) ?? 0),
        ticket: StoredTicket(
          digest: row.blob(0) ?? [], status: row.integer(2), from: row.integer(3), until: row.integer(4),
          quantity: row.integer(5), sale: row.text(6), twin: row.integer(10)),
        event: row.integer(8), told: row.integer(7), kind: row.integer(9))
      guard let known = first, var whole = merged, known.ticket.digest == next.ticket.digest else {
        if let merged { try keep(merged) }
        (first, merged) = (next, next)
        return
      }
      if next.line == Self.keptLine { return }
      if known.saysTheSame(as: next) {
        result.repeated += 1
      } else {
        result.contradicting += 1
        if result.contradictions.count < TicketImport.named {
          result.contradictions.append(Contradiction(first: known.line, second: next.line))
        }
        whole.merge(next)
        merged = whole
      }
    }
    if let merged { try keep(merged) }
    try database.execute("DROP TABLE raw; DROP TABLE twin")
  }

  /// How many persons each sale admits: what the lines say, else what its own code admits, else the sum of its codes.
  private func writeSales(_ birth: [UInt8]) throws(SQLiteError) {
    let insert = try database.prepare("INSERT INTO sale VALUES (?1, ?2, ?3)")
    try database.prepare(
      """
      SELECT sale, coalesce(min(told), max(CASE kind WHEN \(CodeKind.sale.rawValue) THEN quantity END), sum(quantity))
      FROM part GROUP BY sale
      """
    ).each { row throws(SQLiteError) in
      guard let sale = row.text(0), let quantity = row.integer(1) else { return }
      let bounded = min(max(quantity, 1), Int64(TicketLineReader.most))
      try insert.run(.text(sale), .integer(bounded), .blob(seals.proof(ofSale: sale, quantity: bounded, in: birth)))
    }
    try database.execute("DROP TABLE part")
  }
}
