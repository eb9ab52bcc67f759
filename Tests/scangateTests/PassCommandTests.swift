import DecodeClient
import Expectations
import Foundation
import ScanModel
import Subscriptions
import Testing

/// `scangate membership pass` as it is typed.
@Suite struct PassCommandTests {
  private static let id = "1000000619244062"

  /// A folder with a pass key, the list that believes it, and a state folder in which no station works.
  private func withKey(_ body: (_ folder: URL, _ key: String, _ keys: PassKeys) async throws -> Void) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = folder.appending(path: "pass.key").path
    let made = try await pass(["keygen", key, "--name", "lounge"], folder)
    expect(made.status == 0 && made.lines.count == 1 && made.output.hasPrefix("key lounge "), "\(made.errors)")
    try await body(folder, key, try PassKeys.read([UInt8](made.output.utf8), file: "keys"))
  }

  private func pass(_ arguments: [String], _ folder: URL) async throws -> Program.Result {
    try await Program.run(["membership", "pass"] + arguments + ["--state", folder.appending(path: "state").path])
  }

  @Test func withoutAnEndItIsGoodFor366Days() async throws {
    try await withKey { folder, key, _ in
      for (from, until) in [
        ("2099-01-01", "2100-01-02T00:00:00Z"), ("2099-01-01T18:30:00Z", "2100-01-02T18:30:00Z"),
      ] {
        let made = try await pass(["issue", Self.id, "--key", key, "--from", from], folder)
        let text = try #require(made.lines.first)
        let read = try #require(SignedPass(Code(text)))
        expectEqual(read.ends.iso8601Seconds, until)
      }
      let help = try await Program.run(["membership", "pass", "issue", "--help"])
      expect(
        help.output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(
          "366 days from its beginning"),
        "\(help.output)")
    }
  }

  @Test func aPassIsMadeReadAndRevoked() async throws {
    try await withKey { folder, key, keys in
      let attributes = try FileManager.default.attributesOfItem(atPath: key)
      expectEqual(attributes[.posixPermissions] as? Int, 0o600)
      let picture = folder.appending(path: "member.png").path
      let made = try await pass(
        [
          "issue", Self.id, "--key", key, "--from", "2026-01-01", "--until", "2100-01-31", "--picture", picture, "--qr",
        ],
        folder)
      expect(made.status == 0, "\(made.errors)")
      let text = try #require(made.lines.first)
      let read = try #require(SignedPass(Code(text)))
      expect(keys.believe(read) && read.id.text == Self.id)
      expectEqual(read.notBefore.iso8601Seconds, "2026-01-01T00:00:00Z")
      expectEqual(read.ends.iso8601Seconds, "2100-02-01T00:00:00Z")
      expect(made.lines.count > 20 && made.lines.dropFirst().allSatisfy { $0.contains("█") || $0.contains("▀") })
      // Four digits of the id, and no more.
      expect(made.errors.contains("It is for …4062, good from 2026-01-01T00:00:00Z until 2100-02-01T00:00:00Z."))
      expect(!made.errors.contains(Self.id) && made.errors.contains(PassSerial.text(read.serial)))
      // What a camera would see.
      let seen = try await Program.run(["decode", picture])
      expect(seen.output.contains(String(text.suffix(4))), "\(seen.output)\(seen.errors)")
      let again = try await pass(["issue", Self.id, "--key", key, "--picture", picture], folder)
      expect(again.status != 0 && again.output.isEmpty && again.errors.contains("is not overwritten"))

      let list = folder.appending(path: "revoked.txt").path
      for (arguments, words) in [
        (["--pass", text.lowercased()], "names it. Bring the list to each station."),
        (["--serial", PassSerial.text(read.serial)], "names it already."),
        (["--id", "1000000619244063"], "names it. Bring the list to each station."),
      ] {
        let revoked = try await pass(["revoke", list] + arguments, folder)
        expect(revoked.status == 0 && revoked.output.contains(words), "\(revoked.output)\(revoked.errors)")
      }
      let revoked = try RevokedPasses.read([UInt8](Data(contentsOf: URL(filePath: list))), file: "revoked")
      expect(revoked.count == 2 && revoked.name(read.id, serial: read.serial) && !revoked.name(read.id, serial: nil))
    }
  }

  /// The private key never lies on a station.
  @Test func onAStationNothingIsMade() async throws {
    try await withKey { folder, key, _ in
      let state = folder.appending(path: "state")
      try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
      try Data().write(to: state.appending(path: "journal.sqlite"))
      let other = folder.appending(path: "other.key").path
      let list = folder.appending(path: "revoked.txt").path
      for arguments in [["keygen", other], ["issue", Self.id, "--key", key], ["revoke", list, "--id", Self.id]] {
        let refused = try await pass(arguments, folder)
        expect(refused.status == 69 && refused.output.isEmpty, "\(arguments)")
        expect(refused.errors.contains("This is a station (\(state.path)/journal.sqlite)"), "\(refused.errors)")
      }
      expect(!FileManager.default.fileExists(atPath: other) && !FileManager.default.fileExists(atPath: list))
    }
  }

  @Test func whatCannotBeAPassIsSaid() async throws {
    try await withKey { folder, key, _ in
      for (arguments, status, words) in [
        (["issue", "12345", "--key", key], 64, "An id has 8 to 20 digits, and this is none."),
        (["issue", Self.id, "--key", key, "--until", "2020-01-01"], 64, "The pass would have ended already."),
        (["issue", Self.id, "--key", key, "--until", "soon"], 64, "soon is no time: write 2026-01-31"),
        (["issue", Self.id, "--key", key, "--from", "2100-01-02", "--until", "2100-01-01"], 64, "No pass was made."),
        (["issue", Self.id, "--key", folder.appending(path: "none").path], 65, "cannot be read"),
        (["keygen", key], 74, "is not overwritten"),
        (["revoke", folder.appending(path: "r").path], 64, "--id, --serial or --pass"),
        (["revoke", folder.appending(path: "r").path, "--pass", "SCANPASS1:AEAS"], 65, "That is no pass"),
      ] as [([String], Int32, String)] {
        let refused = try await pass(arguments, folder)
        expect(refused.status == status && refused.output.isEmpty, "\(arguments): \(refused.status) \(refused.errors)")
        expect(refused.errors.contains(words), "\(refused.errors)")
      }
    }
  }
}
