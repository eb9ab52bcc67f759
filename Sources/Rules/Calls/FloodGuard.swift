package import ScanModel

/// Remembers for a short time that a ticket system refused a code, so that asking again costs no request.
///
/// One serves all gates that ask the same ticket system with the same parameters. Remembered are refusals that a person cannot cure in that time: 10 s, and 3 s for `unpaid`, since
/// the desk may take the money, and for `tooEarly` and `tooSoon`, which time cures. `unreadable` never was a request, and `alreadyUsed` is the ledger's. By the code's bytes: that one spelling is
/// unknown says nothing of another.
package struct NegativeCache: Sendable {
  /// What was said of a code.
  package struct Refusal: Sendable, Equatable {
    /// Why it was refused.
    package var reason: RefuseReason
    /// How many were in on it, and how many it admits.
    package var admitted: Int
    package var allowance: Int
    /// The words for staff.
    package var detail: String?
    /// The ticket, as far as it was told.
    package var details: TicketDetails?

    package init(
      _ reason: RefuseReason, admitted: Int = 0, allowance: Int = 0, detail: String? = nil,
      details: TicketDetails? = nil
    ) {
      self.reason = reason
      self.admitted = admitted
      self.allowance = allowance
      self.detail = detail
      self.details = details
    }
  }

  private struct Entry: Sendable {
    let said: Refusal
    let storedAt: MonotonicTime
    let serial: Int
  }

  private let capacity: Int
  private var entries: [Code: Entry] = [:]
  /// Codes in the order of storing; what a newer entry replaced is skipped by its serial. `head` is the oldest.
  private var order: [(code: Code, serial: Int)] = []
  private var head = 0
  private var serial = 0

  /// Makes an empty cache of at most `capacity` codes; beyond it the oldest goes.
  package init(capacity: Int = 4_096) { self.capacity = Swift.max(1, capacity) }

  /// How many codes it remembers.
  package var count: Int { entries.count }

  /// For how long a refusal is remembered; `nil` when it is not.
  package static func lifetime(of reason: RefuseReason) -> Duration? {
    switch reason {
    case .notFound, .wrongDay, .cancelled, .refunded, .expired, .notAuthorised, .wrongEvent, .wrongKind, .tooLate,
      .notGenuine:
      .seconds(10)
    case .unpaid, .tooEarly, .tooSoon: .seconds(3)
    case .unreadable, .alreadyUsed: nil
    }
  }

  /// Remembers a refusal by the ticket system at `time`, if it is of the kind that is remembered.
  package mutating func remember(_ code: Code, _ reason: RefuseReason, at time: MonotonicTime) {
    remember(code, Refusal(reason), at: time)
  }

  /// Remembers a refusal with its words: whoever scans again to read them sees them again.
  package mutating func remember(_ code: Code, _ said: Refusal, at time: MonotonicTime) {
    guard Self.lifetime(of: said.reason) != nil else { return }
    serial &+= 1
    entries[code] = Entry(said: said, storedAt: time, serial: serial)
    order.append((code, serial))
    while entries.count > capacity || order.count - head > 2 * capacity { dropOldest() }
    if head > capacity {
      order.removeFirst(head)
      head = 0
    }
  }

  /// The refusal remembered for `code`, if it still counts at `time`.
  package func reason(for code: Code, at time: MonotonicTime) -> RefuseReason? { refusal(of: code, at: time)?.reason }

  /// The same, with its words.
  package func refusal(of code: Code, at time: MonotonicTime) -> Refusal? {
    guard let entry = entries[code], let lifetime = Self.lifetime(of: entry.said.reason) else { return nil }
    // A read can be a little older than the refusal; a clock that jumped back a lot ends it.
    let age = time - entry.storedAt
    return age < lifetime && age > .zero - lifetime ? entry.said : nil
  }

  /// Forgets `code`: the ticket system has another opinion now.
  package mutating func forget(_ code: Code) { entries[code] = nil }

  private mutating func dropOldest() {
    guard head < order.count else { return }
    let oldest = order[head]
    head += 1
    if entries[oldest.code]?.serial == oldest.serial { entries[oldest.code] = nil }
  }
}

