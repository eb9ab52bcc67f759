import HolderProtocol
import ScanModel
import Synchronization

/// When the gateway's socket took the holder's last sign of life. Gates ask it on their own threads before they open: a
/// gateway that has given up closed its socket, so that nothing was taken since.
final class Presence: Sendable {
  private let last = Mutex<MonotonicTime?>(nil)

  func renew(at now: MonotonicTime) { last.withLock { $0 = now } }
  func end() { last.withLock { $0 = nil } }

  /// Whether the gateway cannot have given up at `now`.
  func isSure(at now: MonotonicTime) -> Bool {
    last.withLock { last in
      guard let last else { return false }
      return now - last < HolderLimits.presence
    }
  }
}
