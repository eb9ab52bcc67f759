import CSQLite
import LinuxIO
import SQLiteFile
import ScanModel
import Synchronization

/// What the writer does while nobody waits, and at its end.
extension Writer {
  // MARK: A log that cannot be synced

  /// After an error the kernel may hold pages for clean that never reached the disk, so that another sync proves nothing.
  /// A whole checkpoint copies everything into the main file, syncs that, and throws the log away.
  func cureSync() {
    guard !isDisplaced, let present = core.queue.withLock({ $0.syncFault }), core.clock.now() >= nextTry, let store
    else { return }
    store.rest()
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

  /// Under a load that never pauses the housekeeper never moves the last frame, and the log would grow for ever: the
  /// writer moves the few that are left, between two transactions.
  func finishLog() {
    let isDue = core.orders.withLock { orders in
      defer { orders.finishLog = false }
      return orders.finishLog
    }
    guard isDue, let store else { return }
    store.rest()
    do throws(SQLiteError) {
      _ = try store.database.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
      try store.beginLog()
    } catch {
      // The next batch meets the same obstacle, and tells it.
      if error.isDamage { setAside(because: error.message) }
    }
  }

  /// One small piece of upkeep.
  /// - Returns: whether there is more.
  func keepUp() -> Bool {
    guard let store else { return false }
    let beginLog = core.orders.withLock { orders in
      defer { orders.beginLog = false }
      return orders.beginLog
    }
    do throws(SQLiteError) {
      if beginLog {
        store.rest()
        try store.beginLog()
      }
      let isAsked = core.orders.withLock { !$0.tidy.isEmpty }
      if tidying == nil, isAsked || core.clock.now() >= nextTidy {
        store.rest()
        nextTidy = core.clock.now() + .seconds(3_600)
        tidying = try store.planTidying(core.settings, wall: core.time.wall(), monotonic: core.time.now())
      }
      guard let plan = tidying else { return false }
      store.rest()
      let (isDone, next) = try store.tidy(plan, keepBytes: core.settings.keepBytes)
      tidying = isDone ? nil : next
    } catch {
      tidying = nil
      if error.isDamage {
        setAside(because: error.message)
      } else {
        core.broadcaster.notice("Old entries could not be deleted. \(JournalFault(error, at: core.settings.path))")
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

  func end() {
    // The others first: the housekeeper's connection must not be the last one.
    while core.orders.withLock({ $0.threads }) > 1 {
      core.house.withLock { $0?.interrupt() }
      core.houseWaker.wake()
      core.syncWaker.wake()
      core.writerWaker.wait(atMost: .milliseconds(10))
    }
    core.queue.withLock { queue in
      queue.isClosed = true
      queue.retry()
    }
    write()
    let lost = core.queue.withLock { $0.pending.count }
    if lost > 0 {
      core.broadcaster.notice(
        "\(lost) entries could not be written to the journal \(core.settings.path) before the end.")
    }
    serve()
    store?.rest()
    var isInPlace = true
    do throws(JournalFault) {
      try stayInPlace()
    } catch {
      isInPlace = false
      core.broadcaster.notice("\(error) What was written since then is lost with the end of this process.")
    }
    if let store {
      let isChecked = core.orders.withLock { !$0.needsCheck }
      do throws(SQLiteError) {
        // Without this row the next start looks whether the file is sound.
        if isChecked { try store.endSession(wall: core.time.wall(), monotonic: core.time.now()) }
        _ = try store.database.checkpoint(SQLITE_CHECKPOINT_FULL)
        core.queue.withLock { $0.synced(upTo: $0.written) }
      } catch {
        core.broadcaster.notice(
          "The journal could not be closed as it should. \(JournalFault(error, at: core.settings.path))")
      }
    }
    // SQLite removes the log with its last connection. The note says before that nothing hangs on it any more: else the next
    // start would take the log for lost, where this process ends in between or never says how it ended.
    let isDurable = core.queue.withLock { $0.pending.isEmpty && $0.durable >= $0.written && $0.syncFault == nil }
    core.trust?.end(facts: store?.lastSeq ?? 0, isWhole: store != nil && isInPlace && isDurable)
    store = nil
    core.sync.close()
    core.answerWaiters()
    core.broadcaster.finish()
    let left = core.orders.withLock { orders in
      defer { (orders.tidy, orders.jobs) = ([], []) }
      return orders.tidy
    }
    for tell in left { tell() }
  }
}
