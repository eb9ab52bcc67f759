internal import Calls
package import ScanModel

/// In which order, and when, one server is told of owed admissions. Pure: time and chance are arguments.
///
///     add ─▶ waiting ── next: send ──▶ under way ─┬─ ended ───────────────────────────────────────────▶ (gone)
///              ▲                                  ├─ again, unheard, doubtful: back-off for the whole server
///              │                                  │    unheard, doubtful: behind the others; and where those were
///              │                                  │    answered since the last time, the ticket waits; the 6th time ─▶ given up
///              └──────────────────────────────────┴─ notYet, unknown: the ticket waits; the 6th unknown ─▶ given up
///
/// One request at a time. Of each ticket only the first is sent, so that they are told in their order; otherwise the oldest
/// that need not wait. Live scans come first, but never so long that the outbox starves. What it gives out by `next` it gets
/// back by `finish`; what it gives out by `overdue` and what `finish` gives up it has forgotten.
package struct OutboxOrder: Sendable {
  /// What to do now.
  package enum Next: Sendable, Equatable {
    /// Tell of this one, then `finish`.
    case send(OwedAdmission)
    /// Nothing before then, unless something else happens.
    case wait(until: MonotonicTime)
    /// Nothing until something else happens: it is empty, held, or one is under way.
    case idle
  }

  /// What became of one that was given out.
  package enum Result: Sendable, Equatable {
    /// The server has answered of this ticket, and it is owed no more.
    case ended
    /// It is owed no more for another reason than an answer to its telling.
    case endedUnasked
    /// Nothing was redeemed, and that is not the ticket's doing: nothing was sent, or our key or our rate was refused. After
    /// the server's own `Retry-After` where it gave one.
    case again(retryAfter: Duration?)
    /// What came back says nothing of this ticket, and nothing was redeemed; or a look-up had no answer. Likewise.
    case unheard(retryAfter: Duration?)
    /// The telling may have redeemed, and there is no answer that says so. Likewise.
    case doubtful(retryAfter: Duration?)
    /// The ticket is being decided by a scan.
    case locked
    /// An answer to an earlier request may still come.
    case notYet
    /// It was looked up, and nothing is known.
    case unknown
  }

  /// Why one was given up.
  package enum GivenUp: Sendable, Equatable {
    /// Look-ups do not tell.
    case unknown
    /// The server says nothing of it, while it answers of others.
    case unheard
  }

  /// For how long after a scan's request began nothing is sent.
  package static let quiet = Duration.milliseconds(250)
  /// For how long scans come first.
  package static let longestPrecedence = Duration.seconds(5)
  /// How often an admission may be `unknown`, and how often `unheard` or `doubtful` while others are answered.
  package static let mostTries = 6
  private static let backOff = RetryPolicy(first: .seconds(1), longest: .seconds(60), mostTries: .max)
  private static let whileLocked = Duration.seconds(1)

  private struct Item {
    let owed: OwedAdmission
    /// Staff have it sent, though the day has changed.
    let isByHand: Bool
    var notBefore: MonotonicTime?
    /// How often it was `unknown`.
    var tries = 0
    /// How often nothing was heard of it between answers of others.
    var timesUnheard = 0
    /// What `answered` was when nothing was heard of it last; `nil` where it was not tried so far.
    var unheardAt: UInt64?
    /// Its place behind those that were not tried so far.
    var turn: UInt64 = 0
  }

  /// Whether staff hold it: nothing is sent.
  package var isHeld = false

  private let lateGrace: Duration
  private var items: [Item] = []
  /// The names of all that wait.
  private var known: Set<AttemptID> = []
  private var counts: [GateID: Int] = [:]
  private var underWay: AttemptID?
  /// Counts what was answered of a ticket.
  private var answered: UInt64 = 0
  private var lastTurn: UInt64 = 0
  private var failures = 0
  private var serverWaits: MonotonicTime?
  private var live = 0
  private var lastLive: MonotonicTime?
  /// Since when scans have come first.
  private var passedOverSince: MonotonicTime?

  /// Makes an empty order.
  /// - Parameter lateGrace: `AttemptPolicy.lateGrace`.
  package init(lateGrace: Duration = AttemptPolicy().lateGrace) { self.lateGrace = lateGrace }

  /// How many wait, the one under way included.
  package var count: Int { items.count }

  /// Those that wait, oldest first, the one under way included.
  package var waiting: [OwedAdmission] { items.map(\.owed) }

  /// How many of one gate's wait.
  package func count(at gate: GateID) -> Int { counts[gate, default: 0] }

  /// Takes an admission, as the youngest; one that it has already stays where it is.
  /// - Parameter isByHand: staff have it sent: it is not too late on another day.
  package mutating func add(_ owed: OwedAdmission, isByHand: Bool = false) {
    guard known.insert(owed.attempt).inserted else { return }
    items.append(Item(owed: owed, isByHand: isByHand))
    counts[owed.scan.gate, default: 0] += 1
  }

  /// It ended otherwise: confirmed or contradicted by a late answer, or withdrawn. `finish` is due all the same if it is
  /// under way.
  /// - Returns: the admission; `nil` where it had ended before.
  @discardableResult
  package mutating func remove(_ attempt: AttemptID) -> OwedAdmission? {
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
  package mutating func liveBegan(at time: MonotonicTime) {
    live += 1
    lastLive = max(lastLive ?? time, time)
  }

  /// A scan's request to the server has ended.
  package mutating func liveEnded() { live = max(0, live - 1) }

  /// Whether no scan's request is under way, nor began a moment ago.
  package func isQuiet(at time: MonotonicTime) -> Bool {
    live == 0 && lastLive.map { time >= $0 + Self.quiet } ?? true
  }

  /// What to do now. Ask again at the given time, and after whatever is told here.
  package mutating func next(at time: MonotonicTime) -> Next {
    guard underWay == nil, !isHeld, !items.isEmpty else { return .idle }
    if let serverWaits, time < serverWaits { return .wait(until: serverWaits) }
    var earliest: MonotonicTime?
    var tickets: Set<TicketKey> = []
    var first: Item?
    for item in items where tickets.insert(item.owed.ticket).inserted {
      if let notBefore = item.notBefore, time < notBefore {
        earliest = min(earliest ?? notBefore, notBefore)
        continue
      }
      if first.map({ item.turn < $0.turn }) ?? true { first = item }
      if item.turn == 0 { break }
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
  /// - Returns: why it is given up, if it is: it was tried often enough, and is forgotten.
  @discardableResult
  package mutating func finish(
    _ attempt: AttemptID, _ result: Result, at time: MonotonicTime, using random: inout some RandomNumberGenerator
  ) -> GivenUp? {
    guard underWay == attempt else { return nil }
    underWay = nil
    switch result {
    case .ended:
      answered &+= 1
      worked()
      remove(attempt)
    case .endedUnasked:
      remove(attempt)
    case .again(let retryAfter):
      failed(at: time, retryAfter: retryAfter, using: &random)
    case .unheard(let retryAfter):
      failed(at: time, retryAfter: retryAfter, using: &random)
      return stepBack(attempt, until: time)
    case .doubtful(let retryAfter):
      failed(at: time, retryAfter: retryAfter, using: &random)
      return stepBack(attempt, until: time + lateGrace)
    case .locked:
      delay(attempt, until: time + Self.whileLocked)
    case .notYet:
      delay(attempt, until: time + lateGrace)
    case .unknown:
      guard let index = index(of: attempt) else { return nil }
      items[index].tries += 1
      let tries = items[index].tries
      if tries >= Self.mostTries {
        forget(items.remove(at: index).owed)
        return .unknown
      }
      items[index].notBefore = time + lateGrace * (1 << (tries - 1))
    }
    return nil
  }

  /// Puts one behind the others of which the server said nothing. That is the server's fault unless it has answered of
  /// others since it said nothing of this one last: then the ticket alone waits, longer each time.
  /// - Parameter earliest: before when it is not tried in any case.
  private mutating func stepBack(_ attempt: AttemptID, until earliest: MonotonicTime) -> GivenUp? {
    guard let index = index(of: attempt) else { return nil }
    lastTurn &+= 1
    items[index].turn = lastTurn
    items[index].notBefore = earliest
    let before = items[index].unheardAt
    items[index].unheardAt = answered
    guard let before, before != answered else { return nil }
    items[index].timesUnheard += 1
    let times = items[index].timesUnheard
    guard times < Self.mostTries else {
      forget(items.remove(at: index).owed)
      return .unheard
    }
    items[index].notBefore = earliest + lateGrace * (1 << (times - 1))
    return nil
  }

  /// Staff want everything tried at once: nothing waits any more, and every admission has all its tries again.
  package mutating func retry() {
    worked()
    for index in items.indices {
      items[index].notBefore = nil
      items[index].tries = 0
      items[index].timesUnheard = 0
      items[index].unheardAt = nil
      items[index].turn = 0
    }
  }

  /// Gives out what is too late, because the venue's day has changed since, and forgets it.
  /// - Parameters:
  ///   - today: the day's number; `nil` while the clock is not trusted, and then nothing is too late.
  ///   - day: the day of an admission, by the same count; `nil` where it is not known, and then it is not too late.
  package mutating func overdue(today: Int?, day: (OwedAdmission) -> Int?) -> [OwedAdmission] {
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
