import Expectations
import Foundation
import Glibc
import ScanModel
import StationProtocol
import StationTesting
import Synchronization
import Testing

@testable import scangate

/// `scangate status` and the orders, as somebody at a gate types them.
@Suite(.timeLimit(.minutes(2))) struct StationCommandTests {
  /// A folder with a socket's place in it.
  private final class Place: Sendable {
    let folder: URL
    var socket: String { folder.path + "/s" }
    init() throws { folder = try temporaryFolder() }
    deinit { try? FileManager.default.removeItem(at: folder) }
  }

  private func run(_ place: Place, _ words: String..., input: String = "") async throws -> Program.Result {
    try await Program.run(words + ["--station-socket", place.socket], input: [UInt8](input.utf8))
  }

  // MARK: Status

  @Test func statusEndsWithItsLevel() async throws {
    let place = try Place()
    let station = try ScriptedStation(at: place.socket)
    defer { station.end() }
    let well = try await run(place, "status")
    expectEqual(well.status, 0, "\(well.errors)")
    expectEqual(well.lines.first?.hasPrefix("[✓ ALL IS WELL]  door"), true, "\(well.output)")

    var held = Fixture.station
    held.outbox.isHeld = true
    station.become(held)
    let warned = try await run(place, "status")
    expect(warned.status == 1 && warned.lines.contains("      → scangate outbox retry"), "\(warned)")

    held.gates[0].condition = .init(state: "fault", detail: "our key")
    station.become(held)
    let shut = try await run(place, "status", "--json")
    expectEqual(shut.status, 2)
    let json = try #require(try JSONSerialization.jsonObject(with: Data(shut.output.utf8)) as? [String: Any])
    expect(json["level"] as? Int == 2 && json["running"] as? Bool == true)
  }

  /// No gate admits where no service runs; machines are told as well.
  @Test func withoutAServiceNoGateAdmits() async throws {
    let place = try Place()
    let text = try await run(place, "status")
    expectEqual(text.status, 2)
    expect(text.output == "[✗ A GATE CANNOT ADMIT]\n" && text.errors.contains("systemctl start scangate"), "\(text)")
    let json = try await run(place, "status", "--json")
    expectEqual(json.status, 2)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    expect(object["level"] as? Int == 2 && object["running"] as? Bool == false)
  }

  @Test func aServiceOfAnotherVersionSaysSo() async throws {
    let place = try Place()
    let station = try ScriptedStation(at: place.socket, version: StationLimits.version + 1)
    defer { station.end() }
    let result = try await run(place, "status")
    expect(result.status == 69 && result.errors.contains("This service speaks version"), "\(result)")
    try await expectEqual(run(place, "open", "north").status, 69)
    expectEqual(station.orders, [])
  }

  // MARK: Orders

  @Test func eachOrderReachesTheServiceWithWhoAndWhy() async throws {
    let place = try Place()
    let station = try ScriptedStation(at: place.socket)
    defer { station.end() }
    for words in [
      ["open", "north", "--why", "a pram"], ["annul", "north"], ["maintenance", "on", "north"],
      ["maintenance", "off", "south", "--why", "mended"],
    ] {
      let result = try await Program.run(words + ["--station-socket", place.socket])
      expect(result.status == 0 && result.output == "done as scripted\n", "\(words): \(result)")
    }
    expectEqual(
      station.orders.map(\.action),
      [
        .openOnce(GateID("north")), .annul(GateID("north")), .maintenance(GateID("north"), isOn: true),
        .maintenance(GateID("south"), isOn: false),
      ])
    expectEqual(station.orders.map(\.why), ["a pram", "", "", "mended"])
    expect(station.orders.allSatisfy { !$0.who.isEmpty } && Set(station.orders.map(\.id)).count == 4)
  }

  @Test func whatIsRefusedEndsWithOneAndWhy() async throws {
    let place = try Place()
    let station = try ScriptedStation(at: place.socket) { _ in
      .answer(.refused(.pulsing, "A pulse runs at north\u{1B}[2J. Wait for its end."))
    }
    defer { station.end() }
    let result = try await run(place, "open", "north")
    expectEqual(result.status, 1)
    expect(
      result.output.isEmpty && result.errors.contains("Not done (pulsing). A pulse runs at north·[2J."), "\(result)")
  }

  @Test func aGateThatIsNoneIsNamedWithThoseThatThereAre() async throws {
    let place = try Place()
    let station = try ScriptedStation(at: place.socket)
    defer { station.end() }
    let result = try await run(place, "open", "west")
    expect(result.status == 64 && result.errors.contains("north, south"), "\(result)")
    expectEqual(station.orders, [])
  }

  @Test func withoutAServiceNothingIsOrdered() async throws {
    let place = try Place()
    for words in [
      ["open", "north"], ["annul", "north"], ["maintenance", "on", "north"], ["present", "north", "abc"],
    ] {
      let result = try await Program.run(words + ["--station-socket", place.socket])
      expect(result.status == 69 && result.errors.contains("systemctl start scangate"), "\(words): \(result)")
    }
  }

  /// The service ends with the order in its hand: the next one is given the same number, and answers it once.
  @Test func anOrderOutlivesTheServiceThatTookIt() async throws {
    let place = try Place()
    let first = try ScriptedStation(at: place.socket) { _ in .end }
    async let result = run(place, "open", "north")
    await until { !first.orders.isEmpty }
    first.end()
    let second = try ScriptedStation(at: place.socket) { _ in .answer(.unknown("The service ended in between.")) }
    defer { second.end() }
    let ended = try await result
    expectEqual(second.orders.map(\.id), first.orders.map(\.id))
    expectEqual(second.orders.map(\.givenAt), first.orders.map(\.givenAt))
    expect(ended.status == 76 && ended.errors.contains("look at the gate"), "\(ended)")
  }

  // MARK: A typed code

  @Test func aTypedCodeEndsWithItsVerdict() async throws {
    let place = try Place()
    let cases: [(Verdict, Int32, String)] = [
      (.admit, 0, "[✓ ADMIT]"), (.refuse(.unpaid), 1, "[✗ REFUSE] unpaid"),
      (.undecided(.unreachable), 2, "[? UNDECIDED] unreachable"),
    ]
    for (verdict, status, words) in cases {
      let station = try ScriptedStation(at: place.socket) { _ in
        .answer(.decided(line: Fixture.scan(verdict, code: "secret-code-d8vd")))
      }
      let result = try await run(place, "present", "north", "-", input: "  secret-code-d8vd \r\n")
      station.end()
      expect(result.status == status && result.output.hasPrefix("\(words)  …d8vd"), "\(result)")
      expect(!(result.output + result.errors).contains("secret"))
      expectEqual(station.orders.map(\.action), [.present(GateID("north"), Code("secret-code-d8vd"))])
    }
  }

  @Test func whatIsNoCodeIsNotPresented() async throws {
    let place = try Place()
    let station = try ScriptedStation(at: place.socket)
    defer { station.end() }
    for input in ["", " \n", String(repeating: "x", count: StationLimits.maximumCode + 1)] {
      let result = try await run(place, "present", "north", "-", input: input)
      expectEqual(result.status, 65, "\(input.count): \(result.errors)")
    }
    let noText = try await Program.run(
      ["present", "north", "-", "--station-socket", place.socket], input: [0xFF, 0xFE, 0x0A])
    expectEqual(noText.status, 65)
    expectEqual(station.orders, [])
  }

  // MARK: Watch

  private func watch(_ place: Place, _ words: String..., on screens: (output: Screen, errors: Screen)) throws -> Process
  {
    let process = Process()
    process.executableURL = try Program.executable()
    process.arguments = ["watch", "--station-socket", place.socket] + words
    process.environment = ProcessInfo.processInfo.environment.merging(["TERM": "xterm", "TZ": "UTC"]) { _, new in new }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle(fileDescriptor: screens.output.end)
    process.standardError = FileHandle(fileDescriptor: screens.errors.end)
    try process.run()
    close(screens.output.end)
    if screens.errors.end != screens.output.end { close(screens.errors.end) }
    return process
  }

  @Test func watchWritesALineForEachEventAndOutlivesTheService() async throws {
    let place = try Place()
    let (output, errors) = (try Screen.stream(), try Screen.stream())
    // It may begin before the service does.
    let process = try watch(place, "--names", on: (output, errors))
    expect(await errors.shows("systemctl start scangate"))
    let first = try ScriptedStation(at: place.socket)
    await until { first.listeners == 1 }
    first.tell(Fixture.scan(.admit, code: "secret-code-aaaa"))
    expect(await output.shows("…aaaa"))
    first.end()
    expect(await errors.shows("has closed the connection"))
    let second = try ScriptedStation(at: place.socket)
    defer { second.end() }
    await until { second.listeners == 1 }
    second.tell(Fixture.scan(.refuse(.unpaid), gate: "south", code: "secret-code-bbbb"))
    expect(await output.shows("…bbbb"))
    expectEqual(second.names, [true])
    process.interrupt()
    process.waitUntilExit()
    expectEqual(process.terminationStatus, 0)
    let lines = output.shown.split(separator: "\n")
    expectEqual(lines.count, 2)
    expectEqual(lines.first?.hasPrefix("2026-11-21 18:41:07  north"), true, "\(output.shown)")
    expect(!output.shown.contains("\u{1B}"))
    expectEqual(errors.shown.components(separatedBy: "The service of door answers").count, 3, "\(errors.shown)")
  }

  @Test func watchDrawsAPageOnATerminalAndLeavesItAsItWas() async throws {
    let place = try Place()
    let station = try ScriptedStation(at: place.socket)
    defer { station.end() }
    let (screen, errors) = (try Screen(), try Screen.stream())
    let process = try watch(place, "--gate", "north", on: (screen, errors))
    expect(await screen.shows("ALL IS WELL"))
    expect(await screen.shows("412 in"))
    station.tell(Fixture.scan(.admit, gate: "south", code: "secret-code-ssss"))
    station.tell(Fixture.scan(.admit, code: "secret-code-nnnn"))
    expect(await screen.shows("…nnnn"))
    expect(!screen.shown.contains("…ssss"))
    process.terminate()
    process.waitUntilExit()
    await screen.ends()
    expectEqual(process.terminationStatus, 0)
    expect(screen.shown.hasPrefix(WatchScreen.begin) && screen.shown.hasSuffix(WatchScreen.end), "\(screen.shown)")
    expectEqual(errors.shown, "")
  }

  @Test func watchOfAGateThatIsNoneEndsAndSaysSo() async throws {
    let place = try Place()
    let station = try ScriptedStation(at: place.socket)
    defer { station.end() }
    let (screen, errors) = (try Screen(), try Screen.stream())
    let process = try watch(place, "--gate", "west", on: (screen, errors))
    process.waitUntilExit()
    expectEqual(process.terminationStatus, 64)
    await errors.ends()
    await screen.ends()
    expect(errors.shown.contains("There is no gate west; this station has north, south."), "\(errors.shown)")
    expect(screen.shown.hasSuffix(WatchScreen.end))
  }
}
