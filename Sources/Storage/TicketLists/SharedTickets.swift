package import ScanModel
internal import WireCoding

/// What a station tells others of its list besides the tickets.
package struct SharedListHead: Sendable, Equatable {
  /// When the list was told of all tickets.
  package enum Whole: Sendable, Equatable {
    case own
    case at(WallTime)
    case never
  }

  /// So many pieces are 2 to the power of at most.
  package static let mostBits = 12
  /// The longest piece in bytes.
  package static let longestPiece = 32_768

  /// When the newest of it was true, by the clock of the station that has it.
  package var asOf: WallTime
  package var whole: Whole
  /// How many codes it names.
  package var count: Int
  /// How hard the codes are to guess: bits, and what they look like.
  package var codeBits: Int, codeLooks: String
  /// The tickets are in 2 to the power of so many pieces, by the first bits of their names.
  package var bits: Int

  package init(asOf: WallTime, whole: Whole, count: Int, codeBits: Int, codeLooks: String, bits: Int) {
    self.asOf = asOf
    self.whole = whole
    self.count = count
    self.codeBits = codeBits
    self.codeLooks = codeLooks
    self.bits = bits
  }

  /// How many pieces there are.
  package var pieces: Int { 1 << bits }

  /// In which piece a name is.
  static func piece(of name: [UInt8], bits: Int) -> Int {
    (Int(name.first ?? 0) << 8 | Int(name.dropFirst().first ?? 0)) >> (16 - bits)
  }
}

/// One piece of a list as it goes from station to station: tickets by their names, in their order, each piece with the events and the times
/// that its tickets refer to. The same tickets are the same bytes. No code, no holder and no seat is in it.
struct SharedTickets: Equatable {
  /// A ticket as it is told.
  struct Ticket: Equatable {
    /// Its digest is its name; its part is that of whoever tells it, by its time alone.
    var row: StoredTicket
    var saleQuantity: Int?

    static func == (a: Self, b: Self) -> Bool {
      a.row.digest == b.row.digest && a.row.status == b.row.status && a.row.from == b.row.from
        && a.row.until == b.row.until && a.row.quantity == b.row.quantity && a.row.sale == b.row.sale
        && a.row.twin == b.row.twin && a.row.event == b.row.event && a.row.part?.asOf == b.row.part?.asOf
        && a.saleQuantity == b.saleQuantity
    }
  }

  private static let version: UInt8 = 1
  /// The longest text in bytes: names of events, sales.
  private static let longestText = 4_096
  /// More tickets are in no piece.
  private static let most = SharedListHead.longestPiece / ListNames.length

  var tickets: [Ticket]

  /// `nil` where it does not fit into a piece, or has a text that is told of nobody.
  var bytes: [UInt8]? {
    var (parts, events): ([Int64: UInt16], [StoredEvent: UInt16]) = ([:], [:])
    var (partList, eventList): ([Int64], [StoredEvent]) = ([], [])
    // Each counted from 1; 0 is none.
    var rows = WireWriter()
    for ticket in tickets {
      let row = ticket.row
      guard row.digest.count == ListNames.length, let status = row.status.flatMap({ UInt8(exactly: $0) }),
        let quantity = row.quantity.flatMap({ UInt32(exactly: $0) }),
        (row.sale?.utf8.count ?? 0) <= Self.longestText
      else { return nil }
      for byte in row.digest { rows.put(byte) }
      rows.put(status)
      rows.putOptional(row.from) { $0.put($1) }
      rows.putOptional(row.until) { $0.put($1) }
      rows.put(quantity)
      rows.putOptional(row.sale) { $0.put($1, limit: Self.longestText) }
      rows.putOptional(ticket.saleQuantity) { $0.put(UInt32(clamping: $1)) }
      rows.put(row.twin == 1)
      rows.put(
        row.event.map { event -> UInt16 in
          if let number = events[event] { return number }
          eventList.append(event)
          events[event] = UInt16(clamping: eventList.count)
          return UInt16(clamping: eventList.count)
        } ?? 0)
      rows.put(
        row.part.map { part -> UInt16 in
          if let number = parts[part.asOf] { return number }
          partList.append(part.asOf)
          parts[part.asOf] = UInt16(clamping: partList.count)
          return UInt16(clamping: partList.count)
        } ?? 0)
      if rows.bytes.count > SharedListHead.longestPiece { return nil }
    }
    var writer = WireWriter()
    writer.put(Self.version)
    writer.putList(partList) { $0.put($1) }
    for event in eventList {
      for text in [event.name, event.identity, event.kind] where (text?.utf8.count ?? 0) > Self.longestText {
        return nil
      }
    }
    writer.putList(eventList) { writer, event in
      for text in [event.name, event.identity, event.kind] {
        writer.putOptional(text) { $0.put($1, limit: Self.longestText) }
      }
    }
    writer.put(UInt16(clamping: tickets.count))
    let bytes = writer.bytes + rows.bytes
    return bytes.count <= SharedListHead.longestPiece ? bytes : nil
  }

