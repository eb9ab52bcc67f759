import Expectations
import Foundation
import Journal
import ScanModel
import Testing

/// What `scangate journal` says of files that are not as they should be.
@Suite struct JournalVerifyTests {
  @Test func aSoundJournalSaysWhatItHas() async throws {
    let fixture = try JournalFixture()
    try await fixture.write(
      (0..<20).map { .scan(journaled("code \($0)", at: 1_766_000_000 + Int64($0))) } + [.asked(asked("open"))])
    let result = try await fixture.run(["verify"])
    expectEqual(result.status, 0, "\(result.errors)")
    for words in [
      "20, from 2025-12-17 20:33:20 to 2025-12-17 20:33:39", "1, of which 1 are not concluded", "version 6",
      "is sound",
    ] { expect(result.output.contains(words), "\(words)") }
  }

  @Test func aDamagedJournalIsToldWithItsTables() async throws {
    let fixture = try JournalFixture()
    try await fixture.write((0..<2_000).map { .scan(journaled("code \($0)")) })
    let file = try FileHandle(forUpdating: URL(filePath: fixture.path))
    let size = try file.seekToEnd()
    // Not at the end: there are pages of the index too.
    try file.seek(toOffset: size / 2 / 4_096 * 4_096)
    try file.write(contentsOf: Data(repeating: 0xFF, count: 4_096))
    try file.close()
    let result = try await fixture.run(["verify"])
    expectEqual(result.status, 1)
    expect(result.errors.contains("is damaged"))
    expect(result.errors.contains("Damaged tables: scan."))
    expect(result.errors.contains("Start the service again"))
    expect(!result.output.contains("is sound"))
    // The others say so, and show what comes before.
    let list = try await fixture.run(["export", "--format", "json"])
    expectEqual(list.status, 1)
    expect(list.errors.contains("damaged") && list.errors.contains("journal verify"))
  }

  @Test func whatIsNoJournalIsDamagedAndWhatIsMissingIsNot() async throws {
    let fixture = try JournalFixture()
    for command in [["list"], ["show", "aabbcc"], ["export", "--format", "csv"], ["conflicts"], ["verify"]] {
      let missing = try await fixture.run(command)
      expectEqual(missing.status, 69)
      expect(missing.errors.contains("There is no journal \(fixture.path)"))
      expect(missing.output.isEmpty)
    }
    expect(!FileManager.default.fileExists(atPath: fixture.path))
    for bytes in [Data(repeating: 0x41, count: 8_192), Data()] {
      try bytes.write(to: URL(filePath: fixture.path))
      let verified = try await fixture.run(["verify"])
      expectEqual(verified.status, 1)
      expect(verified.errors.contains("\(fixture.path) is damaged"))
      try await expectEqual(fixture.run(["list"]).status, 1)
      try expectEqual(Data(contentsOf: URL(filePath: fixture.path)), bytes)
    }
  }

  @Test func anotherFileIsLookedIntoByItsName() async throws {
    let fixture = try JournalFixture()
    try await fixture.write([.scan(journaled("TICKET-0001"))])
    let copy = fixture.folder.path + "/copy.sqlite"
    try FileManager.default.copyItem(atPath: fixture.path, toPath: copy)
    try FileManager.default.removeItem(atPath: fixture.path)
    try await expectEqual(fixture.run(["verify", "--file", copy]).status, 0)
    expect(try await fixture.run(["list", "--file", copy]).output.contains("…0001"))
  }
}
