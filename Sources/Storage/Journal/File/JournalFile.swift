import CSQLite
import Glibc
import LinuxIO
import SQLiteFile
import ScanModel

/// The file of a journal: made, recognised, brought to the present schema, and set aside when it is damaged.
struct JournalFile: Sendable {
  let path: String
  let seals: JournalSeals
  let schema: Schema
  let frames = FrameCount()
  let place: FilePlace
  let boot: BootID
  let time: any TimeSource

  init(path: String, seals: JournalSeals, schema: Schema, boot: BootID, time: any TimeSource) {
    self.path = path
    self.seals = seals
    self.schema = schema
    self.boot = boot
    self.time = time
    place = FilePlace(path)
  }

  /// How long the writer waits for another program that writes, in milliseconds.
  static let busyMilliseconds: Int32 = 1_000

  /// Where SQLite keeps the write-ahead log.
  var log: String { "\(path)-wal" }

  /// What is found instead of a journal, in words.
  private struct Damage: Error { let words: String }

  /// Opens the file and notes the start; one that is damaged is set aside, and another begun.
  /// - Parameter notices: gets what the operator must know.
  func open(notices: inout [String]) throws(JournalFault) -> JournalStore {
    switch openAsFound(&notices) {
    case .store(let store): return store
    case .damage(let words): return try beginAnew(because: words, notices: &notices)
    case .fault(let fault): throw fault
    }
  }

  /// Sets the file aside and begins another. What the ledgers remembered is taken over as far as it can be read.
  func beginAnew(because words: String, notices: inout [String]) throws(JournalFault) -> JournalStore {
    let name = try setAside()
    switch openAsFound(&notices) {
    case .store(let store):
      let durable = store.position
      let saved = store.takeOver(from: name)
      let notice =
        "The journal \(path) is damaged (\(words)). It was set aside as \(name), and another was begun. Of what the ledgers "
        + "remember \(saved.memory) entries were taken over, \(saved.attempts) open attempts, and \(saved.owed) "
        + "admissions that the ticket system was not told of."
      notices.append(notice)
      store.begun = JournalStore.Begun(durable: durable, replacing: notice)
      return store
    case .damage(let words):
      throw JournalFault(.damaged, "The journal \(path) is damaged as soon as it is made: \(words). Check its disk.")
    case .fault(let fault): throw fault
    }
  }

  // MARK: Opening

  private enum Found {
    case store(JournalStore)
    case damage(String)
    case fault(JournalFault)
  }

  private func openAsFound(_ notices: inout [String]) -> Found {
    var entry = stat()
    let isPresent = lstat(path, &entry) == 0
    if isPresent, entry.st_mode & S_IFMT != S_IFREG {
      return .fault(JournalFault(.unavailable, "\(path) is no file. Name another journal."))
    }
    if !isPresent || entry.st_size == 0 {
      // SQLite would throw a log away that has no file.
      var log = stat()
      if lstat(self.log, &log) == 0, log.st_size > 0 {
        return .damage("its main file is \(isPresent ? "empty" : "missing")")
      }
      if isPresent { notices.append("The journal \(path) was empty; another was begun in its place.") }
    }
    do {
      if !isPresent {
        // Nobody else may read it.
        _ = try OwnedDescriptor.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
        try SmallFile.syncFolder(of: path)
      }
      let store = try use(&notices)
      try store.beginSession(boot: boot, wall: time.wall(), monotonic: time.now())
      store.database.keepLog(false)
      place.note()
      return .store(store)
    } catch let error as SQLiteError {
      return error.isDamage ? .damage(error.message) : .fault(JournalFault(error, at: path))
    } catch let error as SystemError {
      return .fault(JournalFault(error, at: path))
    } catch let fault as JournalFault {
      return .fault(fault)
    } catch {
      return .fault(JournalFault(.unavailable, "The journal \(path) cannot be opened: \(error)"))
    }
  }

  /// Opens the file. As long as nothing was written through the connection, a log of before stays as it is: a start that fails leaves
  /// everything to the next one.
  /// - Parameter notices: gets what the operator must know.
  func use(_ notices: inout [String]) throws -> JournalStore {
    let database = try Database(path, .write, busyMilliseconds: Self.busyMilliseconds)
    database.keepLog(true)
    try recognise(database, &notices)
    for pragma in [
      "synchronous = FULL", "wal_autocheckpoint = 0", "journal_size_limit = 33554432", "secure_delete = FAST",
      "recursive_triggers = ON", "temp_store = MEMORY",
    ] { try database.execute("PRAGMA \(pragma)") }
    guard try database.prepare("SELECT key FROM retention").rows([], { seals.proves($0.blob(0) ?? []) }) == [true]
    else {
      throw JournalFault(
        .unavailable,
        "The journal \(path) was sealed with another key than this station's. Bring the key back, or move the file away: "
          + "without its key nobody can read it.")
    }
    return try JournalStore(database, path: path, seals: seals, frames: frames)
  }

