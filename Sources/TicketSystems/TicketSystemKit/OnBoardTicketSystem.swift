package import ScanModel

/// A ticket system whose answer is on board, most of the time: a list, or what was told a short while ago. What that says *now* counts: how
/// often a ticket admits is not remembered from when it was presented last, and what needs no request is answered to whoever floods the
/// gate, too.
package protocol OnBoardTicketSystem: TicketSystem {
  /// The outcome of a request where none has to be sent for it; `nil` where one has.
  func outcomeOnBoard(of request: AttemptRequest) async -> AttemptOutcome?
}
