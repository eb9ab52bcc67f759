import ScanModel

/// Who may try a password when. Pure; time is an argument.
///
///     a client:  free ──begin──▶ under way ──wrong──▶ waits 1, 2, 4 … 60 s ──▶ free
///                  ▲                 └──right, not judged──▶ free
///                  └── 15 minutes without a wrong one: all is forgotten
///     an account: 100 wrong ones in an hour ──▶ shut until the first of them is an hour old
///
/// A client has one attempt under way, so that many at once are no way around its wait. What was right forgives wrong ones of the same
/// account alone: whoever has an account of their own does not try others' faster by it. Accounts are told apart by slots of a fixed
/// number, of names that there are and of names that there are not alike: nothing tells which are users, and memory has a bound.
struct SignInWaits: Sendable {
  /// Who tries: each waits for itself.
  enum Client: Sendable, Hashable {
    case address(String)
    /// A door screen, whatever address it shares.
    case device(String)
    /// Somebody who has signed in already, whatever address they share.
    case user(String)
  }

  /// What is said to an attempt.
  enum Answer: Sendable, Equatable {
    /// It is judged; `end` has to follow.
    case go
    /// Nothing is looked at before so many seconds are over.
    case wait(seconds: Int)
    /// The account has had its wrong ones; so many seconds.
    case shut(seconds: Int)
  }

  /// What became of an attempt.
  enum Result: Sendable, Equatable {
    case right
    case wrong
    /// It could not be looked at.
    case unjudged
  }

  static let longestWait = 60
  static let forgetting: Duration = .seconds(15 * 60)
  static let mostFailures = 100
  static let hour: Duration = .seconds(3_600)
  static let slots = 4_096
  static let mostClients = 4_096

  private struct Record {
    var failures = 0
    var until: MonotonicTime
    /// Of the last wrong one.
    var last: MonotonicTime
    var isUnderWay = false
    /// The account of the first of them.
    var slot: Int?
    /// Whether others were of another one.
    var isMixed = false
  }

  private var clients: [Client: Record] = [:]
  /// When the wrong ones of the last hour were, by slot, the oldest first; those under way among them.
  private var failures = [[MonotonicTime]](repeating: [], count: slots)

  /// How many clients are remembered.
  var remembered: Int { clients.count }

  /// Somebody wants to try.
  /// - Parameter slot: the account; `nil` for what is no account and cannot be shut.
  mutating func begin(_ client: Client, slot: Int?, at now: MonotonicTime) -> Answer {
    var record = clients[client] ?? Record(until: now, last: now)
    if record.isUnderWay { return .wait(seconds: 1) }
    if now < record.until { return .wait(seconds: Self.seconds(record.until - now)) }
    if now - record.last >= Self.forgetting { record.failures = 0 }
    if record.failures == 0 { (record.slot, record.isMixed) = (slot, false) }
    if let slot {
      failures[slot].removeAll { now - $0 >= Self.hour }
      if failures[slot].count >= Self.mostFailures, let first = failures[slot].first {
        return .shut(seconds: Self.seconds(first + Self.hour - now))
      }
    }
    guard clients[client] != nil || makeRoom(at: now) else { return .wait(seconds: 1) }
    // Taken for wrong until it is known: as many at once as there are clients go no further than a hundred.
    if let slot { failures[slot].append(now) }
    record.isUnderWay = true
    clients[client] = record
    return .go
  }

  /// What was begun at `began` is over.
  mutating func end(_ client: Client, slot: Int?, began: MonotonicTime, _ result: Result, at now: MonotonicTime) {
    guard var record = clients[client], record.isUnderWay else { return }
    record.isUnderWay = false
    if result != .wrong, let slot, let index = failures[slot].lastIndex(of: began) { failures[slot].remove(at: index) }
    switch result {
    case .wrong:
      record.failures += 1
      if record.slot != slot { record.isMixed = true }
      record.last = now
      record.until = now + .seconds(min(Self.longestWait, 1 << min(record.failures - 1, 6)))
    case .right: if record.slot == slot, !record.isMixed { record.failures = 0 }
    case .unjudged: break
    }
    clients[client] = record.failures == 0 ? nil : record
  }

  /// An account has another password: what was tried of the former one is no matter.
  mutating func forget(slot: Int) { failures[slot] = [] }

  /// - Returns: false where everybody who is remembered has an attempt under way.
  private mutating func makeRoom(at now: MonotonicTime) -> Bool {
    guard clients.count >= Self.mostClients else { return true }
    clients = clients.filter { $1.isUnderWay || now - $1.last < Self.forgetting }
    guard clients.count >= Self.mostClients else { return true }
    guard let least = clients.filter({ !$1.isUnderWay }).min(by: { $0.value.until < $1.value.until }) else {
      return false
    }
    clients[least.key] = nil
    return true
  }

  private static func seconds(_ duration: Duration) -> Int {
    let (seconds, rest) = duration.components
    return max(1, Int(clamping: seconds) + (rest > 0 ? 1 : 0))
  }
}
