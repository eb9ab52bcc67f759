import Expectations
import Foundation
import ScanModel
import Sealing
import Testing
import VenueServer

/// A technician's first day, and the door crew's evening, as `docs/first-day.md` shows them; `UPDATE_DOCS=1` writes that anew.
@Suite(.timeLimit(.minutes(3))) struct FirstDayTranscriptTests {
  @Test func theDocumentShowsWhatTheCommandsPrint() async throws {
    try TranscriptDocument.expect(try await FirstDay.record(), in: "docs/first-day.md")
  }
}

/// The session.
private final class FirstDay {
  private static let wrongKey = "not-the-right-api-key"
  private static let code = "tkq7h2m9wz4rb8xd"

  private let folder: URL
  private let venue: AskedVenue
  private let key: String
  private var text: String
  /// What differs from run to run, and what stands for it.
  private var names: [(String, String)] = []

  private var config: String { folder.path + "/scangate.yaml" }
  private var state: String { folder.path + "/state" }

  private init(_ folder: URL, _ venue: AskedVenue) throws {
    self.folder = folder
    self.venue = venue
    key = try #require(venue.seeded.apiKey)
    names = [(folder.path + "/", ""), (venue.url, "http://127.0.0.1:8080")]
    text = """
      # The first day

      Written by a test from what the commands print. What standard error shows is marked by `!`, an exit status other than 0 is
      told after the output. An installed station needs neither `--config` nor `--state`: they are left out here, and so is the
      name of the configuration where it is `/etc/scangate/scangate.yaml`. The ticket system is the embedded venue, on loopback.

      """
  }

  static func record() async throws -> String {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let venue = try await AskedVenue.open(
      VenueConfiguration(storage: .file(folder.path + "/venue.sqlite")), time: SystemTime())
    do {
      let day = try FirstDay(folder, venue)
      try await day.ready()
      try await day.refused()
      try await day.lists()
      try await day.rehearsal()
      await venue.close()
      return day.text
    } catch {
      await venue.close()
      throw error
    }
  }

  // MARK: The day

  private func ready() async throws {
    chapter(
      "Ready means ready",
      "The address was copied from the API's documentation; the file names a credential, and there is none yet.")
    try write(url: venue.url + "/api/tickets/scan")
    try await station(["config", "check"])
    try write(url: venue.url)
    try await station(["config", "check"])
    say("The key has a typing error. No service is needed to find that out, and no ticket.")
    try await station(["credential", "set", "main"], typing: Self.wrongKey)
    try await station(["config", "check", "--online"])
    say(
      """
      Whoever starts the service all the same is told before the first guest. The right key is put in, the service reloaded; what the
      log says of the gate:
      """)
    try await serve()
    try await station(["credential", "set", "main"], typing: key)
    try await station(["config", "check", "--online"])
    say("An address at which something else answers, and https where nobody speaks it:")
    try write(url: venue.url + "/nowhere")
    try await station(["config", "check", "--online"])
    try write(url: venue.url.replacing("http:", with: "https:"))
    try await station(["config", "check", "--online"])
    try write(url: venue.url)
  }

  private func refused() async throws {
    let fixture = try JournalFixture()
    // 19:31:07 and 19:42:10 in the zone of the commands.
    let (first, second) = (WallTime(seconds: 1_765_996_267), WallTime(seconds: 1_765_996_930))
    let request = asked(Self.code, scan: try scanID(0x3F, 0xA1, 0x07, 0x5C), at: first)
    let use = FirstUse(gate: GateID("north"), at: first, request: request.attempt)
    try await fixture.write([
      .asked(request), .concluded(conclusion(request, .answered, .admit)),
      .scan(journaled(Self.code, id: request.scan.id, at: first.seconds) { $0.firstUse = use }),
      .scan(
        journaled(
          Self.code.uppercased(), id: try scanID(0xB2, 0x9E, 0x44, 0x10), gate: "south", at: second.seconds,
          verdict: .refuse(.alreadyUsed)
        ) {
          $0.firstUse = use
          $0.decider = .ledger
        }),
    ])
    names.append((request.attempt.description, "9c1d2e3f405162738495a6b7c8d9eafb"))
    names.append((String(request.attempt.description.prefix(8)), "9c1d2e3f"))
    chapter("“Why was she refused at 19:42?”", "She has her ticket with her, and is sure that nobody has used it.")
    try await journal(
      [
        "list", "--from", "2025-12-17T19:40", "--until", "2025-12-17T19:45", "--verdict", "refuse",
      ], fixture)
    try await journal(["show", "b29e4410"], fixture)
    try await journal(["show", String(request.attempt.description.prefix(8))], fixture)
    say("The whole code finds both, however it is spelled; it is asked for, so that no shell remembers it.")
    try await journal(["list", "--code", "-"], fixture, typing: Self.code)
    try await journal(["show", "b29e4410", "--json"], fixture)
  }

