internal import SQLiteFile
internal import ScanModel

/// A row of what came in.
private struct Raw {
  var line: Int
  var ticket: StoredTicket
  var event: Int64?
  var told: Int64?
  var kind: Int64?
  var part: Int64?

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

extension TicketListWriter {
  /// Sorts what came in by its digests, and writes it.
  func writeTickets(
    _ result: inout Result, _ own: ListPart, _ onProgress: (TicketImport.Step) -> Void
  ) throws(SQLiteError) {
    let lines = Int(clamping: try database.integer("SELECT count(*) FROM raw") ?? 0)
    let insert = try database.prepare("INSERT INTO made.ticket VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
    let sold = try database.prepare("INSERT INTO sold VALUES (?1, ?2, ?3, ?4)")
    func keep(_ raw: Raw) throws(SQLiteError) {
      var ticket = raw.ticket
      ticket.event = raw.event.flatMap { (1...Int64(events.count)).contains($0) ? events[Int($0) - 1] : nil }
      ticket.part = raw.part.flatMap { (1...Int64(parts.count)).contains($0) ? parts[Int($0) - 1] : nil }
      try insert.run(
        .blob(ticket.digest), Value(ticket.status), Value(ticket.from), Value(ticket.until), Value(ticket.quantity),
        Value(ticket.sale), Value(ticket.twin), Value(raw.event == 0 ? nil : raw.event),
        .blob(seals.proof(of: ticket, in: own.birth)), Value(raw.part))
      result.codes += 1
      settle(after: result.codes)
      if result.codes % 1_000 == 0 { onProgress(.writing(result.codes, of: lines)) }
      guard let status = ListedTicket.Status(strictness: ticket.status) else { return }
      result.counts[status, default: 0] += 1
      // What is cancelled or not paid adds nobody to a sale.
      if let sale = ticket.sale, status == .valid || status == .used {
        try sold.run(.text(sale), Value(ticket.quantity), Value(raw.told), Value(raw.kind))
      }
    }
    var first: Raw?
    var merged: Raw?
    // Codes that fold alike and are not the same: hardly ever any.
    try database.execute(
      """
      CREATE TABLE twin AS SELECT folded FROM raw WHERE folded IS NOT NULL
      GROUP BY folded HAVING min(digest) <> max(digest)
      """)
    try database.prepare(
      """
      SELECT digest, line, status, "from", "until", quantity, sale, sale_quantity, event, kind,
        coalesce(folded IN (SELECT folded FROM twin), twin, 0), part
      FROM raw ORDER BY digest, line
      """
    ).each { row throws(SQLiteError) in
      let next = Raw(
        line: Int(clamping: row.integer(1) ?? 0),
        ticket: StoredTicket(
          digest: row.blob(0) ?? [], status: row.integer(2), from: row.integer(3), until: row.integer(4),
          quantity: row.integer(5), sale: row.text(6), twin: row.integer(10)),
        event: row.integer(8), told: row.integer(7), kind: row.integer(9), part: row.integer(11))
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
