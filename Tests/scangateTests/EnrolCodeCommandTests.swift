import Expectations
import Foundation
import ScanModel
import ScriptedHTTP
import SetUpCodes
import Testing
import VenueServer

/// `scangate enrol-code` as it is typed.
@Suite struct EnrolCodeCommandTests {
  private static let secret = "AAAQEAYEAUDAOCAJBIFQYDIOB4"

  /// A folder with an organiser's key, and the list that trusts it.
  private func withKey(_ body: (_ folder: URL, _ key: String, _ trust: TrustList) async throws -> Void) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let key = folder.appending(path: "organiser.key").path
    let made = try await Program.run(["enrol-code", "--make-key", key, "--name", "fair-2026"])
    expect(made.status == 0 && made.lines.count == 1 && made.output.hasPrefix("key fair-2026 "), "\(made.errors)")
    try await body(folder, key, try TrustList.read(made.output, file: "trust.txt"))
  }

  private func read(_ text: String, _ trust: TrustList) -> SetUpCode? {
    let reader = SetUpReader(trust: trust, configured: nil)
    guard case .code(let code) = reader.read(Code(text), at: SystemTime().wall(), clockIsTrusted: true) else {
      return nil
    }
    return code
  }

  @Test func aKeyIsForItsOwnerAndIsNotOverwritten() async throws {
    try await withKey { folder, key, _ in
      let attributes = try FileManager.default.attributesOfItem(atPath: key)
      expect(attributes[.posixPermissions] as? Int == 0o600)
      let before = try Data(contentsOf: URL(filePath: key))
      let again = try await Program.run(["enrol-code", "--make-key", key])
      expect(again.status == 74 && again.output.isEmpty && again.errors.contains("not overwritten"))
      try expectEqual(Data(contentsOf: URL(filePath: key)), before)

      try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: key)
      let open = try await Program.run(["enrol-code", "--key", key, "--server", "venue.example", "--gate", "north"])
      expect(open.status == 65 && open.output.isEmpty && open.errors.contains("chmod 600"))
      let wrong = folder.appending(path: "wrong.key").path
      try Data("scangate-organiser-key-1 QUJD\n".utf8).write(to: URL(filePath: wrong))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: wrong)
      let none = try await Program.run(["enrol-code", "--key", wrong, "--server", "venue.example", "--gate", "north"])
      expect(none.status == 65 && !none.errors.contains("QUJD"))
    }
  }

  /// A venue without TLS on loopback has no name that a station could ask; what to do is said, and --server does it.
  @Test func aVenueThatTellsAnAddressIsNamedByHand() async throws {
    try await withKey { _, key, _ in
      let line = #"{"secret":"\#(Self.secret)","gate":"north","server":"127.0.0.1:8080"}"# + "\n"
      let refused = try await Program.run(["enrol-code", "--key", key, "--secret", "-"], input: Array(line.utf8))
      expect(refused.status == 65 && refused.errors.contains("--public-url"), "\(refused.errors)")
      expect(refused.errors.contains("127.0.0.1:8080") && !refused.errors.contains(Self.secret))
      let made = try await Program.run(
        ["enrol-code", "--key", key, "--secret", "-", "--server", "venue.example"], input: Array(line.utf8))
      expect(made.status == 0 && made.lines.count == 1, "\(made.errors)")
    }
  }

  /// Both commands as they stand in a pipe: the venue listens on loopback, and is named by its certificate.
  @Test func aVenueOnLoopbackIsNamedByItsCertificate() async throws {
    try await withKey { folder, key, trust in
      let (certificate, privateKey) = (folder.path + "/cert.pem", folder.path + "/key.pem")
      try Data(TestCertificates.wrongHost.utf8).write(to: URL(filePath: certificate))
      try Data(TestCertificates.key.utf8).write(to: URL(filePath: privateKey))
      let control = folder.path + "/venue.sock"
      let venue = try VenueServer(
        VenueConfiguration(
          controlSocket: control, tls: VenueTLS(certificate: certificate, privateKey: privateKey)))
      let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
      let serving = Task {
        defer { tell.finish() }
        try await venue.run { tell.yield($0) }
      }
      let port = try #require(await ready.first { _ in true }).port
      let told = try await Program.run(["venue", "enrolment", "--control", control, "--gate", "north"])
      expectEqual(told.status, 0, "\(told.errors)")
      let made = try await Program.run(["enrol-code", "--key", key, "--secret", "-"], input: Array(told.output.utf8))
      expect(made.status == 0 && made.lines.count == 1, "\(made.errors)")
      guard case .enrolment(let code)? = read(made.lines.first ?? "", trust) else {
        Issue.record("\(made.output)")
        return
      }
      expect(code.server.hostAndPort == "tickets.example:\(port)" && code.gate == "north")
      serving.cancel()
      _ = await serving.result
    }
  }

  @Test func aCodeIsMadeOfWhatTheVenueTells() async throws {
    try await withKey { _, key, trust in
      let line =
        #"{"secret":"\#(Self.secret)","gate":"north","server":"venue.example:8443","expires":"2099-11-22T03:00:30Z"}"#
      let made = try await Program.run(["enrol-code", "--key", key, "--secret", "-"], input: Array((line + "\n").utf8))
      let text = try #require(made.lines.first)
      expect(made.status == 0 && made.lines.count == 1, "\(made.errors)")
      expect(!made.errors.contains(Self.secret), "a secret that is known is not told again")
      let expected = EnrolmentCode(
        server: try NamedServer("venue.example:8443"), gate: "north",
        secret: try #require(EnrolmentSecret(text: Self.secret)), expires: WallTime(seconds: 4_098_999_600))
      expectEqual(read(text, trust), .enrolment(expected))
      expect(read(text, .none) == nil)

      // What is said beside it goes before, but for the venue's own end.
      let other = try await Program.run(
        [
          "enrol-code", "--key", key, "--secret", "-", "--server", "Other.example", "--gate", "south", "--expires",
          "30min",
        ],
        input: Array(line.utf8))
      guard case .enrolment(let code)? = read(try #require(other.lines.first), trust) else {
        Issue.record("no enrolment code: \(other.errors)")
        return
      }
      expect(code.server.host == "other.example" && code.gate == "south" && code.secret == expected.secret)
      let left = code.expires.seconds - SystemTime().wall().seconds
      expect((1_700...1_860).contains(left))
    }
  }

  @Test func aSecretThatIsMadeIsTold() async throws {
    try await withKey { _, key, trust in
      let made = try await Program.run(["enrol-code", "--key", key, "--server", "venue.example", "--gate", "north"])
      guard case .enrolment(let code)? = read(try #require(made.lines.first), trust) else {
        Issue.record("no enrolment code: \(made.errors)")
        return
      }
      expect(made.errors.contains(code.secret.text))
    }
  }

  @Test func anActivationCodeIsMade() async throws {
    try await withKey { _, key, trust in
      let made = try await Program.run(
        ["enrol-code", "--key", key, "--server", "kiosk.example", "--activation", "--kiosk", "k-1"],
        input: Array("a1b2c3d4\n".utf8))
      let text = try #require(made.lines.first)
      let expected = ActivationCode(code: "A1B2C3D4", kioskID: "k-1")
      expectEqual(read(text, trust), .activation(expected, at: try NamedServer("kiosk.example")))
      expect(!made.errors.uppercased().contains("A1B2C3D4"))
    }
  }

  /// Our own decoder reads what is drawn, as a camera at a gate would.
  @Test func picturesAreRead() async throws {
    try await withKey { folder, key, _ in
      for kind in ["png", "pgm"] {
        let picture = folder.appending(path: "code.\(kind)").path
        let made = try await Program.run([
          "enrol-code", "--key", key, "--server", "venue.example", "--gate", "north", "--picture", picture,
        ])
        let text = try #require(made.lines.first)
        let attributes = try FileManager.default.attributesOfItem(atPath: picture)
        expect(attributes[.posixPermissions] as? Int == 0o600)
        let seen = try await Program.run(["decode", "--formats", "qr", picture])
        expectEqual(seen.lines, ["\(picture): qr \"\(text)\""], "\(seen.errors)")
        let again = try await Program.run([
          "enrol-code", "--key", key, "--server", "venue.example", "--gate", "north", "--picture", picture,
        ])
        expect(again.status == 64 && again.output.isEmpty && again.errors.contains("not overwritten"))
      }
    }
  }

  /// What a terminal and a browser show, put together from their pieces, is read as well.
  @Test func drawingsAreRead() async throws {
    try await withKey { folder, key, _ in
      let svg = folder.appending(path: "code.svg")
      let made = try await Program.run([
        "enrol-code", "--key", key, "--server", "venue.example", "--gate", "north", "--picture", svg.path, "--qr",
      ])
      let text = try #require(made.lines.first)
      let lines = made.lines.dropFirst().map(Array.init)
      let side = try #require(lines.first?.count)
      expect(lines.count == (side + 1) / 2 && lines.allSatisfy { $0.count == side })
      let typed = (0..<side).map { row in
        lines[row / 2].map { $0 == " " || $0 == (row.isMultiple(of: 2) ? "▄" : "▀") }
      }
      try await expectRead(typed, text, folder)

      var drawn = [[Bool]](repeating: [Bool](repeating: false, count: side), count: side)
      let source = try String(contentsOf: svg, encoding: .utf8)
      expect(source.contains("viewBox=\"0 0 \(side) \(side)\""))
      for run in source.matches(of: #/M(\d+) (\d+)h(\d+)v1h-\d+z/#) {
        let (column, row, length) = (try #require(Int(run.1)), try #require(Int(run.2)), try #require(Int(run.3)))
        for place in column..<(column + length) { drawn[row][place] = true }
      }
      expectEqual(drawn, typed)
    }
  }

  private func expectRead(_ dark: [[Bool]], _ text: String, _ folder: URL) async throws {
    let side = dark.count
    var bytes = Array("P5 \(side * 4) \(side * 4) 255\n".utf8)
    for row in 0..<side * 4 { for column in 0..<side * 4 { bytes.append(dark[row / 4][column / 4] ? 0 : 255) } }
    let picture = folder.appending(path: "drawn.pgm")
    try Data(bytes).write(to: picture)
    let seen = try await Program.run(["decode", "--formats", "qr", picture.path])
    expectEqual(seen.lines, ["\(picture.path): qr \"\(text)\""], "\(seen.errors)")
  }

  @Test(
    arguments: [
      ([], "--key is missing"), (["--key", "/none"], "/none cannot be read"),
      (["--key", "KEY", "--gate", "n"], "--server is missing"),
      (["--key", "KEY", "--server", "venue.example"], "--gate is missing"),
      (["--key", "KEY", "--server", "10.0.0.1", "--gate", "n"], "never by an address"),
      (["--key", "KEY", "--server", "http://venue.example", "--gate", "n"], "https only"),
      (["--key", "KEY", "--server", "venue.example", "--gate", "nörd"], "printable ASCII"),
      (["--key", "KEY", "--server", "venue.example", "--gate", "n", "--expires", "0h"], "--expires"),
      (["--key", "KEY", "--server", "venue.example", "--gate", "n", "--expires", "400d"], "--expires"),
      (["--key", "KEY", "--server", "venue.example", "--gate", "n", "--picture", "/none/x.gif"], ".svg, .png or .pgm"),
      (
        ["--key", "KEY", "--server", "venue.example", "--gate", "n", "--picture", "/none/x.svg"],
        "/none/x.svg cannot be written"
      ),
      (["--key", "KEY", "--server", "venue.example", "--gate", "n", "--secret", "/dev/null"], "is no secret"),
      (["--key", "KEY", "--server", "venue.example", "--gate", "n", "--activation"], "for no gate"),
      (["--key", "KEY", "--server", "venue.example", "--activation"], "4 to 32 letters"),
      (
        ["--key", "KEY", "--server", "venue.example", "--gate", "n", "AAAQEAYEAUDAOCAJBIFQYDIOB4"], "never an argument"
      ),
      (["--make-key", "KEY", "--key", "KEY"], "nothing else"),
      (["--make-key", "KEY2", "--name", "a b"], "1 to 32 letters"),
    ] as [([String], String)])
  func whatCannotBeMadeIsSaid(arguments: [String], words: String) async throws {
    try await withKey { folder, key, _ in
      let given = arguments.map { $0 == "KEY" ? key : $0 == "KEY2" ? key + "2" : $0 }
      let result = try await Program.run(["enrol-code"] + given)
      expect(result.status != 0 && result.output.isEmpty && result.errors.contains(words), "\(result.errors)")
      expect(!result.errors.contains(Self.secret))
      try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path), ["organiser.key"])
    }
  }
}
