import Doctor
import Expectations
import Foundation
import Glibc
import ScanConfiguration
import ScanModel
import Testing

@testable import scangate

/// What config check and doctor say of the files that console and bridge are handed.
@Suite struct FaceFilesTests {
  private static let station = """
    version: 1
    station: { name: door }
    ticketSystems: { main: { type: eventschedule, enrol: true } }
    readers: { scanner: { type: wedge, match: { vendor: "0c2e" } } }
    gates: { north: { readers: [scanner], ticketSystem: main } }

    """
  private static let both = """
    console: { listen: 127.0.0.1:8088, tokens: { wall: [events] } }
    mqtt: { broker: mqtts://broker.example.org, credential: broker-password }

    """
  private static let token = "0123456789abcdef-secret"

  private struct Place {
    let folder: URL
    var files: FaceFiles {
      FaceFiles(
        console: folder.path + "/console", bridge: folder.path + "/mqtt", people: folder.path + "/access",
        state: folder.path + "/state", owner: getuid(), user: getuid(), group: getgid())
    }
    var users: String { files.people + "/users" }
    var identity: String { files.state + "/identity.pem" }
    var wall: String { files.console + "/wall" }
    var password: String { files.bridge + "/broker-password" }

    func put(_ text: String, _ path: String, mode: Int = 0o400) throws {
      try? FileManager.default.removeItem(atPath: path)
      try Data(text.utf8).write(to: URL(filePath: path))
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
  }

