import EventSchedule
import Expectations
import Foundation
import ScanModel
import Testing
import TicketSystemKit
import TicketTransport

@testable import ScanConfiguration

/// What is set up by codes, and what the file says of it.
@Suite struct SetUpTests {
  private func read(_ text: String) throws -> ConfigurationFile.Reading {
    try ConfigurationFile.parse(text: text, file: "f", options: testOptions)
  }

  private func warnings(_ text: String) throws -> [String] {
    try read(text).warnings.map { String($0.description.dropFirst(2)) }
  }

  /// A station that shows what comes of a code.
  private let plain = goodFile.replacingOccurrences(of: Self.green, with: Self.lamps)
  private static let green = "{ green: { led: \"gate:green:pass\" } }"
  private static let lamps = "{ green: { led: \"g\" }, red: { led: \"r\" } }"
  private let control = "control: { type: kiosk, url: \"https://kiosks.example.org\" }\n"
  private var enrolled: String {
    plain.replacingOccurrences(
      of: "url: \"https://tickets.example.org\", apiKeyFile: /etc/scangate/keys/main.key", with: "enrol: true")
  }
  private let trust = "setUp: { trust: /boot/firmware/scangate-trust.txt }\n"

  @Test func nothingIsSetUpWhereTheFileSaysNothing() throws {
    let station = try read(goodFile).configuration
    expect(station.setUp == nil && station.control == nil)
  }

  @Test func whatIsSetUpByCodesHasTheDefaults() throws {
    for text in [plain + control, enrolled] {
      let setUp = try #require(try read(text).configuration.setUp)
      expectEqual(setUp, SetUpConfiguration())
      expect(setUp.window == .seconds(600) && setUp.trust == nil && setUp.caFile == nil)
    }
    let station = try read(plain + control).configuration
    expectEqual(station.control?.url.description, "https://kiosks.example.org")
    expect(station.control?.registration == nil && station.control?.allowPlainHTTP == false)
  }

