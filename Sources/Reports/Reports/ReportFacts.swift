package import LinuxIO
package import ScanModel

/// Of what a report is.
package struct ReportScope: Sendable {
  /// From this time on.
  package var from: WallTime
  /// Up to this time, itself left out.
  package var until: WallTime
  /// Of one gate; `nil` for all.
  package var gate: GateID?
  /// Of one event, by its name or by what the ticket system calls it; `nil` for all.
  package var event: String?
  /// Whose civil time is told.
  package var zone: ZoneRules
  /// What that zone is called; empty where nobody said.
  package var zoneName: String
  /// When the report is made.
  package var madeAt: WallTime

  package init(
    from: WallTime, until: WallTime, gate: GateID? = nil, event: String? = nil, zone: ZoneRules = .utc,
    zoneName: String = "", madeAt: WallTime
  ) {
    self.from = from
    self.until = until
    self.gate = gate
    self.event = event
    self.zone = zone
    self.zoneName = zoneName
    self.madeAt = madeAt
  }
}

/// A scan, as a report counts it: without its code and whose ticket it was.
package struct ReportedScan: Sendable, Equatable {
  /// What became of it.
  package enum Outcome: String, Sendable, CaseIterable {
    case admitted, refused, undecided
  }

  /// Its first digits, by which `scangate journal show` finds it.
  package var id: String
  package var gate: String
  package var at: JournalTime
  package var outcome: Outcome
  /// The reason's name; empty for an admission.
  package var reason: String
  /// Who decided, by `Decider`'s names.
  package var decider: String
  /// The event's name, or what the ticket system calls it; empty where nobody told it.
  package var event: String
  /// Whether the admission was taken back.
  package var isAnnulled: Bool
  /// Why the gate did not open although it was an admission; empty where it did.
  package var outputFault: String

  package init(
    id: String, gate: String, at: JournalTime, outcome: Outcome, reason: String = "", decider: String,
    event: String = "",
    isAnnulled: Bool = false, outputFault: String = ""
  ) {
    self.id = id
    self.gate = gate
    self.at = at
    self.outcome = outcome
    self.reason = reason
    self.decider = decider
    self.event = event
    self.isAnnulled = isAnnulled
    self.outputFault = outputFault
  }
}

/// What a report lists one by one.
package struct ReportedItem: Sendable, Equatable {
  /// Which list it stands in.
  package enum Kind: String, Sendable, CaseIterable {
    /// Admissions without the ticket system's word.
    case provisional
    /// What the ticket system contradicts, and what nobody can tell.
    case conflict
    /// Orders of staff.
    case order
    /// Faults of gates, outputs and the station.
    case fault
  }

  package var kind: Kind
  /// When; the first time of what is counted together.
  package var at: JournalTime
  /// The gate; empty where it is of none.
  package var gate: String
  /// The event; empty where nobody told it.
  package var event: String
  /// Who decided; empty where nobody did.
  package var decider: String
  /// What it is, or what became of it.
  package var what: String
  /// Why.
  package var reason: String
  /// Whom or what it is about, beside that: a signal, a shortened code.
  package var subject: String
  /// Who gave an order.
  package var who: String
  /// What the person wrote about it.
  package var why: String
  /// The scan's first digits.
  package var scan: String
  /// How many are counted together.
  package var count: Int

  package init(
    _ kind: Kind, at: JournalTime, gate: String = "", event: String = "", decider: String = "", what: String = "",
    reason: String = "", subject: String = "", who: String = "", why: String = "", scan: String = "", count: Int = 1
  ) {
    self.kind = kind
    self.at = at
    self.gate = gate
    self.event = event
    self.decider = decider
    self.what = what
    self.reason = reason
    self.subject = subject
    self.who = who
    self.why = why
    self.scan = scan
    self.count = count
  }
}
