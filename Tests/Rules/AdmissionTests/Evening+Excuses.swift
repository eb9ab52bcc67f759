import ScanModel

/// What `docs/once.md` names as what cannot be promised, computed from what really happened.
extension Evening {
  /// The whole second of a record and that of `Date`; without `Date` what our own clock is trusted to, either way, too.
  private var margin: Int64 { (clocks.hasDate ? 2 : 5) * Self.second }
  /// How long a server may go on with a request after we stopped waiting.
  private static let grace = 30 * second
  /// How long a request may take that the process's end cut off.
  private static let longestRequest = 11 * second
  /// How much more an offset may let pass that was learnt.
  static let learntMargin = 3 * second

  /// Why somebody could be admitted on a ticket that another station had redeemed; `nil` where nothing excuses it.
  func excuse(_ admission: EveningAdmission, _ ticket: EveningTicket, usedElsewhere used: Int64) -> String? {
    // Whether it stands shows when it is told.
    let ours = exchanges(on: ticket).filter { $0.wasSent && ($0.asked <= admission.decided || admission.isProvisional) }
    // Which answer it was judged by: that which first showed the record.
    let shown = ours.filter { $0.shown == ticket.records.first?.entryID }
    for judged in shown {
      let end = judged.lateEnded ?? judged.ended
      if judged.found == .unused, let foundAt = judged.foundAt, used >= foundAt, used <= end {
        return "after a look-up"
      }
      let slack = margin + (end - judged.sent) + Self.second / 5
      for offset in offsets(before: end) {
        let room = slack + (offset == 0 ? 0 : Self.learntMargin)
        // The record's time, and the request's, by the clocks that the ledger has.
        let record = used + clocks.records(at: used)
        let bound = clocks.bounds(at: end) + offset
        for exchange in ours {
          let from = (exchange.cutAt == nil ? exchange.sent : exchange.asked) + bound - room
          let until = last(exchange) + bound + room
          if record >= from, record <= until || exchange === judged {
            return exchange === judged ? "in the same moment" : "in the half minute after a lost answer"
          }
        }
      }
    }
    // A ticket system without times cannot tell whose request it was that was lost.
    if admission.isProvisional, case .spentOnly = plan.server,
      ours.contains(where: { lost in
        !lost.isAnswered
          && (lost.owed == admission.attempt || lost.visit?.person === admission.person
            || ours.contains { $0.owed == admission.attempt && $0.sent <= last(lost) && $0.sent > lost.sent })
      })
    {
      return "whose request it was cannot be told"
    }
    return nil
  }

  /// Until when the server may have carried out a request, as the station can know it.
  private func last(_ exchange: EveningExchange) -> Int64 {
    // When the process ended the next one does not know; a request was over by its longest time.
    if let cutAt = exchange.cutAt {
      let known = min(exchange.takenUpAt ?? cutAt, exchange.asked + Self.longestRequest)
      return max(cutAt, known) + Self.grace
    }
    switch exchange.path {
    case .fine: return exchange.ended
    case .notSent: return .min / 2
    default: return exchange.ended + Self.grace
    }
  }

  /// The offsets by which the ledger may have judged an answer: none, or one that proven records have told.
  func offsets(before time: Int64) -> [Int64] {
    let proven = exchanges.filter { $0.found == .unused && $0.isAnswered && $0.ended <= time }
    return [0] + (proven.count < 5 ? [] : proven.map { clocks.distance(at: $0.ended) })
  }

  func exchanges(on ticket: EveningTicket) -> [EveningExchange] {
    exchanges.filter { plan.codes[$0.code].ticket == ticket.number }
  }

  // MARK: Refusals

  /// Why somebody could be refused as used who had a right to pass; `nil` where nothing excuses it.
  func excuse(refusedTo visit: EveningVisit, _ ticket: EveningTicket, _ exchange: EveningExchange?) -> String? {
    let isUnanswered = exchange.map { !$0.isAnswered } ?? false
    let ours = exchanges(on: ticket)
    // Without proof a code admits once while the ticket system is offline.
    // What another spelling was shown proves nothing of this one.
    let isProven = ours.contains { $0.code == visit.code && $0.isAnswered && $0.shown != nil }
    if !ticket.isEntry, isUnanswered, plan.mayAdmitOffline, !isProven { return "unproven offline" }
    if ours.contains(where: { $0.isForgotten && $0.served != nil }) { return "not even asked was durable" }
    // What was asked for in another spelling is that code's.
    if ticket.isEntry, ours.contains(where: { $0.code != visit.code && ($0.made != nil || $0.shown != nil) }) {
      return "another spelling"
    }
    return clockExcuse(ticket, visit, exchange)
  }

  // MARK: For staff

  /// Why no record can tell whether somebody has a right to pass; `nil` where one could.
  func staffReason(_ reason: UndecidedReason, _ ticket: EveningTicket, code: Int) -> String? {
    let ours = exchanges(on: ticket)
    let spellings = plan.codes.indices.filter { plan.codes[$0].group == plan.codes[code].group && $0 != code }
    let others = admissions.filter { spellings.contains($0.code) }
    switch reason {
    // A record that a sale's secret cannot have.
    case .clockWrong, .badAnswer: return clocks.isApart ? "clocks apart" : nil
    case .busy:
      let isOwed = admissions.contains { admission in
        admission.isProvisional
          && (plan.codes[admission.code].ticket == ticket.number || spellings.contains(admission.code))
          && (admission.ending == nil || admission.ending == .unsettled)
      }
      if isOwed { return "owed" }
      // Behind somebody on the same ticket, who is sent away by wrong clocks: they would be as well.
      return clocks.isApart ? "clocks apart" : nil
    case .interrupted:
      let sale = exchanges.filter { exchange in
        plan.codes[exchange.code].ticket.map { tickets[$0].sale == ticket.sale } ?? false
      }
      if sale.contains(where: { $0.wasInterrupted }) { return "cut off" }
      let isUnplaced = ours.contains { exchange in
        exchange.wasSent && ends.contains { $0.isReboot && $0.at > exchange.asked }
      }
      if isUnplaced { return "before the machine's start" }
      if plan.server != .records, ours.contains(where: { $0.wasSent && !$0.isAnswered }) {
        return "own request possible"
      }
      if plan.server != .records, ours.contains(where: { $0.served != nil && isBarred($0.code, $0.gate) }) {
        return "spent by a gate of another event"
      }
      if !others.isEmpty || spellings.contains(where: { isTouched($0) }) { return "another spelling" }
      return clocks.isApart ? "clocks apart" : nil
    default: return nil
    }
  }

  /// Whether a code was used elsewhere, or cut off.
  private func isTouched(_ code: Int) -> Bool {
    let isUsed = plan.codes[code].ticket.flatMap { tickets[$0].foreignAt } != nil
    return isUsed || exchanges.contains { $0.code == code && $0.wasInterrupted }
  }
}
