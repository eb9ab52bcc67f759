import Glibc
import LinuxIO
import SQLiteFile
import ScanModel
import Synchronization

/// What the writer does when somebody deletes or replaces the files that it has open: as long as it has them, everything is
/// still there, and is written anew.
extension Writer {
  /// A copy that takes longer is told, and those who wait are sent away.
  private static let patience = Duration.milliseconds(250)

  /// Looks, while there is nothing to write, whether the files are where they were.
  func lookAfterPlace() {
    if isDisplaced, core.clock.now() < nextTry { return }
    do throws(JournalFault) {
      try stayInPlace()
    } catch {
      core.queue.withLock { $0.failed(error) }
      waitLonger()
    }
    core.answerWaiters()
    core.tellState()
  }

  /// Sees to it that what is written is found again under its name.
  /// - Throws: why that is not so; everything is still there then, as long as the process lives.
  func stayInPlace() throws(JournalFault) {
    let path = core.settings.path
    let isLocked = lock.isInPlace(path)
    let change = store == nil ? nil : core.file.place.change
    if isLocked, change == nil, !isDisplaced { return }
    isDisplaced = true
    var notices: [String] = []
    // Where the rest fails, this has happened all the same.
    defer { for notice in notices { core.broadcaster.notice(notice) } }
    if !isLocked { notices.append(try renewLock()) }
    if let store, let change { notices.append(try restore(store, because: change)) }
    isDisplaced = false
    pause = Self.firstPause
    core.queue.withLock { $0.recovered() }
  }

  /// Makes the claim again, before somebody else makes his.
  /// - Returns: what the operator must know.
  private func renewLock() throws(JournalFault) -> String {
    let path = core.settings.path
    try Folder.make(Folder.of(path))
    var words = ""
    if JournalLock.isTaken(path) {
      words = " What lay in its place was set aside as \(try core.file.setAside(as: "replaced", [".lock"])).lock."
    }
    try lock.renew(path)
    return
      "The lock of the journal, \(path).lock, was deleted or replaced while it was in use; it was made again.\(words) "
      + "Leave the journal's files alone while the gateway runs."
  }

  /// Writes all that the open file has into a new one, puts that in its place, and goes on there.
  /// - Returns: what the operator must know.
  private func restore(_ old: JournalStore, because change: String) throws(JournalFault) -> String {
    let path = core.settings.path
    evictHousekeeper()
    defer {
      core.orders.withLock { $0.houseMustLeave = false }
      core.houseWaker.wake()
    }
    var foreign: [String] = []
    var words = ""
    do {
      try Folder.make(Folder.of(path))
      var new = try FileReplacement(of: path, ending: ".restored")
      try copy(old, to: path + ".restored", because: change)
      foreign = ["", "-wal", "-shm", "-journal"].filter {
        FileIdentity(at: path + $0) != nil && !core.file.place.isOurs($0)
      }
      if !foreign.isEmpty {
        let name = try core.file.setAside(as: "replaced", foreign)
        words = " What lay in its place was set aside as \(foreign.map { name + $0 }.joined(separator: ", "))."
      }
      try new.finish()
    } catch {
      throw fault(error, because: change)
    }
    // SQLite leaves the log's name alone when it closes a file that has moved. The old log says nothing but what the new
    // file has, page for page: a cut of power before it is gone does no harm.
    store = nil
    tidying = nil
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    // What is there is of the present version.
    var notices: [String] = []
    do {
      let store = try core.file.use(&notices)
      store.goOn(from: old)
      store.database.keepLog(false)
      core.file.place.note()
      try take(store)
      try store.beginLog()
      try SmallFile.syncFolder(of: path)
    } catch {
      throw fault(error, because: change)
    }
    core.queue.withLock { $0.synced(upTo: $0.written) }
    return
      "\(change) while it was in use. Nothing is lost: the whole journal was written anew as \(path).\(words) Leave the "
      + "journal's files alone while the gateway runs."
  }

  /// Copies the open file. Who waits for a big one is told at once, and what is asked meanwhile is answered.
  private func copy(_ old: JournalStore, to new: String, because change: String) throws {
    if old.database.isInTransaction { try old.database.execute("ROLLBACK") }
    let began = core.clock.now()
    let database = try Database(new, .present, busyMilliseconds: 0)
    defer { database.close() }
    // A copy that is not finished is thrown away; one that is gets synced as a whole.
    try database.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    try old.database.copy(to: database) {
      guard core.clock.now() - began >= Self.patience else { return }
      let path = core.settings.path
      core.queue.withLock {
        $0.failed(
          JournalFault(.unavailable, "\(change) while it was in use; the journal is being written anew as \(path)."))
      }
      core.answerWaiters()
      core.tellState()
      serve()
    }
  }

  private func fault(_ error: any Error, because change: String) -> JournalFault {
    let path = core.settings.path
    let fault =
      switch error {
      case let error as SQLiteError: JournalFault(error, at: path)
      case let error as SystemError: JournalFault(error, at: path)
      case let error as JournalFault: error
      default: JournalFault(.unavailable, "\(error)")
      }
    return JournalFault(
      fault.kind,
      "\(change) while it was in use, and could not be written anew: \(fault) Do not stop the gateway before that is done: "
        + "it alone has what the journal says.")
  }
}
