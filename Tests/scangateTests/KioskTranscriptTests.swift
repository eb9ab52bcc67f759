import Expectations
import Foundation
import Testing
import VenueServer

/// Every kiosk command against an embedded venue, as `docs/kiosk-transcript.md` shows it; `UPDATE_DOCS=1` writes that anew.
@Suite struct KioskTranscriptTests {
  @Test func theDocumentShowsWhatTheCommandsPrint() async throws {
    try TranscriptDocument.expect(try await Transcript.record(), in: "docs/kiosk-transcript.md")
  }
}

/// A session of a technician at a station and a colleague at the venue.
private final class Transcript {
  private let folder: URL
  private let port: Int
  private var text: String
  private var ids: [String] = []
  private var codes: [String] = []

  private var config: String { folder.path + "/scangate.yaml" }
  private var state: String { folder.path + "/state" }
  private var socket: String { folder.path + "/venue.sock" }

  private init(folder: URL, port: Int) {
    self.folder = folder
    self.port = port
    text = """
      # The kiosk service: every command

      Written by a test from what the commands print, with the embedded venue as the control service. Times, identifiers,
      codes and ages are replaced by examples. What standard error shows is marked by `!`, an exit status other than 0 is
      told after the output. The venue was started by:

      ```
      scangate venue serve --listen 127.0.0.1:8080 --control venue.sock --kiosk-token-file kiosk-token
      ```

      """
  }

  static func record() async throws -> String {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let venue = try VenueServer(
      VenueConfiguration(
        storage: .file(folder.path + "/venue.sqlite"), controlSocket: folder.path + "/venue.sock",
        kioskToken: "venue-kiosk-token"))
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await venue.run { tell.yield($0) }
    }
    defer { serving.cancel() }
    let address = try #require(await ready.first { _ in true })
    let transcript = Transcript(folder: folder, port: try #require(URL(string: address.url)?.port))
    try transcript.configure(address.url)
    try await transcript.play()
    return transcript.text
  }

  private func configure(_ url: String) throws {
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let yaml = """
      version: 1
      station:
        name: kiosk-1
      control:
        type: kiosk
        url: \(url)
        registration: kiosk-registration
      ticketSystems:
        main:
          type: eventschedule
          url: https://tickets.example.org
          apiKey: main
      readers:
        scanner:
          type: wedge
          match: { vendor: "0c2e", product: "0901" }
      gates:
        door:
          readers: [scanner]
          ticketSystem: main
          outputs:
            green: { led: "gate:green:pass" }

      """
    try yaml.write(toFile: config, atomically: true, encoding: .utf8)
  }

  private func play() async throws {
    chapter("A station that nobody has activated")
    try await station(["status"])
    try await run(
      ["credential", "set", "kiosk-registration", "--state", state], typing: "venue-kiosk-token",
      typed: "the kiosk token")
    try await station(["register"])
    chapter("Activation, by hand instead of by the scanner")
    let first = try await makeCode()
    try await station(["activate"], typing: first)
    try await station(["activate"], typing: first)
    try await station(["status"])
    try await station(["status", "--json"])
    let id = try #require(ids.first)
    chapter("The venue changes what the station is to be")
    try await venue(["kiosk", "set", id, "name=North door", "roomName=Hall 2"])
    try await station(["sync"])
    try await venue(["kiosk", "state", id, "maintenance"])
    try await station(["refresh"])
    try await venue(["kiosk", "state", id, "active"])
    try await station(["refresh"])
    chapter("A status set by hand")
    try await station(["status", "--set", "lunch"])
    try await venue(["kiosk", "list"])
    try await station(["status", "--set", "auto"])
    chapter("A token that the service refuses")
    try await station(["validate"])
    try await venue(["kiosk", "revoke", id])
    try await station(["validate"])
    try await station(["status"])
    let second = try await makeCode()
    try await station(["activate", "--again"], typing: second)
    try await station(["validate"])
    chapter("Codes that do not help, and a station that is given back")
    try await station(["reset", "--yes"])
    try await station(["activate"], typing: second)
    try await station(["activate"], typing: "00000000")
    try await station(
      ["activate"],
      typing: #"{"type":"kiosk_activation","code":"A1B2C3D4","server":"evil.example:443","timestamp":1752000000000}"#)
    try await station(["status"])
    try await station(["reset", "--yes"])
    chapter("What the venue has seen")
    try await venue(["kiosk", "log"])
  }

  private func chapter(_ title: String) { text += "\n## \(title)\n" }

  private func makeCode() async throws -> String {
    let lines = try await venue(["activation-code"])
    return try #require(lines.first)
  }

  @discardableResult private func venue(_ arguments: [String]) async throws -> [String] {
    try await run(["venue"] + arguments + ["--control", socket])
  }

  private func station(_ arguments: [String], typing code: String? = nil) async throws {
    try await run(["kiosk"] + arguments + ["--config", config, "--state", state], typing: code, typed: "the code")
  }

  @discardableResult private func run(
    _ arguments: [String], typing input: String? = nil, typed: String = ""
  ) async throws -> [String] {
    let result = try await Program.run(arguments, input: [UInt8]((input ?? "").utf8))
    let shown = TranscriptDocument.line(arguments)
    for line in result.lines {
      if line.wholeMatch(of: /[0-9A-F]{8}/) != nil { codes.append(line) }
      for match in line.matches(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/) {
        if !ids.contains(String(match.0)) { ids.append(String(match.0)) }
      }
    }
    if let input {
      // Neither a code that was typed nor a token is ever printed.
      expect(!(result.output + result.errors).contains(input), "\(shown)")
    }
    let block = TranscriptDocument.block("scangate \(shown)", result, typed: input == nil ? nil : typed)
    text += "\n```\n\(normal(block))```\n"
    return result.lines
  }

  /// Without what differs from run to run.
  private func normal(_ block: String) -> String {
    var text = block.replacing(folder.path + "/", with: "").replacing("--config scangate.yaml --state state", with: "…")
    text = text.replacing(" …\n", with: "\n").replacing(" …   #", with: "   #").replacing("--state state", with: "…")
    text = text.replacing("127.0.0.1:\(port)", with: "127.0.0.1:8080")
    for (number, code) in codes.enumerated() { text = text.replacing(code, with: "A1B2C3D\(number)") }
    for (number, id) in ids.enumerated() {
      text = text.replacing(id, with: "00000000-0000-4000-8000-00000000000\(number + 1)")
    }
    text = text.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/, with: "2026-01-31T18:00:00.000Z")
    text = text.replacing(/\ \d+ ms/, with: " 7 ms")
    text = text.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/, with: "2026-01-31T18:00:00Z")
    text = text.replacing(/\d+ s old/, with: "5 s old")
    text = text.replacing(/"(total_ms|longest_ms)":\d+/) { "\"\($0.1)\":7" }
    return text
  }
}
