import Dispatch
import Expectations
import Glibc
import PowerCut
import Testing

/// That SQLite keeps its word in the settings in which it gives it, and that the images find out where it gives none.
@Suite struct SQLiteCutTests {
  /// How many images a promise is looked for in that has to hold in all of them.
  private let many = extent(landing: 400, release: 4_000)

  /// A log of the workload: 100 transactions, each promised when its commit has returned.
  private func log(
    _ pragmas: String, between: (Int, PlainDatabase) throws -> Void = { _, _ in }
  ) throws -> PowerCutLog {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    var database = try PlainDatabase("\(folder.path)/\(Workload.file)")
    try database.run(pragmas)
    try Workload.create(in: database)
    for number in 1...100 {
      try Workload.commit(number, in: database)
      recorder.promised(UInt64(number))
      try between(number, database)
      // The last one out moves everything into the database, and removes the log.
      if number == 60 {
        database = try PlainDatabase(":memory:")
        database = try PlainDatabase("\(folder.path)/\(Workload.file)")
        try database.run(pragmas)
      }
    }
    recorder.stop()
    return try recorder.log()
  }

  @Test func aFullSyncKeepsEveryPromise() throws {
    let log = try log("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
    let cuts = try Judgement(CutPlanner(log).images(count: many, seed: 1))
    expect(cuts.isGood, "\(cuts.text)")
    expect(cuts.images >= many * 9 / 10)
    let prefixes = try Judgement(CutPlanner(log).prefixes())
    expect(prefixes.isGood, "\(prefixes.text)")
    expect(prefixes.images > log.events.count)
  }

  @Test func checkpointsBetweenKeepEveryPromise() throws {
    let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8;"
    let log = try log(settings + "PRAGMA journal_size_limit = 16384") { number, database in
      switch number % 25 {
      case 5: try database.run("PRAGMA wal_checkpoint(PASSIVE)")
      case 11: try database.run("PRAGMA wal_checkpoint(RESTART)")
      case 18: try database.run("PRAGMA wal_checkpoint(TRUNCATE)")
      default: break
      }
    }
    let cuts = try Judgement(CutPlanner(log).images(count: many, seed: 2))
    expect(cuts.isGood, "\(cuts.text)")
    let prefixes = try Judgement(CutPlanner(log).prefixes())
    expect(prefixes.isGood, "\(prefixes.text)")
  }

  @Test(arguments: [
    "DELETE; PRAGMA synchronous = EXTRA", "TRUNCATE; PRAGMA synchronous = FULL", "PERSIST; PRAGMA synchronous = FULL",
  ])
  func rollbackJournalsKeepEveryPromise(mode: String) throws {
    let log = try log("PRAGMA journal_mode = \(mode)")
    let cuts = try Judgement(CutPlanner(log).images(count: many, seed: 3))
    expect(cuts.isGood, "\(cuts.text)")
  }

  /// The folder is not synced when the journal's name goes: it may come back, and take the transaction with it.
  @Test func aRemovedJournalComesBackUnlessTheFolderIsSynced() throws {
    let log = try log("PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL")
    let cuts = try Judgement(CutPlanner(log).images(count: 1_000, seed: 4))
    expect(cuts.damages.isEmpty, "\(cuts.text)")
    expect(!cuts.losses.isEmpty)
  }

  @Test(arguments: ["WAL", "DELETE"]) func withoutSyncsPromisesAreLost(mode: String) throws {
    let log = try log("PRAGMA journal_mode = \(mode); PRAGMA synchronous = OFF")
    let cuts = try Judgement(CutPlanner(log).images(count: 200, seed: 5))
    expect(!cuts.losses.isEmpty)
  }

  /// NORMAL syncs at checkpoints alone: nothing is damaged, and what was committed since is not there.
  @Test func aNormalSyncLosesCommits() throws {
    let log = try log("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    let cuts = try Judgement(CutPlanner(log).images(count: 500, seed: 6))
    expect(cuts.damages.isEmpty, "\(cuts.text)")
    expect(!cuts.losses.isEmpty)
  }

  /// Commits on one thread, syncs on another by a descriptor of its own: what the station's journal does.
  @Test(arguments: [true, false]) func aSyncByAnotherHandKeepsItsPromise(isAwaited: Bool) throws {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    let path = "\(folder.path)/\(Workload.file)"
    let database = try PlainDatabase(path)
    try database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 20")
    try Workload.create(in: database)
    let wal = open("\(path)-wal", O_RDWR | O_CLOEXEC)
    try #require(wal >= 0)
    defer { close(wal) }
    let syncs = DispatchQueue(label: "syncs")
    for number in 1...100 {
      try Workload.commit(number, in: database)
      // Before its sync is asked for, whenever that thread has its turn.
      if !isAwaited { recorder.promised(UInt64(number)) }
      syncs.async {
        let sync = recorder.syncBegan("\(path)-wal")
        guard fdatasync(wal) == 0 else { return }
        recorder.syncEnded(sync)
        if isAwaited { recorder.promised(UInt64(number)) }
      }
    }
    syncs.sync {}
    recorder.stop()
    let cuts = try Judgement(CutPlanner(recorder.log()).images(count: max(many, 1_000), seed: 7))
    expect(cuts.damages.isEmpty, "\(cuts.text)")
    expectEqual(cuts.losses.isEmpty, isAwaited, "\(cuts.text)")
  }

  /// The power comes back, goes in the middle of the recovery or of the first transaction after it, and comes back.
  @Test func aCutAfterACutKeepsEveryPromise() throws {
    let log = try log("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 8")
    for image in CutPlanner(log).images(count: extent(landing: 20, release: 60), seed: 8) {
      let folder = try ImageFolder()
      defer { withExtendedLifetime(folder) {} }
      try folder.lay(image)
      let recorder = try PowerCutRecorder(folder: folder.path)
      try recorder.start()
      if let mark = image.promised.last { recorder.promised(mark) }
      let database = try PlainDatabase("\(folder.path)/\(Workload.file)")
      try database.run("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2")
      let count = try Workload.count(in: database)
      if try database.text("SELECT count(*) FROM sqlite_schema") == "0" { try Workload.create(in: database) }
      for number in count + 1...count + 2 {
        try Workload.commit(number, in: database)
        recorder.promised(UInt64(number))
      }
      recorder.stop()
      let cuts = try Judgement(CutPlanner(recorder.log()).images(count: 50, seed: 9))
      expect(cuts.isGood, "after \(image.label): \(cuts.text)")
    }
  }

  /// The images leave bytes beside a write alone, as SQLite expects of this file system; where it expects less, it writes more.
  @Test func overwritesAreTakenToBePowersafe() throws {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    defer { recorder.stop() }
    expect(try PlainDatabase("\(folder.path)/\(Workload.file)").isPowersafeOverwrite)
  }
}
