import Expectations
import Glibc
import LinuxIO
import SQLiteFile
import ScanModel
import Testing

@testable import Journal

/// A start that fails after the journal was opened: it ends wherever it is, and nothing was lost by it.
@Suite struct FailedStartTests {
  private func start(_ folder: Folders) throws -> (JournalTrust, Journal) {
    let trust = JournalTrust(of: folder.journal)
    return (trust, try openJournal(folder.journal, trust: trust))
  }

  /// Nobody says that it is the end; nobody has the journal any more.
  private func failedStart(_ folder: Folders) throws -> (JournalTrust, JournalCore) {
    let (trust, journal) = try start(folder)
    return (trust, journal.core)
  }

  /// The end of the journal is overtaken by the end of the process, or is not: the log may be gone.
  @Test func failedStartsRaiseNoAlarm() async throws {
    let folder = try Folders()
    for round in 0..<extent(landing: 50, release: 1_000) {
      let (trust, core) = try failedStart(folder)
      expect(trust.doubt == nil && trust.generation == 1, "round \(round): \(trust.doubt ?? "")")
      await core.allEnded()
    }
    expectEqual(JournalTrust(of: folder.journal).doubt, nil)
  }

  /// A process that was killed left log and note; what is then started closes the journal before it could note anything.
  @Test func aStartThatCannotEvenBeNotedRaisesNoAlarm() async throws {
    let folder = try Folders()
    do {
      let child = try Child("hold", folder.journal)
      _ = try child.next("open ")
      let journal = try Database(folder.journal, .read, busyMilliseconds: 0).integer("SELECT id FROM origin")
      try JournalTrust(of: folder.journal).begin(session: 1, journal: journal ?? 0)
      child.killAndWait()
    }
    expect(folder.names.contains("journal.sqlite-wal"))
    try await openJournal(folder.journal).close()
    expect(!folder.names.contains("journal.sqlite-wal"))
    expectEqual(JournalTrust(of: folder.journal).doubt, nil)
  }

  /// However late the process is killed: the log is there, or the note says that it was not needed any more.
  @Test func theNoteIsClosedBeforeTheLogGoes() async throws {
    let folder = try Folders()
    let (_, journal) = try start(folder)
    let changes = try FolderChanges(folder.path)
    await journal.close()
    let names = changes.names
    let closed = try #require(names.lastIndex(of: "came journal.sqlite.generation"))
    let gone = try #require(names.lastIndex(of: "deleted journal.sqlite-wal"))
    expect(closed < gone, "\(names)")
  }

  /// The same session's log, and the whole of it: nothing of what it held is anywhere else.
  @Test func aLogThatSomebodyTookAwayIsMissed() async throws {
    let folder = try Folders()
    let (_, first) = try start(folder)
    await first.close()
    for name in ["journal.sqlite", "journal.sqlite.generation"] {
      try writeFile("\(folder.path)/kept-\(name)", try readFile("\(folder.path)/\(name)"))
    }
    let (_, second) = try start(folder)
    try await second.written(second.enqueue(JournalBatch(facts: [.scan(sampleScan("lost"))])))
    let note = try readFile("\(folder.journal).generation")
    await second.close()
    // As a kill would have left it, but for the log.
    try writeFile(folder.journal, try readFile("\(folder.path)/kept-journal.sqlite"))
    try writeFile("\(folder.journal).generation", note)
    expect(JournalTrust(of: folder.journal).doubt?.contains("write-ahead log") == true)
  }

  /// An earlier version reads the first 64 bytes, and takes two words.
  @Test func anEarlierVersionReadsTheNote() async throws {
    let folder = try Folders()
    let (_, journal) = try start(folder)
    func words() throws -> [Substring] {
      String(decoding: try readFile("\(folder.journal).generation").prefix(64), as: UTF8.self)
        .split { $0 == " " || $0 == "\n" }
    }
    try expectEqual(words(), ["00000000000000000001", "whole"])
    await journal.close()
    try expectEqual(words(), ["00000000000000000001", "closed"])
    // And what that one writes, in place, is read.
    let text = [UInt8]("00000000000000000001 closed \n".utf8)
    try writeFile("\(folder.journal).generation", text)
    expectEqual(JournalTrust(of: folder.journal).doubt, nil)
  }
}

/// What comes into a folder and leaves it, in order, from now on.
private struct FolderChanges: ~Copyable {
  private let file: OwnedDescriptor

  init(_ path: String) throws {
    let number = inotify_init1(O_NONBLOCK | O_CLOEXEC)
    file = OwnedDescriptor(owning: number)
    let watch = inotify_add_watch(number, path, UInt32(IN_MOVED_TO | IN_DELETE))
    try #require(watch >= 0)
  }

  /// What has happened since.
  var names: [String] {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(file.number, &bytes, bytes.count)
    var found: [String] = []
    var at = 0
    // Watch, mask, cookie and the name's length, each of four bytes; then the name (inotify(7)).
    while at + 16 <= count {
      func word(_ offset: Int) -> UInt32 {
        bytes[(at + offset)..<(at + offset + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
      let length = Int(word(12))
      let name = String(decoding: bytes[(at + 16)..<(at + 16 + length)].prefix { $0 != 0 }, as: UTF8.self)
      found.append("\(word(4) & UInt32(IN_DELETE) != 0 ? "deleted" : "came") \(name)")
      at += 16 + length
    }
    return found
  }
}
