import Expectations
import Foundation
import ScanModel
import Sealing
import Testing
import VenueServer

/// `scangate doctor` as a technician types it.
@Suite struct DoctorCommandTests {
  private let folder: URL
  private var state: String { folder.path + "/state" }

  init() throws {
    folder = try temporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/state", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  private func doctor(
    _ url: String, _ arguments: [String] = ["--json"], outputs: String = ", outputs: { green: { led: no-such-led } }"
  ) async throws -> Program.Result {
    let file = folder.path + "/station.yaml"
    try Data(
      """
      version: 1
      station: { name: door }
      ticketSystems:
        main: { type: eventschedule, url: "\(url)", apiKey: main }
      readers:
        left: { type: wedge, match: { vendor: "0c2e", product: "0901", serial: none-here }, keymap: us }
      gates:
        north: { readers: [left], ticketSystem: main\(outputs) }
      """.utf8
    ).write(to: URL(filePath: file))
    return try await Program.run(["doctor", "--config", file, "--state", state] + arguments)
  }

  private func findings(_ result: Program.Result) throws -> [[String: Any]] {
    let object = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    expectEqual(object["exit"] as? Int, Int(result.status))
    return try #require(object["findings"] as? [[String: Any]])
  }

  private func keep(_ key: String) throws {
    try CredentialStore(keys: SealKeySource(state: state, given: nil)).set("main", try PastedSecret([UInt8](key.utf8)))
  }

  @Test func aStationWithoutItsScannerCannotAdmitAndIsToldSo() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let venue = try await AskedVenue.open(VenueConfiguration(), time: SystemTime())
    let booked = try await venue.server.book().count
    try keep(try #require(venue.seeded.apiKey))
    let result = try await doctor(venue.url)
    expectEqual(result.status, 2, "\(result.errors)")
    let found = try findings(result)
    let reader = try #require(found.first { $0["place"] as? String == "readers.left" })
    expect(
      reader["severity"] as? String == "fault" && (reader["cure"] as? String)?.contains("scangate devices") == true)
    let system = found.filter { $0["area"] as? String == "ticketSystems" }
    expectEqual(system.compactMap { $0["severity"] as? String }.sorted(), ["good", "note"], "\(system)")
    expect(system.contains { ($0["words"] as? String)?.contains("full administrator") == true }, "\(system)")
    // It was asked, and redeemed nothing.
    try await expectEqual(venue.server.book().count, booked)
    await venue.close()
  }

  @Test func aKeyThatIsRefusedIsAFaultWithTheCommandThatCuresIt() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let venue = try await AskedVenue.open(VenueConfiguration(), time: SystemTime())
    try keep("hunter2VerySecretIndeed")
    let result = try await doctor(venue.url, [])
    await venue.close()
    expectEqual(result.status, 2)
    expect(result.output.contains("FAULT    ticketSystems.main: keyRefused"), "\(result.output)")
    expect(
      result.output.contains("→ sudo scangate credential set main && sudo systemctl reload scangate"),
      "\(result.output)")
    expect(!(result.output + result.errors).contains("hunter2"))
  }

  @Test func aBundleHasAllOfItAndNotTheKey() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try keep("hunter2VerySecretIndeed")
    let bundle = folder.path + "/bundle.txt"
    let codes = folder.path + "/codes.txt"
    try Data("TICKET4711SECRETSECRETSECRET\n".utf8).write(to: URL(filePath: codes))
    let result = try await doctor("http://127.0.0.1:9", ["--bundle", bundle, "--opening", codes], outputs: "")
    expectEqual(result.status, 2, "\(result.errors)")
    let text = try String(contentsOfFile: bundle, encoding: .utf8)
    expect(text.contains("=== configuration") && text.contains("=== log") && text.contains("ticketSystems.main"))
    expect(text.contains("There is no list on board that could judge a code"))
    for text in [text, result.output, result.errors] {
      expect(!text.contains("hunter2") && !text.contains("TICKET4711"))
    }
    expectEqual(try FileManager.default.attributesOfItem(atPath: bundle)[.posixPermissions] as? Int, 0o600)
  }

  @Test func aWrongConfigurationIsLookedAtAllTheSame() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.path + "/bad.yaml"
    try Data("version: 1\nstation:\n  nmae: door\n".utf8).write(to: URL(filePath: file))
    let result = try await Program.run(["doctor", "--config", file, "--state", state])
    expectEqual(result.status, 2)
    expect(result.output.contains("FAULT    \(file):3:3: "), "\(result.output)")
    expect(result.output.contains("→ Edit it, then: scangate config check \(file)"), "\(result.output)")
    let missing = try await Program.run(["doctor", "--opening", folder.path + "/none"])
    expect(missing.status == 69 && missing.errors.contains("cannot be read"), "\(missing.errors)")
  }
}
