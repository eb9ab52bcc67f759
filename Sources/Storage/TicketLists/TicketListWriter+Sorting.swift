internal import SQLiteFile
internal import ScanModel

extension TicketListWriter {
  /// Sorts what came in by its digests, and writes it.
  func writeTickets(
    _ result: inout Result, _ own: ListPart, at now: WallTime, _ onProgress: (TicketImport.Step) -> Void
  ) throws(SQLiteError) {
    let lines = Int(clamping: try database.integer("SELECT count(*) FROM raw") ?? 0)
    let insert = try database.prepare(
      "INSERT INTO made.ticket VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")
    let sold = try database.prepare("INSERT INTO sold VALUES (?1, ?2, ?3, ?4)")
    func write(_ code: SortedCode) throws(SQLiteError) {
      var raw = code.merged
      if code.isShared { result.shared += code.count }
      if raw.line == Self.vanishedLine { vanish(&raw) }
      var ticket = raw.ticket
      ticket.event = event(raw.event)
      ticket.part = raw.part.flatMap { (1...Int64(parts.count)).contains($0) ? parts[Int($0) - 1] : nil }
      if !keepsDetails || ticket.isOver(at: now) { ticket.details = nil }
      try insert.run(
        .blob(ticket.digest), Value(ticket.status), Value(ticket.from), Value(ticket.until), Value(ticket.quantity),
        Value(ticket.sale), Value(ticket.twin), Value(raw.event == 0 ? nil : raw.event),
        .blob(seals.proof(of: ticket, in: own.birth)), Value(raw.part), ticket.details.map { .blob($0) } ?? .null,
        ticket.name.map { .blob(seals.kept($0, of: ticket.digest)) } ?? .null)
      result.codes += 1
      settle(after: result.codes)
      if result.codes % 1_000 == 0 { onProgress(.writing(result.codes, of: lines)) }
      guard let status = ListedTicket.Status(strictness: ticket.status) else { return }
      if ticket.details != nil || status == .unconfirmed { hasDetails = true }
      result.counts[status, default: 0] += 1
      // What is cancelled or not paid adds nobody to a sale.
      if let sale = ticket.sale, status == .valid || status == .used {
        try sold.run(.text(sale), Value(ticket.quantity), Value(raw.told), Value(raw.kind))
      }
    }
    var current: SortedCode?
    // Codes that fold alike and are not the same: hardly ever any.
    try database.execute(
      """
      CREATE TABLE twin AS SELECT folded FROM raw WHERE folded IS NOT NULL
      GROUP BY folded HAVING min(digest) <> max(digest)
      """)
    try database.prepare(
      """
      SELECT digest, line, status, "from", "until", quantity, sale, sale_quantity, event, kind,
        CASE WHEN folded IS NULL THEN coalesce(twin, 0) ELSE folded IN (SELECT folded FROM twin) END,
        part, seats, details, name
      FROM raw ORDER BY digest, line
      """
    ).each { row throws(SQLiteError) in
      let next = RawTicket(row)
      guard var code = current, code.first.ticket.digest == next.ticket.digest else {
        if let current { try write(current) }
        current = SortedCode(next)
        return
      }
      if next.line >= Self.vanishedLine {
        if isAdding { takeOver(next, &code) }
      } else {
        take(next, &code, &result)
      }
      current = code
    }
    if let current { try write(current) }
    try database.execute("DROP TABLE raw; DROP TABLE twin")
  }

  /// What lines say of one code.
  private struct SortedCode {
    /// The first of them.
    let first: RawTicket
    /// What they say together.
    var merged: RawTicket
    var count = 1
    /// Whether it is of two bookings.
    var isShared = false

    init(_ raw: RawTicket) { (first, merged) = (raw, raw) }
  }

  /// Takes in what another line says of a code.
  private func take(_ next: RawTicket, _ code: inout SortedCode, _ result: inout Result) {
    code.count += 1
    if isAdding, code.isShared || isOther(next, than: code.first) {
      // Which of them somebody has who comes with it nobody can tell.
      code.isShared = true
      code.merged.ticket.status = ListedTicket.Status.unconfirmed.strictness
      code.merged.ticket.details = nil
    } else if code.merged.isJoined(by: next) {
      result.joined += 1
      code.merged.join(next)
      guard let sealed = next.ticket.details, let other = seals.details(sealed, of: next.ticket.digest) else { return }
      change(&code.merged.ticket) { $0.join(other) }
    } else if code.first.saysTheSame(as: next) {
      result.repeated += 1
    } else {
      result.contradicting += 1
      if result.contradictions.count < TicketImport.named {
        result.contradictions.append(
          Contradiction(first: Int(clamping: code.first.line), second: Int(clamping: next.line)))
      }
      code.merged.merge(next)
    }
  }

