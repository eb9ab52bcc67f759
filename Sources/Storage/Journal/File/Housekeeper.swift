import CSQLite
import LinuxIO
import SQLiteFile
import ScanModel
import Synchronization

/// The thread that moves the write-ahead log into the file, and looks after an unclean stop whether the file is sound. It
/// has a connection of its own, so that its syncs are in nobody's way.
struct Housekeeper: Sendable {
  let core: JournalCore

  /// Frames (of 4 KiB) from which on the log is moved whoever is busy; from which on a second without batches will do; and
  /// from which on half a minute will.
  static let many = 4_096
  private static let (some, few) = (1_024, 8)

  /// When the check is made that an unclean stop asks for; one that could not be made is made again, later each time.
  private struct CheckPlan {
    var next = MonotonicTime(nanoseconds: .min)
    var pause = Duration.seconds(60)
    var wasTold = false

    mutating func again(after now: MonotonicTime) {
      next = now + pause
      pause = min(.seconds(3_600), pause * 2)
    }
  }

  func run() {
    var wasTold = false
    var plan = CheckPlan()
    var reading: KeyReading?
    while true {
      let (isClosing, mustLeave, needsCheck) = core.orders.withLock { ($0.isClosing, $0.houseMustLeave, $0.needsCheck) }
      if isClosing { break }
      if mustLeave {
        leave()
        continue
      }
      let isReading = readKeys(&reading)
      if needsCheck, !isReading, core.clock.now() >= plan.next { check(&plan) }
      if isDue() {
        do throws(SQLiteError) {
          let connection = try connect()
          let (frames, moved) = try connection.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
          wasTold = false
          core.orders.withLock { orders in
            orders.beginLog = frames == moved
            orders.finishLog = frames != moved && Int(frames) > 4 * Self.many
          }
          core.writerWaker.wake()
        } catch {
          report(error, &wasTold)
        }
      }
      if !isReading { core.houseWaker.wait(atMost: .seconds(1)) }
    }
    close()
    core.orders.withLock { $0.isHouseOut = true }
    core.writerWaker.wake()
  }

  private func isDue() -> Bool {
    let frames = core.file.frames.value
    let idle = core.clock.now() - core.queue.withLock { $0.lastQueued }
    return frames >= Self.many || frames >= Self.some && idle >= .seconds(1)
      || frames >= Self.few && idle >= .seconds(30)
  }

  /// Reads some of the keys that are remembered.
  /// - Returns: whether there are more. Where they cannot be read, who asks goes the slow way, and it is tried again.
  private func readKeys(_ reading: inout KeyReading?) -> Bool {
    let (file, isWhole) = core.known.withLock { ($0.file, $0.isWhole) }
    if isWhole { return false }
    if reading?.file != file {
      // What is open here may be an earlier file.
      close()
      reading = KeyReading(of: file)
    }
    do throws(SQLiteError) {
      let connection = try connect()
      let hasMore = try reading?.step(connection) { body in core.known.withLock { body(&$0) } }
      if hasMore == true { return true }
      core.known.withLock { $0.finish(file) }
    } catch {
      if error.isDamage {
        core.orders.withLock { $0.damage = error.message }
        core.writerWaker.wake()
      }
    }
    reading = nil
    return false
  }

  /// Looks through the whole file for damage; takes minutes for a big one, beside everything else.
  private func check(_ plan: inout CheckPlan) {
    do throws(SQLiteError) {
      let connection = try connect()
      let found = try connection.quickCheck { core.orders.withLock { $0.isClosing || $0.houseMustLeave } }
      core.orders.withLock { orders in
        if let found { orders.damage = found }
        orders.needsCheck = false
      }
      if found != nil { core.writerWaker.wake() }
    } catch {
      // Interrupted by the end, or to make way: then another one is due.
      if error.primary == SQLITE_INTERRUPT { return }
      if error.primary == SQLITE_BUSY, core.file.place.change != nil { return }
      if error.isDamage {
        core.orders.withLock { orders in
          orders.damage = error.message
          orders.needsCheck = false
        }
        core.writerWaker.wake()
        return
      }
      // The file was not seen: neither sound nor damaged. The next start looks, too, where this process comes to no end.
      plan.again(after: core.clock.now())
      guard !plan.wasTold, error.primary != SQLITE_BUSY else { return }
      plan.wasTold = true
      core.broadcaster.notice(
        "After the last stop, which was not an orderly one, the journal could not be looked through; it is tried again. "
          + "\(JournalFault(error, at: core.settings.path))")
    }
  }

  private func report(_ error: SQLiteError, _ wasTold: inout Bool) {
    if error.primary == SQLITE_INTERRUPT || error.primary == SQLITE_BUSY { return }
    if error.isDamage {
      core.orders.withLock { $0.damage = error.message }
      core.writerWaker.wake()
    } else if !wasTold {
      wasTold = true
      core.broadcaster.notice(
        "The journal's log could not be moved into its file. \(JournalFault(error, at: core.settings.path))")
    }
  }

  // MARK: The connection

  private func connect() throws(SQLiteError) -> Database {
    if let open = core.house.withLock({ $0 }) { return open }
    // What lies there now may be somebody else's: the writer sees to it.
    guard core.file.place.change == nil else {
      core.writerWaker.wake()
      throw SQLiteError(code: SQLITE_BUSY, errno: 0, message: "the journal is not in its place")
    }
    let connection = try Database(core.settings.path, .present, busyMilliseconds: 0)
    try connection.execute("PRAGMA wal_autocheckpoint = 0")
    // SQLite learns of the log by reading.
    _ = try connection.integer("SELECT count(*) FROM sqlite_master")
    core.house.withLock { $0 = connection }
    return connection
  }

  private func close() {
    core.house.withLock { connection in
      connection?.close()
      connection = nil
    }
  }

  /// Closes the connection until the file has been replaced.
  private func leave() {
    close()
    core.orders.withLock { $0.isHouseOut = true }
    core.writerWaker.wake()
    while core.orders.withLock({ $0.houseMustLeave }) { core.houseWaker.wait(atMost: .milliseconds(100)) }
    core.orders.withLock { $0.isHouseOut = false }
  }
}
