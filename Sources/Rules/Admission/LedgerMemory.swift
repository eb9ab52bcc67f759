package import ScanModel

/// Where in a ledger something is remembered.
package enum LedgerPlace: Hashable, Sendable {
  /// A ticket.
  case ticket(TicketKey)
  /// A sale, by the ticket system's identifier.
  case sale(String)
  /// An entry, by the ticket system's identifier.
  case entry(String)
  /// All codes that the ticket system may take for one, by their folded key.
  case folded(TicketKey)
}

/// What a ledger remembers at one place, in the form in which it outlives the process.
///
/// It holds no code, no holder's name and no secret: the ticket is named by its key alone.
package enum LedgerMemory: Sendable, Codable, Equatable {
  /// What is known of a ticket.
  case ticket(TicketMemory)
  /// What is known of a sale.
  case sale(SaleMemory)
  /// Which ticket an entry was first seen for.
  case entry(EntryMemory)
  /// On which codes of a folded key somebody is in.
  case folded(FoldedMemory)
}

/// A ticket's record as it outlives the process. Its monotonic times belong to the boot in which it was written.
package struct TicketMemory: Sendable, Codable, Equatable {
  var kind: TicketRecord.Kind
  var admitted: Int
  var quantity: Int
  var sale: String?
  var last: LastAdmission?
  var givenBack: GivenBack
  var entries: [String: KnownEntry]
  var open: [OpenAttempt]
  var isUsedElsewhere: Bool
  var firstUse: AttemptDecision.FirstUse?
  // Not in the memory of earlier versions.
  var owed: [Owed]?
  var listed: Int?
  var folded: TicketKey?
  var ends: WallTime?
  /// Admissions before the last that stand.
  var earlier: [LastAdmission]?
  var spaced: SpacedAdmission?

  init(_ record: TicketRecord) {
    kind = record.kind
    admitted = record.admitted
    quantity = record.quantity
    sale = record.sale
    last = record.standing.last
    earlier = record.standing.count > 1 ? record.standing.dropLast() : nil
    givenBack = record.givenBack
    entries = record.entries
    open = record.open
    isUsedElsewhere = record.isUsedElsewhere
    firstUse = record.firstUse
    owed = record.owed.isEmpty ? nil : record.owed
    listed = record.listed
    folded = record.folded
    ends = record.ends
    spaced = record.spaced
  }
}

extension TicketRecord {
  /// The record as a later process knows it.
  /// - Parameter isSameBoot: whether monotonic times still mean what they meant.
  init(key: TicketKey, interval: Duration?, _ memory: TicketMemory, isSameBoot: Bool) {
    self.init(key: key, interval: interval)
    kind = memory.kind
    admitted = Swift.max(0, memory.admitted)
    quantity = Swift.max(1, memory.quantity)
    sale = memory.sale
    standing = (memory.earlier ?? []) + [memory.last].compactMap(\.self)
    givenBack = memory.givenBack
    entries = memory.entries
    open = memory.open.map { isSameBoot ? $0.afterRestart : $0.afterReboot }
    isUsedElsewhere = memory.isUsedElsewhere
    firstUse = memory.firstUse
    owed = memory.owed ?? []
    listed = memory.listed
    folded = memory.folded
    ends = memory.ends
    spaced = isSameBoot ? memory.spaced : memory.spaced?.afterReboot
    guard !isSameBoot else { return }
    // Until when a claim holds cannot be told any more; the ticket system's word renews it.
    givenBack.until = nil
    for (entryID, entry) in entries {
      entries[entryID]?.claimUntil = nil
      // A claim needs no request that would tell of it; on what a gate was not to admit on nobody passes without one.
      if entry.origin == .ours, !entry.isClaimed, !entry.hasLeft, entry.isBarred != true {
        entries[entryID]?.isDoubtful = true
      }
    }
  }
}

/// What is known of a sale.
package struct SaleMemory: Sendable, Codable, Equatable {
  var admitted = 0
  /// How many may have passed on attempts that the end of the machine cut off.
  var interrupted = 0
  var quantity: Int?
  var firstUse: AttemptDecision.FirstUse?
  // Not in the memory of earlier versions.
  /// How many of `admitted` the ticket system has still to be told of.
  var owed: Int?
  /// Whether `quantity` is the list's word only.
  var isListed: Bool?
}

/// The code that a record was first seen for, and whether somebody passed on it.
package struct EntryMemory: Sendable, Codable, Equatable {
  let key: TicketKey
  var firstUse: AttemptDecision.FirstUse?
}
