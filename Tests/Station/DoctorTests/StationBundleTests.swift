import EventSchedule
import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import Sealing
import Testing
import TicketSystemKit

@testable import Doctor

/// The bundle: all of it, and nothing that the station knows to be secret.
@Suite struct StationBundleTests {
  private static let key = "hunter2-very-secret", token = "t0ken-of-the-kiosk-service", password = "pass-word-0815"
  private static let code = "TICKET-4711-ABCD", holder = "Aloysia Weber", waiting = "TICKET-0815-WXYZ"

  /// A station with a secret of every kind, and a log and a configuration that show them all.
  private func station() async throws -> (place: Place, checkUp: CheckUp) {
    let place = try Place()
    try CredentialStore(keys: place.keys).set("main", try PastedSecret([UInt8](Self.key.utf8)))
    try SealedRecordStore(keys: place.keys).set(
      "control",
      [UInt8](#"{"activation":{"value":{"token":"\#(Self.token)"},"server":{"url":"https://a.example"}}}"#.utf8))
    var scan = scanned(Self.code, holder: Self.holder)
    scan.verdict = .admit
    try await place.journal([.scan(scan), .owed(owed(Self.waiting, minutes: 5))])
    let sealKey = try String(contentsOfFile: place.state + "/seal-key", encoding: .utf8)
    let keyFile = try place.put("/other.key", "\(Self.password)\n", mode: 0o600)
    let log = """
      2026-11-26T19:00:00+0100 gate scangate[7]: Gate north: admit  …ABCD  \(Self.holder)  1 of 1 in
      2026-11-26T19:00:01+0100 gate scangate[7]: \(Self.key) \(Data(Self.key.utf8).base64EncodedString()) \(Self.token)
      2026-11-26T19:00:02+0100 gate scangate[7]: \(Self.code.lowercased()) of \(Self.holder.uppercased()) \u{1B}[2J\(Self.waiting)
      2026-11-26T19:00:03+0100 gate scangate[7]: \(sealKey) \(Self.password)
      2026-11-26T19:00:04+0100 gate scangate[7]: Station door: gates north, south.
      """
    try place.put("/log", log)
    try place.put("/usr/bin/journalctl", "#!/bin/sh\ncat '\(place.path)/log'\n", mode: 0o755)
    let yaml =
      Place.yaml.replacing("apiKey: main", with: "apiKeyFile: \(keyFile)") + "\n# the old key was \(Self.key)\n"
    let file = try place.put("/station.yaml", yaml)
    let reading = try ConfigurationFile.load(path: file, options: ConfigurationOptions(ticketSystems: [.eventSchedule]))
    let checkUp = CheckUp(
      version: "1", file: file,
      reading: ConfigurationReading(configuration: reading.configuration, warnings: [], errors: []),
      keys: place.keys, credentials: CredentialResolver { _ in Self.key }, machine: place.machine)
    return (place, checkUp)
  }

  private func report(_ findings: [Finding]) -> Report {
    Report(station: "door", version: "1", at: WallTime(seconds: 1_766_000_000), took: .seconds(1), findings: findings)
  }

  @Test func nothingThatTheStationKnowsIsInIt() async throws {
    let (place, checkUp) = try await station()
    let console = "token-of-the-console-0123456789abcdef"
    try place.put("/console/screens", console + "\n")
    let secrets = try StationSecrets(
      keys: place.keys, checkUp.reading.configuration, folders: [place.path + "/console", place.path + "/nowhere"])
    let leaks = [Self.key, Self.token, Self.password, Self.code, Self.holder, Self.waiting, console]
    let findings = leaks.map { Finding(.warning, .journal, $0, "said \($0)", cure: "sudo \($0)") }
    let bundle = try await checkUp.bundle(report(findings), without: secrets)
    let path = place.path + "/bundle.txt"
    try bundle.write(to: path)
    let written = try String(contentsOfFile: path, encoding: .utf8)
    let sealKey = try String(contentsOfFile: place.state + "/seal-key", encoding: .utf8)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    for secret in leaks + [sealKey, Data(Self.key.utf8).base64EncodedString()] {
      expect(!written.lowercased().contains(secret.lowercased()), "\(leaks.firstIndex(of: secret) ?? -1)")
    }
    // All of it is there all the same.
    for part in [
      "=== report\n", "=== report as JSON", "=== configuration ", "=== machine", "=== log", "gates north, south",
      "…ABCD\n",
    ] {
      expect(written.contains(part), "\(part)")
    }
    expect(!written.contains("\u{1B}"))
    expectEqual(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int, 0o600)
  }

  @Test func whatCannotBeSearchedForIsNotWritten() async throws {
    let (place, checkUp) = try await station()
    // A secret that is in what stands for a secret cannot be taken out.
    let mark = try #require(KnownSecret(.name, "[···]"))
    do throws(StationBundle.Fault) {
      _ = try StationBundle(
        [.init(title: "t", text: "[···]")], at: WallTime(seconds: 1), version: "1", without: [mark])
      Issue.record("it was made")
    } catch {
      expect(error.description.contains("nothing was written"))
    }
    guard geteuid() != 0 else { return }
    let keyFile = place.path + "/other.key"
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: keyFile)
    do throws(StationSecrets.Fault) {
      _ = try StationSecrets(keys: place.keys, checkUp.reading.configuration)
      Issue.record("they were gathered")
    } catch {
      expect(error.description.contains(keyFile) && error.description.contains("root"), "\(error)")
    }
  }

  @Test func aConfigurationShowsNoSecretThatSomebodyWroteIntoIt() {
    let text = """
      version: 1  # made by Max, password hunter2
      station: { name: door }
      ticketSystems:
        main: { type: eventschedule, url: "https://max:hunter2@tickets.example", apiKey: main }
        lounge: { api_key: hunter2, keymap: de, token: "hunter2", passes: { keys: /etc/keys.txt }, password: 'hunter2' }
      readers:
        left: { match: { serial: abcdefghij0123456789abcdef }, keymap: de }
      # apiKey: hunter2
      """
    let shown = ConfigurationText.shown(text, credentials: ["main"])
    expect(!shown.contains("hunter2") && !shown.contains("Max") && !shown.contains("abcdefghij0123456789"), "\(shown)")
    for part in ["name: door", "apiKey: main", "keymap: de", "keys: /etc/keys.txt", "@tickets.example", "version: 1"] {
      expect(shown.contains(part), "\(part): \(shown)")
    }
  }

  @Test func everyExampleOfTheDocumentationStaysReadable() throws {
    let folder = repositoryFile("examples")
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.hasSuffix(".yaml") {
      let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
      guard text.contains("gates:") else { continue }
      let shown = ConfigurationText.shown(text, credentials: [])
      expect(shown.contains("gates:") && shown.contains("readers:"), "\(name)")
    }
  }

  @Test func linesOfVerdictsEndBehindTheCode() {
    expectEqual(
      LogText.shown("Gate north: admit   …0001  Anna  1 of 1 in\nThe …\nwaits …abc and more\n\u{202E}x\n"),
      "Gate north: admit   …0001\nThe …\nwaits …abc and more\n·x\n")
  }

  @Test func recordsAreReadForWhatCouldBeASecret() {
    let record =
      #"{"server":"https://a.example/with/path","token":"abcdefghijkl","list":[{"apiKey":"0123456789abcdef"}],"name":"Hall of the north"}"#
    expectEqual(Set(RecordStrings.secrets(in: [UInt8](record.utf8)) ?? []), ["abcdefghijkl", "0123456789abcdef"])
    expect(RecordStrings.secrets(in: [0xFF]) == nil)
  }
}