  init(tickets: [Ticket]) { self.tickets = tickets }

  /// Reads what `bytes` has made, whoever sent it.
  /// - Parameter isHere: whether a name may be in this piece.
  init(_ bytes: [UInt8], isHere: ([UInt8]) -> Bool) throws(WireError) {
    var reader = WireReader(bytes)
    guard try reader.take(UInt8.self) == Self.version else { throw WireError("it is of a later version") }
    let parts = try reader.takeList(limit: Self.most) { reader throws(WireError) in try reader.take(Int64.self) }
    let events = try reader.takeList(limit: Self.most) { reader throws(WireError) in
      StoredEvent(
        name: try Self.text(&reader), identity: try Self.text(&reader), kind: try Self.text(&reader))
    }
    var last: [UInt8] = []
    tickets = try reader.takeList(limit: Self.most) { reader throws(WireError) in
      let ticket = try Self.ticket(&reader, parts, events)
      guard last.lexicographicallyPrecedes(ticket.row.digest), isHere(ticket.row.digest) else {
        throw WireError("a ticket is not in its place")
      }
      last = ticket.row.digest
      return ticket
    }
    try reader.end()
  }

  private static func ticket(
    _ reader: inout WireReader, _ parts: [Int64], _ events: [StoredEvent]
  ) throws(WireError) -> Ticket {
    var name: [UInt8] = []
    for _ in 0..<ListNames.length { name.append(try reader.take()) }
    var row = StoredTicket(digest: name)
    row.status = Int64(try reader.take(UInt8.self))
    row.from = try reader.takeOptional { reader throws(WireError) in try reader.take(Int64.self) }
    row.until = try reader.takeOptional { reader throws(WireError) in try reader.take(Int64.self) }
    row.quantity = Int64(try reader.take(UInt32.self))
    row.sale = try text(&reader)
    let saleQuantity = try reader.takeOptional { reader throws(WireError) in Int(try reader.take(UInt32.self)) }
    row.twin = try reader.takeFlag() ? 1 : 0
    let (event, part) = (Int(try reader.take(UInt16.self)), Int(try reader.take(UInt16.self)))
    guard event <= events.count, part <= parts.count, ListedTicket.Status(strictness: row.status) != nil,
      (1...Int64(TicketLineReader.most)).contains(row.quantity ?? 0),
      saleQuantity.map({ (1...TicketLineReader.most).contains($0) }) ?? true,
      row.sale != nil || saleQuantity == nil
    else { throw WireError("what is told of a ticket cannot be") }
    if event > 0 { row.event = events[event - 1] }
    if part > 0 { row.part = ListPart(asOf: parts[part - 1], imported: parts[part - 1]) }
    return Ticket(row: row, saleQuantity: saleQuantity)
  }

  private static func text(_ reader: inout WireReader) throws(WireError) -> String? {
    try reader.takeOptional { reader throws(WireError) in try reader.takeText(limit: longestText) }
  }
}
