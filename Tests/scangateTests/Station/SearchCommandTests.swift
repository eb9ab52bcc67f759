import Expectations
import Foundation
import ScanModel
import StationProtocol
import StationTesting
import Testing

@testable import scangate

/// `scangate search`, as somebody at a gate types it.
@Suite(.timeLimit(.minutes(2))) struct SearchCommandTests {
  private static let venue = TicketSystemID("venue")
  private static let found = [
    FoundTicket(
      code: "…d8vd", system: venue, holder: "Ada\u{1B}[2J Lovelace", event: "An Evening of Strings", admitted: 1,
      allowance: 2, firstAdmitted: WallTime(seconds: 1_766_000_000), gate: GateID("north"), words: "refunded"),
    FoundTicket(code: "…d8vd", system: TicketSystemID("other")),
  ]

  private func withStation(
    _ outcome: OrderOutcome, _ body: (ScriptedStation, String) async throws -> Void
  ) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let station = try ScriptedStation(at: folder.path + "/s") { _ in .answer(outcome) }
    defer { station.end() }
    try await body(station, folder.path + "/s")
  }

  private func run(_ socket: String, _ words: String..., input: String = "") async throws -> Program.Result {
    try await Program.run(
      ["search"] + words + ["--station-socket", socket], input: [UInt8](input.utf8), environment: ["TZ": "UTC"])
  }

  @Test func whatIsFoundIsALineEach() async throws {
    try await withStation(.found(Self.found)) { station, socket in
      let result = try await run(socket, "secret-code-d8vd", "--why", "a lost wallet")
      expectEqual(result.status, 0, "\(result.errors)")
      expectEqual(
        result.lines,
        [
          "…d8vd  venue  Ada·[2J Lovelace  An Evening of Strings  1 of 2 in  used 2025-12-17 19:33, gate north  refunded",
          "…d8vd  other  0 in",
        ])
      expectEqual(station.orders.map(\.action), [.search("secret-code-d8vd")])
      expectEqual(station.orders.map(\.why), ["a lost wallet"])
      // Whether names are told, the service decides.
      expectEqual(station.names, [true])
      let one = try await run(socket, "-", "--system", "venue", input: " secret-code-d8vd\r\n")
      expect(one.status == 0 && one.lines.count == 1 && one.output.contains("venue"), "\(one)")
      expectEqual(station.orders.last?.action, .search("secret-code-d8vd"))
    }
  }

  @Test func nobodySeesTheWholeCode() async throws {
    // A service that does not shorten what it found.
    let whole = FoundTicket(code: "secret-code-d8vd", system: Self.venue)
    try await withStation(.found([whole])) { _, socket in
      let result = try await run(socket, "secret-code-d8vd")
      expect(result.status == 0 && result.output.hasPrefix("…d8vd  venue"), "\(result)")
    }
    try await withStation(.found([])) { _, socket in
      for (text, shown) in [("secret-code-d8vd", "…d8vd"), ("d8vd", "…d8vd"), ("…d8vd", "…d8vd")] {
        let result = try await run(socket, text)
        expect(result.status == 1 && result.output.isEmpty, "\(result)")
        expect(result.errors.contains("Nothing is known here of \(shown)."), "\(result.errors)")
        expect(!result.errors.contains("secret"))
      }
    }
  }

  @Test func itEndsAsOtherOrdersDo() async throws {
    try await withStation(.refused(.tooMany, "Wait a minute.")) { station, socket in
      let refused = try await run(socket, "secret-code-d8vd")
      expect(refused.status == 1 && refused.errors.contains("Not done (tooMany). Wait a minute."), "\(refused)")
      let system = try await run(socket, "secret-code-d8vd", "--system", "west")
      expect(system.status == 64 && system.errors.contains("There is no ticket system west"), "\(system)")
      try await expectEqual(run(socket, "-", input: " \n").status, 65)
      expectEqual(station.orders.count, 1)
    }
    let nobody = try await run("/nonexistent/s", "secret-code-d8vd")
    expect(nobody.status == 69 && nobody.errors.contains("systemctl start scangate"), "\(nobody)")
  }

  // MARK: The socket's path

  @Test func aRelativePathIsOneOfTheWorkingFolder() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let station = try ScriptedStation(at: folder.path + "/s")
    defer { station.end() }
    try FileManager.default.createDirectory(at: folder.appending(path: "in"), withIntermediateDirectories: false)
    for (path, place) in [("s", ""), ("./s", ""), ("../s", "/in")] {
      let result = try await Program.run(
        ["open", "north", "--station-socket", path], launcher: ["/usr/bin/env", "-C", folder.path + place])
      expect(result.status == 0 && result.output == "done as scripted\n", "\(path): \(result)")
    }
    let nobody = try await Program.run(
      ["status", "--station-socket", "t"], launcher: ["/usr/bin/env", "-C", folder.path])
    expect(nobody.status == 2 && nobody.errors.contains("nobody listens at \(folder.path)/t"), "\(nobody)")
  }

  @Test func whatCanBeNoSocketsPathIsRefusedInWords() async throws {
    let long = "/" + String(repeating: "x", count: 107)
    for (path, words) in [(long, "has 108"), ("/", "write the path of a socket"), ("", "write the path")] {
      for command in [["status"], ["run"]] {
        let result = try await Program.run(command + ["--station-socket", path])
        expect(result.status == 64 && result.errors.contains(words), "\(command) \(path.count): \(result)")
      }
    }
    try expectEqual(SocketPath.resolved("@scangate-x"), "@scangate-x")
  }

  // MARK: Whose it is

  /// A socket that the gateway makes itself is for the same group as the unit's, where there is one.
  @Test func aSocketOfOursIsForTheGroupThatMayLook() async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path + "/own"
    try Data().write(to: URL(filePath: path))
    let none = RunCommand.share(path, with: "no-such-group-here")
    expectEqual(none?.contains("There is no group no-such-group-here here"), true, "\(none ?? "")")

    let socket = folder.path + "/s"
    let station = try Station(["--station-socket", socket])
    defer { station.end() }
    expect(await station.next { $0["type"] as? String == "gate" } != nil)
    let status = try await Program.run(["status", "--station-socket", socket])
    expect([1, 2].contains(status.status), "\(status)")
    let isShared = RunCommand.share(socket) == nil
    await until { isShared || station.log.contains("the group scangate-console") || station.log.contains("no group") }
    expectEqual(station.log.contains("scangate-console"), !isShared, "\(station.log)")
  }
}
