internal import ScanModel
internal import Admission
internal import Synchronization

/// Writes down what became of a gate's scans, and has it told.
///
/// ```
/// scan is over ─▶ journal ── written, or 100 ms are over ──▶ event, with `stored`
///      │ too many              └ in the order in which they were over
///      └─▶ flood, counted ──▶ journal, a second after it began
/// ```
final class ScanReports: Sendable {
  /// The gate's ticket system.
  let system: TicketSystemID
  let ledger: LedgerKeeper
  let teller: ScanTeller
  /// For scans that cost no request.
  private let quota = Mutex(RecordQuota())

  init(system: TicketSystemID, ledger: LedgerKeeper, events: any EventSink) {
    self.system = system
    self.ledger = ledger
    teller = ScanTeller(ledger: ledger, events: events)
  }

  /// Takes a scan that is decided, at the moment when it was signalled; from any thread, returns at once.
  func add(_ scan: Scan, _ kept: KeptDecision, outputFault: String?) {
    let decision = kept.decision
    let now = ledger.now
    let waited = now.monotonic - scan.readAt
    var details = decision.details ?? TicketDetails()
    details.eventID = details.eventID ?? scan.event
    // Who was asked for, and who was admitted, is written down whatever comes.
    let isLeftOut = kept.asked == nil && decision.verdict != .admit && !quota.withLock({ $0.take(at: now.monotonic) })
    let mark = isLeftOut ? nil : record(scan, kept, details, waited, now, outputFault)
    if decision.verdict == .admit { ledger.passages.wake() }
    teller.take(
      DecidedScan(
        scan: scan, verdict: decision.verdict, readAt: now.wall - waited, decidedIn: waited,
        details: details, admitted: decision.admitted, allowance: decision.allowance,
        decider: kept.decider, isProvisional: kept.isProvisional, note: decision.note,
        firstUse: decision.firstUse, detail: decision.detail, outputFault: outputFault), mark, at: now)
  }

  private func record(
    _ scan: Scan, _ kept: KeptDecision, _ details: TicketDetails, _ waited: Duration, _ now: JournalTime,
    _ outputFault: String?
  ) -> JournalMark {
    let decision = kept.decision
    return ledger.record(
      .scan(
        JournaledScan(
          scan: scan, system: system, ticket: kept.ticket, at: now, decidedIn: waited, verdict: decision.verdict,
          decider: kept.decider, note: decision.note?.rawValue, detail: decision.detail, entryID: decision.entryID,
          eventID: details.eventID, event: details.event, holder: details.holder, admitted: decision.admitted,
          allowance: decision.allowance,
          firstUse: decision.firstUse, outputFault: outputFault, admission: decision.admission)))
  }
}
