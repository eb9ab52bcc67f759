import ScanModel
import ScanTesting

/// The ticket system, and what stands between it and the station.
extension Evening {
  /// What the server says to a redeeming request, and the record that it makes.
  func redeem(_ code: Int, for exchange: EveningExchange?) -> (answer: TicketAnswer, made: EveningRecord?) {
    guard let number = plan.codes[code].ticket else { return (.refused(.notFound, detail: nil), nil) }
    let ticket = tickets[number]
    let sale = sales[ticket.sale]
    if case .refused(let reason) = sale.status { return (.refused(reason, detail: nil), nil) }
    if case .spentOnly(let reason) = plan.server, !ticket.records.isEmpty {
      return (.refused(reason, detail: nil), nil)
    }
    var made: EveningRecord?
    if !ticket.isEntry || ticket.records.isEmpty {
      let new = EveningRecord(
        entryID: "\(number)-\(ticket.records.count)", at: now, stamp: clocks.stamp(at: now), exchange: exchange)
      tickets[number].records.append(new)
      made = new
    }
    if case .refusedAndRecorded(let reason) = sale.status { return (.refused(reason, detail: nil), made) }
    guard let record = made ?? ticket.records.first else { return (.refused(.notFound, detail: nil), nil) }
    let redemption = Redemption(
      entryID: record.entryID, scannedAt: record.stamp, quantity: sale.persons, sale: sale.name,
      saleQuantity: sale.name == nil ? nil : sale.persons, details: TicketDetails(eventID: event(of: ticket.sale)))
    return (.redeemed(redemption), made)
  }

  func serve(_ exchange: EveningExchange) {
    var (answer, made) = redeem(exchange.code, for: exchange)
    if case .redeemed(var redemption) = answer, isBarred(exchange.code, exchange.gate) {
      redemption.bar = GateBar(.refuse(.wrongEvent))
      answer = .redeemed(redemption)
    }
    exchange.served = now
    exchange.answer = answer
    exchange.made = made
    switch answer {
    case .redeemed(let redemption): exchange.shown = redemption.entryID
    // A refusal in the API's own form, but for a sale that is still to be paid.
    default: exchange.mayHaveRedeemed = mayRecordRefused(exchange.code)
    }
    say("server: \(answer.short)\(made == nil ? "" : ", new record"), for code \(exchange.code)")
  }

  /// Whether the code's event is not that of the gate.
  func isBarred(_ code: Int, _ gate: GateID) -> Bool {
    guard let barred = plan.barred, gate == EveningPlan.barringGate, let ticket = plan.codes[code].ticket else {
      return false
    }
    return tickets[ticket].sale == barred
  }

  /// Each sale is of an event of its own.
  private func event(of sale: Int) -> String { "event \(sale)" }

  /// Which tickets a gate takes.
  func rule(of gate: GateID) -> GateRule? {
    guard let barred = plan.barred.map({ event(of: $0) }), gate == EveningPlan.barringGate else { return nil }
    return GateRule { ticket in
      switch ticket?.eventID {
      case nil: .unknown
      case barred: .bars(GateBar(.refuse(.wrongEvent)))
      default: .takes
      }
    }
  }

  private func mayRecordRefused(_ code: Int) -> Bool {
    guard let number = plan.codes[code].ticket, case .refusedAndRecorded = sales[tickets[number].sale].status else {
      return false
    }
    return true
  }

  /// Another station admits on what its own request has redeemed, and on nothing else.
  func redeemElsewhere(_ code: Int) {
    guard let number = plan.codes[code].ticket, case .paid = sales[tickets[number].sale].status else { return }
    let (_, made) = redeem(code, for: nil)
    guard made != nil, tickets[number].isEntry else { return }
    tickets[number].foreignAt = now
    count("used elsewhere")
    say("ticket \(number) is redeemed elsewhere")
  }

  /// A look-up redeems nothing; it tells of the whole sale.
  func lookUp(_ code: Int, _ dice: inout SeededGenerator) -> LookUp {
    guard isReachable else { return .unanswered }
    if !isCalm, plan.loss > 0, dice.chance(10) { return .unanswered }
    guard plan.canLookUp, let number = plan.codes[code].ticket else { return .unknown }
    let sale = tickets[number].sale
    return tickets.contains { $0.sale == sale && !$0.records.isEmpty } ? .used : .unused
  }

  // MARK: The way

