import ScanModel

/// Who waits until something about a ticket has changed.
struct TicketWaiters {
  private var waiters: [TicketKey: [(id: UInt64, continuation: CheckedContinuation<Void, Never>)]] = [:]
  private var lastID: UInt64 = 0

  mutating func newID() -> UInt64 {
    lastID += 1
    return lastID
  }

  mutating func add(_ continuation: CheckedContinuation<Void, Never>, _ id: UInt64, _ key: TicketKey) {
    waiters[key, default: []].append((id, continuation))
  }

  /// Lets one go on that has waited long enough.
  mutating func giveUp(_ id: UInt64, _ key: TicketKey) {
    guard let index = waiters[key]?.firstIndex(where: { $0.id == id }) else { return }
    let waiter = waiters[key]?.remove(at: index)
    if waiters[key]?.isEmpty == true { waiters[key] = nil }
    waiter?.continuation.resume()
  }

  /// Lets all go on that wait for the ticket.
  mutating func wake(_ key: TicketKey) {
    for waiter in waiters.removeValue(forKey: key) ?? [] { waiter.continuation.resume() }
  }
}
