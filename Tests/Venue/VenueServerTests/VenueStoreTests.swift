import CSQLite
import Dispatch
import Expectations
import Foundation
import SQLiteFile
import Testing

@testable import VenueServer

/// What the venue's queries rest on: transactions, values and the words for what SQLite refuses.
@Suite(.timeLimit(.minutes(1))) struct VenueStoreTests {
  private struct Refusal: Error {}

  private func withFile(_ body: (VenueStore, String) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/venue.sqlite"
      try await body(try VenueStore(.file(path)), path)
    }
  }

  private func kiosks(_ store: VenueStore) async throws -> Int64? {
    try await store.read { try $0.integer("SELECT COUNT(*) FROM kiosks") }
  }

  private func words<Value>(_ work: () async throws -> Value) async throws -> String {
    try await #require(throws: VenueError.self) { _ = try await work() }.description
  }

  private static func addKiosk(_ db: Database) throws {
    try db.run("INSERT INTO kiosks (id, version, seen_at) VALUES (?, ?, ?)", "a", "1", Int64(0))
  }

  @Test func valuesComeBackAsTheyWere() async throws {
    let store = try VenueStore(.memory)
    try await store.write { db in
      try db.execute("CREATE TABLE kept (i INTEGER, d REAL, t TEXT, b BLOB, n TEXT, f INTEGER)")
      let (text, none) = ("é\u{0}x", String?.none)
      try db.run("INSERT INTO kept VALUES (?, ?, ?, ?, ?, ?)", Int64.min, 2.5, text, [UInt8](), none, true)
      expectEqual(db.lastInsertedRowID, 1)
      let row = try #require(try db.row("SELECT *, i AS again FROM kept"))
      try expectEqual(row["i"], Int64.min)
      try expectEqual(row["again"], Int64.min)
      try expectEqual(row["d"], 2.5)
      try expectEqual(row["t"], text)
      try expectEqual(row["b"], [UInt8]())
      expect(try row["n"] as String? == nil)
      try expectEqual(row["f"], true)
      // The whole numbers of a REAL column are numbers as well.
      try expectEqual(db.value("SELECT 3"), 3.0)
      expect(try db.value("SELECT i FROM kept WHERE i = 0") as Int64? == nil)
    }
  }

  /// What a damaged file may hold is an error, and ends nothing.
  @Test func aColumnThatIsNotAsItShouldBeIsAnError() async throws {
    try await VenueStore(.memory).read { db in
      let row = try #require(try db.row("SELECT 'x' AS text, NULL AS lacking"))
      for work in [
        { _ = try row["text"] as Int64 }, { _ = try row["text"] as Int64? }, { _ = try row["lacking"] as String },
        { _ = try row["absent"] as String? }, { _ = try db.value("SELECT 'x'") as Bool? },
      ] as [() throws -> Void] {
        expect(try #require(throws: SQLiteError.self) { try work() }.isDamage)
      }
    }
  }

  @Test func whatThrowsLeavesNothing() async throws {
    try await withFile { store, _ in
      await #expect(throws: Refusal.self) {
        try await store.write { db in
          try Self.addKiosk(db)
          throw Refusal()
        }
      }
      try await expectEqual(kiosks(store), 0)
      try await store.write { try Self.addKiosk($0) }
      try await expectEqual(kiosks(store), 1)
    }
  }

  @Test func readsDoNotWrite() async throws {
    try await withFile { store, _ in
      let refused = try await words { try await store.read { try Self.addKiosk($0) } }
      expect(refused.contains("attempt to write a readonly database"), "\(refused)")
      let stored = try await kiosks(store)
      expectEqual(stored, 0)
    }
  }

  /// Nobody else writes between what a write transaction reads and what it writes.
  @Test func aWriteHasTheFileFromItsBeginning() async throws {
    try await withFile { store, path in
      try await store.write { _ in
        let error = #expect(throws: SQLiteError.self) {
          try Database(path, .present, busyMilliseconds: 0).execute("BEGIN IMMEDIATE")
        }
        expectEqual(error?.primary, SQLITE_BUSY)
      }
    }
  }

  @Test func referencesAreKeptAndErrorsQuoteNoValue() async throws {
    try await withFile { store, path in
      let error = try await words {
        try await store.write { db in
          try db.run(
            "INSERT INTO sales (event_id, secret, status, name, email) VALUES (?, ?, 'paid', '', '')", Int64(99),
            "a-secret")
        }
      }
      expectEqual(error, "venue: database \(path): FOREIGN KEY constraint failed")
      try await store.write { try APIKeys.store($0, hash: "a-hash", ability: .view) }
      let twice = try await words {
        try await store.write { db in
          try db.run("INSERT INTO api_keys (sha256, user_id, ability) VALUES (?, 1, 'view')", "a-hash")
        }
      }
      expectEqual(twice, "venue: database \(path): UNIQUE constraint failed: api_keys.sha256")
    }
  }

  /// One whose task was cancelled before its turn is not begun; one that ran meanwhile is taken back.
  @Test func aCancelledTaskWritesNothing() async throws {
    try await withFile { store, _ in
      let (begun, tell) = AsyncStream.makeStream(of: Void.self)
      let goOn = DispatchSemaphore(value: 0)
      let running = Task {
        try await store.write { db in
          try Self.addKiosk(db)
          tell.yield()
          goOn.wait()
        }
      }
      var turns = begun.makeAsyncIterator()
      await turns.next()
      let waiting = Task { try await store.write { try Self.addKiosk($0) } }
      running.cancel()
      waiting.cancel()
      goOn.signal()
      await #expect(throws: CancellationError.self) { try await running.value }
      await #expect(throws: CancellationError.self) { try await waiting.value }
      let stored = try await kiosks(store)
      expectEqual(stored, 0)
    }
  }

  @Test func whatSQLiteRefusesIsPutIntoWords() async throws {
    try await withTemporaryDirectory { directory in
      func words(_ path: String, _ work: (VenueStore) async throws -> Void = { _ in }) async throws -> String {
        let error = try await #require(throws: (any Error).self) {
          try await work(try VenueStore(.file(path)))
        }
        return try #require(error as? VenueError).description
      }
      let absent = directory + "/absent/venue.sqlite"
      try await expectEqual(
        words(absent),
        "venue: database \(absent): unable to open database file; check that its directory exists and may be written to"
      )
      let broken = directory + "/broken.sqlite"
      try Data(repeating: 0x41, count: 4_096).write(to: URL(filePath: broken))
      try await expectEqual(words(broken), "venue: database \(broken): file is not a database; name another file")

      let path = directory + "/venue.sqlite"
      let full = try await words(path) { store in
        try await store.write { db in
          try db.execute("PRAGMA max_page_count = 1")
          try db.run("INSERT INTO venue_secrets (name, value) VALUES ('x', zeroblob(100000))")
        }
      }
      expectEqual(full, "venue: database \(path): database or disk is full; free some space on its disk")
      let busy = try await words(path) { store in
        try await store.read { try $0.execute("PRAGMA busy_timeout = 0") }
        let other = try Database(path, .present, busyMilliseconds: 0)
        try other.execute("BEGIN IMMEDIATE")
        try await store.write { _ in }
      }
      expectEqual(busy, "venue: database \(path): database is locked; another process holds it")
      let reader = try VenueStore(reading: path)
      let refused = try await self.words { try await reader.write { try Self.addKiosk($0) } }
      expectEqual(
        refused, "venue: database \(path): attempt to write a readonly database; check its permissions")
    }
  }

  /// Real codes, names and mail addresses: for nobody but the owner, from the first moment on.
  @Test func theFileIsItsOwnersAlone() async throws {
    var template = Array("/tmp/venue-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/venue.sqlite"
    func modes() throws -> [String: UInt32] {
      var modes: [String: UInt32] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/" + name)
        modes[name] = (attributes[.posixPermissions] as? NSNumber)?.uint32Value
      }
      return modes
    }
    let all: [String: UInt32] = ["venue.sqlite": 0o600, "venue.sqlite-wal": 0o600, "venue.sqlite-shm": 0o600]
    do {
      let venue = try VenueServer(VenueConfiguration(storage: .file(path)))
      _ = try await venue.seed()
      try expectEqual(modes(), all)
    }
    // One of an earlier version.
    try #require(chmod(path, 0o644) == 0)
    let venue = try VenueServer(VenueConfiguration(storage: .file(path)))
    try expectEqual(modes(), all)
    _ = try await venue.book()
    // Another program's file is left as it is.
    let other = folder + "/other"
    try Data("something else that is not small enough to be taken for nothing".utf8).write(to: URL(filePath: other))
    try #require(chmod(other, 0o644) == 0)
    #expect(throws: VenueError.self) { _ = try VenueServer(VenueConfiguration(storage: .file(other))) }
    try expectEqual(modes()["other"], 0o644)
  }
}