  private func withPlace(_ body: (Place) throws -> Void) throws {
    let place = Place(folder: try temporaryFolder())
    defer { try? FileManager.default.removeItem(at: place.folder) }
    for folder in [place.files.console, place.files.bridge] {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    try place.put(Self.token + "\n", place.wall)
    try place.put("hunter2\n", place.password)
    try body(place)
  }

  private func configuration(_ faces: String = Self.both) throws -> StationConfiguration {
    try ConfigurationFile.parse(
      text: Self.station + faces, file: "station.yaml", options: ConfigurationArgument.options
    )
    .configuration
  }

  @Test func whereAllIsWellOneLineSaysSo() throws {
    let now = SystemTime().wall()
    try withPlace { place in
      try expectEqual(place.files.problems(of: configuration(), at: now), [])
      let findings = try place.files.findings(on: configuration(), at: now)
      expectEqual(findings.map(\.place), [place.files.console, place.files.bridge])
      expect(findings.allSatisfy { $0.severity == .good && $0.area == .permissions }, "\(findings)")
      // Who has neither is asked for nothing.
      try expectEqual(FaceFiles(console: "/none", bridge: "/none").findings(on: configuration(""), at: now), [])
    }
  }

  @Test func whatIsNotThereIsAWarningWithItsCure() throws {
    try withPlace { place in
      for path in [place.wall, place.password] { try FileManager.default.removeItem(atPath: path) }
      let findings = try place.files.findings(on: configuration(), at: SystemTime().wall())
      expectEqual(findings.map(\.place), [place.wall, place.password])
      expect(findings.allSatisfy { $0.severity == .warning && $0.words.contains("is not there") }, "\(findings)")
      expectEqual(
        findings.map(\.cure),
        [
          "sudo scangate console token wall && sudo systemctl restart scangate-console",
          "sudo install -m 400 /dev/stdin \(place.password) && sudo systemctl restart scangate-mqtt",
        ])
    }
  }

  @Test func whatOthersCanReadIsAWarning() throws {
    try withPlace { place in
      try place.put(Self.token, place.wall, mode: 0o440)
      try place.put("hunter2", place.password, mode: 0o604)
      let found = try place.files.problems(of: configuration(), at: SystemTime().wall())
      expectEqual(found.map(\.path), [place.wall, place.password])
      expectEqual(found.first?.cure, "sudo chown root: \(place.wall) && sudo chmod 400 \(place.wall)")
      // Whoever may write into a folder puts another file there.
      chmod(place.files.console, 0o770)
      try expect(
        place.files.problems(of: configuration(), at: SystemTime().wall()).contains {
          $0.path == place.files.console && $0.cure.hasSuffix("chmod 700 \(place.files.console)")
        })
      // Another user's is not root's.
      var files = place.files
      files.owner = getuid() &+ 1
      try place.put(Self.token, place.wall)
      try expect(
        files.problems(of: configuration(), at: SystemTime().wall()).contains { $0.path == place.wall })
    }
  }

  private static let pages = "console: { listen: 127.0.0.1:8088, pages: true }\n"

  /// Users and door screens, the console's own key and the screens that have signed in, as they are on an installed station.
  private func withPages(_ body: (Place) throws -> Void) throws {
    try withPlace { place in
      for (folder, mode) in [(place.files.people, 0o750), (place.files.state, 0o700)] {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        chmod(folder, mode_t(mode))
      }
      for name in ["users", "devices"] { try place.put("", "\(place.files.people)/\(name)", mode: 0o640) }
      for name in ["identity.pem", "screens"] { try place.put("", "\(place.files.state)/\(name)", mode: 0o600) }
      try body(place)
    }
  }

  @Test func whoMaySeePagesIsRootsToSayAndTheConsolesToRead() throws {
    try withPages { place in
      try expectEqual(place.files.problems(of: configuration(Self.pages), at: now), [])
      let findings = try place.files.findings(on: configuration(Self.pages), at: now)
      expectEqual(findings.map(\.place), [place.files.people, place.files.state])
      expect(findings.allSatisfy { $0.severity == .good && $0.area == .permissions }, "\(findings)")
      // Nobody has to have pages, or users.
      try expectEqual(place.files.findings(on: configuration(""), at: now), [])
      for folder in [place.files.people, place.files.state] { try FileManager.default.removeItem(atPath: folder) }
      try expectEqual(place.files.findings(on: configuration(Self.pages), at: now), [])
    }
  }

  @Test(arguments: [
    ("access", 0o755, "Others than the console can look into it", "750"),
    ("access", 0o770, "Others than root can change who may see pages", "750"),
    ("access", 0o700, "The console cannot read it", "750"),
    ("access/users", 0o644, "hashes of passwords", "640"),
    ("access/users", 0o660, "Others than root can change who may see pages", "640"),
    ("access/users", 0o600, "nobody can sign in", "640"),
    ("access/devices", 0o666, "Others than root can change who may see pages", "640"),
    ("state", 0o750, "Others than the console can get at it", "700"),
    ("state/identity.pem", 0o640, "Others than the console can get at it", "600"),
    ("state/screens", 0o604, "Others than the console can get at it", "600"),
  ]) func aModeOfThemThatWillNotDoIsAWarningAndItsCureCures(
    _ name: String, _ mode: Int, _ words: String, _ cure: String
  )
    throws
  {
    try withPages { place in
      let path = "\(place.folder.path)/\(name)"
      chmod(path, mode_t(mode))
      let findings = try place.files.findings(on: configuration(Self.pages), at: now).filter { $0.severity != .good }
      expectEqual(findings.map(\.place), [path])
      expectEqual(findings.map(\.severity), [.warning])
      expect(findings.first?.words.contains(words) == true, "\(findings)")
      let command = findings.first?.cure ?? ""
      expect(command.hasSuffix("&& sudo chmod \(cure) \(path)"), "\(command)")
      chmod(path, mode_t(Int(cure, radix: 8) ?? 0))
      try expectEqual(place.files.problems(of: configuration(Self.pages), at: now), [])
    }
  }

  @Test func anOwnerOfThemWhoIsAnotherIsAWarning() throws {
    try withPages { place in
      var files = place.files
      files.owner = getuid() &+ 1
      try expect(
        files.problems(of: configuration(Self.pages), at: now).contains {
          $0.path == place.users && $0.cure.hasPrefix("sudo chown root:scangate-console \(place.users)")
        })
      files = place.files
      files.group = getgid() &+ 1
      try expect(
        files.problems(of: configuration(Self.pages), at: now).contains {
          $0.path == place.users && $0.words.contains("Its group is not the console's")
        })
      files = place.files
      files.user = getuid() &+ 1
      try expect(
        files.problems(of: configuration(Self.pages), at: now).contains {
          $0.path == place.identity && $0.cure.hasPrefix("sudo chown scangate-console: \(place.identity)")
        })
    }
  }

  private var now: WallTime { SystemTime().wall() }

  @Test func whatWillNotDoIsSaidWithoutAWordOfIt() throws {
    try withPlace { place in
      try place.put("secret words, no token", place.wall)
      try place.put("secret\nof two lines", place.password)
      let findings = try place.files.findings(on: configuration(), at: SystemTime().wall())
      expectEqual(findings.map(\.severity), [.warning, .warning])
      expect(findings.allSatisfy { !($0.words + ($0.cure ?? "")).contains("secret") }, "\(findings)")
    }
  }

  /// As they are typed. The folders are those of an installed station: no test puts anything there.
  @Test func configCheckAndDoctorLookAtThem() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.path + "/station.yaml"
    let name = "none-of-a-test"
    try (Self.station + "console: { listen: 127.0.0.1:8088, tokens: { \(name): [events] } }\n")
      .write(toFile: file, atomically: true, encoding: .utf8)
    let path = "/etc/scangate/console/\(name)"
    let isHidden = access("/etc/scangate/console", R_OK | X_OK) != 0 && errno == EACCES
    let checked = try await Program.run(["config", "check", file, "--state", folder.path + "/state"])
    expectEqual(checked.status, 0, "\(checked.errors)")
    expectEqual(
      checked.errors.contains("\(path), named in line 6 of the file, is not there"), !isHidden, "\(checked.errors)")
    expectEqual(checked.errors.contains("sudo scangate console token \(name)"), !isHidden)
    let report = try await Program.run(["doctor", "--json", "--config", file, "--state", folder.path + "/state"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(report.output.utf8)) as? [String: Any])
    let findings = try #require(object["findings"] as? [[String: Any]])
    let place = isHidden ? "/etc/scangate/console" : path
    let finding = try #require(findings.first { $0["place"] as? String == place }, "\(report.output)")
    expectEqual(finding["severity"] as? String, isHidden ? "note" : "warning")
  }
}
