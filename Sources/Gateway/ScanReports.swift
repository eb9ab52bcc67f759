internal import ScanModel
internal import ScanPipeline

/// Writes down what became of a gate's scans, and tells it.
struct ScanReports {
  /// The gate's ticket system.
  let system: TicketSystemID
  let ledger: LedgerKeeper
  let events: any EventSink
  /// For scans that cost no request.
  private var quota = RecordQuota()

  init(system: TicketSystemID, ledger: LedgerKeeper, events: any EventSink) {
    self.system = system
    self.ledger = ledger
    self.events = events
  }

  /// Takes a scan that is decided, at the moment when it was signalled.
  mutating func add(_ scan: Scan, _ kept: KeptDecision, outputFault: String?) {
    let decision = kept.decision
    let now = ledger.now
    let waited = now.monotonic - scan.readAt
    record(scan, kept, waited, now, outputFault)
    events.emit(
      .scan(
        DecidedScan(
          scan: scan, verdict: decision.verdict, readAt: now.wall - waited, decidedIn: waited,
          details: decision.details ?? TicketDetails(), admitted: decision.admitted, allowance: decision.allowance,
          decider: kept.decider, isProvisional: decision.isProvisional, note: decision.note,
          firstUse: decision.firstUse, detail: decision.detail, outputFault: outputFault)))
  }

  private mutating func record(
    _ scan: Scan, _ kept: KeptDecision, _ waited: Duration, _ now: JournalTime, _ outputFault: String?
  ) {
    let decision = kept.decision
    var detail = decision.detail
    if kept.asked == nil, decision.verdict != .admit {
      let (isTaken, skipped) = quota.take(at: now.monotonic)
      guard isTaken else { return }
      if skipped > 0 {
        detail = [detail, "\(skipped) scans before it were too many to be written down."].compactMap(\.self).joined(
          separator: " ")
      }
    }
    ledger.record(
      JournaledScan(
        scan: scan, system: system, ticket: kept.ticket, at: now, decidedIn: waited, verdict: decision.verdict,
        decider: kept.decider, note: decision.note?.rawValue, detail: detail, entryID: decision.entryID,
        holder: decision.details?.holder, admitted: decision.admitted, allowance: decision.allowance,
        outputFault: outputFault))
  }
}
