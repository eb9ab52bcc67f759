import ScanModel

/// What one code of a ticket system means for another: codes of the same sale share what was paid, two spellings of one code
/// share its record, and the records of all show how far the ticket system's clocks are apart.
struct SaleBook: Sendable {
  var clock: RecordClock
  private var sales: [String: SaleMemory] = [:]
  private var owners: [String: EntryMemory] = [:]
  /// What codes mean for one another that the ticket system may take for one.
  var spellings = SpellingBook()
  /// What has changed since it was last taken.
  private(set) var changed: Set<LedgerPlace> = []

  init(clock: RecordClock) { self.clock = clock }

  /// Whether somebody of the sale is still outside, as far as is known.
  func hasRoom(in sale: String?) -> Bool {
    guard let sale = sale.flatMap({ sales[$0] }), let quantity = sale.quantity else { return true }
    return sale.admitted < quantity
  }

  /// Whether somebody of the sale is outside for sure, as far as is known.
  func hasSureRoom(in sale: String?) -> Bool {
    guard let sale = sale.flatMap({ sales[$0] }), let quantity = sale.quantity else { return true }
    return sale.admitted + sale.interrupted < quantity
  }

  /// Counts attempts that were cut off, or discounts them.
  mutating func interrupt(_ attempts: Int, in sale: String?) {
    guard let sale, attempts > 0 || attempts < 0 && sales[sale] != nil else { return }
    sales[sale, default: SaleMemory()].interrupted = max(0, (sales[sale]?.interrupted ?? 0) + attempts)
    changed.insert(.sale(sale))
  }

  /// Whether the sale has room for one more of those of whom the ticket system knows, or has contradicted.
  func hasSettledRoom(in sale: String?) -> Bool {
    guard let sale = sale.flatMap({ sales[$0] }), let quantity = sale.quantity else { return true }
    return sale.admitted - (sale.owed ?? 0) < quantity
  }

  /// Counts admissions that the ticket system has still to be told of, or discounts them.
  mutating func owe(_ admissions: Int, in sale: String?) {
    guard let sale, admissions > 0 || admissions < 0 && sales[sale] != nil else { return }
    let owed = max(0, (sales[sale]?.owed ?? 0) + admissions)
    sales[sale, default: SaleMemory()].owed = owed == 0 ? nil : owed
    changed.insert(.sale(sale))
  }

  /// Counts what belongs to one sale in another.
  mutating func move(
    _ admitted: Int, interrupted: Int, owed: Int, from old: String?, to sale: String,
    firstUse: AttemptDecision.FirstUse?
  ) {
    if let old, let known = sales[old], admitted > 0 {
      sales[old]?.admitted = max(0, known.admitted - admitted)
      if known.admitted <= admitted { sales[old]?.firstUse = nil }
      changed.insert(.sale(old))
    }
    interrupt(-interrupted, in: old)
    owe(-owed, in: old)
    count(admitted, in: sale, firstUse: firstUse)
    interrupt(interrupted, in: sale)
    owe(owed, in: sale)
  }

  func firstUse(in sale: String?) -> AttemptDecision.FirstUse? { sale.flatMap { sales[$0]?.firstUse } }

  /// The latest word on how many persons the sale admits counts.
  /// - Parameter isListed: whether that is the list's word, which the ticket system's own outranks.
  mutating func learn(_ sale: String, quantity: Int?, isListed: Bool = false) {
    let known = sales[sale]
    if isListed, known?.quantity != nil, known?.isListed != true { return }
    let latest = quantity ?? known?.quantity
    let isLatestListed = quantity == nil ? known?.isListed : isListed ? true : nil
    guard known == nil || known?.quantity != latest || known?.isListed != isLatestListed else { return }
    sales[sale, default: SaleMemory()].quantity = latest
    sales[sale]?.isListed = isLatestListed
    changed.insert(.sale(sale))
  }

  mutating func count(_ admissions: Int, in sale: String?, firstUse: AttemptDecision.FirstUse?) {
    guard let sale, admissions > 0 else { return }
    sales[sale, default: SaleMemory()].admitted += admissions
    if sales[sale]?.firstUse == nil { sales[sale]?.firstUse = firstUse }
    changed.insert(.sale(sale))
  }

  /// - Parameter key: the ticket that owns the record, of which nothing need be in memory.
  mutating func giveBack(sale: String?, entryID: String?, of key: TicketKey) {
    if let entryID {
      owners[entryID, default: EntryMemory(key: key)].firstUse = nil
      changed.insert(.entry(entryID))
    }
    guard let sale, let admitted = sales[sale]?.admitted, admitted > 0 else { return }
    sales[sale]?.admitted = admitted - 1
    changed.insert(.sale(sale))
    if admitted == 1 { sales[sale]?.firstUse = nil }
  }

  /// Who owns the record, if it is another code.
  func owner(of entryID: String, otherThan key: TicketKey) -> EntryMemory? {
    owners[entryID].flatMap { $0.key == key ? nil : $0 }
  }

  mutating func own(_ entryID: String, _ key: TicketKey) {
    guard owners[entryID] == nil else { return }
    owners[entryID] = EntryMemory(key: key)
    changed.insert(.entry(entryID))
  }

  /// - Parameter key: as in `giveBack`.
  mutating func use(_ entryID: String, _ use: AttemptDecision.FirstUse, of key: TicketKey) {
    owners[entryID, default: EntryMemory(key: key)].firstUse = use
    changed.insert(.entry(entryID))
  }

  // MARK: What outlives the process

  func knows(sale: String) -> Bool { sales[sale] != nil }
  func knows(entry: String) -> Bool { owners[entry] != nil }

  /// Takes what was remembered, unless something is known already.
  mutating func restore(sale: String, _ memory: SaleMemory) { if sales[sale] == nil { sales[sale] = memory } }
  mutating func restore(entry: String, _ memory: EntryMemory) { if owners[entry] == nil { owners[entry] = memory } }

  func memory(ofSale sale: String) -> SaleMemory? { sales[sale] }
  func memory(ofEntry entry: String) -> EntryMemory? { owners[entry] }

  mutating func changesTaken() {
    changed.removeAll()
    spellings.changesTaken()
  }

  /// Marks everything as not stored yet.
  mutating func markAllChanged() {
    changed.formUnion(sales.keys.map { .sale($0) })
    changed.formUnion(owners.keys.map { .entry($0) })
    spellings.markAllChanged()
  }

  /// Lets go of what is stored; it is restored when it is asked for.
  /// - Parameters:
  ///   - kept: sales of tickets that are held.
  ///   - keptFolded: their folded keys.
  mutating func letGo(except kept: Set<String>, folded keptFolded: Set<TicketKey>) {
    spellings.letGo(except: keptFolded)
    sales = sales.filter { changed.contains(.sale($0.key)) || kept.contains($0.key) }
    owners = owners.filter { changed.contains(.entry($0.key)) }
  }
}
