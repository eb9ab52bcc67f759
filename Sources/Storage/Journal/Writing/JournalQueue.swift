import ScanModel

extension JournalFact {
  /// Whether it is about an admission that was given without the ticket system's word.
  fileprivate var isOfOutbox: Bool {
    switch self {
    case .owed, .told: true
    case .asked, .concluded, .late, .scan, .flood, .annulled, .order: false
    }
  }
}

/// What is queued, how far it has come, and who waits for it. Pure; the core keeps it under a lock.
///
/// ```
/// queued ──write──▶ written ──sync──▶ durable
///    │ refused: fault    │ refused: syncFault
///    └ kept, tried again └ made good by a whole checkpoint
/// ```
struct JournalQueue {
  /// More batches than these are not kept in memory for a disk that does not take them: the oldest scans go.
  static let limit = 20_000

  /// Somebody who waits.
  struct Waiter {
    var mark: UInt64
    /// Waits for the disk, not only for the kernel.
    var isDurable: Bool
    /// When it waits no longer, by the machine's clock; `nil` where it waits for ever.
    var end: MonotonicTime?
    var answer: @Sendable (Result<Bool, JournalFault>) -> Void
  }

  /// Batches that are not written, oldest first.
  private(set) var pending: [PendingBatch] = []
  /// The newest mark.
  private(set) var last: UInt64 = 0
  /// Everything up to here is written.
  private(set) var written: UInt64 = 0
  /// Everything up to here is durable.
  private(set) var durable: UInt64 = 0
  /// Somebody wants everything up to here to be durable.
  private(set) var wanted: UInt64 = 0
  /// When the oldest batch was written that is not durable.
  private(set) var unsyncedSince: MonotonicTime?
  /// Why the last try to write failed.
  private(set) var fault: JournalFault?
  /// Why the log could not be synced.
  private(set) var syncFault: JournalFault?
  /// Scans that were dropped for want of memory since the writing failed.
  private(set) var dropped = 0
  /// How many batches are too many now.
  private var dropAt = Self.limit
  /// Batches that nothing can take.
  private var refused: [UInt64: JournalFault] = [:]
  /// A try is under way, or about to be.
  private(set) var isTrying = false
  private(set) var lastTry = MonotonicTime(nanoseconds: .min)
  private(set) var lastQueued = MonotonicTime(nanoseconds: .min)
  /// Closed: nothing is taken any more.
  var isClosed = false

  /// When those are looked for whose wait ends; `nil` where nobody's does.
  var alarm: MonotonicTime?

  private var waiters: [UInt64: Waiter] = [:]
  private var nextWaiter: UInt64 = 0

  // MARK: Queuing

  /// Takes a batch. A journal that fails tries at once, at most once a second.
  mutating func add(_ batch: JournalBatch, at now: MonotonicTime) -> UInt64 {
    last &+= 1
    guard !isClosed else { return last }
    pending.append(PendingBatch(mark: last, batch: batch))
    lastQueued = now
    if batch.isUrgent { want(last) }
    if pending.count > dropAt {
      drop()
      // Where little could be dropped, not each batch is to look through all.
      dropAt = max(Self.limit, pending.count + Self.limit / 100)
    }
    if fault != nil, now - lastTry >= .seconds(1) { isTrying = true }
    return last
  }

  /// Drops the oldest scans, a tenth of the limit at once; what was asked, concluded and remembered is kept longer,
  /// and what is owed always.
  private mutating func drop() {
    var left = Self.limit / 10
    for index in pending.indices {
      if left <= 0 { break }
      let before = pending[index].batch.facts.count
      pending[index].batch.facts.removeAll { if case .scan = $0 { true } else { false } }
      let gone = before - pending[index].batch.facts.count
      dropped += gone
      left -= gone
    }
    pending.removeAll { $0.batch.facts.isEmpty && $0.batch.memory.isEmpty }
    // Nothing but attempts and memory: the end of what can be kept.
    guard pending.count > 2 * Self.limit else { return }
    left = Self.limit / 10
    var kept: [PendingBatch] = []
    for batch in pending {
      // Who was let in without the ticket system's word is told of whatever it costs.
      if left > 0, !batch.batch.facts.contains(where: \.isOfOutbox) { left -= 1 } else { kept.append(batch) }
    }
    pending = kept
  }

