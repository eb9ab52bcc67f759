import LinuxIO
import SQLiteFile
import ScanModel
import Synchronization

/// The writer's thread: it alone has the connection that writes. All that is queued becomes one transaction; upkeep is done
/// in small slices while nobody waits.
final class Writer: @unchecked Sendable {
  // Made by the thread that opens the journal, which then starts the writer's thread and lets go of it.
  let core: JournalCore
  let lock: LockSlot
  var store: JournalStore?
  /// Whether the files could not be brought back to their place.
  var isDisplaced = false
  var pause = Writer.firstPause
  var nextTry = MonotonicTime(nanoseconds: .min)
  var nextTidy: MonotonicTime
  var tidying: Tidying?

  /// When it is looked next whether the files are where they were; each batch looks besides.
  private var nextLook = MonotonicTime(nanoseconds: .min)

  /// How often that is, while there is nothing to write.
  private static let placePause = Duration.seconds(2)
  static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(30)

  init(_ core: JournalCore, store: JournalStore, lock: LockSlot) {
    self.core = core
    self.lock = lock
    self.store = store
    nextTidy = core.clock.now() + .seconds(60)
  }

  func run() {
    while true {
      write()
      serve()
      let (damage, isClosing) = core.orders.withLock { orders in
        defer { orders.damage = nil }
        return (orders.damage, orders.isClosing)
      }
      if let damage { setAside(because: damage) }
      if isDisplaced || core.clock.now() >= nextLook {
        lookAfterPlace()
        nextLook = core.clock.now() + Self.placePause
      }
      cureSync()
      finishLog()
      if isClosing { break }
      let isIdle = core.queue.withLock { $0.pending.isEmpty }
      if isIdle, keepUp() { continue }
      core.writerWaker.wait(atMost: pauseUntilNext())
    }
    end()
  }

  /// How long there is nothing to do.
  private func pauseUntilNext() -> Duration {
    let now = core.clock.now()
    let (isEmpty, fault, syncFault, isTrying) = core.queue.withLock {
      ($0.pending.isEmpty, $0.fault, $0.syncFault, $0.isTrying)
    }
    if !isEmpty, fault == nil || isTrying { return .zero }
    let isFailing = fault != nil || syncFault != nil
    return min(isFailing ? max(.zero, nextTry - now) : Self.placePause, max(.zero, nextTidy - now))
  }

  // MARK: Batches

  func write() {
    // Not for ever: others wait for their turn too.
    for _ in 0..<16 {
      let now = core.clock.now()
      let batches = core.queue.withLock { queue -> [PendingBatch] in
        guard queue.fault == nil || queue.isTrying || now >= nextTry else { return [] }
        return queue.beginTry(at: now)
      }
      guard let last = batches.last?.mark else { return }
      do throws(JournalFault) {
        try write(batches)
      } catch {
        core.queue.withLock { $0.failed(error) }
        waitLonger()
        core.answerWaiters()
        core.tellState()
        return
      }
      let (dropped, isDue) = core.queue.withLock { queue in
        let now = core.clock.now()
        let (dropped, isFirst) = queue.wrote(upTo: last, at: now)
        // The first one starts the syncer's clock.
        return (dropped, isFirst || queue.syncTarget(at: now, after: Syncer.delay) != nil)
      }
      pause = Self.firstPause
      // Who waits comes first: where a processor is all there is, to begin a sync takes it for a tenth of a millisecond.
      core.answerWaiters()
      if isDue { core.syncWaker.wake() }
      if core.file.frames.value >= Housekeeper.many { core.houseWaker.wake() }
      core.tellState()
      if dropped > 0 {
        core.broadcaster.notice(
          "While the journal \(core.settings.path) could not be written, \(dropped) scans were not kept: they were too many."
        )
      }
    }
  }

  private func write(_ batches: [PendingBatch]) throws(JournalFault) {
    try stayInPlace()
    for isSecond in [false, true] {
      if store == nil { try reopen() }
      guard let store else { break }
      do throws(SQLiteError) {
        try store.write(batches)
        core.trust?.wrote(store.position)
        return
      } catch {
        if error.isRefusal { return try writeOneByOne(batches, to: store) }
        guard error.isDamage, !isSecond else { throw JournalFault(error, at: core.settings.path) }
        try renew(because: error.message)
      }
    }
  }

