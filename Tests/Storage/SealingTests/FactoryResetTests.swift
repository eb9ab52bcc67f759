import Expectations
import Foundation
import Glibc
import Testing

@testable import Sealing

@Suite struct FactoryResetTests {
  private let folder: StateFolder

  init() throws { folder = try StateFolder() }

  private static let journal = [
    "journal.sqlite", "journal.sqlite-shm", "journal.sqlite-wal", "journal.sqlite.damaged-20260131T180000Z",
    "journal.sqlite.v1.backup", "tickets-main.sqlite", "tickets-main.sqlite.new",
  ]

  private func fill() throws {
    try CredentialStore(keys: folder.byFile).set("main", try PastedSecret([UInt8]("hunter2".utf8)))
    for name in Self.journal + ["journal.sqlite.lock", "events.jsonl", "credentials/note.txt"] {
      try folder.write(name, [1])
    }
    try folder.write("credentials/main.sealed.new", [1])
  }

  @Test func everythingOfOursGoesAndNothingElse() throws {
    try fill()
    let preview = try #require(try FactoryReset(state: folder.state).preview())
    let result = try FactoryReset(state: folder.state).run()
    expectEqual(result, preview)
    expectEqual(result.wiped.first, "seal-key")
    expectEqual(result.wiped.last, "seal-key.check")
    expectEqual(
      Set(result.wiped),
      Set(
        ["seal-key", "seal-key.check", "credentials/main.sealed", "credentials/main.sealed.new"] + Self.journal))
    expectEqual(result.left.sorted(), ["credentials/note.txt", "events.jsonl"])
    expectEqual(folder.files, ["credentials/note.txt", "events.jsonl", "journal.sqlite.lock"])
    // And a new station can begin.
    let store = CredentialStore(keys: folder.byFile)
    expect(try store.get("main") == nil)
    try store.set("main", try PastedSecret([UInt8]("new".utf8)))
    try expectEqual(store.get("main")?.text, "new")
  }

  @Test func aSealedKeyGoesToo() throws {
    try folder.give(keyBytes(3))
    _ = try folder.byCredential.open()
    _ = try FactoryReset(state: folder.state).run()
    expectEqual(folder.files, ["journal.sqlite.lock"])
  }

  @Test func whatTheServiceUsesIsNotWiped() throws {
    try fill()
    let before = folder.files
    let lock = open("\(folder.state)/journal.sqlite.lock", O_RDWR)
    defer { close(lock) }
    try #require(write(lock, "4711\n", 5) == 5 && flock(lock, LOCK_EX | LOCK_NB) == 0)
    let refused = fault { _ = try FactoryReset(state: folder.state).run() }
    expectEqual(refused?.description.contains("4711"), true)
    expectEqual(refused?.description.contains("systemctl stop scangate"), true)
    expectEqual(folder.files, before)
  }

  /// After each half of a reset a start is refused, or finds a new station; never a new key over old things.
  @Test func halfAResetIsNoNewStation() throws {
    try fill()
    for name in try #require(try FactoryReset(state: folder.state).preview()).wiped.dropLast() {
      expectEqual(unlink("\(folder.state)/\(name)"), 0)
      expectEqual(fault { _ = try folder.byFile.open() }?.kind, .wrongKey)
    }
    _ = try FactoryReset(state: folder.state).run()
    _ = try folder.byFile.open()
  }

  @Test func withoutAFolderThereIsNothingToWipe() throws {
    expect(try FactoryReset(state: "/nonexistent/x").preview() == nil)
    try expectEqual(FactoryReset(state: "/nonexistent/x").run(), .init())
  }

  /// Who has another name for a file keeps what it holds.
  @Test func anotherNamesBytesAreNotOverwritten() throws {
    _ = try folder.byFile.open()
    expectEqual(link("\(folder.state)/seal-key", "\(folder.given)/copy"), 0)
    let before = try Data(contentsOf: URL(filePath: "\(folder.given)/copy"))
    _ = try FactoryReset(state: folder.state).run()
    try expectEqual(Data(contentsOf: URL(filePath: "\(folder.given)/copy")), before)
  }

  /// The bytes themselves are overwritten, not only the name taken away.
  @Test func aRemovedFilesBytesAreOverwritten() throws {
    _ = try folder.byFile.open()
    let held = open("\(folder.state)/seal-key", O_RDONLY)
    defer { close(held) }
    _ = try FactoryReset(state: folder.state).run()
    var bytes = [UInt8](repeating: 1, count: 65)
    expectEqual(read(held, &bytes, bytes.count), 65)
    expect(bytes.allSatisfy { $0 == 0 })
  }
}
