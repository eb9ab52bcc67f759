package import ScanModel

/// What the report unit says.
package enum ReportAnswer: Sendable, Equatable {
  /// It speaks the same version.
  case welcome(version: UInt16)
  /// It does not speak with this one, and why; the connection ends.
  case refused(String)
  /// Others are before it: so many.
  case waiting(ahead: UInt16)
  /// So many scans were read so far.
  case progress(scans: UInt64)
  /// The report is made; its bytes follow in pieces.
  case file(ReportFileHead)
  /// The next bytes of it.
  case piece([UInt8])
  /// Rows of the page, newest first.
  case rows([JournalLine])
  /// That was all.
  /// - Parameter next: before which place the next page goes on; `nil` where there is none, and of a report.
  case end(next: Int64?)
  /// There will be none, and why; the connection ends.
  case failed(ReportFault)
}

/// A report that is made.
package struct ReportFileHead: Sendable, Hashable {
  /// How many bytes it has.
  package var byteCount: UInt32
  /// How many scans it counts.
  package var scans: UInt64
  /// How many pages it has; 0 where it has none.
  package var pages: UInt16

  package init(byteCount: UInt32, scans: UInt64, pages: UInt16) {
    self.byteCount = byteCount
    self.scans = scans
    self.pages = pages
  }
}

/// Why a report cannot be made.
package struct ReportFault: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind; decides what is done about it.
  package enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// What is asked for makes no sense: an unknown zone, a time that ends before it begins.
    case question = 1
    /// There is no journal, or it cannot be read.
    case journal = 2
    /// Others are being served: come again.
    case busy = 3
    /// It would be too long, or take too long.
    case tooMuch = 4
    /// It failed within itself.
    case inside = 5
  }

  package var kind: Kind
  /// What happened, and what to do.
  package var description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}

/// A scan on a page of the journal. Its code lies sealed in the journal, and who makes the page has no key: it is not here.
package struct JournalLine: Sendable, Hashable {
  /// Its place, before which the next page goes on.
  package var place: Int64
  /// The scan; `nil` where the journal's is damaged.
  package var id: ScanID?
  package var gate: GateID
  package var reader: ReaderID
  /// When it was decided, by the civil clock.
  package var at: WallTime
  /// Whether that clock was trusted then.
  package var isTrusted: Bool
  /// From the last byte read to the verdict.
  package var decidedIn: Duration
  /// `admit`, `refuse` or `undecided`.
  package var verdict: String
  /// The reason's name; empty for an admission.
  package var reason: String
  /// Who decided, by `Decider`'s names.
  package var decider: String
  /// What else staff should know, by its name in events; empty where nothing is.
  package var note: String
  /// The event's name, or what the ticket system calls it; empty where nobody told it.
  package var event: String
  /// Whether the admission was taken back.
  package var isAnnulled: Bool
  /// Why the gate did not open though it was an admission; empty where it did.
  package var outputFault: String

  package init(
    place: Int64, id: ScanID?, gate: GateID, reader: ReaderID, at: WallTime, isTrusted: Bool = true,
    decidedIn: Duration = .zero, verdict: String, reason: String = "", decider: String, note: String = "",
    event: String = "", isAnnulled: Bool = false, outputFault: String = ""
  ) {
    self.place = place
    self.id = id
    self.gate = gate
    self.reader = reader
    self.at = at
    self.isTrusted = isTrusted
    self.decidedIn = decidedIn
    self.verdict = verdict
    self.reason = reason
    self.decider = decider
    self.note = note
    self.event = event
    self.isAnnulled = isAnnulled
    self.outputFault = outputFault
  }
}
