internal import LinuxIO
internal import ScanModel
internal import Sealing

/// What takes a place in a list, at work on a thread of its own, in bits between which others have the processor.
///
/// ```
/// add, add, … ─▶ a temporary file ──finish──▶ alone with the list ─▶ what stays of it ─▶ sorted, written, in its place
/// ```
/// What is told may take minutes, and keeps nobody from importing a list meanwhile.
actor ListReplacement: TicketListReplacement {
  private let span: Range<WallTime>?
  private let asOf: WallTime
  private let settings: @Sendable () -> TicketImport.Settings
  private let thread: DeviceLoop
  /// `nil` before the first tickets, and once nothing can be replaced any more.
  private var work: TicketImport?
  private var isOver = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// - Throws: that no thread can be had for it.
  init(
    of span: Range<WallTime>?, asOf: WallTime, _ place: TicketListPlace, _ key: SealKey,
    folding: @escaping @Sendable (Code) -> TicketKey?
  ) throws(TicketListFault) {
    self.span = span
    self.asOf = asOf
    // Moments need no zone.
    settings = {
      TicketImport.Settings(
        place: place, key: key, recognise: { $0 }, folding: folding, zone: { _, _, _ in nil }, mayShrink: true,
        isUnhurried: true)
    }
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
    try begun().replace(span, asOf: asOf, mayShrink: mayShrink)
  }

  /// What was begun, or is now; it is over unless it is put back.
  private func begun() throws(TicketListFault) -> TicketImport {
    guard !isOver else { throw TicketListFault("What is told of tickets is not taken in any more.") }
    isOver = true
    defer { work = nil }
    if let work { return work }
    return try TicketImport(settings(), mayBeEmpty: true)
  }
}

extension TicketImport {
  /// Puts what was added into the place of what the list in use has for a span.
  fileprivate func replace(
    _ span: Range<WallTime>?, asOf: WallTime, mayShrink: Bool
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
    let report = try finish(asOf: asOf, imported: SystemTime().wall())
    if let refusal = report.refusal {
      let first = report.badLines.first.map { " Ticket \($0.line): \($0.words)." } ?? ""
      throw TicketListFault(
        "What \(system) tells of its tickets is not taken on board. \(refusal)\(first)", isOfData: true)
    }
    return report.bad
  }
}
