package import ScanModel
internal import TicketTransport

/// The ticket scanning API as a gate's ticket system: redeem online and believe the answer. One for each gate.
package struct EventScheduleTicketSystem: TicketSystem {
  package let id: TicketSystemID
  private let client: EventScheduleClient
  private let saleTicketID: Int64?
  private let seatNumber: String?

  /// Makes the gate's face of `client`.
  /// - Parameters:
  ///   - saleTicketID: the ticket within a sale that this gate scans; the first if `nil`.
  ///   - seatNumber: what is kept with each entry; at most 255 characters.
  package init(id: TicketSystemID, client: EventScheduleClient, saleTicketID: Int64? = nil, seatNumber: String? = nil) {
    self.id = id
    self.client = client
    self.saleTicketID = saleTicketID
    self.seatNumber = seatNumber
  }

  package var whereabouts: Whereabouts? { Whereabouts(host: client.host, cure: client.words.addressCure) }

  package func recognise(_ code: Code) -> RecognisedCode { TicketURL.read(code) }

  /// What a secret has in common with all that the server's database may take for it.
  package static func foldedKey(of code: Code) -> TicketKey { CodeFolding.key(of: code) }

  package func foldedKey(of code: Code) -> TicketKey? { CodeFolding.key(of: code) }

  package func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    let outcome = await client.scan(
      request.code, saleTicketID: saleTicketID, seatNumber: seatNumber, deadline: request.deadline,
      isOwed: request.isOwed
    ) { late(judged($0, request.code)) }
    return judged(outcome, request.code)
  }

  /// By a scan of no code: on the way of every scan, with our key, and refused before the server looks for any ticket.
  package func reach(deadline: MonotonicTime) async -> Reach {
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
      return Reach(answer, host: client.host, hiding: client.redactions(), words: client.words)
    }
  }

  /// By the list, which searches in secrets too. Only a whole secret finds one sale and no other: `_` and `%` would match
  /// anything, and a short text is in many a name.
  package func lookUp(_ code: Code, deadline: MonotonicTime) async -> LookUp {
    let isSecret =
      code.bytes.count >= 16
      && code.bytes.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      }
    guard isSecret else { return .unknown }
    let page: SalePage
    do throws(TransportFault) {
      page = try await client.sales(query: code.text, deadline: deadline)
    } catch {
      // A key may scan and not list: that does not pass.
      return error.reason == .accessDenied ? .unknown : .unanswered
    }
    guard page.lastPage == 1, page.sales.count == 1, let isUnused = page.sales.first?.isUnused else { return .unknown }
    return isUnused ? .unused : .used
  }

  private func judged(_ outcome: HTTPOutcome, _ code: Code) -> AttemptOutcome {
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
        answer, host: client.host, saleTicketID: saleTicketID, hiding: client.redactions(for: code), words: client.words
      )
      result.fate = .answered
      result.answer = judgement.answer
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
