import Expectations
import Foundation
import Journal
import Testing

/// What a start that fails leaves behind.
@Suite struct FailedStartTests {
  /// A configuration whose credential is missing: the start ends after the journal.
  private func station(in folder: URL) throws -> String {
    let file = folder.appending(path: "station.yaml")
    let text = """
      version: 1
      station: { name: door }
      ticketSystems:
        main: { type: eventschedule, url: "http://127.0.0.1:9", apiKey: none }
      readers:
        left: { type: wedge, match: { vendor: "0c2e", product: "0901", serial: none-here }, keymap: us }
      gates:
        north: { readers: [left], ticketSystem: main, outputs: { green: { led: "no-such-led" } } }

      """
    try Data(text.utf8).write(to: file)
    return file.path
  }

  @Test func aMissingCredentialCostsTheJournalNothing() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = try station(in: folder)
    let state = folder.appending(path: "state").path
    for round in 0..<extent(landing: 4, release: 100) {
      let result = try await Program.run(["run", "--config", file, "--state", state])
      expect(result.status == 78 && result.errors.contains("no credential none"), "\(result.errors)")
      expect(FileManager.default.fileExists(atPath: state + "/journal.sqlite"))
      // Nothing waits to be written: all is in the file, and the note says so.
      expect(!FileManager.default.fileExists(atPath: state + "/journal.sqlite-wal"), "round \(round)")
      expectEqual(JournalTrust(of: state + "/journal.sqlite").doubt, nil, "round \(round)")
    }
  }

  /// Starting it again changes nothing: the service manager must not try.
  @Test func aNewerProgramsJournalWaitsForSomebody() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let arguments = ["run", "--config", try station(in: folder), "--state", folder.appending(path: "state").path]
    _ = try await Program.run(arguments)
    let journal = folder.appending(path: "state/journal.sqlite")
    var bytes = try Data(contentsOf: journal)
    // SQLite's user_version, four bytes from the 60th on, the last of which counts the forms of a journal.
    bytes[63] += 1
    try bytes.write(to: journal)
    let result = try await Program.run(arguments)
    expect(result.status == 78 && result.errors.contains("a newer version of this program"), "\(result)")
    try expectEqual(Data(contentsOf: journal), bytes)
  }
}
