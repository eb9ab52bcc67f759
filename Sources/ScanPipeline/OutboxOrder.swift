public import ScanModel

/// In which order, and when, one server is told of owed admissions. Pure: time and chance are arguments.
///
///     add ─▶ waiting ── next: send ──▶ under way ─┬─ ended ───────────────▶ (gone)
///              ▲                                  ├─ again, doubtful: back-off for the whole server
///              └──────────────────────────────────┴─ notYet, unknown: the ticket waits; the 6th time ─▶ unsettled
///
/// One request at a time. Of each ticket only the first is sent, so that they are told in their order; otherwise the oldest
/// that need not wait. Live scans come first, but never so long that the outbox starves. What it gives out by `next` it gets
/// back by `finish`; what it gives out by `overdue` and what `finish` calls unsettled it has forgotten.
public struct OutboxOrder: Sendable {
  /// What to do now.
  public enum Next: Sendable, Equatable {
    /// Tell of this one, then `finish`.
    case send(OwedAdmission)
    /// Nothing before then, unless something else happens.
    case wait(until: MonotonicTime)
    /// Nothing until something else happens: it is empty, held, or one is under way.
    case idle
  }

  /// What became of one that was given out.
  public enum Result: Sendable, Equatable {
    /// It is owed no more, or was settled as unsettled.
    case ended
    /// Nothing was redeemed; after the server's own `Retry-After` where it gave one.
    case again(retryAfter: Duration?)
    /// The telling may have redeemed, and there is no answer yet.
    case doubtful
    /// The ticket is being decided by a scan.
    case locked
    /// An answer to an earlier request may still come.
    case notYet
    /// It was looked up, and nothing is known.
    case unknown
  }

  /// For how long after a scan's request began nothing is sent.
  public static let quiet = Duration.milliseconds(250)
  /// For how long scans come first.
  public static let longestPrecedence = Duration.seconds(5)
  /// How often an admission may be `notYet` or `unknown`.
  public static let mostTries = 6
  private static let backOff = RetryPolicy(first: .seconds(1), longest: .seconds(60), mostTries: .max)
  private static let whileLocked = Duration.seconds(1)

  private struct Item {
    let owed: OwedAdmission
    /// Staff have it sent, though the day has changed.
    let isByHand: Bool
    var notBefore: MonotonicTime?
    var tries = 0
  }

  /// Whether staff hold it: nothing is sent.
  public var isHeld = false

  private let lateGrace: Duration
  private var items: [Item] = []
  /// The names of all that wait.
  private var known: Set<AttemptID> = []
  private var counts: [GateID: Int] = [:]
  private var underWay: AttemptID?
  private var failures = 0
  private var serverWaits: MonotonicTime?
  private var live = 0
  private var lastLive: MonotonicTime?
  /// Since when scans have come first.
  private var passedOverSince: MonotonicTime?

  /// Makes an empty order.
  /// - Parameter lateGrace: `AttemptPolicy.lateGrace`.
  public init(lateGrace: Duration = AttemptPolicy().lateGrace) { self.lateGrace = lateGrace }

  /// How many wait, the one under way included.
  public var count: Int { items.count }

  /// Those that wait, oldest first, the one under way included.
  public var waiting: [OwedAdmission] { items.map(\.owed) }

  /// How many of one gate's wait.
  public func count(at gate: GateID) -> Int { counts[gate, default: 0] }

  /// Takes an admission, as the youngest; one that it has already stays where it is.
  /// - Parameter isByHand: staff have it sent: it is not too late on another day.
  public mutating func add(_ owed: OwedAdmission, isByHand: Bool = false) {
    guard known.insert(owed.attempt).inserted else { return }
    items.append(Item(owed: owed, isByHand: isByHand))
    counts[owed.scan.gate, default: 0] += 1
  }

  /// It ended otherwise: confirmed or contradicted by a late answer, or withdrawn. `finish` is due all the same if it is
  /// under way.
  /// - Returns: the admission; `nil` where it had ended before.
  @discardableResult
  public mutating func remove(_ attempt: AttemptID) -> OwedAdmission? {
    guard known.contains(attempt), let index = index(of: attempt) else { return nil }
    let owed = items.remove(at: index).owed
    forget(owed)
    return owed
  }

  private mutating func forget(_ owed: OwedAdmission) {
    known.remove(owed.attempt)
    let left = counts[owed.scan.gate, default: 1] - 1
    counts[owed.scan.gate] = left > 0 ? left : nil
  }

