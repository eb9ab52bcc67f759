import Journal
import ReportProtocol
import Reports
import ScanModel

extension JournalBrief {
  /// Whether it is of an event, by its name or by what the ticket system calls it; of any where it is `nil`.
  func isOf(_ wanted: String?) -> Bool { wanted.map { $0 == event || $0 == eventID } ?? true }
}

extension ReportScope {
  func has(_ attempt: JournalAttempt) -> Bool { attempt.at.wall < until && (gate.map { $0 == attempt.gate } ?? true) }

  func has(_ order: JournaledOrder) -> Bool { order.at.wall < until && (gate.map { $0 == order.gate } ?? true) }
}

/// The digits that lists show of a scan. With a word before them: a spreadsheet takes `12e45678` for a number.
private func digits(_ id: ScanID?) -> String { id.map { "scan \($0.description.prefix(8))" } ?? "" }

extension ReportedScan {
  /// A scan of the journal. What is neither an admission nor a refusal was not decided.
  init(_ brief: JournalBrief) {
    self.init(
      id: digits(brief.id), gate: brief.gate.name, at: brief.at,
      outcome: brief.verdict == "admit" ? .admitted : brief.verdict == "refuse" ? .refused : .undecided,
      reason: brief.reason ?? "", decider: brief.decider, event: brief.event ?? brief.eventID ?? "",
      isAnnulled: brief.isAnnulled, outputFault: brief.outputFault ?? "")
  }
}

extension ReportedItem {
  /// What is listed of an admission without the ticket system's word: itself, and as a conflict where it became one.
  static func items(of admission: JournalProvisional) -> [ReportedItem] {
    func item(_ kind: Kind) -> ReportedItem {
      ReportedItem(
        kind, at: admission.at, gate: admission.gate.name, event: admission.event ?? "", decider: admission.decider,
        what: admission.ending ?? "waiting", reason: admission.reason ?? "", scan: digits(admission.scan))
    }
    let isConflict = admission.ending.flatMap { ToldAdmission.Ending(rawValue: $0) }?.isConflict ?? false
    return [item(.provisional)] + (isConflict ? [item(.conflict)] : [])
  }

  /// A request of which no answer tells.
  init(_ request: UnsettledAttempt) {
    self.init(
      .conflict, at: request.attempt.at, gate: request.attempt.gate.name, what: request.reason.rawValue,
      reason: "a request of which no answer tells", scan: digits(request.attempt.scan))
  }

  /// An order of staff. What it is about is shortened in the journal already; what the ticket system said is not told.
  init(_ order: JournaledOrder) {
    let became = [order.outcome ?? "not known", order.reason].compactMap(\.self).joined(separator: ": ")
    self.init(
      .order, at: order.at, gate: order.gate?.name ?? "", what: order.kind, reason: became,
      subject: order.subject ?? "", who: order.who, why: order.why, scan: digits(order.scan))
  }

  /// A start after the one before was killed, or lost its power.
  init(_ start: JournalStart) {
    self.init(
      .fault, at: JournalTime(wall: start.at, monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true),
      what: "start", reason: "the gateway had been killed, or lost its power")
  }
}

extension JournalLine {
  /// A scan of the journal.
  init(_ brief: JournalBrief) {
    func short(_ text: String?) -> String { ReportText.clean(text ?? "") }
    self.init(
      place: brief.place, id: brief.id, gate: GateID(short(brief.gate.name)),
      reader: ReaderID(short(brief.reader.name)),
      at: brief.at.wall, isTrusted: brief.at.isTrusted, decidedIn: brief.decidedIn, verdict: short(brief.verdict),
      reason: short(brief.reason), decider: short(brief.decider), note: short(brief.note),
      event: short(brief.event ?? brief.eventID), isAnnulled: brief.isAnnulled, outputFault: short(brief.outputFault))
  }
}
