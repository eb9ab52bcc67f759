package import FleetBook
package import ScanModel

/// What somebody has to know of a station's fleet.
package enum ClaimNews: Hashable, Sendable {
  /// The fleet answers.
  case together
  /// It does not: why.
  case alone(ClaimFault)
  /// Something cannot be told to it, and stays owed: why.
  case stuck(String)
  /// How many are in the house has changed, or whether that is known.
  case house(HouseCount)
  /// This machine's clock is so far ahead of the fleet's (negative where it is behind); `nil` when it is right again.
  case clock(ahead: Duration?)
  /// What stations say otherwise than others of what names tickets has changed; empty where nothing does any more.
  case differences([WordDifference])
  /// Two admissions on one ticket.
  case conflict(ClaimConflict, scan: ScanID, gate: GateID, subject: ClaimSubject?)
}

/// What a gate asks before it asks a ticket system.
package struct ClaimPresentation: Sendable {
  /// The scan.
  package var scan: ScanID
  /// Where.
  package var gate: GateID
  /// The ticket, and how it admits as far as that is known.
  package var demand: ClaimDemand
  /// Whether a ticket system that records admissions is asked.
  package var redeems: Bool
  /// The ticket as staff know it.
  package var subject: ClaimSubject

  package init(scan: ScanID, gate: GateID, demand: ClaimDemand, redeems: Bool, subject: ClaimSubject) {
    self.scan = scan
    self.gate = gate
    self.demand = demand
    self.redeems = redeems
    self.subject = subject
  }
}

/// What the fleet says to a presentation.
package enum ClaimWord: Equatable, Sendable {
  /// It is this gate's: ask the ticket system, then say `admitted` or `ended`.
  case held
  /// Nobody passes.
  case stopped(ClaimVerdict)
  /// Nobody passes: the station's journal cannot keep it.
  case unkept(JournalFault)
}

/// Whether a gate may open.
package enum ClaimOpening: Equatable, Sendable {
  /// It may, until then by this machine's clock; say `opened` or `notOpened` afterwards.
  case open(until: BootTime, isAlone: Bool)
  /// It may not.
  case stopped(ClaimVerdict)
  /// It may not: the journal cannot keep it.
  case unkept(JournalFault)
}
