import Expectations
import Foundation
import Testing

/// `scangate fleet invite` and `scangate fleet join` as a technician gives them.
@Suite struct FleetJoinTests {
  private struct Place {
    let folder: String
    let fleet: String
    var file: String { folder + "/scangate.yaml" }
    var authority: String { folder + "/fleet-ca.pem" }

    func join(_ code: String, _ word: String) async throws -> Program.Result {
      try await Program.run(
        ["fleet", "join", "--config", file, "--state", folder + "/state", "--ca", authority],
        input: Array("\(code)\n\(word)\n".utf8))
    }

    /// The code and its word.
    func invite(_ station: String) async throws -> (code: String, word: String) {
      let run = try await Program.run(["fleet", "invite", station, fleet])
      expect(run.status == 0 && run.lines.count == 1, "\(run.errors)")
      let word = run.errors.split(separator: "\n").last?.split(separator: " ").last
      return (run.lines.first ?? "", String(word ?? ""))
    }

    func text() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }
  }

  private static let station = """
    version: 1
    station: { name: north }
    ticketSystems:
      main: { type: eventschedule, url: "https://tickets.example.org", apiKeyFile: /etc/scangate/keys/main.key }
    readers:
      scanner: { type: wedge, match: { vendor: "0c2e" } }
    gates:
      north:
        readers: [scanner]
        ticketSystem: main
        outputs: { green: { led: "gate:green:pass" } }
    """

  private func inFleet(_ body: (Place) async throws -> Void) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = Place(folder: folder.path, fleet: folder.path + "/summer-fleet")
    let made = try await Program.run(
      ["fleet", "init", "--nodes", "gate1", "--stations", "north,south", "--event", "fair-2026", place.fleet])
    expect(made.status == 0, "\(made.errors)")
    // Without an end of its last line, as editors may leave it.
    try Self.station.write(toFile: place.file, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: place.file)
    try await body(place)
  }

  @Test func aStationHasAllOfItByOneCodeAndItsWord() async throws {
    try await inFleet { place in
      let (code, word) = try await place.invite("north")
      let joined = try await place.join(code, word)
      expect(joined.status == 0, "\(joined.errors)")
      let credential = try String(contentsOfFile: place.fleet + "/stations/north/credential", encoding: .utf8)
      for secret in [credential.filter { !$0.isNewline }, code, word] {
        expect(!joined.output.contains(secret) && !joined.errors.contains(secret))
      }
      let text = try place.text()
      expect(text.hasPrefix(Self.station) && text.contains("\nfleet:\n  name: \"fair-2026\"\n"), "\(text)")
      expect(text.contains("ca: \(place.authority)") && !text.contains(credential))
      let mode = try FileManager.default.attributesOfItem(atPath: place.file)[.posixPermissions]
      expect(mode as? Int == 0o640)
      try expectEqual(
        String(contentsOfFile: place.authority, encoding: .utf8),
        String(contentsOfFile: place.fleet + "/stations/north/fleet-ca.pem", encoding: .utf8))
      let list = try await Program.run(["credential", "list", "--state", place.folder + "/state"])
      expect(list.output.contains("fleet"), "\(list.output)")
      // It is what a station starts with: its servers are only not there.
      let status = try await Program.run([
        "fleet", "status", "--json", "--config", place.file, "--state", place.folder + "/state",
      ])
      expect(status.status == 2 && status.output.contains(#""seen_by":"north""#), "\(status.output) \(status.errors)")
      // Once more changes nothing of the file.
      let again = try await place.join(code, word)
      expect(again.status == 0 && again.output.contains("says the same already"), "\(again.output)")
      try expectEqual(place.text(), text)
      // A section that somebody has changed is theirs.
      try text.replacing("fair-2026", with: "fair-2025").write(toFile: place.file, atomically: true, encoding: .utf8)
      let other = try await place.join(code, word)
      expect(other.status == 0 && other.output.contains("exchange it for this one"), "\(other.output)")
      expect(other.output.contains("name: \"fair-2026\""))
    }
  }

  @Test func whatCannotBeTakenChangesNothing() async throws {
    try await inFleet { place in
      let (code, word) = try await place.invite("north")
      let other = try await place.invite("south")
      for (given, status, words) in [
        ((code, "ABCD-EFGH-2345"), 65, "The word is another one"), ((String(code.dropLast(9)), word), 65, "scangate: "),
        (("ticket", word), 65, "no code of scangate fleet invite"),
        ((other.code, other.word), 65, "for the station south"),
      ] as [((String, String), Int32, String)] {
        let run = try await place.join(given.0, given.1)
        expect(run.status == status && run.errors.contains(words), "\(run.status) \(run.errors)")
      }
      // A file that is wrong is not made more so.
      try (Self.station + "\nnonsense: 1\n").write(toFile: place.file, atomically: true, encoding: .utf8)
      let run = try await place.join(code, word)
      expect(run.status == 78, "\(run.status) \(run.errors)")
      expect(!FileManager.default.fileExists(atPath: place.authority))
      expect(!FileManager.default.fileExists(atPath: place.folder + "/state"))
      for (arguments, status, words) in [
        (["invite", "west", place.fleet], 64, "has no station west"),
        (["invite", "north", "--expires", "1s", place.fleet], 64, "--expires"),
        (["invite", "north", "--picture", place.file, place.fleet], 64, "a picture is"),
      ] as [([String], Int32, String)] {
        let run = try await Program.run(["fleet"] + arguments)
        expect(run.status == status && run.errors.contains(words), "\(arguments): \(run.status) \(run.errors)")
      }
    }
  }

  @Test func itIsAPictureForAScanner() async throws {
    try await inFleet { place in
      let picture = place.folder + "/north.pgm"
      let made = try await Program.run(["fleet", "invite", "north", "--picture", picture, place.fleet])
      expect(made.status == 0, "\(made.errors)")
      let read = try await Program.run(["decode", "--formats", "qr", "--json", picture])
      expect(made.lines.first.map { read.output.contains($0) } == true, "\(read.output) \(read.errors)")
    }
  }
}