  /// Sends a request: what it meets, and when.
  func send(_ exchange: EveningExchange, patience: Int64, _ dice: inout SeededGenerator) {
    exchange.sent = now + Int64.random(in: 0...Self.second / 5, using: &dice)
    exchange.path = path(&dice)
    let (sent, end) = (exchange.sent, exchange.sent + patience)
    let soon = sent + (dice.chance(70) ? 400_000_000 : patience - 100_000_000)
    func between(_ first: Int64, _ last: Int64) -> Int64 { Int64.random(in: first...max(first, last), using: &dice) }
    switch exchange.path {
    case .notSent, .requestLost: exchange.ended = end
    case .fine:
      exchange.ended = between(sent + 1_000_000, soon)
      let served = between(sent, exchange.ended)
      schedule(.serve(exchange), at: served, dies: false)
      exchange.date = clocks.date(at: between(served, exchange.ended))
    case .page, .gatewayPage, .serverError, .answerLost:
      // Something else answers, or nothing does, while the request arrives, or later, or never.
      exchange.ended = exchange.path == .answerLost && dice.chance(60) ? end : between(sent + 1_000_000, soon)
      if dice.chance(70) {
        let latest = dice.chance(60) ? exchange.ended : exchange.ended + 29 * Self.second
        schedule(.serve(exchange), at: between(sent, latest), dies: false)
      }
    case .late, .lateThenLost:
      exchange.ended = end
      let lateEnd = between(end + 1, end + (dice.chance(70) ? 5 : 29) * Self.second)
      let served = between(sent, lateEnd)
      if exchange.path == .late || dice.chance(50) { schedule(.serve(exchange), at: served, dies: false) }
      exchange.lateEnded = lateEnd
      exchange.date = clocks.date(at: between(served, lateEnd))
      schedule(.late(exchange), at: lateEnd)
    }
    // A late outcome may overtake the word that the attempt is pending.
    let overtaken = exchange.lateEnded.flatMap { $0 < exchange.ended + Self.second ? $0 + 1 : nil }
    schedule(.conclude(exchange), at: overtaken ?? exchange.ended)
  }

  private func path(_ dice: inout SeededGenerator) -> EveningExchange.Path {
    if !isReachable { return dice.chance(70) ? .notSent : .requestLost }
    guard !isCalm, dice.chance(plan.loss) else { return .fine }
    return EveningExchange.Path.allCases.randomElement(using: &dice) ?? .fine
  }

  /// What the station hears in time.
  func outcome(of exchange: EveningExchange) -> AttemptOutcome {
    let nothing = TicketAnswer.undecided(.unreachable, detail: nil)
    var outcome = AttemptOutcome(
      fate: .lost, answer: nothing, mayHaveRedeemed: true, sentAt: mono(exchange.sent), endedAt: mono(exchange.ended))
    switch exchange.path {
    case .fine:
      outcome.fate = .answered
      outcome.answer = exchange.answer ?? nothing
      outcome.mayHaveRedeemed = exchange.mayHaveRedeemed
      outcome.serverDate = exchange.date
    case .notSent:
      outcome.fate = .notSent
      outcome.mayHaveRedeemed = false
      outcome.sentAt = nil
      outcome.offline = .noConnection
    case .requestLost, .answerLost: outcome.offline = .timeOut
    case .late, .lateThenLost:
      outcome.fate = .pending
      outcome.offline = .timeOut
    case .page:
      outcome.fate = .answered
      outcome.answer = .undecided(.badAnswer, detail: nil)
    case .gatewayPage:
      outcome.fate = .answered
      outcome.offline = .gatewayFault
    case .serverError: outcome.fate = .answered
    }
    return outcome
  }

  func lateOutcome(of exchange: EveningExchange) -> AttemptOutcome {
    let ended = mono(exchange.lateEnded ?? exchange.ended)
    guard exchange.path == .late, let answer = exchange.answer else {
      return AttemptOutcome(
        fate: .lost, answer: .undecided(.unreachable, detail: nil), mayHaveRedeemed: true, sentAt: mono(exchange.sent),
        endedAt: ended)
    }
    return AttemptOutcome(
      fate: .answered, answer: answer, mayHaveRedeemed: exchange.mayHaveRedeemed, sentAt: mono(exchange.sent),
      endedAt: ended, serverDate: exchange.date)
  }
}

extension TicketAnswer {
  /// For traces.
  var short: String {
    switch self {
    case .redeemed(let redemption): "entry \(redemption.entryID) of \(redemption.scannedAt.seconds % 100_000)"
    case .valid: "valid"
    case .refused(let reason, _): "refused \(reason)"
    case .undecided(let reason, _): "undecided \(reason)"
    }
  }
}
