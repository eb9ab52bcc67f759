import ScanModel
import Admission

/// The three promises, held against what really happened.
extension Evening {
  // MARK: Who has a right

  private func isInside(_ admission: EveningAdmission) -> Bool { !admission.isGivenBack }

  private func inside(ticket: Int) -> Int {
    admissions.count { isInside($0) && plan.codes[$0.code].ticket == ticket }
  }

  private func inside(sale: Int) -> Int {
    admissions.count { admission in
      isInside(admission) && plan.codes[admission.code].ticket.map { tickets[$0].sale == sale } == true
    }
  }

  /// Whether nobody has passed on what the ticket is for. An admission of which a killed process has written counts.
  private func isUsedUp(_ ticket: EveningTicket) -> Bool {
    if ticket.foreignAt != nil || inside(sale: ticket.sale) >= sales[ticket.sale].persons { return true }
    return ticket.isEntry && inside(ticket: ticket.number) > 0
  }

  /// Whether somebody of the sale was in at that time on an admission that was taken back later.
  private func wasTakenBack(since time: Int64, of sale: Int) -> Bool {
    admissions.contains { admission in
      admission.isGivenBack && admission.givenBackAt >= time && admission.decided <= time
        && plan.codes[admission.code].ticket.map { tickets[$0].sale == sale } == true
    }
  }

  private func hasRight(_ code: Int) -> EveningTicket? {
    guard let number = plan.codes[code].ticket else { return nil }
    guard case .paid = sales[tickets[number].sale].status, !isUsedUp(tickets[number]) else { return nil }
    return tickets[number]
  }

  // MARK: At each verdict

  func note(_ decision: AttemptDecision, _ exchange: EveningExchange?) {
    count(decision.verdict.name)
    if case .undecided(.interrupted) = decision.verdict { count("for staff") }
    if decision.isProvisional { count("provisional") }
    if decision.verdict == .admit, decision.note == .ownLostAnswer { count("own lost answers") }
    switch exchange?.path {
    case .page, .gatewayPage: count("middlemen")
    case .late: count("late answers")
    default: break
    }
    noteShowing(decision, exchange)
  }

  /// Nobody is refused what they have a right to, but by a fault that is named.
  func judge(_ decision: AttemptDecision, _ visit: EveningVisit, _ exchange: EveningExchange?) {
    guard case .refuse(let reason) = decision.verdict else { return }
    if reason == .wrongEvent {
      if !isBarred(visit.code, visit.gate) { fail("a gate refused a ticket of its own event") }
      return count("refused for another event")
    }
    guard let ticket = hasRight(visit.code) else {
      if plan.codes[visit.code].ticket == nil, reason != .notFound, reason != .alreadyUsed {
        fail("a code that is no ticket was refused \(reason)")
      }
      return
    }
    let sale = sales[ticket.sale]
    // It was so when the server answered.
    if sale.changedAt >= visit.began ?? now, sale.refusals.contains(reason) { return }
    // A ticket system's last word.
    if exchange?.isAnswered == false, plan.mayAdmitOffline, sale.refusals.contains(reason) {
      return wrong(visit.person, "last word")
    }
    let isUsed = reason == .alreadyUsed || plan.server == .spentOnly(reason)
    guard isUsed, let fault = excuse(refusedTo: visit, ticket, exchange) else {
      return fail("person \(visit.person.plan.id) was refused \(reason), and had a right to pass")
    }
    wrong(visit.person, fault)
  }

  private func wrong(_ person: EveningPerson, _ fault: String) {
    person.wronged.append(fault)
    count("refused wrongly")
    count("refused wrongly: \(fault)")
  }

  // MARK: When the evening is over

  func checkEvening() {
    for code in keys.indices { prepare(code) }
    if ledger.isDeciding { fail("a ticket is locked for ever") }
    checkPaid()
    checkElsewhere()
    checkOwed()
    checkSpent()
    checkPeople()
  }

  /// Nobody is in beyond what was paid, but provisionally, and reported.
  private func checkPaid() {
    func check(_ what: String, _ inside: [EveningAdmission], _ paid: Int) {
      let open = inside.filter(\.isOpen)
      guard open.count > paid else { return }
      let reported = open.count { $0.isProvisional && $0.isConflict }
      let forgotten = open.count { $0.exchange?.isForgotten == true }
      if forgotten > 0 { count("forgotten by the power") }
      // An attempt that was cut off counts for its sale only where an answer has named that.
      let unnamed = open.count { isCutOffUnnamed($0) }
      if unnamed > 0 { count("cut off, and of no known sale") }
      if open.count > paid + reported + forgotten + unnamed {
        fail("\(open.count) are in on \(what), for \(paid) (\(reported) reported)")
      }
    }
    for sale in sales {
      let theirs = admissions.filter { admission in
        plan.codes[admission.code].ticket.map { tickets[$0].sale == sale.number } == true
      }
      check("sale \(sale.number)", theirs, sale.persons)
      for admission in theirs where admission.isOpen && !admission.isConflict && !wasPaid(sale) {
        fail("person \(admission.person.plan.id) is in on a sale that was never paid")
      }
    }
    for ticket in tickets where ticket.isEntry {
      check("ticket \(ticket.number)", admissions.filter { plan.codes[$0.code].ticket == ticket.number }, 1)
    }
    for admission in admissions
    where admission.isOpen && plan.codes[admission.code].ticket == nil && !admission.isConflict {
      fail("person \(admission.person.plan.id) is in without a ticket")
    }
  }

