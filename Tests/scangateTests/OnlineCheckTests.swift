import Expectations
import Foundation
import ScanModel
import Testing
import VenueServer

/// `scangate config check --online`: what the first guest would find out, without a service and without a ticket.
@Suite struct OnlineCheckTests {
  private let folder: URL
  private let state: String

  init() throws {
    folder = try temporaryFolder()
    state = folder.appending(path: "state").path
  }

  /// Checks a station with this ticket system.
  private func check(_ url: String, _ key: String) async throws -> (result: Program.Result, file: String) {
    let file = folder.appending(path: "station.yaml").path
    let text = """
      version: 1
      station: { name: door }
      ticketSystems:
        main: { type: eventschedule, url: "\(url)", \(key) }
      readers:
        left: { type: wedge, match: { vendor: "0c2e", product: "0901", serial: none-here }, keymap: us }
      gates:
        north: { readers: [left], ticketSystem: main, outputs: { green: { led: "no-such-led" } } }
      """
    try Data(text.utf8).write(to: URL(filePath: file))
    return (try await Program.run(["config", "check", "--online", file, "--state", state]), file)
  }

  private func keyFile(_ key: String) throws -> String {
    let file = folder.appending(path: "main.key")
    try Data("\(key)\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    return file.path
  }

  private func withVenue(_ body: (AskedVenue) async throws -> Void) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let venue = try await AskedVenue.open(VenueConfiguration(), time: SystemTime())
    do {
      try await body(venue)
    } catch {
      await venue.close()
      throw error
    }
    await venue.close()
  }

  @Test func whatWouldWorkIsGoodAndNothingIsRedeemed() async throws {
    try await withVenue { venue in
      let booked = try await venue.server.book().count
      let key = try keyFile(try #require(venue.seeded.apiKey))
      let (result, _) = try await check(venue.url, "apiKeyFile: \(key)")
      expectEqual(result.status, 0, "\(result.errors)")
      expect(result.output.contains("ticketSystems.main: \(venue.url) answers, and takes our key (apiKeyFile \(key))"))
      try await expectEqual(venue.server.book().count, booked)
      expect(!FileManager.default.fileExists(atPath: state))
    }
  }

  @Test func aWrongKeyNamesTheSettingThatTheFileUses() async throws {
    try await withVenue { venue in
      let key = try keyFile("hunter2VerySecretIndeed")
      let (byFile, file) = try await check(venue.url, "apiKeyFile: \(key)")
      expectEqual(byFile.status, 78)
      expect(byFile.errors.contains("ticketSystems.main: keyRefused: "), "\(byFile.errors)")
      expect(byFile.errors.contains("Put the right key into \(key) (apiKeyFile, \(file):4:"), "\(byFile.errors)")

      let set = try await Program.run(
        ["credential", "set", "main", "--state", state], input: [UInt8]("hunter2VerySecretIndeed".utf8))
      expectEqual(set.status, 0)
      let (byName, _) = try await check(venue.url, "apiKey: main")
      expectEqual(byName.status, 78)
      expect(
        byName.errors.contains("\"scangate credential set main\" (apiKey, \(file):4:"), "\(byName.errors)")
      expect(!byName.errors.contains("key file") && !byName.errors.contains("apiKeyFile"), "\(byName.errors)")
      expect(!(byFile.errors + byName.errors + byFile.output + byName.output).contains("hunter2"))
    }
  }

  @Test func aWrongAddressIsNoFaultOfTheKey() async throws {
    try await withVenue { venue in
      let key = try keyFile(try #require(venue.seeded.apiKey))
      let (result, file) = try await check(venue.url + "/nowhere", "apiKeyFile: \(key)")
      expectEqual(result.status, 78)
      expect(result.errors.contains("ticketSystems.main: badAnswer: "), "\(result.errors)")
      expect(result.errors.contains("Check url (\(file):4:"), "\(result.errors)")
    }
  }

  @Test func aMachineThatDoesNotAnswerIsAway() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (result, file) = try await check("http://127.0.0.1:9", "apiKeyFile: \(try keyFile("some-key"))")
    expectEqual(result.status, 69)
    expect(result.errors.contains("does not answer (noConnection)"), "\(result.errors)")
    expect(result.errors.contains("url (\(file):4:"), "\(result.errors)")
  }

  @Test func aMissingCredentialIsToldWithoutAStateFolder() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let (result, _) = try await check("http://127.0.0.1:9", "apiKey: main")
    expectEqual(result.status, 78)
    expect(
      result.errors.contains(
        "ticketSystems.main: there is no credential main. Put it in with: scangate credential set main"),
      "\(result.errors)")
    expect(!FileManager.default.fileExists(atPath: state))
  }

  @Test func withoutAFileItIsTheOneThatTheServiceTakes() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try await Program.run(["config", "check", "--state", state])
    expect((result.output + result.errors).contains("/etc/scangate/scangate.yaml"))
    expect(result.status != 64, "\(result.errors)")
  }
}