  @Test func anEnrolledSystemHasNeitherServerNorKeyInTheFile() throws {
    let station = try read(enrolled + trust).configuration
    let system = try #require(station.ticketSystems.first?.settings as? EventScheduleSection.System)
    expect(system.place == .enrolled && !system.allowPlainHTTP && system.caFile == nil)
    expect(station.credentials == [] && station.files.map(\.role) == [.trustList])
    try expectEqual(warnings(enrolled + trust), [])
    // What holds for any server stays the file's.
    let text = enrolled.replacingOccurrences(
      of: "enrol: true", with: "enrol: true, caFile: /ca.pem, rate: { limit: 9 }")
    let other = try #require(
      try read(text + trust).configuration.ticketSystems.first?.settings as? EventScheduleSection.System)
    expect(other.caFile?.path == "/ca.pem" && other.rate.limit == 9)
  }

  @Test func theWindowMayBeNothingAndAnHourAtMost() throws {
    func window(_ text: String) throws -> Duration? {
      try read(plain + control + "setUp: { window: \(text) }\n").configuration.setUp?.window
    }
    try expectEqual(window("0 s"), .zero)
    try expectEqual(window("60 min"), .seconds(3_600))
    #expect(throws: ConfigurationErrors.self) { try window("3601 s") }
  }

  @Test func plainHTTPIsForLoopbackAndWhereItIsAllowed() throws {
    func text(_ url: String, _ more: String = "") -> String {
      plain + "control: { type: kiosk, url: \"\(url)\"\(more) }\n"
    }
    try expectEqual(warnings(text("http://127.0.0.1:8080")), [])
    expectEqual(errors(in: text("http://kiosks.example.org")).count, 1)
    let found = try warnings(text("http://kiosks.example.org", ", allowPlainHTTP: true, caFile: /ca.pem"))
    expectEqual(found.count, 2)
    expectEqual(found.first?.contains("shows codes and the station's token to the network"), true)
    expectEqual(found.last?.contains("caFile has no effect with plain HTTP"), true)
  }

  @Test func saysWhatHasNoEffect() throws {
    let button = "    inputs: { b: { gpio: { chip: g, line: 2 }, use: setUpButton } }\n"
    let remedy = "add control, or enrol: true to a ticket system, or remove it"
    try expectEqual(
      warnings(plain + button + trust),
      [
        "12:15: the setUpButton \"b\" has no effect: nothing is set up by a code; \(remedy)",
        "13:1: setUp has no effect: nothing is set up by a code; \(remedy)",
      ])
    try expectEqual(warnings(plain + button + control), [])
  }

  /// Somebody may stand before the gate while the station is set up.
  @Test func greenIsNotForSuccess() throws {
    let text = plain + "    signals: { setUp.done: { green: on } }\n" + control
    try expectEqual(
      warnings(text),
      [
        "12:30: the signal \"setUp.done\" lights the output green; light red or amber: people read green as \"pass\""
      ])
  }

  @Test func saysThatNobodyIsTrusted() throws {
    let words = "no code can enrol this station: it trusts no server and no organiser"
    try expectEqual(warnings(enrolled).map { $0.contains(words) }, [true])
    try expectEqual(warnings(enrolled + "setUp: { window: 5 min }\n").map { $0.contains(words) }, [true])
    // An activation code is for the server that the file names.
    try expectEqual(warnings(plain + control), [])
  }

  @Test func saysThatNoReaderReadsSetUpCodes() throws {
    func text(_ kinds: String, _ more: String = "") -> String {
      plain.replacingOccurrences(
        of: "scanner: { type: wedge, match: { vendor: \"0c2e\" } }",
        with: "scanner: { type: camera, match: { name: Eye 1 }, kinds: [\(kinds)] }") + more
    }
    try expectEqual(warnings(text("ean13", control)).map { $0.contains("looks for no QR code") }, [true])
    try expectEqual(warnings(text("ean13, qr", control)), [])
    try expectEqual(warnings(text("ean13")), [])
  }

  @Test func saysThatNobodySeesWhatComesOfACode() throws {
    let words = "nobody sees or hears what comes of a set-up code"
    try expectEqual(warnings(goodFile + control).map { $0.contains(words) }, [true])
    for lamp in ["red", "amber", "yellow", "buzzer"] {
      let text = goodFile.replacingOccurrences(
        of: Self.green, with: "{ \(lamp): { gpio: { chip: g, line: 1 } } }")
      try expectEqual(warnings(text + control), [], "\(lamp)")
    }
    let own = "    signals: { setUp.done: { blue: on } }\n"
    let text = goodFile.replacingOccurrences(of: Self.green, with: "{ blue: { led: b } }")
    try expectEqual(warnings(text + own + control), [])
    try expectEqual(warnings(goodFile), [])
  }

  @Test func theRegistrationTokenIsNoTicketSystemsKey() throws {
    let keyed = plain.replacingOccurrences(of: "apiKeyFile: /etc/scangate/keys/main.key", with: "apiKey: main")
    let with = { (name: String) in
      keyed + "control: { type: kiosk, url: \"https://kiosks.example.org\", registration: \(name) }\n"
    }
    try expectEqual(warnings(with("kiosk")), [])
    try expectEqual(read(with("kiosk")).configuration.control?.registration?.name, "kiosk")
    expectEqual(errors(in: with("main")).map { $0.contains("is a ticket system's key") }, [true])
  }

  /// A code that was pasted into the file is never repeated, by no error.
  @Test(arguments: [
    "ticketSystems: { main: { type: eventschedule, enrol: hunter2 } }", "setUp: { code: hunter2 }",
    "setUp: { activationCode: hunter2 }", "setUp: { trust: hunter2 }", "control: { type: kiosk, code: hunter2 }",
    "control: { type: kiosk, token: hunter2 }", "control: { type: kiosk, url: \"https://u:hunter2@example.org\" }",
    "control: { type: kiosk, registration: hunter2hunter2hunter2 }", "control: { registrationToken: [hunter2] }",
  ]) func aPastedSecretIsNotRepeated(line: String) {
    let base = line.hasPrefix("ticketSystems") ? "version: 1\n" : plain
    let found = errors(in: base + line + "\n")
    expect(!found.isEmpty)
    expect(!found.joined().contains("hunter2"), "\(found)")
  }
}
