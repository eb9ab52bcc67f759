import CSQLite
package import LinuxIO
import SQLiteFile
package import ScanModel
import Synchronization
package import Sealing

/// The journal of a station in one SQLite file: see `docs/journal.md`.
///
/// A thread of its own writes; whatever is queued by then becomes one transaction. A second one syncs the write-ahead log, a
/// third one moves it into the file. A disk that is slow, full or broken holds up nobody who did not ask for it.
package final class Journal: ScanJournal {
  /// Where the journal is, and how long it keeps what.
  package struct Settings: Sendable {
    /// The file; SQLite and the lock keep others beside it.
    package var path: String
    /// How long scans are kept, with what was asked for them.
    package var keepScans: Duration
    /// How big the file may get, in bytes, before the oldest scans go.
    package var keepBytes: Int64
    /// How long holders' names are kept.
    package var keepNames: Duration

    package init(
      path: String, keepScans: Duration = .seconds(400 * 86_400), keepBytes: Int64 = 1_000_000_000,
      keepNames: Duration = .seconds(86_400)
    ) {
      self.path = path
      self.keepScans = keepScans
      self.keepBytes = keepBytes
      self.keepNames = keepNames
    }
  }

  let core: JournalCore
  private let lock: LockSlot

  private init(_ core: JournalCore, _ lock: LockSlot) {
    self.core = core
    self.lock = lock
  }

  deinit { core.beginClosing() }

  /// Opens the journal, or makes it. A damaged file is set aside and another begun, which `states` tells.
  /// - Parameters:
  ///   - trust: the note beside it, which the journal then keeps to its end.
  ///   - alarms: the thread of those who wait for it, which sends them away in time; without one the process' own timers do.
  /// - Throws: why there is no journal: another process has it, it belongs to another program, a newer version, or another
  ///   key, or its disk is full or refuses.
  package static func open(
    _ settings: Settings, key: SealKey, boot: BootID, time: any TimeSource, trust: JournalTrust? = nil,
    alarms: DeviceLoop? = nil
  ) throws(JournalFault) -> Journal {
    try open(
      settings, key: key, boot: boot, time: time, schema: .current, sync: FileSync(), trust: trust, alarms: alarms)
  }

  /// Opens the journal with another way to sync its log: for tests.
  package static func open(
    _ settings: Settings, key: SealKey, boot: BootID, time: any TimeSource, sync: any WALSync
  ) throws(JournalFault) -> Journal {
    try open(settings, key: key, boot: boot, time: time, schema: .current, sync: sync)
  }

  static func open(
    _ settings: Settings, key: SealKey, boot: BootID, time: any TimeSource, schema: Schema, sync: any WALSync,
    trust: JournalTrust? = nil, alarms: DeviceLoop? = nil
  ) throws(JournalFault) -> Journal {
    // Whose claim it is comes first where there is one: to look into a file that this process has open costs it SQLite's
    // locks. Where there is none, nothing is made before the file was recognised.
    let isClaimed = JournalLock.isClaimed(settings.path)
    if !isClaimed {
      try Recognition.check(settings.path, isClaimed: false)
      try Folder.make(Folder.of(settings.path))
    }
    let lock = LockSlot(try JournalLock(settings.path))
    if isClaimed { try Recognition.check(settings.path, isClaimed: true) }
    let file = JournalFile(
      path: settings.path, seals: JournalSeals(key), schema: schema, boot: boot, time: time)
    var notices: [String] = []
    let store = try file.open(notices: &notices)
    let begun = store.begun
    if let words = begun.replacing { trust?.distrust(words) }
    do throws(SQLiteError) {
      if !store.lastEndedWell { try store.completeScans() }
    } catch {
      notices.append(
        "What was decided when the gateway ended could not be completed. \(JournalFault(error, at: settings.path))")
    }
    let written = store.position
    let journal: Journal
    do throws(SystemError) {
      try sync.open(file.log)
      let core = try JournalCore(settings: settings, file: file, time: time, sync: sync, trust: trust, alarms: alarms)
      for notice in notices { core.broadcaster.notice(notice) }
      core.orders.withLock { $0.needsCheck = !store.lastEndedWell }
      journal = Journal(core, lock)
      let writer = Writer(core, store: store, lock: lock)
      // The lock goes with the last thread, not before the file is closed.
      try journal.start("journal") {
        writer.run()
        lock.release()
      }
      try journal.start("journal-sync") { Syncer(core: core).run() }
      try journal.start("journal-house") { Housekeeper(core: core).run() }
    } catch {
      throw JournalFault(error, at: settings.path)
    }
    do throws(SystemError) {
      let broadcaster = journal.core.broadcaster
      try trust?.begin(written, durable: begun.durable) { broadcaster.event($0) }
    } catch {
      throw JournalFault(
        .disk, "The note \(settings.path).generation cannot be written: \(error.words). Mend the disk.")
    }
    return journal
  }

  private func start(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let core = core
    core.orders.withLock { $0.threads += 1 }
    do throws(SystemError) {
      try SystemThread.start(name) {
        body()
        core.threadEnded()
      }
    } catch {
      core.orders.withLock { $0.threads -= 1 }
      throw error
    }
  }

  /// Writes what is queued, makes it durable, and closes the file. What comes later is refused.
  package func close() async {
    core.beginClosing()
    await core.allEnded()
  }

  // MARK: The port

  @discardableResult package func enqueue(_ batch: JournalBatch) -> JournalMark { core.enqueue(batch) }

  package func written(_ mark: JournalMark) async throws(JournalFault) {
    _ = try await core.wait(for: mark.number, isDurable: false, until: nil)
  }

  package nonisolated(nonsending) func written(_ mark: JournalMark, until end: MonotonicTime) async throws(JournalFault)
    -> Bool
  {
    try await core.wait(for: mark.number, isDurable: false, until: end)
  }

  package nonisolated(nonsending) func durable(_ mark: JournalMark, until end: MonotonicTime) async throws(JournalFault)
    -> Bool
  {
    try await core.wait(for: mark.number, isDurable: true, until: end)
  }

  /// What `recall` says, where that is known at once: without the writer's thread. `nil` says nothing.
  package func recallNow(_ keys: [LedgerKey]) -> [LedgerKey: [UInt8]]? {
    core.known.withLock { $0.areNew(keys) } ? [:] : nil
  }

  /// Whether all that is stored is known by key, so that `recallNow` answers: for tests and measurements.
  package var knowsItsKeys: Bool { core.known.withLock { $0.isWhole } }

  package nonisolated(nonsending) func recall(
    _ keys: [LedgerKey], until end: MonotonicTime
  ) async throws(JournalFault) -> [LedgerKey: [UInt8]] {
    if let known = recallNow(keys) { return known }
    return try await recall(keys, askedUntil: end)
  }

  /// The same as the writer tells it, however long that takes.
  package func recall(_ keys: [LedgerKey]) async throws(JournalFault) -> [LedgerKey: [UInt8]] {
    try await recall(keys, askedUntil: nil)
  }

  private func recall(
    _ keys: [LedgerKey], askedUntil end: MonotonicTime?
  ) async throws(JournalFault) -> [LedgerKey: [UInt8]] {
    try await core.onWriter(until: end) { writer in
      var found: [LedgerKey: [UInt8]] = [:]
      var left = Set(keys)
      // What a failing disk has not taken yet is newer than what the file says.
      for batch in writer.pending.reversed() where !left.isEmpty {
        for (key, state) in batch.batch.memory where left.contains(key) {
          left.remove(key)
          found[key] = state
        }
      }
      if left.isEmpty { return .success(found) }
      return Result { () throws(JournalFault) in
        try writer.file.get().recall(Array(left)).merging(found) { _, newer in newer }
      }
    }
  }

  package func unconcluded() async throws(JournalFault) -> [AskedAttempt] {
    try await core.onWriter { writer in
      writer.ask { store throws(SQLiteError) in try store.unconcluded() }.map { written in
        writer.pending.flatMap(\.batch.facts).reduce(into: written) { open, fact in
          switch fact {
          case .asked(let asked): open.append(asked)
          case .concluded(let concluded): open.removeAll { $0.attempt == concluded.attempt }
          case .late, .scan, .flood, .owed, .told, .annulled, .order: break
          }
        }
      }
    }
  }

  package func admission(of scan: ScanID) async throws(JournalFault) -> JournaledAdmission? {
    try await core.onWriter { writer in
      writer.ask { store throws(SQLiteError) in try store.admission(of: scan) }.map { written in
        writer.pending.flatMap(\.batch.facts).reduce(written) { $1.admission(of: scan, after: $0) }
      }
    }
  }

  package func owed() async throws(JournalFault) -> [OwedAdmission] { try await outbox(waiting: true) }

  package func retriable() async throws(JournalFault) -> [OwedAdmission] { try await outbox(waiting: false) }

  private func outbox(waiting: Bool) async throws(JournalFault) -> [OwedAdmission] {
    try await core.onWriter { writer in
      writer.ask { store throws(SQLiteError) in
        PendingOutbox(
          waiting: try store.owed(retriable: false), retriable: waiting ? [] : try store.owed(retriable: true))
      }.map { written in
        writer.pending.flatMap(\.batch.facts).reduce(into: written) { $0.take($1) }.admissions(waiting: waiting)
      }
    }
  }

  package var states: AsyncStream<JournalState> { core.broadcaster.listen() }

  /// Runs a whole round of retention now; otherwise there is one a minute after the start, and one each hour.
  package func tidy() async {
    await withCheckedContinuation { continuation in
      let isOpen = core.orders.withLock { orders in
        guard orders.threads > 0, !orders.isClosing else { return false }
        orders.tidy.append { continuation.resume() }
        return true
      }
      if isOpen { core.writerWaker.wake() } else { continuation.resume() }
    }
  }

  /// Moves the log into the file and begins it anew, as the threads do by and by: for tests.
  func checkpoint() async throws(JournalFault) -> Bool {
    try await core.onWriter { writer in
      writer.ask { store throws(SQLiteError) in
        let (frames, moved) = try store.database.checkpoint(SQLITE_CHECKPOINT_PASSIVE)
        try store.beginLog()
        return frames == moved
      }
    }
  }

  /// A value that SQLite tells of the writer's connection: for tests.
  func pragma(_ name: String) async throws(JournalFault) -> Int64? {
    try await core.onWriter { writer in
      writer.ask { store throws(SQLiteError) in try store.database.integer("PRAGMA \(name)") }
    }
  }
}
