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

  /// After so many codes what was written is on the disk, before more is: who else waits for that disk waits for little of ours.
  private static let portion = 4_000

  let place: TicketListPlace
  /// Where nobody waits for the list.
  let pacer: SharedPacer?
  /// Whether holders and seats are kept, sealed.
  let keepsDetails: Bool
  let seals: TicketListSeals
  private let path: String
  /// The file beside the list in use, locked as long as this import has it; `nil` until then, and where nothing is kept.
  private var new: FileReplacement?
  /// A temporary file of SQLite's.
  let database: Database
  /// Gone before the file is closed.
  var raw: Statement?
  private var numbers: [StoredEvent: Int64] = [:]
  private(set) var events: [StoredEvent] = []
  private var partNumbers: [ListPart: Int64] = [:]
  private(set) var parts: [ListPart] = []
  private var meter = GuessabilityMeter()
  /// Of the list from which rows were taken over.
  var kept: Guessability?
  var whole = TicketListHead.Whole.own
  /// Whether what comes in is added to the list in use.
  var isAdding = false
  /// What becomes of tickets that ought to have been told again.
  var vanishing = ListedTicket.Status.cancelled
  /// Whether a row was written that versions before 5 do not know.
  var hasDetails = false

  /// Begins a list in a temporary file; nobody notices.
  /// - Parameters:
  ///   - isTrial: whether nothing is kept.
  ///   - isUnhurried: whether nobody waits for it.
  ///   - keepsDetails: whether holders and seats are kept, sealed.
  ///   - names: what codes are called in the fleet by which the list is spread; `nil` where it is not.
  init(
    _ place: TicketListPlace, key: SealKey, isTrial: Bool, isUnhurried: Bool = false, keepsDetails: Bool = false,
    names: ListNames? = nil
  ) throws(TicketListFault) {
    self.place = place
    self.keepsDetails = keepsDetails
    pacer = isUnhurried ? SharedPacer() : nil
    seals = TicketListSeals(key, of: place, names: names)
    path = isTrial ? "" : place.path + FileReplacement.ending
    do throws(SQLiteError) {
      // Who interrupts an import takes the file away: it is not made again.
      database = try Database("", .present, busyMilliseconds: 0)
      if let pacer { database.breathe(by: pacer) }
      // Nobody reads it, and a broken-off one is thrown away: neither log nor locks are needed.
      try database.execute(
        """
        PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -2000;
        PRAGMA temp_store = FILE;
        CREATE TABLE raw (
          digest BLOB, line INTEGER, status INTEGER, "from" INTEGER, "until" INTEGER, quantity INTEGER, sale TEXT,
          sale_quantity INTEGER, event INTEGER, kind INTEGER, folded BLOB, twin INTEGER, part INTEGER, seats BLOB,
          details BLOB, name BLOB
        );
        CREATE TABLE doubted (digest BLOB PRIMARY KEY) WITHOUT ROWID;
        CREATE TABLE sold (sale TEXT, quantity INTEGER, told INTEGER, kind INTEGER);
        BEGIN;
        """)
      raw = try database.prepare(
        "INSERT INTO raw VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)")
    } catch {
      throw TicketListFault(error, at: place.path)
    }
  }

  /// Makes the file beside the list in use, for this import alone: no other one is at work from here on.
  func begin() throws(TicketListFault) {
    guard try beginIfFree() else {
      throw TicketListFault("Another import of \(place.system.name) is at work. Wait for it, then try again.")
    }
  }

  /// The same; false where another one is at work.
  func beginIfFree() throws(TicketListFault) -> Bool {
    guard !path.isEmpty, new == nil else { return true }
    do throws(SystemError) {
      new = try Self.begin(path, place)
      return true
    } catch {
      if error.errno == EWOULDBLOCK { return false }
      throw TicketListFault(error, at: path)
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
    pacer?.breathe()
    meter.see(listed.code.bytes)
    let ticket = listed.ticket
    let event = try number(of: StoredEvent(name: ticket.event, identity: ticket.eventID, kind: ticket.kind))
    let digest = seals.digest(of: listed.code)
    let details = keepsDetails ? KeptDetails(holder: ticket.holder, seats: ticket.seats) : nil
    let seats = listed.joinsSeats ? ticket.seats.flatMap { seals.digest(ofSeat: $0) } : []
    do throws(SQLiteError) {
      try raw?.run(
        .blob(digest), .integer(Int64(listed.line)), .integer(ticket.status.strictness),
        Value(ticket.from?.nanoseconds), Value(ticket.until?.nanoseconds), .integer(Int64(ticket.quantity)),
        Value(ticket.sale), Value(ticket.saleQuantity.map { Int64($0) }), Value(event),
        Value(listed.kind?.rawValue), folded.map { Value.blob(seals.digest(ofFolded: $0)) } ?? .null, .null, .null,
        seats.isEmpty ? .null : .blob(seats), details.map { Value.blob(seals.seal($0, of: digest)) } ?? .null,
        seals.name(of: listed.code).map { Value.blob($0) } ?? .null)
    } catch {
      throw TicketListFault(error, at: place.path)
    }
  }

  /// Notes that something was told of a code that cannot be decided on.
  func doubt(_ code: Code) throws(TicketListFault) {
    do throws(SQLiteError) {
      try database.prepare("INSERT OR IGNORE INTO doubted VALUES (?1)").run(.blob(seals.digest(of: code)))
    } catch {
      throw TicketListFault(error, at: place.path)
    }
  }

  /// The number of a part.
  func number(of part: ListPart) throws(SQLiteError) -> Int64 {
    if let known = partNumbers[part] { return known }
    guard parts.count < TicketListReader.mostParts else {
      throw SQLiteError(code: 1, message: "it has more than \(TicketListReader.mostParts) parts. Import all of it anew")
    }
    parts.append(part)
    partNumbers[part] = Int64(parts.count)
    return Int64(parts.count)
  }

  func number(kept event: StoredEvent?) throws(SQLiteError) -> Int64? {
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
    /// Lines that name more seats of a booking.
    var joined = 0
    /// Tickets that share a code with another sale's or show's.
    var shared = 0
    /// Lines that say something else on a code than another.
    var contradicting = 0
    /// The first of these.
    var contradictions: [Contradiction] = []
    var counts: [ListedTicket.Status: Int] = [:]
    var guessability = Guessability(bits: 0, looks: "")
  }

  /// Sorts and writes what was added; nothing is in place yet.
  /// - Parameters:
  ///   - own: what it is made with.
  ///   - now: by which holders and seats are over.
  func write(
    as own: ListPart, at now: WallTime, _ onProgress: (TicketImport.Step) -> Void
  ) throws(TicketListFault) -> Result {
    try begin()
    onProgress(.sorting)
    var result = Result()
    do throws(SQLiteError) {
      raw = nil
      // What is made is another file: an empty name is a temporary one again.
      try database.execute("COMMIT")
      try database.prepare("ATTACH ?1 AS made").run(.text(path))
      try database.execute(
        """
        PRAGMA made.journal_mode = OFF; PRAGMA made.synchronous = OFF; PRAGMA made.cache_size = -1000;
        \(TicketListSchema.tables(in: "made"))
        BEGIN;
        """)
    } catch {
      throw TicketListFault(error, at: place.path)
    }
    do throws(SQLiteError) {
      try writeTickets(&result, own, at: now, onProgress)
      try writeSales(own)
      try writeHead(&result, own)
      try database.execute("COMMIT")
    } catch {
      throw TicketListFault(error, at: place.path)
    }
    return result
  }

  private func writeHead(_ result: inout Result, _ own: ListPart) throws(SQLiteError) {
    for (index, event) in events.enumerated() {
      try database.prepare("INSERT INTO made.event VALUES (?1, ?2, ?3, ?4)").run(
        .integer(Int64(index + 1)), Value(event.name), Value(event.identity), Value(event.kind))
    }
    let wholeNumber: Int64? =
      switch whole {
      case .own: hasDetails ? TicketListSchema.wholeByOwn : nil
      case .part(let part): try number(of: part)
      case .never: nil
      }
    for (index, part) in parts.enumerated() {
      try database.prepare("INSERT INTO made.part VALUES (?1, ?2, ?3, ?4, ?5)").run(
        .integer(Int64(index + 1)), .integer(part.asOf), .integer(part.imported), Value(part.mark?.boot),
        Value(part.mark?.sinceBoot))
    }
    let version =
      hasDetails
      ? TicketListSchema.ofDetails
      : whole != .own
        ? TicketListSchema.ofParts
        : events.allSatisfy(\.isPlain) ? TicketListSchema.plain : TicketListSchema.ofEvents
    try database.execute("PRAGMA made.user_version = \(version)")
    let head = TicketListHead(
      system: place.system.name, server: place.boundTo, own: own, count: Int64(result.codes), whole: whole)
    result.guessability = meter.result
    if let kept, meter.isEmpty || kept.bits < result.guessability.bits { result.guessability = kept }
    try database.prepare("INSERT INTO made.list VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)").run(
      .text(head.system), .text(head.server), .integer(own.asOf), .integer(own.imported), .integer(head.count),
      .blob(seals.proof(of: head)), .integer(Int64(result.guessability.bits)), .text(result.guessability.looks),
      Value(wholeNumber))
    guard let mark = own.mark else { return }
    try database.prepare("INSERT INTO made.import VALUES (1, ?1, ?2, ?3)").run(
      .text(mark.boot), .integer(mark.sinceBoot), .blob(seals.proof(of: mark, in: own.birth)))
  }

  /// Has on the disk what was written so far. What fails here fails again at the end, where it counts.
  func settle(after codes: Int) {
    pacer?.breathe()
    guard codes % Self.portion == 0, let number = new?.file.number else { return }
    SmallFile.writeOut(number)
  }

  /// Puts the whole list into its place.
  func publish() throws(TicketListFault) {
    raw = nil
    database.close()
    try TicketListReader(place, at: path, seals: seals).verify(isUnhurried: pacer != nil)
    do throws(SystemError) {
      try new?.finish()
    } catch {
      throw TicketListFault(error, at: place.path)
    }
  }
}

/// One pacer of a thread for what is done here and for what SQLite does in between: two would each sleep for the other's work, too.
final class SharedPacer {
  private var pacer = Pacer()

  /// As `Pacer`.
  func breathe() { pacer.breathe() }
}

extension Database {
  /// Has what it does done in bits, between which others have the processor.
  func breathe(by pacer: SharedPacer) { onProgress { pacer.breathe() } }
}
