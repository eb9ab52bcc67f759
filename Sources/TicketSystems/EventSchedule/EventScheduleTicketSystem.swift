package import ScanModel
internal import TicketTransport

/// The ticket scanning API as a gate's ticket system: redeem online and believe the answer. One for each gate.
package struct EventScheduleTicketSystem: TicketSystem {
  package let id: TicketSystemID
  private let client: EventScheduleClient
  /// The ticket within a sale that this gate scans; the first if `nil`.
  private let saleTicketID: Int64?
  /// What is kept with each entry.
  private let seatNumber: String?
  /// Which tickets the gate takes; `nil` where it takes all.
  private let events: EventRule?
  package let rule: GateRule?
  private let book: EventBook
  private let directory: EventDirectory?
  private let longestInspection: Duration
  private let time: any TimeSource

  /// Makes the gate's face of `client`.
  /// - Parameter longestInspection: how long is waited to know more of a ticket before it is redeemed: somebody stands there.
  init(
    id: TicketSystemID, client: EventScheduleClient, gate: EventScheduleSection.Gate, book: EventBook,
    directory: EventDirectory? = nil, longestInspection: Duration = .milliseconds(800), time: any TimeSource
  ) {
    self.id = id
    self.longestInspection = longestInspection
    self.client = client
    saleTicketID = gate.saleTicket.map { Int64($0) }
    seatNumber = gate.seat
    events = EventRule(gate, saleTicketID: saleTicketID, book: book, directory: directory)
    self.directory = directory
    rule = events?.gateRule
    self.book = book
    self.time = time
  }

  /// Makes the face of `client` for a gate that shares nothing with others.
  package init(
    id: TicketSystemID, client: EventScheduleClient, gate: EventScheduleSection.Gate = .init(),
    longestInspection: Duration = .milliseconds(800), time: any TimeSource = SystemTime()
  ) {
    let book = EventBook(time: time)
    self.init(
      id: id, client: client, gate: gate, book: book,
      directory: EventDirectory(client: client, book: book, time: time), longestInspection: longestInspection,
      time: time)
  }

  package var whereabouts: Whereabouts? { Whereabouts(host: client.host, cure: client.words.addressCure) }

  package func recognise(_ code: Code) -> RecognisedCode { TicketURL.read(code) }

  /// What a secret has in common with all that the server's database may take for it.
  package static func foldedKey(of code: Code) -> TicketKey { CodeFolding.key(of: code) }

  package func foldedKey(of code: Code) -> TicketKey? { CodeFolding.key(of: code) }

  package func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    var line = saleTicketID
    if line == nil, case .number(let number)? = request.line { line = number }
    // Who is told of had none looked up: somebody was let in by a list. Where nobody waits, it is worth a request.
    if line == nil, request.isOwed, let events, events.wantsLine,
      case .one(let sale) = await sale(of: request.code, .background, deadline: patience(request.deadline)),
      case .number(let number)? = events.inspection(of: sale).line
    {
      line = number
    }
    let outcome = await client.scan(
      request.code, saleTicketID: line, seatNumber: seatNumber, deadline: request.deadline, isOwed: request.isOwed
    ) { [line] in late(judged($0, request, line: line)) }
    return judged(outcome, request, line: line)
  }

  /// By the list, which searches in secrets too. Whatever it tells may bar, and cannot admit.
  package func inspect(_ code: Code, deadline: MonotonicTime) async -> Inspection {
    guard let events, events.wantsInspection else { return Inspection(.unknown) }
    switch events.unknown {
    case .redeem: return events.uninspected
    case .refuse: return events.refusal
    case .lookUp:
      guard case .one(let sale) = await sale(of: code, deadline: patience(deadline)) else { return events.uninspected }
      return events.inspection(of: sale)
    }
  }

  private func patience(_ deadline: MonotonicTime) -> MonotonicTime { min(deadline, time.now() + longestInspection) }

  /// By a scan of no code: on the way of every scan, with our key, and refused before the server looks for any ticket.
  package func reach(deadline: MonotonicTime) async -> Reach {
    directory?.start()
    let outcome = await client.scanNothing(deadline: deadline)
    switch outcome.result {
    case .notSent(let fault) where fault.reason == .rateLimited: return .unknown
    // Too many requests without an answer are on their way already.
    case .notSent(let fault) where fault.reason == .unreachable && fault.offline == nil: return .unknown
    case .notSent(let fault), .lost(let fault):
      if let cause = fault.offline { return .offline(cause) }
      return fault.reason.isFault ? .fault(fault.reason, detail: fault.detail) : .unclear(detail: fault.detail)
    case .pending: return .offline(.timeOut)
    case .answered(let answer):
      book.learn(date: answer.serverDate)
      directory?.answered()
      return Reach(answer, host: client.host, hiding: client.redactions(), words: client.words)
    }
  }

  /// By the list, likewise.
  package func lookUp(_ code: Code, deadline: MonotonicTime) async -> LookUp {
    switch await sale(of: code, deadline: deadline) {
    case .one(let sale): sale.isUnused.map { $0 ? .unused : .used } ?? .unknown
    case .untold: .unknown
    case .unanswered: .unanswered
    }
  }

  /// What the list of sales tells of a code.
  private enum FoundSale {
    case one(Sale)
    /// Such a code cannot be searched for, or finds none, or several, or not by a code alone; or our key may not search.
    case untold
    case unanswered
  }

  /// Only a whole secret finds one sale and no other: `_` and `%` would match anything, and a short text is in many a name.
  private func sale(
    of code: Code, _ urgency: MeteredClient.Urgency = .live, deadline: MonotonicTime
  ) async -> FoundSale {
    let isSecret =
      code.bytes.count >= 16
      && code.bytes.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      }
    guard isSecret else { return .untold }
    let page: SalePage
    do throws(TransportFault) {
      page = try await client.sales(query: code.text, urgency: urgency, deadline: deadline)
    } catch {
      // A key may scan and not list: that does not pass.
      return error.reason == .accessDenied ? .untold : .unanswered
    }
    // Anybody can buy a ticket by the name of somebody's code.
    guard page.page == 1, page.lastPage == 1, page.count == 1, page.total ?? 1 == 1, !page.isFoundByText,
      let sale = page.sales.first
    else { return .untold }
    return .one(sale)
  }

  private func judged(_ outcome: HTTPOutcome, _ request: AttemptRequest, line: Int64?) -> AttemptOutcome {
    let code = request.code
    var result = AttemptOutcome(
      fate: .notSent, answer: .undecided(.unreachable, detail: nil), mayHaveRedeemed: false, sentAt: outcome.sentAt,
      endedAt: outcome.endedAt)
    switch outcome.result {
    case .notSent(let fault):
      result.answer = .undecided(fault.reason, detail: fault.detail)
      result.offline = fault.offline
      result.retryAfter = fault.retryAfter
    case .pending:
      result.fate = .pending
      result.offline = .timeOut
      result.mayHaveRedeemed = true
      result.answer = .undecided(
        .unreachable, detail: "\(client.host) did not answer in time; it may have counted the scan. Please scan again.")
    case .lost(let fault):
      result.fate = .lost
      result.mayHaveRedeemed = true
      result.offline = fault.offline
      result.answer = .undecided(fault.reason, detail: fault.detail)
    case .answered(let answer):
      let judgement = ScanAnswer(
        answer, host: client.host, saleTicketID: line, hiding: client.redactions(for: code), words: client.words
      )
      result.fate = .answered
      result.answer = judgement.answer
      if let events, let sale = judgement.sale, case .redeemed(var redemption) = judgement.answer {
        redemption.bar = events.bar(sale, listed: request.listed, at: answer.serverDate)
        redemption.details.kind = redemption.details.kind ?? events.kind(of: sale)
        result.answer = .redeemed(redemption)
      }
      if client.isFailing(on: code, status: answer.status) {
        result.answer = .undecided(
          .badAnswer,
          detail:
            "\(client.host) failed on \(FailureStreak.least) different codes in a row (\(answer.status)); it may have counted "
            + "each. Call whoever runs it.")
      }
      result.mayHaveRedeemed = judgement.mayHaveRedeemed
      result.serverDate = answer.serverDate
      result.offline = OfflineCause(status: answer.status)
      result.retryAfter = answer.retryAfter
    }
    return result
  }
}
