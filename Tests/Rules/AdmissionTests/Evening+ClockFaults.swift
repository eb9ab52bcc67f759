import ScanModel
import Admission

/// Whom a clock's fault may send away, and for how long, as `docs/once.md` says it.
///
/// Clocks that are apart make fresh tickets look used, or of the future. Three new ones of the last eight that are old by one and the
/// same distance show it, and one of the future; until then such a ticket cannot be told from one used elsewhere. From then on nobody
/// is refused again who was refused at that distance, also after the clocks were put right, and over restarts. Who missed by a moment
/// is never refused again.
struct EveningClockFaults {
  /// A new ticket whose own record did not look like its own.
  struct Showing {
    let at: Int64
    let process: Int
    /// How many records the station had seen by then.
    let order: Int
    let code: Int
    /// How far the clock that dates records was ahead of the one that bounded this one.
    let distance: Int64
    let isAhead: Bool
  }

  /// The first refusal of somebody's own ticket.
  struct Refusal {
    let code: Int
    /// `nil` where the clocks moved meanwhile.
    let distance: Int64?
    let isNear: Bool
  }

  var showings: [Showing] = []
  var refusals: [Refusal] = []
  var seen = 0
}

extension Evening {
  /// What is less than that off is rare by itself.
  private static let near = 7 * second / 2
  /// Until then the power may take along what was suspected.
  private static let noting = second / 10

  /// Whether the ledger has no other record of the code, and no request that may have made one.
  private func isNew(_ exchange: EveningExchange) -> Bool {
    exchange.isAnswered && exchanges.count { $0.code == exchange.code && $0.wasSent } == 1
  }

  /// How far the clocks were apart by which a record was judged; `nil` where they moved meanwhile.
  private func distance(of record: EveningRecord, judgedBy exchange: EveningExchange) -> Int64? {
    let end = exchange.lateEnded ?? exchange.ended
    guard clocks.lastMoved(before: end) <= exchange.sent else { return nil }
    return clocks.records(at: record.at) - clocks.bounds(at: end)
  }

  /// Takes what a verdict tells of the clocks.
  func noteShowing(_ decision: AttemptDecision, _ exchange: EveningExchange?) {
    if decision.note == .recordBehind, clocks.arePutRight(at: now) { count("for staff once clocks were put right") }
    guard let exchange, exchange.isAnswered, exchange.shown != nil, exchange.found != .unused else { return }
    clockFaults.seen += 1
    guard isNew(exchange), let made = exchange.made, made.entryID == exchange.shown,
      let distance = distance(of: made, judgedBy: exchange)
    else { return }
    switch decision.note {
    case .recordAhead, .recordBehind, .usedElsewhere: break
    default: return
    }
    clockFaults.showings.append(
      .init(
        at: now, process: process, order: clockFaults.seen, code: exchange.code, distance: distance,
        isAhead: decision.note == .recordAhead))
  }

  /// Whether records have shown that the clocks were so far apart.
  private func isShown(_ distance: Int64) -> Bool {
    let showings = clockFaults.showings.filter { showing in
      showing.distance == distance
        && !ends.contains { $0.isReboot && (showing.at...showing.at + Self.noting).contains($0.at) }
    }
    if showings.contains(where: \.isAhead) { return true }
    return showings.contains { last in
      let recent = showings.filter { $0.process == last.process && (0..<8).contains(last.order - $0.order) }
      return recent.count >= 3
    }
  }

  /// Why a ticket of which the station itself has made the record could be refused as used elsewhere; `nil` where no clock's fault
  /// excuses that.
  func clockExcuse(_ ticket: EveningTicket, _ visit: EveningVisit, _ exchange: EveningExchange?) -> String? {
    guard clocks.isApart, ticket.records.contains(where: { $0.exchange != nil }) else { return nil }
    if let first = clockFaults.refusals.first(where: { $0.code == visit.code }) {
      guard let distance = first.distance else { return "clocks moved meanwhile" }
      return first.isNear || isShown(distance) ? nil : "clocks apart, not shown yet"
    }
    // The answer that it was refused by: this one, or the last one that showed a record.
    let shown = exchanges(on: ticket).filter { $0.shown != nil && ($0.isAnswered || $0.path == .late) }
    let judged = exchange?.isAnswered == true ? exchange : shown.last
    let record = ticket.records.first { $0.entryID == judged?.shown && $0.exchange != nil }
    let distance = record.flatMap { record in judged.flatMap { self.distance(of: record, judgedBy: $0) } }
    let offset = ledger.clock.offset.saturatedNanoseconds
    guard offsets(before: now).contains(where: { abs($0 - offset) <= Self.learntMargin }) else { return nil }
    let isNear = distance.map { abs($0 - offset) < Self.near } ?? false
    clockFaults.refusals.append(.init(code: visit.code, distance: distance, isNear: isNear))
    guard let distance else { return "clocks moved meanwhile" }
    guard let exchange, isNew(exchange) else { return "clocks apart, asked before" }
    let before = clockFaults.showings.count { showing in
      showing.process == process && showing.distance == distance && showing.code != visit.code
        && clockFaults.seen - showing.order < 8
    }
    return before < (isNear ? 1 : 2) ? "clocks apart" : nil
  }
}
