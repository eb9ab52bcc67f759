/// A place in a journal's count of facts.
package struct JournalPlace: Sendable, Hashable, Codable {
  /// Which journal it is: no two have the same.
  package var journal: Int64
  /// A fact of it: all up to here.
  package var fact: Int64

  package init(journal: Int64, fact: Int64) {
    self.journal = journal
    self.fact = fact
  }
}

/// An admission, or an exit, as the journal has it. Its code is not told.
package struct JournaledPassage: Sendable, Equatable {
  /// Which fact it is.
  package var fact: Int64
  /// The scan.
  package var scan: ScanID
  /// Where.
  package var gate: GateID
  /// The ticket's key in the ledger: a digest; `nil` where the code never got so far.
  package var ticket: TicketKey?
  /// When it was decided.
  package var at: JournalTime
  /// In which boot.
  package var boot: BootID
  /// Who decided; `nil` where that is nobody we know.
  package var decider: Decider?
  /// Whether the gate leads out.
  package var isExit: Bool
  /// The event, as the ticket system calls it, or as the presented code does where that does not tell it.
  package var eventID: String?
  /// The ticket's holder; `nil` where nobody told it, and once it was deleted.
  package var holder: String?
  /// Whether it was taken back because nobody passed.
  package var isAnnulled: Bool

  package init(
    fact: Int64, scan: ScanID, gate: GateID, ticket: TicketKey?, at: JournalTime, boot: BootID, decider: Decider?,
    isExit: Bool = false, eventID: String? = nil, holder: String? = nil, isAnnulled: Bool = false
  ) {
    self.fact = fact
    self.scan = scan
    self.gate = gate
    self.ticket = ticket
    self.at = at
    self.boot = boot
    self.decider = decider
    self.isExit = isExit
    self.eventID = eventID
    self.holder = holder
    self.isAnnulled = isAnnulled
  }

  /// Of a scan that is over: `nil` where nobody passed.
  /// - Parameter fact: which fact it is.
  package init?(_ scan: JournaledScan, fact: Int64, boot: BootID, isAnnulled: Bool) {
    guard scan.verdict == .admit else { return nil }
    self.init(
      fact: fact, scan: scan.scan.id, gate: scan.scan.gate, ticket: scan.ticket, at: scan.at, boot: boot,
      decider: scan.decider, isExit: Self.isOfExit(note: scan.note), eventID: scan.eventID, holder: scan.holder,
      isAnnulled: isAnnulled)
  }

  /// Whether a scan's note says that its gate leads out.
  package static func isOfExit(note: String?) -> Bool { note.map(exitNotes.contains) ?? false }

  /// The notes that a gate by which people leave writes, and no other.
  package static let exitNotes = ["left", "notInside"]
}

/// Passages of a piece of the journal.
package struct PassagePage: Sendable, Equatable {
  /// Oldest first.
  package var passages: [JournaledPassage]
  /// Up to where it was looked.
  package var end: JournalPlace
  /// Whether the journal has nothing behind that.
  package var isEnd: Bool

  package init(passages: [JournaledPassage], end: JournalPlace, isEnd: Bool) {
    self.passages = passages
    self.end = end
    self.isEnd = isEnd
  }
}
