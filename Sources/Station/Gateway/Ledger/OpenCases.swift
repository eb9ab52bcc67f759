import ScanModel

/// When look-ups are made that settle what became of attempts without an answer.
package struct LookUpPolicy: Sendable {
  /// The shortest time between two.
  package var interval: Duration
  /// How long nobody must have presented a code: live scans come first, for the budget is theirs.
  package var quiet: Duration

  package init(interval: Duration = .seconds(10), quiet: Duration = .seconds(3)) {
    self.interval = interval
    self.quiet = quiet
  }
}

/// Tickets with attempts of which nobody knows whether they redeemed, in the order in which they are looked up.
///
/// A look-up before the server can have carried out the request would prove nothing, so each waits for the grace of a late
/// server; one that was asked in vain waits twice as long each time, and is given up after six.
struct OpenCases: Sendable {
  /// One ticket.
  struct Case: Sendable {
    let key: TicketKey
    var attempt: AttemptID
    var scan: Scan
    var due: MonotonicTime
    var tries = 0
  }

  private static let most = 1_000
  private static let mostTries = 6
  private var cases: [TicketKey: Case] = [:]
  private let grace: Duration

  /// - Parameter grace: how long after it was not answered the server may still carry out a request.
  init(grace: Duration) { self.grace = grace }

  /// Adds a ticket, or begins anew with it.
  mutating func add(_ key: TicketKey, attempt: AttemptID, scan: Scan, at time: MonotonicTime) {
    guard cases[key] != nil || cases.count < Self.most else { return }
    cases[key] = Case(key: key, attempt: attempt, scan: scan, due: time + grace)
  }

  mutating func remove(_ key: TicketKey) { cases[key] = nil }

  /// When the first is due; `nil` when there is none.
  var due: MonotonicTime? { cases.values.map(\.due).min() }

  /// The ticket whose turn it is, counted as tried.
  mutating func next(at time: MonotonicTime) -> Case? {
    guard var first = cases.values.filter({ $0.due <= time }).min(by: { $0.due < $1.due }) else { return nil }
    first.tries += 1
    first.due = time + .seconds(60) * (1 << first.tries)
    cases[first.key] = first.tries >= Self.mostTries ? nil : first
    return first
  }
}
