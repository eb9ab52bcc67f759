internal import SQLiteFile
internal import ScanModel

/// What is taken over from the list in use.
extension TicketListWriter {
  /// What became of the list in use where something is added to it.
  struct Addition: Equatable {
    /// How many of its tickets ought to have been told again.
    var vanished = 0
    /// Whether those were more than half of them.
    var isDoubtful = false
  }

  /// Behind all that was added.
  static let keptLine = Int64.max
  /// Before that: of tickets that ought to have been told again.
  static let vanishedLine = keptLine - 1

  /// Takes over what the list in use has, but for tickets whose first moment is in a span, all where it is `nil`; each stays as old as it
  /// was. Of a code that was added, that counts alone.
  /// - Returns: how many it does not take over.
  func keep(outside span: Range<WallTime>?) throws(TicketListFault) -> Int {
    if span != nil { whole = .never }
    guard let former = try former() else { return 0 }
    if span != nil { whole = former.lastWhole }
    var gone = 0
    try former.each { ticket, saleQuantity throws(SQLiteError) in
      pacer?.breathe()
      if span.map({ $0.has(ticket) }) ?? true {
        gone += 1
        return
      }
      try keep(ticket, saleQuantity, line: Self.keptLine, part: ticket.part ?? former.own)
    }
    return gone
  }

  /// Takes over what the list in use has, to add to it what came in.
  /// - Parameters:
  ///   - span: tickets whose first moment is in it ought to have been told again: those that were not are cancelled, or unconfirmed where
  ///     they are more than half.
  ///   - end: tickets whose first moment is before it, and that were not told again, go.
  func keep(toldOf span: Range<WallTime>?, forgetting end: WallTime?) throws(TicketListFault) -> Addition {
    isAdding = true
    whole = .never
    guard let former = try former() else { return Addition() }
    whole = former.lastWhole
    var addition = Addition()
    var had = 0
    let (told, doubted) = try lookups()
    try former.each { ticket, saleQuantity throws(SQLiteError) in
      pacer?.breathe()
      let isInSpan = span?.has(ticket) ?? false
      let status = ListedTicket.Status(strictness: ticket.status)
      let mayAdmit = status == .valid || status == .unconfirmed
      if try told.finds(ticket.digest) {
        if isInSpan, mayAdmit { had += 1 }
        return try keep(ticket, saleQuantity, line: Self.keptLine, part: ticket.part ?? former.own)
      }
      if let end, let from = ticket.from, from < end.nanoseconds { return }
      if isInSpan, mayAdmit { had += 1 }
      if mayAdmit || status == .used, try doubted.finds(ticket.digest) {
        var ticket = ticket
        ticket.status = ListedTicket.Status.unconfirmed.strictness
        return try keep(ticket, saleQuantity, line: Self.keptLine, part: nil)
      }
      let hasVanished = isInSpan && status != .cancelled
      if hasVanished, mayAdmit { addition.vanished += 1 }
      try keep(
        ticket, saleQuantity, line: hasVanished ? Self.vanishedLine : Self.keptLine, part: ticket.part ?? former.own)
    }
    addition.isDoubtful = addition.vanished * 2 > had
    vanishing = addition.isDoubtful ? .unconfirmed : .cancelled
    return addition
  }

  /// Takes over all that the list in use has, as it is: only what is over of holders and seats goes.
  /// - Returns: what it was made with; `nil` where there is none that can be written as it was.
  func keepAll() throws(TicketListFault) -> ListPart? {
    guard let former = try former(), former.own.mark != nil else { return nil }
    whole = former.whole
    try former.each { ticket, saleQuantity throws(SQLiteError) in
      pacer?.breathe()
      try keep(ticket, saleQuantity, line: Self.keptLine, part: ticket.part)
    }
    return former.own
  }

  /// The list in use; `nil` where there is none.
  func former() throws(TicketListFault) -> TicketListReader? {
    guard try place.isPresent() else { return nil }
    let former = try TicketListReader(place, at: place.path, seals: seals)
    kept = former.guessability
    return former
  }

  /// Takes a row over.
  /// - Parameter part: what it is as old as; `nil` for what the list is made with.
  func keep(
    _ ticket: StoredTicket, _ saleQuantity: Int?, line: Int64, part: ListPart?
  ) throws(SQLiteError) {
    try raw?.run(
      .blob(ticket.digest), .integer(line), Value(ticket.status), Value(ticket.from), Value(ticket.until),
      Value(ticket.quantity), Value(ticket.sale), Value(saleQuantity.map { Int64($0) }),
      Value(try number(kept: ticket.event)), .null, .null, Value(ticket.twin),
      Value(try part.map { part throws(SQLiteError) in try number(of: part) }), .null,
      keepsDetails ? ticket.details.map { .blob($0) } ?? .null : .null, ticket.name.map { .blob($0) } ?? .null)
  }

  /// Which codes were told, and of which something that cannot be decided on.
  private func lookups() throws(TicketListFault) -> (told: Lookup, doubted: Lookup) {
    do throws(SQLiteError) {
      try database.execute(
        """
        CREATE TABLE told (digest BLOB PRIMARY KEY) WITHOUT ROWID;
        INSERT OR IGNORE INTO told SELECT digest FROM raw;
        """)
      return (try Lookup("told", in: database), try Lookup("doubted", in: database))
    } catch {
      throw TicketListFault(error, at: place.path)
    }
  }

  /// Finds digests in a table of them.
  private struct Lookup {
    private let find: Statement?

    init(_ table: String, in database: Database) throws(SQLiteError) {
      // Most have none.
      let isEmpty = try database.integer("SELECT count(*) FROM (SELECT 1 FROM \(table) LIMIT 1)") == 0
      find = isEmpty ? nil : try database.prepare("SELECT 1 FROM \(table) WHERE digest = ?1")
    }

    func finds(_ digest: [UInt8]) throws(SQLiteError) -> Bool {
      var isFound = false
      try find?.each([.blob(digest)]) { _ throws(SQLiteError) in isFound = true }
      return isFound
    }
  }
}

extension TicketListReader {
  /// When it was told of all tickets, for a list that is made of it and of something newer.
  fileprivate var lastWhole: TicketListHead.Whole {
    switch whole {
    case .own: .part(own)
    case .part, .never: whole
    }
  }
}

extension Range<WallTime> {
  /// Whether a ticket's first moment is in it.
  fileprivate func has(_ ticket: StoredTicket) -> Bool {
    ticket.from.map { contains(WallTime(nanoseconds: $0)) } ?? false
  }
}
