internal import ScanModel

/// A row of what came in, or was taken over.
struct RawTicket {
  /// A booking of more seats is none.
  private static let mostSeats = 1_000

  var line: Int64
  var ticket: StoredTicket
  var event: Int64?
  var told: Int64?
  var kind: Int64?
  var part: Int64?
  /// What tells its seats apart; empty where its line adds none to others.
  var seats: Set<UInt64>
  /// Whether another line has said something else of the code.
  var isContradicted = false

  /// Takes in what another line says of the same code: the stricter of both counts, and a bigger quantity does not.
  mutating func merge(_ other: RawTicket) {
    isContradicted = true
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

  func saysTheSame(as other: RawTicket) -> Bool {
    ticket.quantity == other.ticket.quantity && isSameButForSeats(as: other)
  }

  private func isSameButForSeats(as other: RawTicket) -> Bool {
    (ticket.status, ticket.from, ticket.until) == (other.ticket.status, other.ticket.from, other.ticket.until)
      && (ticket.sale, told, event, kind) == (other.ticket.sale, other.told, other.event, other.kind)
  }

  /// Whether another line names more seats of the same booking.
  func isJoined(by other: RawTicket) -> Bool {
    !isContradicted && !seats.isEmpty && !other.seats.isSubset(of: seats) && kind != CodeKind.entry.rawValue
      && seats.count + other.seats.count <= Self.mostSeats && isSameButForSeats(as: other)
  }

  /// Takes in the seats of another line: both admit together, but never more persons than there are seats, or than one of them says: a
  /// line for each seat may say each time how many all are.
  mutating func join(_ other: RawTicket) {
    seats.formUnion(other.seats)
    let (mine, others) = (ticket.quantity ?? 1, other.ticket.quantity ?? 1)
    ticket.quantity = min(saturatingSum(mine, others), max(mine, others, Int64(seats.count)))
  }
}
