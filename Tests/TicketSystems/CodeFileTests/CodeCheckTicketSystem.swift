import ScanModel
import Synchronization

/// The toy as a service that only checks: its file is read, and whoever reads it changes nothing, answered or not.
struct CodeCheckTicketSystem: TicketSystem {
  let file: CodeFileTicketSystem
  /// Whether it behaves as it says.
  var isTrue = true
  /// What look-ups find.
  var found = LookUp.unknown

  var id: TicketSystemID { file.id }

  var mayRedeem: Bool { false }

  func recognise(_ code: Code) -> RecognisedCode { file.recognise(code) }

  func foldedKey(of code: Code) -> TicketKey? { file.foldedKey(of: code) }

  func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    let isTrue = isTrue
    @Sendable func harmless(_ outcome: AttemptOutcome) -> AttemptOutcome {
      var outcome = outcome
      if isTrue { outcome.mayHaveRedeemed = false }
      return outcome
    }
    return harmless(await file.attempt(request) { late(harmless($0)) })
  }

  func reach(deadline: MonotonicTime) async -> Reach { await file.reach(deadline: deadline) }

  func lookUp(_ code: Code, deadline: MonotonicTime) async -> LookUp { found }
}