  /// A scan's request to the server begins.
  public mutating func liveBegan(at time: MonotonicTime) {
    live += 1
    lastLive = max(lastLive ?? time, time)
  }

  /// A scan's request to the server has ended.
  public mutating func liveEnded() { live = max(0, live - 1) }

  /// What to do now. Ask again at the given time, and after whatever is told here.
  public mutating func next(at time: MonotonicTime) -> Next {
    guard underWay == nil, !isHeld, !items.isEmpty else { return .idle }
    if let serverWaits, time < serverWaits { return .wait(until: serverWaits) }
    var earliest: MonotonicTime?
    var tickets: Set<TicketKey> = []
    var first: Item?
    for item in items where tickets.insert(item.owed.ticket).inserted {
      guard let notBefore = item.notBefore, time < notBefore else {
        first = item
        break
      }
      earliest = min(earliest ?? notBefore, notBefore)
    }
    guard let first else { return earliest.map { .wait(until: $0) } ?? .idle }
    if let end = precedence(at: time) { return .wait(until: end) }
    underWay = first.owed.attempt
    passedOverSince = nil
    return .send(first.owed)
  }

  /// Until when scans come first; `nil` when nothing is in the way.
  private mutating func precedence(at time: MonotonicTime) -> MonotonicTime? {
    let quietFrom = lastLive.map { $0 + Self.quiet }
    guard live > 0 || quietFrom.map({ time < $0 }) == true else { return nil }
    let since = min(passedOverSince ?? time, time)
    passedOverSince = since
    let end = since + Self.longestPrecedence
    guard time < end else { return nil }
    return live > 0 ? end : min(end, quietFrom ?? end)
  }

  /// Takes what became of the one that `next` gave out; anything else changes nothing.
  /// - Returns: whether it is unsettled now: it was tried often enough, and is forgotten.
  @discardableResult
  public mutating func finish(
    _ attempt: AttemptID, _ result: Result, at time: MonotonicTime, using random: inout some RandomNumberGenerator
  ) -> Bool {
    guard underWay == attempt else { return false }
    underWay = nil
    switch result {
    case .ended:
      worked()
      remove(attempt)
    case .again(let retryAfter):
      failed(at: time, retryAfter: retryAfter, using: &random)
    case .doubtful:
      failed(at: time, retryAfter: nil, using: &random)
      delay(attempt, until: time + lateGrace)
    case .locked:
      delay(attempt, until: time + Self.whileLocked)
    case .notYet, .unknown:
      guard let index = index(of: attempt) else { return false }
      items[index].tries += 1
      let tries = items[index].tries
      if tries >= Self.mostTries {
        forget(items.remove(at: index).owed)
        return true
      }
      items[index].notBefore = time + lateGrace * (1 << (tries - 1))
    }
    return false
  }

  /// Staff want everything tried at once: nothing waits any more, and every admission has all its tries again.
  public mutating func retry() {
    worked()
    for index in items.indices {
      items[index].notBefore = nil
      items[index].tries = 0
    }
  }

  /// Gives out what is too late, because the venue's day has changed since, and forgets it.
  /// - Parameters:
  ///   - today: the day's number; `nil` while the clock is not trusted, and then nothing is too late.
  ///   - day: the day of an admission, by the same count; `nil` where it is not known, and then it is not too late.
  public mutating func overdue(today: Int?, day: (OwedAdmission) -> Int?) -> [OwedAdmission] {
    guard let today else { return [] }
    var late: [OwedAdmission] = []
    items.removeAll { item in
      guard !item.isByHand, item.owed.attempt != underWay, let day = day(item.owed), day < today else { return false }
      late.append(item.owed)
      return true
    }
    for late in late { forget(late) }
    return late
  }

  private func index(of attempt: AttemptID) -> Int? { items.firstIndex { $0.owed.attempt == attempt } }

  private mutating func worked() {
    failures = 0
    serverWaits = nil
  }

  private mutating func delay(_ attempt: AttemptID, until time: MonotonicTime) {
    if let index = index(of: attempt) { items[index].notBefore = time }
  }

  private mutating func failed(
    at time: MonotonicTime, retryAfter: Duration?, using random: inout some RandomNumberGenerator
  ) {
    failures = min(failures + 1, 30)
    let never = MonotonicTime(nanoseconds: .max)
    var wait = Self.backOff.wait(afterTries: failures, at: time, deadline: never, using: &random) ?? .seconds(60)
    if let retryAfter { wait = max(wait, min(retryAfter, RateBudget.longestRetryAfter)) }
    serverWaits = time + wait
  }
}
