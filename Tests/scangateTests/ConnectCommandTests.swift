import DecodeClient
import Expectations
import Foundation
import ScriptedHTTP
import Testing

/// `scangate eventschedule connect` and its neighbours as a technician types them, before real servers.
@Suite struct ConnectCommandTests {
  private static let key = "hunter2VerySecretIndeed2LongerThanAnyName"
  private let folder: URL
  private let state: String
  private let authority: String

  init() throws {
    folder = try temporaryFolder()
    state = folder.appending(path: "state").path
    authority = folder.appending(path: "ca.pem").path
    try Data(NamedCertificates.authority.utf8).write(to: URL(filePath: authority))
  }

  /// Runs a command and sees to it that nothing that it says has the key in it.
  private func run(_ arguments: [String], input: String = "") async throws -> Program.Result {
    let result = try await Program.run(
      ["eventschedule"] + arguments + ["--state", state], input: [UInt8](input.utf8))
    expect(!(result.output + result.errors).contains("hunter2"), "\(arguments): \(result.output)\(result.errors)")
    return result
  }

  private static func response(_ body: String, _ status: String = "200 OK", type: String = "application/json") -> String
  {
    "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private static let events = response(
    #"{"data":[{"id":"Mzg5NzM0","name":"Gala","starts_at":"2026-01-31 19:00:00","venue":{"name":"Hall B"}}],"meta":{"total":3}}"#
  )

