internal import FleetBook
internal import ScanModel
internal import Synchronization
internal import WireText

/// What changes in a bucket, for one who watches: read by its number, message after message.
///
/// ```
///               there is more than was read          all of it was read
///   waiting ───────────────────────────────▶ reading ───────────────────▶ caught up
///     ▲ ◀── nobody answers: 0.25 s, and what was not read is read again ──┘   │
///     └──────────────── after a pause: what is the last one now? ─────────────┘
/// ```
/// Nothing is sent to a station unasked. A consumer of the servers' would do that; but whoever may have one made, may have it deliver to the
/// servers' own interface, and so delete the book.
final class ClaimWatcher: Sendable {
  private struct State: Sendable {
    var isOver = false
    /// All up to here was read.
    var last: ClaimRevision
    /// What the leader had at last.
    var known = ClaimRevision.none
    var isCaughtUp = false
    var isInterrupted = false
    var hasBegun = false
    var news: [ClaimWatch] = []
  }

  private enum Step { case more, caughtUp, lost }

  private let link: JetStreamLink
  private let state: Mutex<State>
  private let waker: Waker

  init(_ link: JetStreamLink, after revision: ClaimRevision) {
    self.link = link
    waker = Waker(timers: link.timers, time: link.time)
    state = Mutex(State(last: revision))
  }

  /// The next change; `nil` once it is over. For one at a time.
  func next() async -> ClaimWatch? {
    while true {
      // It ends with its store.
      if link.isOver || Task.isCancelled { return nil }
      let (isOver, news) = state.withLock { state in
        (state.isOver, state.news.isEmpty ? nil : state.news.removeFirst())
      }
      if isOver { return nil }
      if let news { return news }
      let pause: Duration
      switch await read() {
      case .more: continue
      case .caughtUp:
        let isNew = state.withLock { state in
          state.isInterrupted = false
          state.hasBegun = true
          return !exchange(&state.isCaughtUp, with: true)
        }
        if isNew { return .caughtUp }
        pause = link.settings.watchPause
      case .lost:
        let isNew = state.withLock { state in
          state.isCaughtUp = false
          state.known = .none
          return state.hasBegun && !exchange(&state.isInterrupted, with: true)
        }
        if isNew { return .interrupted }
        pause = JetStreamLimits.firstRetry
      }
      await waker.sleep(pause)
    }
  }

  /// Tells nothing more.
  func end() {
    state.withLock { $0.isOver = true }
    waker.nudge()
  }

  // MARK: Reading

  private func read() async -> Step {
    do throws(ClaimFault) {
      try link.checkReading()
      var (last, known) = state.withLock { ($0.last, $0.known) }
      if known <= last {
        known = try await ask(.object(("last_by_subj", ">")))?.revision ?? .none
        // A book that has gone back and was accepted, or was made anew, is read from its front.
        if known < last {
          last = .none
          state.withLock { $0.last = .none }
        }
        guard known > last else { return .caughtUp }
      }
      // What is not there up to the last one is none of ours to read.
      let end = min(known.number, last.number + JetStreamLimits.batch)
      let found = try await messages((last.number + 1)...end)
      if found.isEmpty, end < known.number {
        var object = JSONText()
        object.add("seq", Int64(clamping: end + 1))
        object.add("next_by_subj", ">")
        let next = try await ask(object)?.revision ?? known
        last = ClaimRevision(max(end, min(next.number, known.number) - 1))
      } else {
        last = ClaimRevision(end)
      }
      link.saw(last)
      let news = newest(found).compactMap(change)
      state.withLock { state in
        state.news += news
        (state.last, state.known) = (last, known)
      }
      return .more
    } catch { return .lost }
  }

  private func messages(_ numbers: ClosedRange<UInt64>) async throws(ClaimFault) -> [StoredMessage] {
    let results = await withTaskGroup(of: Result<StoredMessage?, ClaimFault>.self) { group in
      for number in numbers {
        group.addTask {
          var object = JSONText()
          object.add("seq", Int64(clamping: number))
          do throws(ClaimFault) { return .success(try await self.ask(object)) } catch { return .failure(error) }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    var found: [StoredMessage] = []
    for result in results { if let message = try result.get() { found.append(message) } }
    return found.sorted { $0.revision < $1.revision }
  }

  /// Without what is written over by another of them.
  private func newest(_ found: [StoredMessage]) -> [StoredMessage] {
    let last = Dictionary(found.map { ($0.subject, $0.revision) }, uniquingKeysWith: max)
    return found.filter { last[$0.subject] == $0.revision }
  }

  private func ask(_ wish: JSONText) async throws(ClaimFault) -> StoredMessage? {
    try await link.message(wish, until: link.time.now() + JetStreamLimits.telling).get()
  }

  private func change(_ message: StoredMessage) -> ClaimWatch? {
    // What has no key of a fleet's is nobody's claim.
    guard let key = link.settings.key(message.subject) else { return nil }
    return message.claim(key).map { .stored($0) } ?? .deleted(key, message.revision)
  }
}
