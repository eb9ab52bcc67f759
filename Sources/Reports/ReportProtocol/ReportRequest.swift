package import ScanModel

/// What is asked of the report unit. A connection is for one question.
package enum ReportRequest: Sendable, Equatable {
  /// The first packet of a connection: which version is spoken, and who asks, for the log.
  case hello(version: UInt16, program: String)
  /// A report is wanted.
  case report(ReportQuestion)
  /// A page of the journal is wanted.
  case page(JournalPageQuestion)
}

/// Which report is wanted.
package struct ReportQuestion: Sendable, Hashable {
  /// What a report is written as.
  package enum Form: UInt8, Sendable, Hashable, CaseIterable {
    /// Comma-separated values.
    case csv = 1
    /// Pages.
    case pdf = 2
  }

  /// From this time on; from the first scan where it is `nil`.
  package var from: WallTime?
  /// Up to this time, itself left out; to the last scan where it is `nil`.
  package var until: WallTime?
  /// Of one gate.
  package var gate: GateID?
  /// Of one event, by its name or by what the ticket system calls it.
  package var event: String?
  /// Whose civil time is told, by its IANA name; the machine's where it is `nil`.
  package var zone: String?
  /// What it is written as.
  package var form: Form
  /// The language of pages, such as `de`; English where it is `nil`.
  package var language: String?

  package init(
    from: WallTime? = nil, until: WallTime? = nil, gate: GateID? = nil, event: String? = nil, zone: String? = nil,
    form: Form, language: String? = nil
  ) {
    self.from = from
    self.until = until
    self.gate = gate
    self.event = event
    self.zone = zone
    self.form = form
    self.language = language
  }
}

/// Which page of the journal is wanted; newest first.
package struct JournalPageQuestion: Sendable, Hashable {
  /// Only what lies before this place, which the page before has told; from the newest where it is `nil`.
  package var before: Int64?
  /// At most so many rows; `ReportLimits.maximumRows` where it is more.
  package var limit: UInt16
  /// Of one gate.
  package var gate: GateID?
  /// Of one verdict: `admit`, `refuse` or `undecided`.
  package var verdict: String?
  /// From this time on.
  package var from: WallTime?
  /// Up to this time, itself left out.
  package var until: WallTime?

  package init(
    before: Int64? = nil, limit: UInt16 = 50, gate: GateID? = nil, verdict: String? = nil, from: WallTime? = nil,
    until: WallTime? = nil
  ) {
    self.before = before
    self.limit = limit
    self.gate = gate
    self.verdict = verdict
    self.from = from
    self.until = until
  }
}