  /// Looks at what the file says of itself before anything is written into it.
  private func recognise(_ database: Database, _ notices: inout [String]) throws {
    let application = try database.integer("PRAGMA application_id") ?? 0
    let version = try database.integer("PRAGMA user_version") ?? 0
    let tables = try database.integer("SELECT count(*) FROM sqlite_master") ?? 0
    // Until the file has its log, a commit is the deletion of a rollback journal: durable when the folder was synced.
    try database.execute("PRAGMA synchronous = EXTRA")
    if application == 0, version == 0, tables == 0 {
      try create(in: database)
    } else {
      guard application == Schema.applicationID else {
        throw JournalFault(.unavailable, "\(path) belongs to another program. It was left alone; name another journal.")
      }
      guard version <= schema.version else {
        throw JournalFault(
          .newer,
          "The journal \(path) was written by a newer version of this program (\(version); this one knows \(schema.version)). "
            + "Install that version, or name another journal.")
      }
      if version < schema.version { notices.append(try migrate(database, from: version)) }
    }
    let mode = try database.texts("PRAGMA journal_mode = WAL").first ?? ""
    guard mode == "wal" else {
      throw JournalFault(
        .unavailable, "The journal \(path) cannot have a write-ahead log on this file system. Put it on a local disk.")
    }
  }

  private func create(in database: Database) throws(SQLiteError) {
    // Only before the first table. The log comes after: a cut of power before that leaves an empty file.
    try database.execute("PRAGMA auto_vacuum = INCREMENTAL")
    try database.transaction { () throws(SQLiteError) in
      for step in schema.steps { try database.execute(step) }
      try database.prepare("INSERT INTO retention (one, facts, names, checkpoints, key) VALUES (1, 0, 0, 0, ?)")
        .run(.blob(seals.proof))
      try database.execute("PRAGMA application_id = \(Schema.applicationID)")
      try database.execute("PRAGMA user_version = \(schema.version)")
    }
  }

  /// Brings an older file to the present schema, all at once, after a copy of it was made; one that is there already stays.
  /// - Returns: what the operator must know.
  private func migrate(_ database: Database, from version: Int64) throws -> String {
    var copy = "\(path).v\(version).backup"
    var count = 1
    while FileIdentity(at: copy) != nil {
      count += 1
      copy = "\(path).v\(version)-\(count).backup"
    }
    do {
      var new = try FileReplacement(of: copy)
      try database.prepare("VACUUM INTO ?").run(.text(copy + FileReplacement.ending))
      try new.finish()
    } catch let error as SystemError {
      throw JournalFault(error, at: copy)
    } catch let error as SQLiteError {
      if error.isDamage, error.primary != SQLITE_ERROR { throw error }
      throw JournalFault(
        JournalFault(error, at: path).kind,
        "The journal \(path) has to be brought from version \(version) to \(schema.version), and no copy of it could be "
          + "made as \(copy): \(error.message). Free some space on its disk.")
    }
    do throws(SQLiteError) {
      try database.transaction { () throws(SQLiteError) in
        for step in schema.steps.dropFirst(Int(clamping: version)) { try database.execute(step) }
        try database.execute("PRAGMA user_version = \(schema.version)")
      }
    } catch {
      // Never set aside: the file is what it was, and each further try makes a copy of its own.
      unlink(copy)
      throw JournalFault(
        JournalFault(error, at: path).kind,
        "The journal \(path) could not be brought from version \(version) to \(schema.version): \(error.message). "
          + "It is as it was.")
    }
    return
      "The journal \(path) was brought from version \(version) to \(schema.version). A copy of what it was is \(copy); delete it "
      + "once you will not go back to the former version."
  }

  // MARK: Setting aside

  /// Renames the file and what SQLite keeps beside it.
  /// - Returns: the new name.
  func setAside(
    as word: String = "damaged", _ suffixes: [String] = ["", "-wal", "-shm", "-journal"]
  ) throws(JournalFault) -> String {
    let stem = "\(path).\(word)-\(CivilStamp.text(time.wall()))"
    var name = stem
    var count = 1
    while (suffixes + ["-wal"]).contains(where: { FileIdentity(at: name + $0) != nil }) {
      count += 1
      name = "\(stem)-\(count)"
    }
    do throws(SystemError) {
      for suffix in suffixes where rename(path + suffix, name + suffix) != 0 {
        guard errno == ENOENT else { throw SystemError(errno: errno, call: "rename") }
      }
      try SmallFile.syncFolder(of: path)
    } catch {
      throw JournalFault(error, at: path)
    }
    return name
  }
}
