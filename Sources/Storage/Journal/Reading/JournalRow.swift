import SQLiteFile
package import ScanModel

/// A scan as the journal has it.
package struct JournalRow: Sendable, Equatable {
  /// The scan.
  package var id: ScanID?
  /// Where it was presented.
  package var gate: GateID
  /// The reader that read it.
  package var reader: ReaderID
  /// The code; `nil` without the station's key, or where it does not open with it.
  package var code: Code?
  /// The kind of code, where the reader told it.
  package var symbology: AIMIdentifier?
  /// When its last byte arrived, within `boot`.
  package var readAt: MonotonicTime
  /// The ticket system of its gate.
  package var system: TicketSystemID
  /// The ticket's digest.
  package var ticket: TicketKey?
  /// When it was decided.
  package var at: JournalTime
  /// In which boot.
  package var boot: BootID
  /// From the last byte read to the verdict.
  package var decidedIn: Duration
  /// `admit`, `refuse` or `undecided`.
  package var verdict: String
  /// The reason's name; `nil` for an admission.
  package var reason: String?
  /// Who decided, by `Decider`'s names.
  package var decider: String
  /// What else staff should know, by its name in events.
  package var note: String?
  /// What happened, in words.
  package var detail: String?
  /// The record of the ticket system.
  package var entryID: String?
  /// The ticket's holder; `nil` where there is none, where it was deleted, and without the station's key.
  package var holder: String?
  /// How many this code had admitted.
  package var admitted: Int
  /// How many it admits in all.
  package var allowance: Int
  /// Why the gate did not open although the verdict is an admission.
  package var outputFault: String?
  /// The first admission on the ticket, as it was known then; `nil` where none was, and before version 4.
  package var firstUse: FirstUse?
  /// The event, as the ticket system or the presented code calls it; `nil` where neither told it, and before version 5.
  package var eventID: String?
  /// The event's name.
  package var event: String?
  /// When the admission was taken back because nobody passed; `nil` where it was not.
  package var annulledAt: WallTime?

  /// Reads the columns of `Journal.Reader`.
  init(_ row: Row, seals: JournalSeals?) {
    let scan = ScanID(bytes: row.blob(1) ?? [])
    func opened<Plain>(_ column: Int32, _ open: (JournalSeals, [UInt8], ScanID) -> Plain?) -> Plain? {
      guard let seals, let scan, let sealed = row.blob(column) else { return nil }
      return open(seals, sealed, scan)
    }
    id = scan
    gate = GateID(row.text(2) ?? "")
    reader = ReaderID(row.text(3) ?? "")
    code = opened(4) { $0.openCode($1, of: $2) }
    symbology = row.text(5).flatMap { AIMIdentifier(journaled: $0) }
    readAt = MonotonicTime(nanoseconds: row.integer(6) ?? 0)
    system = TicketSystemID(row.text(7) ?? "")
    ticket = row.blob(8).map { TicketKey($0) }
    at = row.time(9)
    boot = BootID(row.text(12) ?? "")
    decidedIn = .nanoseconds(row.integer(13) ?? 0)
    verdict = row.text(14) ?? ""
    reason = row.text(15)
    decider = row.text(16) ?? ""
    note = row.text(17)
    detail = row.text(18)
    entryID = row.text(19)
    holder = opened(20) { $0.openHolder($1, of: $2) }
    admitted = Int(row.integer(21) ?? 0)
    allowance = Int(row.integer(22) ?? 0)
    outputFault = row.text(23)
    firstUse = row.integer(24).map { at in
      FirstUse(
        gate: row.text(25).map { GateID($0) }, at: WallTime(nanoseconds: at),
        request: row.blob(26).flatMap { AttemptID(bytes: $0) })
    }
    eventID = row.text(27)
    event = row.text(28)
    annulledAt = row.integer(29).map { WallTime(nanoseconds: $0) }
  }
}

/// A request that might redeem, as the journal has it.
package struct JournalAttempt: Sendable, Equatable {
  /// What became of it, by one answer or none.
  package struct Conclusion: Sendable, Equatable {
    /// Whether the gate had stopped waiting for it.
    package var isLate: Bool
    /// `notSent`, `answered`, `pending` or `lost`.
    package var fate: String
    /// Whether the server may have recorded an admission on it.
    package var mayHaveRedeemed: Bool
    /// `admit`, `refuse` or `undecided`, where it decided something.
    package var verdict: String?
    /// The reason's name.
    package var reason: String?
    /// The record that the server told.
    package var entryID: String?
    /// When the server made it, by its own clock.
    package var recordedAt: WallTime?
    /// The server's own words.
    package var said: String?
    /// When.
    package var at: JournalTime
    /// In which boot.
    package var boot: BootID

    init?(_ row: Row) {
      guard let fate = row.text(12) else { return nil }
      isLate = row.integer(11) == 1
      self.fate = fate
      mayHaveRedeemed = row.integer(13) == 1
      verdict = row.text(14)
      reason = row.text(15)
      entryID = row.text(16)
      recordedAt = row.integer(17).map { WallTime(nanoseconds: $0) }
      said = row.text(18)
      at = row.time(19)
      boot = BootID(row.text(22) ?? "")
    }
  }

  /// The attempt.
  package var id: AttemptID
  /// The scan that it served.
  package var scan: ScanID
  /// Where it was presented.
  package var gate: GateID
  /// The code; `nil` without the station's key.
  package var code: Code?
  /// The ticket system that was asked.
  package var system: TicketSystemID
  /// Its server.
  package var server: String
  /// The ticket's digest.
  package var ticket: TicketKey
  /// When.
  package var at: JournalTime
  /// In which boot.
  package var boot: BootID
  /// What became of it, in order; empty where that is not known.
  package var conclusions: [Conclusion] = []

  init?(_ row: Row, seals: JournalSeals?) {
    guard let id = AttemptID(bytes: row.blob(1) ?? []), let scan = ScanID(bytes: row.blob(2) ?? []) else { return nil }
    self.id = id
    self.scan = scan
    gate = GateID(row.text(3) ?? "")
    code = row.blob(4).flatMap { seals?.openCode($0, of: scan) }
    system = TicketSystemID(row.text(5) ?? "")
    server = row.text(6) ?? ""
    ticket = TicketKey(row.blob(23) ?? [])
    at = row.time(7)
    boot = BootID(row.text(10) ?? "")
  }
}