  // MARK: Writing

  /// A try begins.
  mutating func beginTry(at now: MonotonicTime) -> [PendingBatch] {
    lastTry = now
    return Array(pending.prefix(256))
  }

  /// Everything up to `mark` was written.
  /// - Returns: how many scans were dropped while it was not possible, and whether nothing waited for a sync before.
  mutating func wrote(upTo mark: UInt64, at now: MonotonicTime) -> (dropped: Int, isFirst: Bool) {
    pending.removeFirst(pending.firstIndex { $0.mark > mark } ?? pending.count)
    written = max(written, mark)
    let isFirst = unsyncedSince == nil
    if isFirst { unsyncedSince = now }
    fault = nil
    isTrying = false
    defer { dropped = 0 }
    return (dropped, isFirst)
  }

  /// The file is there again.
  mutating func recovered() { fault = nil }

  /// A try is to be made, however short ago the last one was.
  mutating func retry() { isTrying = fault != nil }

  /// A batch will never be written, because of what it says itself.
  mutating func refuse(_ mark: UInt64, _ fault: JournalFault) {
    // Whoever waits for one of them waits now.
    if refused.count >= 1_000 { refused = [:] }
    refused[mark] = fault
  }

  /// The try failed.
  mutating func failed(_ fault: JournalFault) {
    self.fault = fault
    isTrying = false
  }

  // MARK: Syncing

  /// Up to where the log is to be synced now; `nil` where nobody wants it yet, and `due` has not come.
  func syncTarget(at now: MonotonicTime, after delay: Duration) -> UInt64? {
    guard syncFault == nil, written > durable else { return nil }
    let isWanted =
      wanted > durable && wanted <= written || waiters.values.contains { $0.isDurable && $0.mark <= written }
    let isDue = unsyncedSince.map { now - $0 >= delay } ?? true
    return isWanted || isDue ? written : nil
  }

  /// A sync of everything that is written begins.
  mutating func beginSync() { unsyncedSince = nil }

  /// Everything up to `mark` is durable.
  mutating func synced(upTo mark: UInt64) {
    durable = max(durable, mark)
    syncFault = nil
  }

  /// The sync failed: nothing after `durable` is sure.
  mutating func syncFailed(_ fault: JournalFault) { syncFault = fault }

  // MARK: Waiting

  /// The answer for somebody who waits, where there is one already.
  func answer(for mark: UInt64, isDurable: Bool, path: String) -> Result<Bool, JournalFault>? {
    if let fault = refused[mark] { return .failure(fault) }
    if mark <= (isDurable ? durable : written) { return .success(true) }
    if isClosed { return .failure(.closed(path)) }
    if let fault, !isTrying, mark > written { return .failure(fault) }
    if isDurable, let syncFault { return .failure(syncFault) }
    return nil
  }

  /// Asks that everything up to `mark` gets durable soon.
  mutating func want(_ mark: UInt64) { wanted = max(wanted, mark) }

  /// Registers somebody who waits.
  mutating func wait(_ waiter: Waiter) -> UInt64 {
    nextWaiter &+= 1
    waiters[nextWaiter] = waiter
    return nextWaiter
  }

  /// Takes one away who waits no longer.
  mutating func leave(_ id: UInt64) -> Waiter? { waiters.removeValue(forKey: id) }

  /// When the first wait ends.
  var nextEnd: MonotonicTime? { waiters.values.compactMap(\.end).min() }

  /// Those whose wait has ended, taken away.
  mutating func ended(by now: MonotonicTime) -> [Waiter] {
    let ended = waiters.filter { $0.value.end.map { $0 <= now } ?? false }
    for id in ended.keys { waiters[id] = nil }
    return Array(ended.values)
  }

  /// Those who can be answered now, taken away.
  mutating func answered(path: String) -> [(Waiter, Result<Bool, JournalFault>)] {
    var found: [(Waiter, Result<Bool, JournalFault>)] = []
    for (id, waiter) in waiters {
      guard let answer = answer(for: waiter.mark, isDurable: waiter.isDurable, path: path) else { continue }
      waiters[id] = nil
      found.append((waiter, answer))
    }
    return found
  }
}
