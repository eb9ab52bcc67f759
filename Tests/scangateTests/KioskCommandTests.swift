import Expectations
import Foundation
import ScanModel
import Sealing
import StationProtocol
import StationTesting
import Testing

/// Kiosk commands without a server.
@Suite struct KioskCommandTests {
  private func withStation(
    _ example: String = "kiosk.yaml", _ body: (_ arguments: [String], _ state: String) async throws -> Void
  ) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let state = folder.path + "/state"
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let file = repositoryFile("examples/\(example)")
    let yaml = try String(contentsOf: file, encoding: .utf8)
      .replacing("https://kiosks.example.org", with: "http://127.0.0.1:1")
    try yaml.write(toFile: folder.path + "/scangate.yaml", atomically: true, encoding: .utf8)
    try await body(["--config", folder.path + "/scangate.yaml", "--state", state], state)
  }

  @Test func withoutAServerNothingIsActivatedAndEverythingIsToldInWords() async throws {
    try await withStation { arguments, _ in
      let status = try await Program.run(["kiosk", "status", "--json"] + arguments)
      expectEqual(status.status, 1)
      let object = try #require(try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any])
      expect(object["healthy"] as? Bool == false)
      expect(object["server"] as? String == "127.0.0.1:1")
      // Every field is in the manual.
      let manual = repositoryFile("docs/kiosk.md")
      let text = try String(contentsOf: manual, encoding: .utf8)
      for field in object.keys { expect(text.contains("`\(field)`"), "\(field)") }

      let refused = try await Program.run(["kiosk", "activate"] + arguments, input: [UInt8]("A1B2C3D4\n".utf8))
      expectEqual(refused.status, 69)
      expect(refused.errors.contains("Not activated (offline)"), "\(refused.errors)")
      expect(!refused.errors.contains("A1B2C3D4"))
    }
  }

  @Test func aCodeAsAnArgumentIsTakenWithAWarning() async throws {
    try await withStation { arguments, _ in
      let result = try await Program.run(["kiosk", "activate", "A1B2C3D4"] + arguments)
      expect(result.errors.contains("warning: an argument can be seen"), "\(result.errors)")
      let foreign = try await Program.run(
        ["kiosk", "activate"] + arguments,
        input: [UInt8](#"{"type":"kiosk_activation","code":"A1B2C3D4","server":"10.0.0.1:80","timestamp":1}"#.utf8))
      expect(foreign.status == 65 && foreign.errors.contains("(untrusted)"), "\(foreign.errors)")
    }
  }

  private func step(_ state: String, _ more: String = "") -> String {
    #"{"type":"setUp","state":"\#(state)"\#(more),"at":"2025-12-17T19:33:20.000Z"}"#
  }

  /// Has a command wait before a scripted service, and ends it by what the service brings: all of it before the command hears that codes are
  /// taken, as it may be on a busy machine.
  private func waiting(
    _ arguments: [String], _ state: String, _ bring: @escaping @Sendable (ScriptedStation) throws -> Void
  ) async throws -> (Program.Result, [StationOrder]) {
    let socket = state + "/s"
    let (armed, arm) = AsyncStream.makeStream(of: Void.self)
    let brought = DispatchSemaphore(value: 0)
    let station = try ScriptedStation(at: socket) { _ in
      arm.yield()
      brought.wait()
      return .answer(.done("Set-up codes are taken: hold one to the scanner."))
    }
    defer { station.end() }
    async let result = Program.run(
      ["kiosk", "activate", "--wait", "--minutes", "1"] + arguments + ["--station-socket", socket])
    for await _ in armed { break }
    defer { brought.signal() }
    try bring(station)
    brought.signal()
    return (try await result, station.orders)
  }

  @Test func whoeverWaitsIsToldTheStepsOfTheService() async throws {
    try await withStation { arguments, state in
      let (result, orders) = try await waiting(arguments, state) { station in
        station.tell(step("trying", #","detail":"A code was read and is being tried.""#))
        station.tell(step("refused", #","reason":"wrong","detail":"No such code.""#))
        station.tell(#"{"type":"repeat","gate":"north"}"#)
        let record = """
          {"activation":{"activated":1,"kioskID":"k","server":{"name":"a.example:443","url":"https://a.example"}},"version":1}
          """
        try SealedRecordStore(keys: SealKeySource(state: state, given: nil)).set("control", [UInt8](record.utf8))
        station.tell(step("done", #","detail":"The station is activated.""#))
      }
      expectEqual(result.status, 0, "\(result.errors)")
      expectEqual(
        result.lines,
        [
          "Set-up codes are taken: hold one to the scanner.", "trying: A code was read and is being tried.",
          "wrong: No such code.", "done: The station is activated.", "The station is set up.",
        ])
      expectEqual(orders.map(\.action), [.arming(minutes: 1)])
    }
  }

  @Test func whoeverWaitsForATicketSystemIsToldWhenItCame() async throws {
    try await withStation("enrol.yaml") { arguments, state in
      let (result, _) = try await waiting(arguments, state) { station in
        let record = """
          {"version":1,"type":"eventschedule","url":"https://tickets.example","apiKey":"key-of-the-gate","gate":"north","gates":{},"at":1}
          """
        try SealedRecordStore(keys: SealKeySource(state: state, given: nil))
          .set("enrolment.main", [UInt8](record.utf8))
        station.tell(step("done"))
      }
      expectEqual(result.status, 0, "\(result.errors)")
      expectEqual(result.lines.last, "The station is set up.")
      expect(!result.output.contains("key-of-the-gate"))
      let again = try await Program.run(["kiosk", "activate", "--wait"] + arguments)
      expectEqual(again.lines.first?.hasPrefix("The station is set up already."), true)
    }
  }

  @Test func withoutAServiceNobodyWaits() async throws {
    try await withStation { arguments, state in
      let nobody = try await Program.run(
        ["kiosk", "activate", "--wait"] + arguments + ["--station-socket", state + "/s"])
      expect(nobody.status == 69 && nobody.errors.contains("No service runs here"), "\(nobody)")
    }
  }

  @Test(arguments: [
    ["activate", "X", "--wait"], ["activate", "--minutes", "61", "--wait"], ["status", "--set", "asleep"],
  ]) func whatCannotBeMeantIsRefused(words: [String]) async throws {
    try await expectEqual(Program.run(["kiosk"] + words).status, 64)
  }

  @Test func nothingIsForgottenUnasked() async throws {
    try await withStation { arguments, state in
      let store = SealedRecordStore(keys: SealKeySource(state: state, given: nil))
      let record = """
        {"activation":{"activated":1,"kioskID":"k","server":{"name":"a.example:443","url":"https://a.example"}},"version":1}
        """
      try store.set("control", [UInt8](record.utf8))
      let asked = try await Program.run(["kiosk", "reset"] + arguments)
      expectEqual(asked.status, 64)
      expect(try store.get("control") != nil)
      try await expectEqual(Program.run(["kiosk", "reset", "--yes"] + arguments).status, 0)
      expect(try store.get("control") == nil)
    }
  }

  /// A card that gives errors, or a record of another card.
  @Test func aRecordThatIsDamagedIsForgottenByTheCommandThatItsWordsName() async throws {
    try await withStation { arguments, state in
      let store = SealedRecordStore(keys: SealKeySource(state: state, given: nil))
      try store.set("control", [UInt8]("{}".utf8))
      let file = try #require(FileHandle(forWritingAtPath: state + "/records/control.sealed"))
      try file.truncate(atOffset: 25)
      try file.close()
      let refused = try await Program.run(["kiosk", "activate"] + arguments, input: [UInt8]("A1B2C3D4".utf8))
      expect(refused.status != 0 && refused.errors.contains("scangate kiosk reset"), "\(refused.errors)")
      try await expectEqual(Program.run(["kiosk", "reset", "--yes"] + arguments).status, 0)
      expect(try store.get("control") == nil)
    }
  }
}