/// Holds a reader that shows one code after another that admits nobody, so that it cannot spend the rate budget.
///
/// A sliding minute for each reader: requests that admitted nobody are counted, whatever the code and however it is spelt; an
/// admission never is.
package struct ReaderCap: Sendable {
  private let limit: Int
  private let window: Duration
  private var vain: [ReaderID: [MonotonicTime]] = [:]

  /// Makes a cap of `limit` requests that admit nobody in a `window` for each reader.
  package init(limit: Int = 20, window: Duration = .seconds(60)) {
    self.limit = Swift.max(1, limit)
    self.window = window
  }

  /// Counts a request of `reader`'s that admitted nobody.
  package mutating func countVain(_ reader: ReaderID, at time: MonotonicTime) {
    let counted = recent(reader, at: time) + [time]
    vain[reader] = counted.suffix(limit)
  }

  /// Whether a code of `reader`'s may cost a request at `time`.
  package func mayAsk(_ reader: ReaderID, at time: MonotonicTime) -> Bool { recent(reader, at: time).count < limit }

  /// When `reader` may ask again; `nil` when it may now.
  package func mayAskAgain(_ reader: ReaderID, at time: MonotonicTime) -> MonotonicTime? {
    let counted = recent(reader, at: time)
    guard counted.count >= limit, let oldest = counted.min() else { return nil }
    return oldest + window
  }

  /// What still counts. A clock that jumped back by more than the window ends it too.
  private func recent(_ reader: ReaderID, at time: MonotonicTime) -> [MonotonicTime] {
    vain[reader, default: []].filter { time - $0 < window && $0 - time < window }
  }
}

/// Holds readers together that show one code after another that admits nobody, so that they cannot spend the rate budget of
/// the ticket system that they share.
///
/// A sliding minute over all readers of a ticket system. Once it is full, readers that brought more than their free share are
/// held; the others go on, so that nobody who fills it at one gate closes the next. So the bound is `limit` requests, and at
/// most `free + 1` more from each further reader.
package struct StationCap: Sendable {
  /// How many requests that admit nobody a window all readers together may bring; at least 1.
  package var limit: Int
  private let free: Int
  private let window: Duration
  private var vain: [(reader: ReaderID, at: MonotonicTime)] = []

  /// Makes a cap.
  /// - Parameters:
  ///   - limit: requests that admit nobody in a `window` over all readers; a third of the usual budget of 60 at first.
  ///   - free: how many of them a reader may have brought and still ask when the cap is full; zero holds each reader
  ///     that brought one.
  package init(limit: Int = 20, free: Int = 2, window: Duration = .seconds(60)) {
    self.limit = Swift.max(1, limit)
    self.free = Swift.max(0, free)
    self.window = window
  }

  /// How many requests count at `time`.
  package func count(at time: MonotonicTime) -> Int { recent(at: time).count }

  /// Counts a request of `reader`'s that admitted nobody.
  package mutating func countVain(_ reader: ReaderID, at time: MonotonicTime) {
    vain = recent(at: time) + [(reader, time)]
  }

  /// Whether a code of `reader`'s may cost a request at `time`.
  package func mayAsk(_ reader: ReaderID, at time: MonotonicTime) -> Bool { mayAskAgain(reader, at: time) == nil }

  /// When `reader` may ask again; `nil` when it may now.
  package func mayAskAgain(_ reader: ReaderID, at time: MonotonicTime) -> MonotonicTime? {
    let counted = recent(at: time)
    let own = counted.filter { $0.reader == reader }.map(\.at).sorted()
    guard counted.count >= limit, own.count > free else { return nil }
    // Whichever frees first: so many of all, or so many of its own.
    let all = counted.map(\.at).sorted()
    return Swift.min(all[counted.count - limit], own[own.count - free - 1]) + window
  }

  /// What still counts. A clock that jumped back by more than the window ends it too.
  private func recent(at time: MonotonicTime) -> [(reader: ReaderID, at: MonotonicTime)] {
    vain.filter { time - $0.at < window && $0.at - time < window }
  }
}
