import GRDBSQLite
import LinuxIO
import ScanModel
import Synchronization

/// The writer's thread: it alone has the connection that writes. All that is queued becomes one transaction; upkeep is done
/// in small slices while nobody waits.
final class Writer: @unchecked Sendable {
  // Made by the thread that opens the journal, which then starts the writer's thread and lets go of it.
  private let core: JournalCore
  private var store: JournalStore?
  private var pause = Writer.firstPause
  private var nextTry = MonotonicTime(nanoseconds: .min)
  private var nextTidy: MonotonicTime
  private var tidying: Tidying?

  private static let firstPause = Duration.seconds(1)
  private static let longestPause = Duration.seconds(30)

  init(_ core: JournalCore, store: JournalStore) {
    self.core = core
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
      cureSync()
      if isClosing { break }
      let isIdle = core.queue.withLock { $0.pending.isEmpty }
      if isIdle, keepUp() { continue }
      core.writerBell.wait(atMost: pauseUntilNext())
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
    return min(isFailing ? max(.zero, nextTry - now) : .seconds(3_600), max(.zero, nextTidy - now))
  }

  // MARK: Batches

  private func write() {
    while true {
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
        let dropped = queue.wrote(upTo: last, at: now)
        return (dropped, queue.syncTarget(at: now, after: Syncer.delay) != nil)
      }
      pause = Self.firstPause
      if isDue { core.syncBell.ring() }
      core.answerWaiters()
      core.tellState()
      if dropped > 0 {
        core.teller.notice(
          "While the journal \(core.settings.path) could not be written, \(dropped) scans were not kept: they were too many."
        )
      }
    }
  }

  private func write(_ batches: [PendingBatch]) throws(JournalFault) {
    for isSecond in [false, true] {
      if store == nil { try reopen() }
      guard let store else { break }
      do throws(SQLiteError) {
        return try store.write(batches)
      } catch {
        guard error.isDamage, !isSecond else { throw JournalFault(error, at: core.settings.path) }
        try renew(because: error.message)
      }
    }
  }

  private func waitLonger() {
    nextTry = core.clock.now() + pause
    pause = min(Self.longestPause, pause * 2)
  }

  // MARK: Jobs

  private func serve() {
    let jobs = core.orders.withLock { orders in
      defer { orders.jobs = [] }
      return orders.jobs
    }
    if jobs.isEmpty { return }
    let pending = core.queue.withLock { $0.pending }
    for job in jobs { job(store, pending) }
  }

  // MARK: Damage

  private func setAside(because words: String) {
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
    evictHousekeeper()
    defer {
      core.orders.withLock { $0.houseMustLeave = false }
      core.houseBell.ring()
    }
    // SQLite removes its log by name when it closes: no connection may be left when the names change.
    store = nil
    tidying = nil
    var notices: [String] = []
    try take(core.file.beginAnew(because: words, notices: &notices))
    for notice in notices { core.teller.notice(notice) }
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
    try take(core.file.open(notices: &notices))
    for notice in notices { core.teller.notice(notice) }
  }

  private func take(_ store: JournalStore) throws(JournalFault) {
    self.store = store
    do throws(SystemError) {
      try core.sync.open(core.file.log)
    } catch {
      self.store = nil
      throw JournalFault(error, at: core.file.log)
    }
  }

  private func evictHousekeeper() {
    core.orders.withLock { $0.houseMustLeave = true }
    core.houseBell.ring()
    while !core.orders.withLock({ $0.isHouseOut }) {
      core.house.withLock { $0?.interrupt() }
      core.writerBell.wait(atMost: .milliseconds(10))
    }
  }

  // MARK: A log that cannot be synced

  /// After an error the kernel may hold pages for clean that never reached the disk, so that another sync proves nothing.
  /// A whole checkpoint copies everything into the main file, syncs that, and throws the log away.
  private func cureSync() {
    guard let present = core.queue.withLock({ $0.syncFault }), core.clock.now() >= nextTry, let store else { return }
    var failure: JournalFault?
    do {
      let done = core.queue.withLock { $0.written }
      // Somebody who reads is in the way, and no batch is to wait for that.
      try store.database.execute("PRAGMA busy_timeout = 0")
      defer { try? store.database.execute("PRAGMA busy_timeout = \(JournalFile.busyMilliseconds)") }
      _ = try store.database.checkpoint(SQLITE_CHECKPOINT_TRUNCATE)
      try core.sync.open(core.file.log)
      core.queue.withLock { $0.synced(upTo: done) }
      pause = Self.firstPause
    } catch let error as SQLiteError {
      failure = error.primary == SQLITE_BUSY ? present : JournalFault(error, at: core.settings.path)
    } catch {
      failure = JournalFault(.disk, "\(core.file.log): \(error)")
    }
    if let failure {
      core.queue.withLock { $0.syncFailed(failure) }
      waitLonger()
    }
    core.answerWaiters()
    core.tellState()
  }

  // MARK: Upkeep

  /// One small piece of upkeep.
  /// - Returns: whether there is more.
  private func keepUp() -> Bool {
    guard let store else { return false }
    let beginLog = core.orders.withLock { orders in
      defer { orders.beginLog = false }
      return orders.beginLog
    }
    do throws(SQLiteError) {
      if beginLog { try store.beginLog() }
      let isAsked = core.orders.withLock { !$0.tidy.isEmpty }
      if tidying == nil, isAsked || core.clock.now() >= nextTidy {
        nextTidy = core.clock.now() + .seconds(3_600)
        tidying = try store.planTidying(core.settings, wall: core.time.wall(), monotonic: core.time.now())
      }
      guard let plan = tidying else { return false }
      let (isDone, next) = try store.tidy(plan, keepBytes: core.settings.keepBytes)
      tidying = isDone ? nil : next
    } catch {
      tidying = nil
      if error.isDamage {
        setAside(because: error.message)
      } else {
        core.teller.notice("Old entries could not be deleted. \(JournalFault(error, at: core.settings.path))")
      }
    }
    if tidying == nil {
      let told = core.orders.withLock { orders in
        defer { orders.tidy = [] }
        return orders.tidy
      }
      for tell in told { tell() }
    }
    return tidying != nil
  }

  // MARK: The end

  private func end() {
    // The others first: the housekeeper's connection must not be the last one.
    while core.orders.withLock({ $0.threads }) > 1 {
      core.house.withLock { $0?.interrupt() }
      core.houseBell.ring()
      core.syncBell.ring()
      core.writerBell.wait(atMost: .milliseconds(10))
    }
    core.queue.withLock { $0.isClosed = true }
    write()
    serve()
    if let store {
      let isChecked = core.orders.withLock { !$0.needsCheck }
      do throws(SQLiteError) {
        // Without this row the next start looks whether the file is sound.
        if isChecked { try store.endSession(wall: core.time.wall(), monotonic: core.time.now()) }
        _ = try store.database.checkpoint(SQLITE_CHECKPOINT_FULL)
        core.queue.withLock { $0.synced(upTo: $0.written) }
      } catch {
        core.teller.notice(
          "The journal could not be closed as it should. \(JournalFault(error, at: core.settings.path))")
      }
    }
    store = nil
    core.sync.close()
    core.answerWaiters()
    core.teller.finish()
    let left = core.orders.withLock { orders in
      defer { (orders.tidy, orders.jobs) = ([], []) }
      return orders.tidy
    }
    for tell in left { tell() }
  }
}