  private func lists() async throws {
    chapter(
      "A list for when the network goes",
      "The gate has `offline: { policy: list }` now, and the shop's export is German.")
    try write(url: venue.url, more: "\n    offline: { policy: list }")
    try await station(["config", "check"])
    let file = folder.path + "/karten.csv"
    func export(_ tickets: Int) throws {
      let lines = (1...tickets).map { "K\($0)QXNVB2W;2;\($0 == 2 ? "eingebucht" : "bezahlt");23.11.2026;C;05.11.2026" }
      let head = "Ticketcode;Anzahl Karten;Zahlungsstatus;Gültig am;Reihe;Bestelldatum\n"
      try Data((head + lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: file))
    }
    try export(6)
    let at = ["--as-of", "2025-12-17T18:00"]
    try await station(["tickets", "import", file, "--system", "main"] + at)
    try await station(["tickets", "import", file, "--system", "main", "--column", "quantity=Anzahl Karten"] + at)
    try await station(
      [
        "tickets", "import", file, "--system", "main", "--column", "quantity=Anzahl Karten", "--status",
        "valid=Eingebucht",
      ]
        + at)
    say("Next morning somebody exports one sale instead of all.")
    try export(2)
    try await station(
      [
        "tickets", "import", file, "--system", "main", "--column", "quantity=Anzahl Karten", "--status",
        "valid=Eingebucht",
      ]
        + at)
  }

  private func rehearsal() async throws {
    chapter("A rehearsal on paper, and two slips of the hand", nil)
    try await run([
      "venue", "codes", "--database", folder.path + "/venue.sqlite", "--sheet", folder.path + "/codes.html",
    ])
    try await run(["run", "--log-level", "loud"])
    try await run(["journal", "list", "--from", "-2x"])
  }

  // MARK: How it is recorded

  private func chapter(_ title: String, _ words: String?) {
    text += "\n## \(title)\n"
    if let words { say(words) }
  }

  private func say(_ words: String) { text += "\n\(words)\n" }

  private func write(url: String, more: String = "") throws {
    let yaml = """
      version: 1
      station: { name: door }
      ticketSystems:
        main: { type: eventschedule, url: "\(url)", apiKey: main }
      readers:
        scanner: { type: wedge, match: { vendor: "0c2e", product: "0901", serial: none-here }, keymap: us }
      gates:
        north:
          readers: [scanner]
          ticketSystem: main
          outputs: { green: { led: "gate:green:pass" } }
      """
    try yaml.replacing("ticketSystem: main", with: "ticketSystem: main" + more).write(
      toFile: config, atomically: true, encoding: .utf8)
  }

  /// A service that starts with the wrong key, and what its log says of its gate until it has the right one.
  private func serve() async throws {
    let station = try Station(key: Self.wrongKey, text: try String(contentsOfFile: config, encoding: .utf8))
    defer { station.end() }
    func told(_ state: String) async -> Bool {
      await station.next { $0["type"] as? String == "gate" && $0["state"] as? String == state } != nil
    }
    expect(await told("fault"), "\(station.log)")
    try CredentialStore(keys: SealKeySource(state: station.state, given: nil))
      .set("main", PastedSecret(Array(key.utf8)))
    station.reload()
    expect(await told("ready"), "\(station.log)")
    station.terminate()
    await expectEqual(station.status(), 0)
    names.append((station.folder.path + "/station.yaml", "scangate.yaml"))
    // This machine has no lamp.
    let lines = station.log.split(separator: "\n").filter { $0.contains("Gate ") && !$0.contains("output green") }
    text += "\n```\n\(normal(lines.joined(separator: "\n")))\n```\n"
  }

  private func station(_ arguments: [String], typing input: String? = nil) async throws {
    let options = arguments[0] == "config" ? [config] : arguments[0] == "credential" ? [] : ["--config", config]
    try await run(arguments + options + ["--state", state], typing: input, typed: "the key")
  }

  private func journal(_ arguments: [String], _ fixture: JournalFixture, typing input: String? = nil) async throws {
    names.append((fixture.folder.path, "state"))
    try await run(
      ["journal"] + arguments + ["--state", fixture.folder.path], typing: input, typed: "the code")
  }

  private func run(_ arguments: [String], typing input: String? = nil, typed: String = "") async throws {
    let result = try await Program.run(
      arguments, input: [UInt8]((input ?? "").utf8), environment: ["TZ": "UTC-1"])
    let words = TranscriptDocument.line(arguments)
    if let input { expect(!(result.output + result.errors).contains(input), "\(words)") }
    let block = TranscriptDocument.block("scangate \(words)", result, typed: input == nil ? nil : typed)
    text += "\n```\n\(normal(block))```\n"
  }

  /// Without what differs from run to run.
  private func normal(_ block: String) -> String {
    var text = block
    for (name, shown) in names { text = text.replacing(name, with: shown) }
    text = text.replacing(" --config scangate.yaml", with: "").replacing(" --state state", with: "")
    // The name of the file is said in a command, and stays in what it prints.
    text = text.replacing(/(\$ scangate config check[^\n]*) scangate\.yaml\n/) { "\($0.1)\n" }
    text = text.replacing(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|notice|warning)/) { "\($0.1)" }
    text = text.replacing(venue.url.replacing("http:", with: "https:"), with: "https://127.0.0.1:8080")
    text = text.replacing(venue.url.replacing("http://", with: ""), with: "127.0.0.1:8080")
    return text
  }
}
