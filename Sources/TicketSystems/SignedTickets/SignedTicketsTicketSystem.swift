package import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// The verification API as a gate's ticket system: verify a signed ticket, then redeem it. One for each gate.
package struct SignedTicketsTicketSystem: TicketSystem {
  package let id: TicketSystemID
  let client: SignedTicketsClient
  let keys: TicketKeys
  private let judge: TicketJudge
  private let list: ListOnBoard

  /// Makes the gate's face of `client`.
  /// - Parameter list: for the station's clock.
  init(
    id: TicketSystemID, client: SignedTicketsClient, keys: TicketKeys, settings: SignedTicketsSection.System,
    gate: SignedTicketsSection.Gate, list: ListOnBoard
  ) {
    self.id = id
    self.client = client
    self.keys = keys
    self.list = list
    judge = TicketJudge(
      tenant: settings.org, tenantPlace: "\(settings.orgPosition)",
      performances: gate.performances ?? settings.performances, host: client.host)
  }

  package var whereabouts: Whereabouts? { Whereabouts(host: client.host, cure: client.words.addressCure) }

  package var redeemsOnce: Bool { true }

  package func recognise(_ code: Code) -> RecognisedCode { RecognisedCode(code) }

  package static func listedCode(_ code: Code) -> Code { SignedTicket(code).map { Code($0.id) } ?? code }

  package func listedCode(_ code: Code) -> Code { Self.listedCode(code) }

  package func foldedKey(of code: Code) -> TicketKey? { nil }

  package func examine(_ code: Code, at time: WallTime) -> Examination {
    switch judge.judge(code, at: now.isTrusted ? time : nil, fault: { keys.lastFault }, key: keys.key) {
    case .good(let ticket): .proceed(ticket.key)
    case .refused(let reason): .refuse(reason)
    case .undecided(let reason, let detail): .undecided(reason, detail: detail)
    }
  }

  package func refusalWords(for code: Code) -> String? { judgement(of: code).words }

  package func refusalDetails(for code: Code) -> TicketDetails? { judgement(of: code).ticket.map { TicketDetails($0) } }

  private func judgement(of code: Code) -> TicketJudge.Judgement {
    judge.judgement(code, at: now.trustedWall, fault: { keys.lastFault }, key: keys.key)
  }

  /// Now, by every clock.
  var now: JournalTime { list.now() }

  package func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    let began = client.time.now()
    guard began < request.deadline else { return unasked(.unreachable, nil, at: began) }
    guard let ticket = SignedTicket(request.code) else {
      return refused(.notGenuine, judgement(of: request.code).words, at: began)
    }
    // Who is told of was let in by what held then.
    if !request.isOwed {
      let judgement = judgement(of: request.code)
      switch judgement.verdict {
      case .good: break
      case .refused(let reason): return refused(reason, judgement.words, at: began)
      case .undecided(let reason, let detail): return unasked(reason, detail, at: began)
      }
    }
    let outcome = await client.redeem(request.code, deadline: request.deadline, isBehind: request.isOwed) {
      late(judged($0, ticket, request.code))
    }
    return judged(outcome, ticket, request.code)
  }

  private func unasked(_ reason: UndecidedReason, _ detail: String?, at time: MonotonicTime) -> AttemptOutcome {
    AttemptOutcome(
      fate: .notSent, answer: .undecided(reason, detail: detail), mayHaveRedeemed: false, sentAt: nil, endedAt: time)
  }

  /// Nobody is asked about what is no ticket of this gate.
  private func refused(_ reason: RefuseReason, _ words: String?, at time: MonotonicTime) -> AttemptOutcome {
    AttemptOutcome(
      fate: .answered, answer: .refused(reason, detail: words), mayHaveRedeemed: false, sentAt: time, endedAt: time,
      isRemembered: true)
  }

  private func judged(_ outcome: HTTPOutcome, _ ticket: SignedTicket, _ code: Code) -> AttemptOutcome {
    var result = AttemptOutcome(
      fate: .notSent, answer: .undecided(.unreachable, detail: nil), mayHaveRedeemed: false, sentAt: outcome.sentAt,
      endedAt: outcome.endedAt)
    // What its issuer has not signed gets no further than `examine`.
    result.isProven = true
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
        .unreachable,
        detail: "\(client.host) did not answer in time; it may have redeemed the ticket. Please scan again.")
    case .lost(let fault):
      result.fate = .lost
      result.mayHaveRedeemed = true
      result.offline = fault.offline
      result.answer = .undecided(fault.reason, detail: fault.detail)
    case .answered(let answer):
      let judgement = RedeemAnswer(
        answer, of: ticket, at: now.wall, host: client.host, hiding: client.redactions(for: code), words: client.words)
      result.fate = .answered
      result.answer = judgement.answer
      result.mayHaveRedeemed = judgement.mayHaveRedeemed
      result.serverDate = answer.serverDate
      result.offline = OfflineCause(status: answer.status)
      result.retryAfter = answer.retryAfter
    }
    return result
  }
}
