import Expectations
import Foundation
import PowerCut
import Testing

@Suite struct PowerCutRecorderTests {
  private static let modes = ["WAL", "DELETE", "TRUNCATE", "PERSIST"]

  /// What lies in the folder, but for the shared memory.
  private func files(in folder: String) throws -> [String: [UInt8]] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix("-shm") }
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\($0)"))))
      })
  }

  /// All that was noted, applied in order, is what the files hold: nothing that SQLite did went by.
  @Test(arguments: modes) func theWholeLogMakesTheFilesThatThereAre(mode: String) throws {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    let database = try PlainDatabase("\(folder.path)/\(Workload.file)")
    try database.run("PRAGMA journal_mode = \(mode); PRAGMA wal_autocheckpoint = 10")
    try Workload.create(in: database)
    for number in 1...40 {
      try Workload.commit(number, in: database)
      if number % 10 > 0 { continue }
      let last = try CutPlanner(recorder.log()).prefixes().reduce(nil) { $1 }
      try expectEqual(last?.files, files(in: folder.path), "after \(number)")
    }
    try database.run("DELETE FROM fact WHERE id < 30; VACUUM")
    let last = try CutPlanner(recorder.log()).prefixes().reduce(nil) { $1 }
    try expectEqual(last?.files, files(in: folder.path))
  }

  @Test func theFolderIsSyncedForANewLog() throws {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    let database = try PlainDatabase("\(folder.path)/\(Workload.file)")
    try database.run("PRAGMA journal_mode = WAL")
    let before = try recorder.log().events.count
    try Workload.create(in: database)
    let events = try recorder.log().events[before...]
    expect(
      events.contains {
        if case .folderSyncBegan = $0 { true } else { false }
      })
  }

  @Test func aRemovedJournalIsARemovedName() throws {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    let database = try PlainDatabase("\(folder.path)/\(Workload.file)")
    try database.run("PRAGMA synchronous = EXTRA")
    try Workload.create(in: database)
    let events = try recorder.log().events
    let deleted = try #require(events.firstIndex(of: .deleted(name: "\(Workload.file)-journal")))
    guard case .folderSyncBegan(let sync) = events[deleted + 1] else {
      Issue.record("\(events[deleted + 1])")
      return
    }
    expectEqual(events[deleted + 2], .syncEnded(sync: sync))
  }

  @Test func whatWasThereBeforeIsDurable() throws {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    do {
      let database = try PlainDatabase("\(folder.path)/\(Workload.file)")
      try Workload.create(in: database)
    }
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    let first = CutPlanner(try recorder.log()).prefixes().first { _ in true }
    try expectEqual(first?.files, files(in: folder.path))
    expectEqual(first?.files.count, 1)
  }

  /// A file that was made and not synced before SQLite came, for instance to set its permissions, may not survive.
  @Test func whatOthersMakeMayBeLost() throws {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    expect(FileManager.default.createFile(atPath: "\(folder.path)/\(Workload.file)", contents: nil))
    let database = try PlainDatabase("\(folder.path)/\(Workload.file)")
    try expectEqual(database.text("PRAGMA user_version"), "0")
    try expectEqual(recorder.log().events.first, .created(file: 1, name: Workload.file))
  }

  @Test func recordingsKeepApart() throws {
    let folders = [try ImageFolder(), try ImageFolder()]
    defer { withExtendedLifetime(folders) {} }
    let recorders = try folders.map { try PowerCutRecorder(folder: $0.path) }
    for recorder in recorders { try recorder.start() }
    for (number, folder) in folders.enumerated() {
      let database = try PlainDatabase("\(folder.path)/\(Workload.file)")
      try Workload.create(in: database)
      for commit in 1..<2 + number { try Workload.commit(commit, in: database) }
    }
    for (folder, recorder) in zip(folders, recorders) {
      let last = try CutPlanner(recorder.log()).prefixes().reduce(nil) { $1 }
      try expectEqual(last?.files, files(in: folder.path))
    }
  }

  @Test func aStoppedRecorderNotesNothing() throws {
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    let database = try PlainDatabase("\(folder.path)/\(Workload.file)")
    try Workload.create(in: database)
    recorder.stop()
    let log = try recorder.log()
    try Workload.commit(1, in: database)
    recorder.promised(1)
    try expectEqual(recorder.log(), log)
  }

  @Test func whatCannotBeRecordedIsSaid() throws {
    #expect(throws: PowerCutError.self) { try PowerCutRecorder(folder: "/nowhere/at/all") }
    let folder = try ImageFolder()
    defer { withExtendedLifetime(folder) {} }
    let recorder = try PowerCutRecorder(folder: folder.path)
    try recorder.start()
    #expect(throws: PowerCutError.self) { try recorder.start() }
    let other = try PowerCutRecorder(folder: folder.path)
    #expect(throws: PowerCutError.self) { try other.start() }
  }
}