  private func isCutOffUnnamed(_ admission: EveningAdmission) -> Bool {
    guard let cut = admission.exchange, cut.wasInterrupted else { return false }
    return !exchanges.contains { $0.code == cut.code && $0 !== cut && $0.isAnswered && $0.shown != nil }
  }

  private func wasPaid(_ sale: EveningSale) -> Bool {
    plan.sales[sale.number].status == .paid || sale.status == .paid
  }

  /// Nobody is in on a ticket that another station redeemed, unless it cannot be told, or is reported.
  private func checkElsewhere() {
    for ticket in tickets {
      guard let used = ticket.foreignAt else { continue }
      for admission in admissions where admission.isOpen && plan.codes[admission.code].ticket == ticket.number {
        guard !admission.isConflict else { continue }
        guard let excuse = excuse(admission, ticket, usedElsewhere: used) else {
          fail(
            "person \(admission.person.plan.id) is in on ticket \(ticket.number), which was used elsewhere at \(Double(used) / 1e9)"
          )
          continue
        }
        count("used elsewhere, passed \(excuse)")
      }
    }
  }

  /// What was admitted provisionally is told, each on an entry of its own.
  private func checkOwed() {
    var entries: Set<String> = []
    for admission in admissions where admission.isProvisional {
      switch admission.ending {
      case nil: if !admission.wasCut { fail("nobody was told of person \(admission.person.plan.id)") }
      // What was taken back has freed its entry.
      case .confirmed where admission.isGivenBack: break
      case .confirmed(let entryID?):
        if !entries.insert(entryID).inserted { fail("two are confirmed on entry \(entryID)") }
      case .confirmed, .contradicted, .unsettled, .withdrawn: break
      }
    }
  }

  /// No ticket is spent by a gate that does not admit on it, unless it is said, and somebody is told.
  private func checkSpent() {
    let listed = Set(ledger.unsettled.map(\.key))
    for exchange in exchanges {
      guard let made = exchange.made, let visit = exchange.visit, let number = plan.codes[exchange.code].ticket else {
        continue
      }
      let isUsed = admissions.contains { admission in
        guard !admission.isGivenBack, plan.codes[admission.code].ticket == number else { return false }
        return tickets[number].isEntry || admission.entryID == made.entryID
          || admission.ending == .confirmed(made.entryID)
      }
      if isUsed { continue }
      count("spent, and nobody in")
      let isListed = plan.codes.indices.contains { plan.codes[$0].ticket == number && listed.contains(keys[$0]) }
      let wasTold = exchange.wasTakenUp || exchange.isForgotten || !exchange.isAnswered || isListed
      let isSaid: Bool
      switch exchange.decision?.verdict {
      case nil: isSaid = exchange.cutAt != nil
      case .admit: isSaid = true
      case .undecided: isSaid = true
      // Without proof a code admits once while the ticket system is offline; that a request was lost is told.
      case .refuse where !exchange.isAnswered && plan.mayAdmitOffline: isSaid = true
      case .refuse(let reason):
        isSaid =
          exchange.answer == .refused(reason, detail: nil) || isUsedUp(tickets[number]) || clocks.isApart
          || reason == .wrongEvent || wasTakenBack(since: exchange.ended, of: tickets[number].sale)
      }
      if !isSaid {
        fail(
          "person \(visit.person.plan.id)'s ticket was spent, and they were told \(exchange.decision?.verdict.name ?? "nothing")"
        )
      }
      if !wasTold, !clocks.isApart { fail("nobody was told that entry \(made.entryID) was made and admitted nobody") }
    }
  }

  /// Who was turned away by a fault is admitted when they come again, or is for staff where no record can tell.
  private func checkPeople() {
    for person in people where !person.isIn {
      guard let ticket = hasRight(person.plan.code), let last = person.last else { continue }
      switch last {
      case .admit, .refuse: break
      case .undecided(let reason):
        guard let why = staffReason(reason, ticket, code: person.plan.code) else {
          fail("person \(person.plan.id) is \(reason) in the end, though a record could tell")
          continue
        }
        count("staff in the end: \(why)")
      }
    }
    for person in people
    where person.isIn
      && exchanges.contains(where: { $0.visit?.person === person && $0.decision?.verdict == .refuse(.wrongEvent) })
    {
      count("admitted by another gate")
    }
    for person in people where person.isIn && !person.wronged.isEmpty { count("admitted after a wrong refusal") }
  }
}
