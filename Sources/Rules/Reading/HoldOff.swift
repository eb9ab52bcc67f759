package import ScanModel

/// Ignores the same code at one gate, across its readers, for a time since it was last seen.
///
/// Codes that the ticket system may take for one are the same while one of them is in flight and after it was admitted: the
/// permission is one. After a refusal another spelling is new: a reader with caps lock on must not speak for the right one.
///
///     (unknown) ── sighting: new ──▶ in flight ── sighting: repeat(inFlight: true), joins the scan ──▶ in flight
///                                       │ decided: admit, refuse            │ decided: undecided
///                                       ▼                                   ▼
///                                   answered ── sighting ──▶ answered    (unknown): lifted at once
///                                       │       repeat(inFlight: false), time counts anew
///                                       └── not seen for the duration ──▶ (unknown)
///
/// A reader that sees when a code leaves its view says so by `left`: that reader's next sighting is new, however soon it comes.
/// At the gate's other readers the time counts on, and a sighting by one of them takes the permission back: a person who
/// tries both readers is one person.
///
/// It cannot end while the code is unanswered. A clock that runs backwards makes the time count anew from there.
package struct HoldOff: Sendable {
  /// What a sighting of a code is.
  package enum Sighting: Sendable, Equatable {
    /// A scan: decide it, and say so by `decided`.
    case new
    /// The same presentation. In flight it joins the scan that is being decided; otherwise lamp, sound and screen of
    /// `lastVerdict` may be replayed, never the relay.
    case `repeat`(inFlight: Bool)
  }

  private struct Entry: Sendable {
    /// The spelling that is in flight, or was answered.
    var code: Code
    var lastSeen: MonotonicTime
    var verdict: Verdict?
    /// The readers whose view the code has left since anybody saw it.
    var leftViews: Set<ReaderID> = []
  }

  private let duration: Duration
  private let capacity: Int
  private let folding: @Sendable (Code) -> TicketKey?
  private var entries: [TicketKey: Entry] = [:]
  private var purgeAt = 64

  /// Makes the hold-off of a gate.
  /// - Parameters:
  ///   - duration: since the last sighting; 2 s at first.
  ///   - capacity: how many codes are remembered; beyond it the oldest answered one is dropped, never one in flight.
  ///   - folding: a code's folded key; `nil` where each code has one spelling only.
  package init(
    duration: Duration = .seconds(2), capacity: Int = 10_000,
    folding: @escaping @Sendable (Code) -> TicketKey? = { _ in nil }
  ) {
    self.folding = folding
    self.duration = duration
    self.capacity = Swift.max(1, capacity)
  }

  /// How many codes it remembers.
  package var count: Int { entries.count }

  /// Takes a sighting of `code` at `time` by `reader`.
  package mutating func sighting(of code: Code, by reader: ReaderID? = nil, at time: MonotonicTime) -> Sighting {
    let key = key(of: code)
    if let entry = entries[key] {
      let isBack = reader.map(entry.leftViews.contains) ?? false
      let isSame = entry.code == code || entry.verdict == .admit
      if entry.verdict == nil || isSame && time - entry.lastSeen < duration && !isBack {
        entries[key]?.lastSeen = time
        entries[key]?.leftViews = []
        return .repeat(inFlight: entry.verdict == nil)
      }
    } else {
      makeRoom(at: time)
    }
    entries[key] = Entry(code: code, lastSeen: time, verdict: nil)
    return .new
  }

  /// Told that `code` is still in view: no presentation, but the time counts from here.
  package mutating func inView(_ code: Code, at time: MonotonicTime) {
    let key = key(of: code)
    guard let entry = entries[key], entry.verdict == nil || time - entry.lastSeen < duration else { return }
    entries[key]?.lastSeen = max(entry.lastSeen, time)
    entries[key]?.leftViews = []
  }

  /// Told that `code` has left the view of `reader`.
  package mutating func left(_ code: Code, viewOf reader: ReaderID) {
    // A gate has few readers; what is not remembered is not held off.
    entries[key(of: code)]?.leftViews.insert(reader)
  }

  /// Takes the verdict of a scan that `sighting` reported as new. A code that is not in flight is left as it is.
  package mutating func decided(_ code: Code, _ verdict: Verdict) {
    let key = key(of: code)
    guard let entry = entries[key], entry.verdict == nil, entry.code == code else { return }
    if case .undecided = verdict {
      entries[key] = nil
    } else {
      entries[key]?.verdict = verdict
    }
  }

  /// Told that the machine slept: whoever is there now has not just been there. What is in flight is decided by its scan.
  package mutating func slept() { entries = entries.filter { $0.value.verdict == nil } }

  /// The verdict that a repeat may replay; `nil` while the code is in flight or not remembered.
  package func lastVerdict(of code: Code) -> Verdict? { entries[key(of: code)]?.verdict }

  private func key(of code: Code) -> TicketKey { folding(code) ?? TicketKey(code.bytes) }

  /// Drops what has expired each time the table has doubled, so that the cost spreads; then holds the cap.
  private mutating func makeRoom(at time: MonotonicTime) {
    guard entries.count >= Swift.min(purgeAt, capacity) else { return }
    // An entry from a future that never came would stay for ever: it counts from now.
    entries = entries.compactMapValues { entry in
      var entry = entry
      if entry.verdict != nil, time - entry.lastSeen >= duration { return nil }
      entry.lastSeen = Swift.min(entry.lastSeen, time)
      return entry
    }
    purgeAt = Swift.max(64, 2 * entries.count)
    guard entries.count >= capacity else { return }
    let answered = entries.filter { $0.value.verdict != nil }
    if let oldest = answered.min(by: { $0.value.lastSeen < $1.value.lastSeen }) { entries[oldest.key] = nil }
  }
}
