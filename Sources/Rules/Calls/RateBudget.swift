package import ScanModel

/// How many requests one server may get from one credential; shared by all gates that use both. Pure: time is an argument.
///
/// Two models of the same limit, for the document and the real server disagree. *Window*: at most `limit` requests in any
/// 60 s (the document). *Pause*: at most `limit` requests since the last pause of 60 s without an accepted one (the real
/// server restarts its counter's life with each accepted request). By default a request must fit both.
///
/// The server counts when a request arrives, and that is known only as "between sending and the end of the answer". So a
/// request occupies its place from `tryTake` until 60 s after `finished`, and a pause begins when the last one ended.
package struct RateBudget: Sendable {
  /// Which idea of the limit is kept.
  package enum Model: String, Sendable, CaseIterable {
    /// Both at once: right whichever the server uses.
    case both
    /// At most `limit` in any 60 s.
    case window
    /// At most `limit` since the last 60 s without an accepted request.
    case pause
  }

  /// One place in the budget, held by a request from `tryTake` on; give it back by exactly one of `finished`,
  /// `notCounted` and `limited`. Further calls with it do nothing.
  package struct Ticket: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  /// The answer to `tryTake`.
  package enum Decision: Sendable, Equatable {
    /// The request may go out now.
    case granted(Ticket)
    /// It may not; `nextPossible` is when it can succeed if nothing else is sent until then. Always after the time asked.
    case spent(nextPossible: MonotonicTime)
  }

  /// The length of the server's window and pause.
  package static let period = Duration.seconds(60)
  /// The longest `Retry-After` that is obeyed; a longer one counts as this.
  package static let longestRetryAfter = Duration.seconds(15 * 60)
  /// The least wait after a 429, when our own requests cannot explain it (other stations share the server's counter).
  package static let leastWait = Duration.seconds(5)

  /// Requests that are allowed by this station's share; at least 1.
  package let allowance: Int
  /// The model that is kept.
  package let model: Model

  private var places: [(number: UInt64, reserve: Int, ended: MonotonicTime?)] = []
  private var sincePause = 0
  private var lastEnd: MonotonicTime?
  private var outstanding = 0
  /// Until when the server refuses, as it has told: all, and those alone that leave places to others.
  private var blockedUntil: MonotonicTime?, othersBlockedUntil: MonotonicTime?
  private var nextNumber: UInt64 = 0

  /// Makes a full budget.
  /// - Parameters:
  ///   - limit: the server's limit in requests per 60 s; values below 1 count as 1.
  ///   - share: this station's part of it, above 0 and at most 1; the product is rounded down, but at least 1.
  ///   - model: how the server counts.
  package init(limit: Int = 60, share: Double = 1, model: Model = .both) {
    let bounded = Double(min(max(limit, 1), 1_000_000))
    let part = share.isFinite ? min(max(share, 0), 1) : 1
    allowance = max(1, Int(bounded * part))
    self.model = model
  }

  /// Asks for a place for one request that would be sent now.
  /// - Parameter reserve: how many places it must leave to others; at least one place can be had all the same.
  package mutating func tryTake(at now: MonotonicTime, leaving reserve: Int = 0) -> Decision {
    expire(at: now)
    if let next = nextPossible(after: now, leaving: reserve) {
      return .spent(nextPossible: next)
    }
    nextNumber &+= 1
    places.append((nextNumber, reserve, nil))
    outstanding += 1
    sincePause += 1
    return .granted(Ticket(number: nextNumber))
  }

  /// How long a request that leaves so many places would have to wait, if nothing else is sent until then; `nil` where it need not.
  package mutating func wait(at now: MonotonicTime, leaving reserve: Int = 0) -> Duration? {
    expire(at: now)
    return nextPossible(after: now, leaving: reserve).map { $0 - now }
  }

  /// What is left of a budget.
  package struct Left: Sendable, Hashable {
    /// How many requests could go out now, one after the other, of those that leave no places to others.
    package var left: Int
    /// How many it is at most.
    package var most: Int

    package init(left: Int, most: Int) {
      self.left = left
      self.most = most
    }
  }

  /// What is left now.
  package mutating func left(at now: MonotonicTime) -> Left {
    expire(at: now)
    var left = blockedUntil == nil ? allowance : 0
    if model != .pause { left = min(left, allowance - places.count) }
    if model != .window { left = min(left, allowance - sincePause) }
    return Left(left: max(0, left), most: allowance)
  }

  /// The request came to its end, and the server counted it or may have: an answer, or a loss.
  package mutating func finished(_ ticket: Ticket, at now: MonotonicTime) {
    guard let index = openPlace(of: ticket) else { return }
    places[index].ended = now
    outstanding -= 1
    lastEnd = max(lastEnd ?? now, now)
  }

  /// The server did not count the request: it was never sent, or failed to authenticate (401).
  package mutating func notCounted(_ ticket: Ticket) {
    guard let index = openPlace(of: ticket) else { return }
    places.remove(at: index)
    outstanding -= 1
    sincePause -= 1
  }

  /// The server refused the request for its rate (429), which it does not count. A request that left places to others puts off such
  /// requests alone: a server may count its calls apart, and somebody at a gate finds out for himself.
  /// - Parameter retryAfter: the server's own advice, where it gave one.
  package mutating func limited(_ ticket: Ticket, at now: MonotonicTime, retryAfter: Duration?) {
    let leaves = openPlace(of: ticket).map { places[$0].reserve } ?? 0
    notCounted(ticket)
    var until = now + Self.leastWait
    if let retryAfter {
      until = max(until, now + min(max(retryAfter, .zero), Self.longestRetryAfter))
    } else if let lastEnd {
      until = max(until, lastEnd + Self.period)
    }
    if leaves > 0 {
      othersBlockedUntil = max(othersBlockedUntil ?? until, until)
    } else {
      blockedUntil = max(blockedUntil ?? until, until)
    }
  }

  private func openPlace(of ticket: Ticket) -> Int? {
    places.lastIndex { $0.number == ticket.number && $0.ended == nil }
  }

  private mutating func expire(at now: MonotonicTime) {
    places.removeAll { place in place.ended.map { now - $0 >= Self.period } ?? false }
    if outstanding == 0, let lastEnd, now - lastEnd >= Self.period { sincePause = 0 }
    if let until = blockedUntil, until <= now { blockedUntil = nil }
    if let until = othersBlockedUntil, until <= now { othersBlockedUntil = nil }
  }

  /// When the next request that leaves so many places can be granted; `nil` for now. A request on its way is taken to end now: nobody
  /// knows better.
  private func nextPossible(after now: MonotonicTime, leaving reserve: Int) -> MonotonicTime? {
    let allowance = max(1, allowance - max(0, reserve))
    var next = blockedUntil
    if reserve > 0, let others = othersBlockedUntil { next = max(next ?? others, others) }
    if model != .pause, places.count >= allowance {
      let ends = places.map { $0.ended ?? now }.sorted()
      let free = ends[places.count - allowance] + Self.period
      next = max(next ?? free, free)
    }
    if model != .window, sincePause >= allowance {
      let quiet = outstanding > 0 ? now : (lastEnd ?? now)
      let free = quiet + Self.period
      next = max(next ?? free, free)
    }
    return next
  }
}
