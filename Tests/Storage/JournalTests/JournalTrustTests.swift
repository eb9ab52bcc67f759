import Expectations
import Foundation
import Testing

@testable import Journal

@Suite struct JournalTrustTests {
  private let folder: URL
  private var journal: String { folder.appending(path: "journal.sqlite").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func make(_ names: String...) throws {
    // SQLite takes a log away that lies beside a file of less than a page.
    for name in names { try Data(repeating: 1, count: 4_096).write(to: URL(filePath: journal + name)) }
  }

  private func begun() throws -> JournalTrust {
    let trust = JournalTrust(of: journal)
    try trust.begin(session: 1, journal: 7)
    return trust
  }

  @Test func anOrderlyEndAndAKillKeepTheGeneration() throws {
    let first = try begun()
    expect(first.generation == 1 && first.doubt == nil)
    try make("")
    first.end(facts: 0, isWhole: true)
    let second = try begun()
    expect(second.generation == 1 && second.doubt == nil)
    // Killed: its log is still there.
    try make("-wal")
    let third = JournalTrust(of: journal)
    expect(third.generation == 1 && third.doubt == nil)
  }

  @Test func whatIsMarkedIncompleteIsDoubtedUntilItIsAccepted() async throws {
    try make("", "-wal")
    let first = try begun()
    let before = first.generation
    first.accept()
    expect(await first.markIncomplete())
    expect(await first.markIncomplete())
    first.end(facts: 0, isWhole: true)
    let second = try begun()
    expectEqual(second.generation, before + 1)
    expectEqual(second.doubt?.contains("could not take everything"), true)
    // Offline, who is in could come again: nobody passes on it before somebody has said that it may be relied on.
    expect(!second.isAccepted)
    second.accept()
    second.end(facts: 0, isWhole: true)
    let third = JournalTrust(of: journal)
    expect(third.generation == before + 1 && third.doubt == nil)
  }

  @Test func whatIsGoneIsNoticed() throws {
    try make("", "-wal")
    var trust = try begun()
    var before = trust.generation
    try FileManager.default.removeItem(atPath: journal + "-wal")
    trust = try begun()
    expect(trust.generation == before + 1 && trust.doubt?.contains("write-ahead log") == true)
    before = trust.generation
    trust.end(facts: 0, isWhole: true)
    try FileManager.default.removeItem(atPath: journal)
    trust = JournalTrust(of: journal)
    expect(trust.generation == before + 1 && trust.doubt?.contains("is gone: nothing is known") == true)
    try make("")
    try FileManager.default.removeItem(atPath: journal + ".generation")
    trust = JournalTrust(of: journal)
    expect(trust.generation > 1 << 31 && trust.generation != before && trust.doubt?.contains("The note") == true)
  }

  @Test(arguments: ["", "x", "1", "1 whole extra", "-1 whole", "18446744073709551615 whole", "1 perhaps", "\0\0\0"])
  func anUnreadableNoteIsNone(text: String) throws {
    try make("", "-wal")
    try Data(text.utf8).write(to: URL(filePath: journal + ".generation"))
    let trust = JournalTrust(of: journal)
    expect(trust.doubt != nil && trust.generation > 1)
  }

  @Test func whatCannotBeNotedIsToldSo() async throws {
    let trust = JournalTrust(of: journal)
    expect(await !trust.markIncomplete())
    let nowhere = JournalTrust(of: "/nonexistent/journal.sqlite")
    #expect(throws: (any Error).self) { try nowhere.begin(session: 1, journal: 7) }
  }

  @Test func theMarkNeedsNoSpace() async throws {
    let trust = try begun()
    let size = try FileManager.default.attributesOfItem(atPath: journal + ".generation")[.size] as? Int
    expect(await trust.markIncomplete())
    // In place: not a byte longer than before.
    expect(try FileManager.default.attributesOfItem(atPath: journal + ".generation")[.size] as? Int == size)
  }
}
