internal import ScanModel

/// Stands where a ticket system is to be enrolled and is not yet: nobody is asked, and nobody passes.
struct UnenrolledTicketSystem: TicketSystem {
  let id: TicketSystemID

  func recognise(_ code: Code) -> RecognisedCode { RecognisedCode(code) }

  func foldedKey(of code: Code) -> TicketKey? { nil }

  func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    AttemptOutcome(
      fate: .notSent,
      answer: .undecided(.outOfService, detail: "\(id) is not enrolled yet. Hold its set-up code to the scanner."),
      mayHaveRedeemed: false, sentAt: nil, endedAt: SystemTime().now())
  }
}
