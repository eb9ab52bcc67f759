import Gateway
import Glibc
import Journal
import ScanModel
import Sealing

/// The orders that staff leave for the service in the state folder: `scangate outbox hold` and `retry` make these files.
struct OutboxFiles: Sendable {
  /// Nothing is sent while it is there.
  let hold: String
  /// Everything is to be sent now; the service takes it away.
  let retry: String

  /// Names the files; touches nothing.
  init(folder: String) {
    hold = "\(folder)/\(StateFile.outboxHold)"
    retry = "\(folder)/\(StateFile.outboxRetry)"
  }

  /// The orders as the gateway reads them.
  func orders(of journal: Journal) -> OutboxOrders {
    OutboxOrders(
      isHeld: { access(hold, F_OK) == 0 },
      retry: {
        guard access(retry, F_OK) == 0, let again = try? await journal.retriable() else { return nil }
        // Taken only once it can be obeyed.
        return unlink(retry) == 0 ? again : nil
      })
  }
}