  /// Whether two tickets with one code are of two bookings, or of two shows.
  private func isOther(_ a: RawTicket, than b: RawTicket) -> Bool {
    func differ<Said: Equatable>(_ a: Said?, _ b: Said?) -> Bool? { a.flatMap { a in b.map { a != $0 } } }
    let shows = differ(event(a.event)?.identity, event(b.event)?.identity) ?? differ(a.ticket.from, b.ticket.from)
    return differ(a.ticket.sale, b.ticket.sale) ?? false || shows ?? false
  }

  /// What the list had of a code that is told again: who tells it may know nothing of seats, and a file did.
  private func takeOver(_ former: RawTicket, _ code: inout SortedCode) {
    guard !code.isShared else { return }
    if former.ticket.twin == 1 { code.merged.ticket.twin = 1 }
    guard let sealed = former.ticket.details, isSameBooking(former, code.merged) else { return }
    guard code.merged.ticket.details != nil else { return code.merged.ticket.details = sealed }
    guard let other = seals.details(sealed, of: former.ticket.digest) else { return }
    change(&code.merged.ticket) { $0.fill(from: other) }
  }

  /// Whether what the list had of a code is what is told of it now: of the same show and the same booking, where both say which, and for
  /// as many. A file may say nothing of the show but its day.
  private func isSameBooking(_ former: RawTicket, _ told: RawTicket) -> Bool {
    guard former.ticket.quantity == told.ticket.quantity else { return false }
    if let sale = former.ticket.sale, let other = told.ticket.sale, sale != other { return false }
    if let show = event(former.event)?.identity, let other = event(told.event)?.identity { return show == other }
    guard let from = former.ticket.from, let beginning = told.ticket.from else { return true }
    return from == beginning || from < beginning && former.ticket.until.map { beginning < $0 } ?? false
  }

  private func change(_ ticket: inout StoredTicket, _ body: (inout KeptDetails) -> Void) {
    guard let sealed = ticket.details, let before = seals.details(sealed, of: ticket.digest) else { return }
    var details = before
    body(&details)
    if details != before { ticket.details = seals.seal(details, of: ticket.digest) }
  }

  /// What becomes of a ticket that ought to have been told again. Where nobody believes it, who was refused before is refused on.
  private func vanish(_ raw: inout RawTicket) {
    let status = ListedTicket.Status(strictness: raw.ticket.status)
    if vanishing == .unconfirmed, ![.valid, .used, .unconfirmed].contains(status) { return }
    raw.ticket.status = vanishing.strictness
    raw.part = nil
  }

  private func event(_ number: Int64?) -> StoredEvent? {
    number.flatMap { (1...Int64(events.count)).contains($0) ? events[Int($0) - 1] : nil }
  }

  /// How many persons each sale admits: what the lines say, else what its own code admits, else the sum of its codes.
  func writeSales(_ own: ListPart) throws(SQLiteError) {
    let insert = try database.prepare("INSERT INTO made.sale VALUES (?1, ?2, ?3)")
    try database.prepare(
      """
      SELECT sale, coalesce(min(told), max(CASE kind WHEN \(CodeKind.sale.rawValue) THEN quantity END), sum(quantity))
      FROM sold GROUP BY sale
      """
    ).each { row throws(SQLiteError) in
      guard let sale = row.text(0), let quantity = row.integer(1) else { return }
      let bounded = min(max(quantity, 1), Int64(TicketLineReader.most))
      try insert.run(.text(sale), .integer(bounded), .blob(seals.proof(ofSale: sale, quantity: bounded, in: own.birth)))
    }
    try database.execute("DROP TABLE sold")
  }
}

extension RawTicket {
  /// As a row of the temporary file has it.
  fileprivate init(_ row: Row) {
    var seats: Set<UInt64> = []
    let digests = row.blob(12) ?? []
    for start in stride(from: 0, to: digests.count, by: TicketListSeals.proofLength) {
      seats.insert(digests[start...].prefix(TicketListSeals.proofLength).reduce(0) { $0 << 8 | UInt64($1) })
    }
    self.init(
      line: row.integer(1) ?? 0,
      ticket: StoredTicket(
        digest: row.blob(0) ?? [], status: row.integer(2), from: row.integer(3), until: row.integer(4),
        quantity: row.integer(5), sale: row.text(6), twin: row.integer(10), details: row.blob(13), name: row.blob(14)),
      event: row.integer(8), told: row.integer(7), kind: row.integer(9), part: row.integer(11), seats: seats)
  }
}