  /// One batch cannot be written for what it says: it must not take the others with it.
  private func writeOneByOne(_ batches: [PendingBatch], to store: JournalStore) throws(JournalFault) {
    let path = core.settings.path
    for batch in batches {
      do throws(SQLiteError) {
        try store.countOn()
        try store.write([batch])
        core.trust?.wrote(store.position)
      } catch {
        guard error.isRefusal else { throw JournalFault(error, at: path) }
        let fault = JournalFault(.unavailable, "The journal \(path) does not take an entry: \(error.message).")
        core.queue.withLock { $0.refuse(batch.mark, fault) }
        core.broadcaster.notice(fault.description)
      }
      // Should the next one fail, this one must not be written twice.
      core.queue.withLock { _ = $0.wrote(upTo: batch.mark, at: core.clock.now()) }
    }
  }

  func waitLonger() {
    nextTry = core.clock.now() + pause
    pause = min(Self.longestPause, pause * 2)
  }

  // MARK: Jobs

  func serve() {
    let jobs = core.orders.withLock { orders in
      defer { orders.jobs = [] }
      return orders.jobs
    }
    if jobs.isEmpty { return }
    store?.rest()
    if store == nil, core.clock.now() >= nextTry, !core.queue.withLock({ $0.isClosed }) {
      if (try? reopen()) != nil { core.queue.withLock { $0.recovered() } } else { waitLonger() }
      core.tellState()
    }
    let (pending, fault) = core.queue.withLock { ($0.pending, $0.fault) }
    let file = store.map { Result.success($0) } ?? .failure(fault ?? .closed(core.settings.path))
    for job in jobs { job(WriterState(file: file, pending: pending)) }
  }

  // MARK: Damage

  func setAside(because words: String) {
    store?.rest()
    do throws(JournalFault) {
      try renew(because: words)
    } catch {
      core.queue.withLock { $0.failed(error) }
      waitLonger()
    }
    core.answerWaiters()
    core.tellState()
  }

  /// Sets the damaged file aside and goes on with another.
  private func renew(because words: String) throws(JournalFault) {
    // What is set aside is what lies under the name.
    try stayInPlace()
    evictHousekeeper()
    defer {
      core.orders.withLock { $0.houseMustLeave = false }
      core.houseWaker.wake()
    }
    // What it found meanwhile is about the same file.
    core.orders.withLock { $0.damage = nil }
    // SQLite removes its log by name when it closes: no connection may be left when the names change.
    store = nil
    tidying = nil
    var notices: [String] = []
    let store = try core.file.beginAnew(because: words, notices: &notices)
    for notice in notices { core.broadcaster.notice(notice) }
    try take(store)
    // Nobody can say what of the damaged file's log is on the disk.
    let path = core.settings.path
    let lost = core.queue.withLock { queue in
      queue.syncFailed(JournalFault(.damaged, "The journal \(path) was damaged before this was durable."))
      return queue.answered(path: path)
    }
    for (waiter, answer) in lost { waiter.answer(answer) }
    core.queue.withLock { $0.synced(upTo: $0.written) }
  }

  /// Opens the file again after it could not be begun anew.
  private func reopen() throws(JournalFault) {
    var notices: [String] = []
    let store = try core.file.open(notices: &notices)
    for notice in notices { core.broadcaster.notice(notice) }
    try take(store)
  }

  func take(_ store: JournalStore) throws(JournalFault) {
    core.known.withLock { $0.begin() }
    core.houseWaker.wake()
    self.store = store
    do throws(SystemError) {
      try core.sync.open(core.file.log)
    } catch {
      self.store = nil
      throw JournalFault(error, at: core.file.log)
    }
    core.trust?.goOn(store)
  }

  func evictHousekeeper() {
    core.orders.withLock { $0.houseMustLeave = true }
    core.houseWaker.wake()
    while !core.orders.withLock({ $0.isHouseOut }) {
      core.house.withLock { $0?.interrupt() }
      core.writerWaker.wait(atMost: .milliseconds(10))
    }
  }
}
