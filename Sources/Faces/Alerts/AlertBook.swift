package import ScanConfiguration
package import ScanModel

/// Which alerts are open, and when one opens and ends. Pure: it is told what was found and how much time has passed.
///
///              bad for 60 s, in all; good in between begins anew
///     quiet ─────────────────────────────────────────────────────▶ open: told
///      ▲ ◀──────────────────────────────────────────────────────────┘
///              good for 120 s at a stretch: resolved, told
///
/// What comes back within an hour is resolved only after twice as long as before, up to an hour: what comes and goes all day is told of
/// once or twice an hour. While nobody can tell, no time passes.
package struct AlertBook: Sendable, Equatable {
  /// How long things have to be so.
  package struct Timing: Sendable, Equatable {
    /// How long something is wrong before it is told.
    package var bad = Duration.seconds(60)
    /// How long it is well before that is told.
    package var good = Duration.seconds(120)
    /// How long it is well at most before that is told, however often it came; and how long it is remembered that it came.
    package var longest = Duration.seconds(3_600)
    /// How much time may count between two looks: a process that was stopped has seen nothing of it.
    package var mostBetween = Duration.seconds(30)

    package init() {}
  }

  /// Something to be told.
  package struct News: Sendable, Equatable {
    package var key: AlertKey
    /// Whether it is over.
    package var isResolved: Bool
    package var words: AlertWords
    /// When it began to be wrong.
    package var since: WallTime
    /// When this was.
    package var at: WallTime
    /// Whether it came back within the hour.
    package var isRecurring: Bool
  }

  /// One thing that is, or was, wrong.
  package struct Entry: Sendable, Equatable {
    package var isOpen = false
    /// What is told of it.
    package var words: AlertWords
    /// When it began to be wrong.
    package var since: WallTime
    /// For how long it is known to be wrong, while it is quiet; `nil` where it is not.
    package var bad: Duration?
    /// For how long it is known to be well at a stretch; `nil` where it is not.
    package var good: Duration?
    /// How often it came back within the hour.
    package var returns = 0
    /// Whether it was open before.
    package var wasOpen = false

    package init(words: AlertWords, since: WallTime) {
      self.words = words
      self.since = since
    }
  }

  /// How many things are kept in mind: more than a station has.
  package static let mostEntries = 1_024

  /// The entries of what is wrong, or was not long ago.
  package private(set) var entries: [AlertKey: Entry] = [:]
  private let timing: Timing

  /// Begins with what was known before.
  package init(_ entries: [AlertKey: Entry] = [:], timing: Timing = Timing()) {
    self.timing = timing
    for (key, entry) in entries where self.entries.count < Self.mostEntries { self.entries[key] = entry }
  }

  /// How many alerts are open, by condition.
  package var open: [AlertCondition: Int] {
    entries.reduce(into: [:]) { counts, entry in
      if entry.value.isOpen { counts[entry.key.condition, default: 0] += 1 }
    }
  }

  /// Takes what was found.
  /// - Parameters:
  ///   - found: what was looked at.
  ///   - isWhole: whether what is not in it is well, for there is no such thing any more; else nobody can tell.
  ///   - elapsed: since the last time.
  ///   - now: for words alone.
  /// - Returns: what is to be told, what is wrong before what is over.
  package mutating func take(
    _ found: [AlertKey: AlertEvidence], isWhole: Bool, after elapsed: Duration, at now: WallTime
  ) -> [News] {
    let elapsed = min(max(elapsed, .zero), timing.mostBetween)
    var news: [News] = []
    for key in Set(found.keys).union(entries.keys) {
      switch found[key] ?? (isWhole ? .good : .unknown) {
      case .unknown: continue
      case .bad(let words): takeBad(key, words, elapsed, now, &news)
      case .good: takeGood(key, elapsed, now, &news)
      }
    }
    return news.sorted { a, b in a.isResolved != b.isResolved ? b.isResolved : a.key < b.key }
  }

  private mutating func takeBad(
    _ key: AlertKey, _ words: AlertWords, _ elapsed: Duration, _ now: WallTime, _ news: inout [News]
  ) {
    guard entries[key] != nil || entries.count < Self.mostEntries else { return }
    var entry = entries[key] ?? Entry(words: words, since: now)
    defer { entries[key] = entry }
    entry.good = nil
    if entry.isOpen { return }
    // From the look that finds it wrong on: what was before it nobody has seen.
    let bad = entry.bad.map { $0 + elapsed } ?? .zero
    // Nothing began to be wrong after it was found to be.
    if entry.bad == nil { entry.since = min(words.since ?? now, now) }
    entry.bad = bad
    entry.words = words
    guard bad >= timing.bad else { return }
    entry.isOpen = true
    if entry.wasOpen { entry.returns += 1 }
    entry.wasOpen = true
    entry.bad = nil
    news.append(
      News(
        key: key, isResolved: false, words: entry.words, since: entry.since, at: now, isRecurring: entry.returns > 0))
  }

  private mutating func takeGood(_ key: AlertKey, _ elapsed: Duration, _ now: WallTime, _ news: inout [News]) {
    guard var entry = entries[key] else { return }
    entry.bad = nil
    let good = entry.good.map { $0 + elapsed } ?? .zero
    entry.good = good
    if entry.isOpen, good >= stretch(entry.returns) {
      entry.isOpen = false
      entry.good = .zero
      news.append(
        News(
          key: key, isResolved: true, words: entry.words, since: entry.since, at: now, isRecurring: entry.returns > 0))
    }
    // Counted from when that it is over was told.
    let isForgotten = !entry.isOpen && (!entry.wasOpen || (entry.good ?? .zero) >= timing.longest)
    entries[key] = isForgotten ? nil : entry
  }

  /// How long something that came back so often has to be well.
  private func stretch(_ returns: Int) -> Duration {
    min(timing.good * (1 << min(max(returns, 0), 16)), max(timing.longest, timing.good))
  }
}
