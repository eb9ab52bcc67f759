internal import Admission
package import Calls
internal import LinuxIO
package import ScanModel

/// Tells a ticket system's log of who came and went, from the journal, behind everybody else and each at most once.
///
/// ```
/// woken ─▶ journal, after the cursor ─▶ passage ─┬─ annulled, too old, of no event ──▶ counted
///   ▲                                            └─ others come first ─▶ cursor: durable ─▶ request ─┬─ taken, refused, lost ──▶ counted
///   └──────────── nothing more ◀──────────────────────────────┴── later ◀── nothing has left ────────┤
///                                                                       no such log, not our key ────┴──▶ off
/// ```
/// No gate waits for it, and nothing of it opens one: it reads what the journal has written, on threads of others, with the part of
/// the budget that live scans leave.
package actor MirrorSender {
  /// Passages of longer ago are not told of.
  static let recent = Duration.seconds(86_400)
  /// For how long a clock is awaited that tells how old a passage of before the machine's start is.
  static let longestDoubt = Duration.seconds(600)
  /// For how long admissions that are owed come first: by then each is settled, one way or the other.
  private static let longestOwed = Duration.seconds(900)
  /// How often counts are told.
  private static let countsPause = Duration.seconds(60)
  /// After how many facts without a passage the cursor is written all the same.
  private static let unwritten: Int64 = 5_000
  /// How long is waited after a failure.
  package static let backOff = RetryPolicy(first: .seconds(1), longest: .seconds(300), mostTries: .max)

  private let system: TicketSystemID
  private let mirror: any PassageMirror
  let station: String
  let keeper: LedgerKeeper
  private let store: MirrorStore
  private let events: any EventSink
  private let backOff: RetryPolicy

  private var cursor = MirrorCursor(at: JournalPlace(journal: 0, fact: 0))
  private var written: Int64 = 0
  /// When it began to tell.
  private(set) var began = MonotonicTime(nanoseconds: 0)
  /// How often in a row nothing was told, for which nobody's turn was the reason.
  private var failures = 0
  private var isFailing = false
  private var toldFailing: MonotonicTime?
  private var isOff = false
  private var told: (counts: MirrorCounts, at: MonotonicTime)?
  private var toldLeftOut: Set<LeftOut> = []

  /// Why somebody is left out.
  private enum LeftOut: Hashable { case refused, withoutEvent, tooOld }

  /// Makes one; reads and asks nothing yet.
  /// - Parameters:
  ///   - mirror: who keeps the log.
  ///   - station: the station's name.
  ///   - keeper: the ledger of the ticket system's server: it knows who comes first.
  ///   - fence: open as long as this one may write and say how far it is.
  package init(
    of system: TicketSystemID, _ mirror: any PassageMirror, station: String, keeper: LedgerKeeper,
    backOff: RetryPolicy = MirrorSender.backOff, fence: MirrorFence = MirrorFence(), events: any EventSink
  ) {
    self.backOff = backOff
    self.system = system
    self.mirror = mirror
    self.station = station
    self.keeper = keeper
    self.events = events
    store = MirrorStore(
      dependencies: keeper.store.dependencies, server: keeper.store.server, system: system, fence: fence)
  }

  var dependencies: LedgerDependencies { store.dependencies }
  var journal: any ScanJournal { dependencies.journal }
  var now: JournalTime { dependencies.clock.now() }

  /// Tells until it is cancelled, or the ticket system has no such log. What is under way then is awaited.
  package func run() async {
    began = now.monotonic
    guard await takeUp() else { return }
    tell(.telling)
    while !Task.isCancelled, !isOff { await turn() }
    if told?.counts != cursor.counts { tell(isOff ? .off : .telling) }
  }

  // MARK: The cursor

  /// Begins where an earlier one ended; the first one, and one whose journal may be older than what was told, at what comes now.
  /// - Returns: false where it was cancelled.
  private func takeUp() async -> Bool {
    while !Task.isCancelled {
      do throws(JournalFault) {
        let left = try await store.recall()
        if var left, dependencies.isAccepted() {
          left.takeUp()
          store.write(left)
          cursor = left
        } else {
          try await beginNow(left?.counts)
        }
        written = cursor.place.fact
        return true
      } catch {
        await pause(wait(after: nil))
      }
    }
    return false
  }

  private func beginNow(_ counts: MirrorCounts?) async throws(JournalFault) {
    let new = MirrorCursor(at: try await journal.end(), counts: counts ?? MirrorCounts())
    // An older one must not come back with the power.
    try await store.keep(new)
    cursor = new
  }

  /// Looks through the next piece of the journal, and waits where there is nothing more.
  private func turn() async {
    let seen = keeper.passages.count
    let page: PassagePage
    do throws(JournalFault) {
      guard let found = try await journal.passages(of: system, after: cursor.place) else {
        return try await beginNow(cursor.counts)
      }
      page = found
    } catch {
      // The journal tells of itself.
      return await pause(wait(after: nil))
    }
    for passage in page.passages {
      guard await settle(passage) else { return }
    }
    cursor.look(upTo: page.end)
    if cursor.place.fact - written >= Self.unwritten { write() }
    guard page.isEnd else { return }
    if let due = countsDue() {
      guard due <= .zero else { return await keeper.passages.others(than: seen, within: due) }
      tell(.telling)
    }
    await keeper.passages.others(than: seen, within: .seconds(3_600))
  }

  private func write() {
    store.write(cursor)
    written = cursor.place.fact
  }

  // MARK: One passage

  /// Tells of one, or finds that it is not to be told of.
  /// - Returns: false where it is not settled: it was cancelled, or the log is off.
  private func settle(_ passage: JournaledPassage) async -> Bool {
    if passage.isAnnulled { return leave(passage, \.annulled) }
    while await awaitTurn() {
      switch age(of: passage) {
      case .recent: break
      case .old:
        return leave(
          passage, \.tooOld, .tooOld,
          "Who passed more than \(Self.recent.asAge) ago, or when no clock tells, is not told of any more.")
      case .doubtful:
        await pause(.seconds(2))
        continue
      }
      do throws(JournalFault) {
        let (known, isProven) = try await completed(passage)
        guard mirror.takes(known) else {
          return leave(
            passage, \.withoutEvent, .withoutEvent,
            "Nobody has told for which event somebody passed at gate \(passage.gate), or not by a name that the log takes."
          )
        }
        if let isSettled = try await tell(of: known, passage.fact, isProven) { return isSettled }
      } catch {
        // What is written of it by now would count as lost.
        cursor.takeBack()
        write()
        await pause(wait(after: nil))
      }
    }
    return false
  }

  /// Sends it, once the disk knows that it may be sent.
  /// - Returns: whether it is settled, or nothing more is to be told; `nil` where it may be told of again.
  private func tell(
    of passage: MirroredPassage, _ fact: Int64, _ isProven: Bool
  ) async throws(JournalFault) -> Bool? {
    cursor.ask(fact)
    try await store.keep(cursor)
    guard !Task.isCancelled else {
      cursor.takeBack()
      write()
      return false
    }
    switch await mirror.tell(passage) {
    case .taken:
      settled(\.sent)
      if isFailing {
        isFailing = false
        tell(.telling)
      }
    case .refused(let words): refused(words)
    // Whoever prints a code with another's event does not end the log.
    case .off(let words, isRefusal: true) where !isProven: refused(words)
    case .off(let words, let isRefusal):
      if isRefusal { cursor.takeBack() } else { cursor.settle(\.lost) }
      write()
      isOff = true
      tell(.off, words)
      return false
    case .lost(let words):
      cursor.settle(\.lost)
      write()
      failed(words)
      await pause(wait(after: nil))
    case .unsent(let words, let retryAfter):
      cursor.takeBack()
      write()
      if let words {
        failed(words)
        await pause(wait(after: retryAfter))
      } else {
        await pause(retryAfter ?? .seconds(1))
      }
      return nil
    }
    return true
  }

  private func settled(_ count: WritableKeyPath<MirrorCounts, Int64>) {
    cursor.settle(count)
    write()
    failures = 0
  }

  private func refused(_ words: String) {
    settled(\.refused)
    if toldLeftOut.insert(.refused).inserted { tell(.leftOut, words) }
  }

  /// Leaves one out.
  private func leave(
    _ passage: JournaledPassage, _ count: WritableKeyPath<MirrorCounts, Int64>, _ cause: LeftOut? = nil,
    _ words: String = ""
  ) -> Bool {
    cursor.pass(passage.fact, count)
    write()
    if let cause, toldLeftOut.insert(cause).inserted { tell(.leftOut, words) }
    return true
  }

  // MARK: Waiting

  /// Waits until nobody comes first.
  /// - Returns: false where it was cancelled.
  private func awaitTurn() async -> Bool {
    var since: MonotonicTime?
    while !Task.isCancelled {
      let time = now.monotonic
      let stoodBack = since.map { time - $0 } ?? .zero
      switch dependencies.isAccepted() ? await keeper.precedence(at: time) : .offline {
      case .offline?: await pause(.seconds(2))
      case .scans? where stoodBack < OutboxOrder.longestPrecedence:
        since = since ?? time
        await pause(OutboxOrder.quiet)
      case .owed? where stoodBack < Self.longestOwed:
        since = since ?? time
        await pause(.seconds(1))
      default:
        guard let wait = mirror.wait() else { return true }
        // Others may have done with theirs before.
        await pause(min(max(wait, .milliseconds(50)), .seconds(10)))
      }
    }
    return false
  }

  private func pause(_ duration: Duration) async { try? await Task.sleep(for: duration) }

  /// How long after a failure nothing is tried.
  private func wait(after retryAfter: Duration?) -> Duration {
    failures = min(failures + 1, 30)
    var random = SystemRandomNumberGenerator()
    let never = MonotonicTime(nanoseconds: .max)
    let wait = backOff.wait(afterTries: failures, at: now.monotonic, deadline: never, using: &random)
    let asked = retryAfter.map { min($0, RateBudget.longestRetryAfter) } ?? .zero
    return max(wait ?? .seconds(300), asked)
  }

  // MARK: Events

  /// The same trouble is told once, and one that comes and goes at most once a minute.
  private func failed(_ words: String) {
    let now = now.monotonic
    if isFailing || toldFailing.map({ now - $0 < Self.countsPause }) ?? false { return }
    (isFailing, toldFailing) = (true, now)
    tell(.failed, words)
  }

  /// How long it is until counts are to be told; `nil` where they have been.
  private func countsDue() -> Duration? {
    guard let told, told.counts != cursor.counts else { return nil }
    return told.at + Self.countsPause - now.monotonic
  }

  private func tell(_ state: MirrorEvent.State, _ detail: String? = nil) {
    let now = now
    told = (cursor.counts, now.monotonic)
    store.fence.ifOpen {
      events.emit(
        .mirror(MirrorEvent(system: system, state: state, counts: cursor.counts, detail: detail, at: now.wall)))
    }
  }
}