  /// A server that tells `discovery` of itself, and knows the key.
  private static func server(
    _ discovery: String?, _ more: [String: [UInt8]] = [:]
  ) -> ScriptedServer {
    ScriptedServer { _, request, connection in
      let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
      if let bytes = more[path] { return connection.send(bytes) }
      switch path {
      case "/.well-known/eventschedule.json":
        connection.send(discovery.map { response($0) } ?? response("<p>", "404 Not Found", type: "text/html"))
      case "/api/events?per_page=50&page=1":
        let isKnown = request.contains("\r\nX-API-Key: \(key)\r\n")
        connection.send(isKnown ? events : response(#"{"error":"Invalid API key"}"#, "401 Unauthorized"))
      default: connection.send(response("{}", "404 Not Found"))
      }
    }
  }

  private func clean() { try? FileManager.default.removeItem(at: folder) }

  // MARK: Connecting

  @Test func aServerIsConnectedAndTheBlockIsAConfiguration() async throws {
    defer { clean() }
    let server = Self.server(
      """
      {"name":"The\\u001b[2J Theatre","api_base_url":"/api","features":{"events":true,"scanning":true},"versions":{"api":"1.0"},\
      "min_app_version":"1.0.0","rate_limits":{"events":100},"auth":{"type":"sanctum","endpoints":{"login":"/api/login"}}}
      """)
    let url = "http://127.0.0.1:\(try await server.start())"
    let connected = try await run(["connect", url, "--name", "theatre"], input: "  \(Self.key)\r\n")
    expectEqual(connected.status, 0, "\(connected.errors)")
    for words in [
      "The [2J Theatre, by ", "API        \(url)/api", "features   events, scanning", "versions   api 1.0",
      "limits     events 100 (told, not applied", "phone app  1.0.0 or later",
      "sign-in    sanctum: login /api/login (told, not used",
      "  Mzg5NzM0  2026-01-31 19:00:00  Gala, Hall B", "  and 2 more", "theatre is connected",
    ] { expect(connected.output.contains(words), "\(words) is not in \(connected.output)") }
    expectEqual(server.requests.count, 2)
    expect(!server.requests[0].contains("hunter2") && !server.requests.joined().contains("/api/login"))

    // The lines after the empty one are the configuration.
    let block = try #require(connected.output.components(separatedBy: "\n\n").last)
    let file = folder.appending(path: "scangate.yaml")
    let yaml = """
      version: 1
      station: { name: door }
      \(block)readers:
        left: { type: wedge, match: { vendor: "0c2e", product: "0901" }, keymap: us }
      gates:
        north: { readers: [left], ticketSystem: theatre, outputs: { green: { led: "no-such-led" } } }
      """
    try Data(yaml.utf8).write(to: file)
    let checked = try await Program.run(["config", "check", file.path, "--state", state])
    expectEqual(checked.status, 0, "\(checked.errors)")
    expect(!checked.errors.contains("there is no credential"), "\(checked.errors)")

    let listed = try await run(["instances"])
    expectEqual(listed.lines, ["theatre  \(url)  key: credential theatre"])
    let json = try await run(["instances", "--json"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    expect(object["name"] as? String == "theatre" && object["has_key"] as? Bool == true)
    let manual = try String(contentsOf: repositoryFile("docs/eventschedule.md"), encoding: .utf8)
    for field in object.keys { expect(manual.contains("`\(field)`"), "\(field)") }

    let verified = try await run(["verify"])
    expect(verified.status == 0 && verified.output.contains("its user has 3 events"), "\(verified.errors)")
    await server.stop()
  }

  /// Whoever asks for the key by a document gets nothing: counted at both servers, by TLS' own ends.
  @Test func aDocumentThatNamesAnotherHostGetsNoKey() async throws {
    defer { clean() }
    let other = Self.server(nil)
    let otherPort = try await other.start(certificate: NamedCertificates.both)
    let server = Self.server(#"{"api_base_url":"https://127.0.0.1:\#(otherPort)/api"}"#)
    let port = try await server.start(certificate: NamedCertificates.both)
    let arguments = ["connect", "https://localhost:\(port)", "--ca-file", authority]

    let refused = try await run(arguments, input: Self.key)
    expectEqual(refused.status, 69)
    expect(refused.errors.contains("--api-host 127.0.0.1:\(otherPort)"), "\(refused.errors)")
    expect(other.connections == 0 && other.bytes == 0)
    expectEqual(server.requests.count, 1)
    // What came is this request, and not one byte beside it.
    expectEqual(server.bytes, server.requests.joined().utf8.count)
    expect(
      !server.requests.joined().contains("hunter2") && !server.requests.joined().lowercased().contains("x-api-key"))
    expect(try await run(["instances"]).output.contains("No server is connected"))
    expect(!FileManager.default.fileExists(atPath: state + "/credentials"))

    // A host that is named is another one than that.
    let misnamed = try await run(arguments + ["--api-host", "127.0.0.1"], input: Self.key)
    expect(misnamed.status == 69 && other.connections == 0)

    // Named by a person, it gets the key, and the first server still does not.
    let named = try await run(arguments + ["--api-host", "127.0.0.1:\(otherPort)"], input: Self.key)
    expectEqual(named.status, 0, "\(named.errors)")
    expect(named.output.contains("    url: https://127.0.0.1:\(otherPort)\n"), "\(named.output)")
    expect(named.output.contains(#"    caFile: "\#(authority)""#.replacing("/", with: "/")), "\(named.output)")
    expectEqual(other.requests.count, 1)
    expect(!server.requests.joined().contains("hunter2"))
    await server.stop()
    await other.stop()
  }

  @Test(arguments: [
    "http://events.example", "ftp://x", "https://user:hunter2@x.example", "https://x.example/?key=hunter2", "x",
  ])
  func whatIsNoAddressByHTTPSIsRefused(url: String) async throws {
    defer { clean() }
    let result = try await run(["connect", url], input: Self.key)
    expectEqual(result.status, 64)
  }

  @Test func aWrongKeyIsNotKept() async throws {
    defer { clean() }
    let server = Self.server(nil)
    let url = "http://127.0.0.1:\(try await server.start())"
    for (input, status) in [("hunter2wrong", 69), ("", 65), ("hunter2 two", 65)] as [(String, Int32)] {
      let result = try await run(["connect", url], input: input)
      expectEqual(result.status, status, "\(result.errors)")
      expect(result.output.contains("tells nothing of itself"), "\(result.output)")
    }
    expect(try await run(["instances"]).output.contains("No server is connected"))
    expect(!FileManager.default.fileExists(atPath: state + "/credentials"))
    await server.stop()
  }

  @Test func aKeyIsReplacedRemovedAndForgotten() async throws {
    defer { clean() }
    let server = Self.server(#"{"features":[]}"#)
    let port = try await server.start()
    let url = "http://127.0.0.1:\(port)"
    try await expectEqual(run(["connect", url], input: Self.key).status, 0)
    let name = "server-127-0-0-1-\(port)"
    // The same server again, with its key; another one under this name is refused.
    try await expectEqual(run(["connect", url], input: Self.key).status, 0)
    try await expectEqual(run(["connect", "http://127.0.0.1:9", "--name", name], input: Self.key).status, 64)

    try await expectEqual(run(["key", "set", name], input: "hunter2wrong").status, 69)
    try await expectEqual(run(["key", "set", name, "hunter2wrong"]).status, 64)
    try await expectEqual(run(["verify", name]).status, 0)
    try await expectEqual(run(["key", "set", name], input: Self.key).status, 0)
    try await expectEqual(run(["key", "remove", name]).status, 0)
    try await expectEqual(run(["key", "remove", name]).status, 69)
    let lacking = try await run(["verify", name])
    expect(
      lacking.status == 69
        && lacking.errors.contains("\(name) has no key. Put it in with: scangate eventschedule key set \(name)"),
      "\(lacking.errors)")
    expect(try await run(["instances"]).output.contains("no key: scangate eventschedule key set \(name)"))
    try await expectEqual(run(["key", "set", name], input: Self.key).status, 0)

    try await expectEqual(run(["forget", name]).status, 64, "nobody is here to be asked")
    let forgotten = try await run(["forget", name, "--yes"])
    expect(forgotten.status == 0 && forgotten.output.contains("and so is its key"), "\(forgotten.errors)")
    try await expectEqual(run(["forget", name, "--yes"]).status, 69)
    let credentials = try await Program.run(["credential", "list", "--state", state])
    expect(credentials.output.contains("There is no credential"), "\(credentials.output)")
    for wrong in ["../x", "X", Self.key] { try await expectEqual(run(["verify", wrong]).status, 64) }
    await server.stop()
  }

  @Test func whatCannotBeReadIsToldAndTakenAway() async throws {
    defer { clean() }
    let server = Self.server(#"{"features":[]}"#)
    let url = "http://127.0.0.1:\(try await server.start())"
    try await expectEqual(run(["connect", url, "--name", "main"], input: Self.key).status, 0)
    try Data("scangate record 1\nnothing".utf8).write(to: URL(filePath: state + "/records/eventschedule.main.sealed"))
    for command in [["instances"], ["verify", "main"], ["branding", "main"], ["connect", url, "--name", "main"]] {
      let result = try await run(command, input: Self.key)
      expect(result.status == 69 && result.errors.contains("eventschedule.main.sealed is damaged"), "\(result.errors)")
    }
    let forgotten = try await run(["forget", "main", "--yes"])
    expect(forgotten.status == 0 && forgotten.errors.contains("scangate credential list"), "\(forgotten.errors)")
    try await expectEqual(run(["instances"]).status, 0)
    await server.stop()
  }

  @Test func aCredentialThatWasThereStays() async throws {
    defer { clean() }
    let server = Self.server(#"{"features":[]}"#)
    let url = "http://127.0.0.1:\(try await server.start())"
    let set = ["credential", "set", "main", "--state", state]
    try await expectEqual(Program.run(set, input: [UInt8](Self.key.utf8)).status, 0)
    // It is not overwritten by a server of its name.
    let taken = try await run(["connect", url, "--name", "main"], input: Self.key)
    expect(taken.status == 64 && taken.errors.contains("--key main"), "\(taken.errors)")
    try await expectEqual(run(["connect", url, "--name", "main", "--key", "none"]).status, 69)
    try await expectEqual(run(["connect", url, "--name", "main", "--key", "main"]).status, 0)
    try await expectEqual(run(["key", "remove", "main"]).status, 64)
    try await expectEqual(run(["forget", "main", "--yes"]).status, 0)
    expect(try await Program.run(["credential", "list", "--state", state]).output.hasPrefix("main  sealed"))
    await server.stop()
  }

  // MARK: How it looks

  @Test func brandingIsShownKeptAndItsPicturesAreWrittenAnew() async throws {
    defer { clean() }
    let pixels = (0..<4 * 6).map { UInt8(truncatingIfNeeded: $0 % 4 == 3 ? 255 : $0 * 9) }
    let png = PlainPNG.bytes(width: 3, rgba: pixels)
    // Something behind the picture's end does not come through.
    let file = png + Array("<script>".utf8)
    func picture(_ bytes: [UInt8]) -> [UInt8] {
      Array("HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\n\r\n".utf8) + bytes
    }
    let look =
      ##"{"primary_hex":"#007AFF","legal_footer":"© The\u001b[2J Theatre","logo_url":"/logo.png","wordmark_url":"/word.svg"}"##
    let server = Self.server(
      #"{"branding_endpoint":"/look"}"#,
      [
        "/look": Array(Self.response(look).utf8), "/logo.png": picture(file),
        "/word.svg": picture(Array("<svg/>".utf8)),
      ])
    let url = "http://127.0.0.1:\(try await server.start())"
    try await expectEqual(run(["connect", url, "--name", "theatre"], input: Self.key).status, 0)
    let logo = folder.appending(path: "logo.png").path
    let shown = try await run(["branding", "--logo", logo])
    expectEqual(shown.status, 0, "\(shown.errors)")
    expect(shown.output.contains("  primary    #007AFF, text #000000\n"), "\(shown.output)")
    expect(shown.output.contains("  footer     © The [2J Theatre\n"), "\(shown.output)")
    try expectEqual([UInt8](Data(contentsOf: URL(filePath: logo))), png)
    // Nothing is overwritten; what is no picture is told.
    try await expectEqual(run(["branding", "theatre", "--logo", logo]).status, 74)
    let word = folder.appending(path: "word.png").path
    try await expectEqual(run(["branding", "--wordmark", word]).status, 65)
    expect(!FileManager.default.fileExists(atPath: word))

    // It is kept: the server is not asked again, and need not be there.
    expectEqual(server.requests.count { $0.hasPrefix("GET /look ") }, 1)
    try await expectEqual(run(["branding", "--refresh"]).status, 0)
    expectEqual(server.requests.count { $0.hasPrefix("GET /look ") }, 2)
    await server.stop()
    let json = try await run(["branding", "--json"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    expectEqual(object["primary_hex"] as? String, "#007AFF")
    let manual = try String(contentsOf: repositoryFile("docs/eventschedule.md"), encoding: .utf8)
    for field in object.keys { expect(manual.contains("`\(field)`"), "\(field)") }
    // Nothing of it lies open on the disk.
    let records = try FileManager.default.contentsOfDirectory(atPath: state + "/records")
    expectEqual(records, ["eventschedule.theatre.sealed"])
    let record = try Data(contentsOf: URL(filePath: state + "/records/eventschedule.theatre.sealed"))
    expect(record.range(of: Data("007AFF".utf8)) == nil)
  }
}
