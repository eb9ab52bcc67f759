import Expectations
import Foundation
import Testing

/// `scangate fleet` as it is typed, as far as it goes without servers.
@Suite struct FleetCommandTests {
  private func withFleet(_ body: (_ folder: String, _ fleet: String) async throws -> Void) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let fleet = folder.appending(path: "summer-fleet").path
    let made = try await Program.run([
      "fleet", "init", "--name", "summer", "--nodes", "gate1,gate2,gate3=10.0.0.13", "--stations", "north,south",
      "--event", "fair-2026", fleet,
    ])
    expect(made.status == 0, "\(made.errors)")
    expect(made.output.contains("3 servers, 2 stations") && made.output.contains("sudo sh install.sh"))
    expect(made.output.contains("scangate fleet open \(fleet)"), "\(made.output)")
    try await body(folder.path, fleet)
  }

  /// Every secret of a fleet's folder.
  private func secrets(_ fleet: String) throws -> [String] {
    var secrets: [String] = []
    for path in try FileManager.default.subpathsOfDirectory(atPath: fleet) {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(fleet)/\(path)")
      guard attributes[.type] as? FileAttributeType == .typeRegular, attributes[.posixPermissions] as? Int == 0o600
      else { continue }
      let text = try String(contentsOfFile: "\(fleet)/\(path)", encoding: .utf8)
      secrets += text.split(whereSeparator: { " \n:".contains($0) }).map(String.init).filter { $0.count > 40 }
    }
    return secrets
  }

  @Test func aFleetIsMadeOnceAndNothingIsPrintedOfItsKeys() async throws {
    try await withFleet { _, fleet in
      let before = try secrets(fleet)
      expect(before.count >= 8)
      let again = try await Program.run(["fleet", "init", "--nodes", "gate1", fleet])
      expect(again.status == 74 && again.output.isEmpty && again.errors.contains("not overwritten"), "\(again.errors)")
      try expectEqual(secrets(fleet), before)
      var said = again.errors
      for arguments in [
        ["rotate", "credential", "north"], ["rotate", "next"], ["rotate", "certificates"], ["revoke", "south"],
        ["rotate", "next"], ["rotate", "next"], ["add", "west"], ["rotate", "event", "fair-2027"], ["rotate", "next"],
        ["rotate", "administrator"],
      ] {
        let run = try await Program.run(["fleet"] + arguments + [fleet])
        expect(run.status == 0, "\(arguments): \(run.errors)")
        said += run.output + run.errors
      }
      for secret in try before + secrets(fleet) { expect(!said.contains(secret)) }
    }
  }

  @Test func whatCannotBeDoneIsSaidAndChangesNothing() async throws {
    try await withFleet { folder, fleet in
      let file = URL(filePath: fleet + "/fleet.json")
      let before = try Data(contentsOf: file)
      for (arguments, status, words) in [
        (["rotate", "next", fleet], 64, "Nothing was begun"), (["revoke", "west", fleet], 64, "has no station west"),
        (["add", "north", fleet], 64, "has a station north"),
        (["rotate", "event", "fair-2026", fleet], 64, "is called"),
        (["rotate", "next", folder + "/none"], 65, "cannot be read"),
        (["init", "--nodes", "a,b", folder + "/two"], 64, "1 or 3 servers"),
        (["init", "--nodes", "10.0.0.1", folder + "/two"], 64, "--nodes"),
        (["init", "--nodes", "a", "--stations", "A", folder + "/two"], 64, "--stations"),
        (["init", "--nodes", "a", "--room", "1", folder + "/two"], 64, "10 MB to 100 GB"),
        (["status", folder + "/none"], 65, "cannot be read"), (["open", folder + "/none"], 65, "cannot be read"),
        (["close", "fair-2026", folder + "/none"], 65, "cannot be read"), (["close", "A", fleet], 64, "<event>"),
        (["close", "fair-2026", "--config", "x", fleet], 64, "--config"),
        (["remove", "fair-2026", folder + "/none"], 65, "cannot be read"),
        (["maintenance", "on", "--why", "fire", fleet], 64, "--by"),
        (["maintenance", "on", "--by", "Anna", fleet], 64, "why is missing"),
        (["maintenance", "on", "--by", " ", "--why", "fire", fleet], 64, "who says so is missing"),
        (["maintenance", "on", "--by", "A\u{1B}", "--why", "fire", fleet], 64, "no character that a screen"),
        (["maintenance", "open", "--by", "Anna", "--why", "fire", fleet], 64, "<state>"),
        (["maintenance", "off", "--by", "Anna", folder + "/none"], 65, "cannot be read"),
        (["status", "--config", folder + "/none.yaml"], 78, "none.yaml"),
      ] as [([String], Int32, String)] {
        let run = try await Program.run(["fleet"] + arguments)
        expect(run.status == status && run.errors.contains(words), "\(arguments): \(run.status) \(run.errors)")
      }
      try expectEqual(Data(contentsOf: file), before)
      expect(!FileManager.default.fileExists(atPath: folder + "/two"))
    }
  }

  /// A copy of the folder that others can read is told, not used.
  @Test func aKeyThatOthersCanReadIsNotUsed() async throws {
    try await withFleet { _, fleet in
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: fleet + "/keep/administrator")
      for command in ["status", "open"] {
        let run = try await Program.run(["fleet", command, fleet])
        expect(run.status == 65 && run.errors.contains("can be read by others"), "\(run.errors)")
      }
    }
  }
}
