import Foundation
import LinuxIO
import ScanModel
import TicketSystemKit

/// What its file names is on the list on board, which answers alone.
struct CodeListTicketSystem: TicketSystem {
  let id: TicketSystemID
  let path: String
  let list: ListOnBoard

  var mayRedeem: Bool { false }

  func recognise(_ code: Code) -> RecognisedCode { RecognisedCode(code) }

  func foldedKey(of code: Code) -> TicketKey? { nil }

  func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    if let outcome = await list.outcome(of: request) { return outcome }
    let now = SystemTime().now()
    return AttemptOutcome(
      fate: .answered, answer: .refused(.notFound, detail: nil), mayHaveRedeemed: false, sentAt: now, endedAt: now)
  }

  func reach(deadline: MonotonicTime) async -> Reach { await list.reach() }

  /// Takes on board what the file says: a code and how many it admits on each line.
  func refresh() async throws {
    let tickets = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      return ToldTicket(
        code: words[0], isWholeSale: true, status: .valid, quantity: Int(words[1]) ?? 0, eventID: "evening",
        kind: "stalls")
    }
    let replacement = try await list.list?.replacement(of: nil, asOf: SystemTime().wall()) { foldedKey(of: $0) }
    try await replacement?.add(tickets)
    _ = try await replacement?.finish(mayShrink: true)
  }
}
