internal import LinuxIO
internal import ScanModel
internal import Sealing

/// What takes a place in a list, at work on a thread of its own, in bits between which others have the processor.
///
/// ```
/// add, add, … ─▶ a temporary file ──finish, merge──▶ alone with the list ─▶ what stays of it ─▶ sorted, written, in its place
/// ```
/// What is told may take minutes, and keeps nobody from importing a list meanwhile.
actor ListReplacement: TicketListReplacement {
  /// How the list is kept.
  struct Settings: Sendable {
    /// Whether holders and seats are kept, sealed.
    var keepsDetails: Bool
    /// What codes are called in the fleet by which the list is spread; `nil` where it is not.
    var names: ListNames?
    /// As `TicketSystem.foldedKey`.
    var folding: @Sendable (Code) -> TicketKey?
  }

  private let span: Range<WallTime>?
  private let asOf: WallTime
  private let place: TicketListPlace
  private let key: SealKey
  private let settings: Settings
  private let now: @Sendable () -> WallTime
  private let thread: DeviceLoop
  /// `nil` before the first tickets, and once nothing can be replaced any more.
  private var work: TicketImport?
  private var isOver = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// - Throws: that no thread can be had for it.
  init(
    of span: Range<WallTime>?, asOf: WallTime, _ place: TicketListPlace, _ key: SealKey, _ settings: Settings,
    now: @escaping @Sendable () -> WallTime
  ) throws(TicketListFault) {
    self.span = span
    self.asOf = asOf
    self.place = place
    self.key = key
    self.settings = settings
    self.now = now
    do throws(SystemError) {
      thread = try DeviceLoop(name: "list import")
    } catch {
      throw TicketListFault("No thread can be had for the list of tickets (\(error.words)).")
    }
  }

  deinit { thread.stop() }

  func add(_ tickets: [ToldTicket]) throws(TicketListFault) {
    let work = try begun()
    for ticket in tickets { try work.add(ticket) }
    self.work = work
    isOver = false
  }

  func finish(mayShrink: Bool) throws(TicketListFault) -> Int {
    try begun().replace(span, asOf: asOf, imported: now(), mayShrink: mayShrink)
  }

  func merge(whole: Range<WallTime>?, forgetting end: WallTime?) throws(TicketListFault) -> MergedTickets {
    try begun().merge(whole, forgetting: end, asOf: asOf, imported: now())
  }

  /// Writes the list in use anew, where it has holders and seats that are over; false where it has none, or an import is at work, which
  /// does the same.
  func tidy() throws(TicketListFault) -> Bool {
    guard try place.isPresent() else { return false }
    let now = now()
    let list = try TicketListReader(place, key: key, keepsDetails: settings.keepsDetails)
    guard try list.hasOldDetails(at: now) else { return false }
    return try begun().tidy(at: now)
  }

  /// What was begun, or is now; it is over unless it is put back.
  private func begun() throws(TicketListFault) -> TicketImport {
    guard !isOver else { throw TicketListFault("What is told of tickets is not taken in any more.") }
    isOver = true
    defer { work = nil }
    if let work { return work }
    // Moments need no zone.
    return try TicketImport(
      TicketImport.Settings(
        place: place, key: key, recognise: { $0 }, folding: settings.folding, zone: { _, _, _ in nil },
        mayShrink: true, isUnhurried: true, keepsDetails: settings.keepsDetails, names: settings.names),
      mayBeEmpty: true)
  }
}

extension TicketImport {
  /// Puts what was added into the place of what the list in use has for a span.
  fileprivate func replace(
    _ span: Range<WallTime>?, asOf: WallTime, imported: WallTime, mayShrink: Bool
  ) throws(TicketListFault) -> Int {
    let system = settings.place.system
    // From here on nobody else replaces the list of which some is kept.
    try writer.begin()
    if span != nil || !mayShrink {
      let gone = try writer.keep(outside: span)
      if !mayShrink, report.good * 2 < gone {
        throw TicketListFault(
          "\(system) tells \(report.good) tickets, and the list on board has \(gone) for the same days: more than half of "
            + "those would be gone. Look at what was cancelled there; if that is meant: scangate tickets import --from-system "
            + "\(system) --yes", isOfData: true, isShrunk: true)
      }
    }
    let report = try finish(asOf: asOf, imported: imported)
    if let refusal = report.refusal {
      let first = report.badLines.first.map { " Ticket \($0.line): \($0.words)." } ?? ""
      throw TicketListFault(
        "What \(system) tells of its tickets is not taken on board. \(refusal)\(first)", isOfData: true)
    }
    return report.bad
  }

  /// Adds what was added to the list in use.
  fileprivate func merge(
    _ whole: Range<WallTime>?, forgetting end: WallTime?, asOf: WallTime, imported: WallTime
  ) throws(TicketListFault) -> MergedTickets {
    try writer.begin()
    // An answer of which most cannot be read says of nobody that he is not in it.
    let whole = report.bad > report.good ? nil : whole
    let addition = try writer.keep(toldOf: whole, forgetting: end)
    takesAnything = true
    let report = try finish(asOf: asOf, imported: imported)
    return MergedTickets(
      taken: report.good - report.shared, left: report.bad + report.shared,
      problem: report.badLines.first?.words ?? (report.shared > 0 ? "two bookings have one code" : nil),
      vanished: addition.vanished, isDoubtful: addition.isDoubtful)
  }

  /// Writes the list in use as it is, but for holders and seats that are over.
  fileprivate func tidy(at now: WallTime) throws(TicketListFault) -> Bool {
    guard try writer.beginIfFree(), let own = try writer.keepAll() else { return false }
    _ = try finish(as: own, at: now)
    return true
  }
}
