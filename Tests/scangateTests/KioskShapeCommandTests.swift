import Expectations
import Foundation
import Testing
import VenueServer

/// A station is activated by each server that there really was, with a token and without one.
@Suite struct KioskShapeCommandTests {
  /// A station and a venue that passes for a server of that shape.
  private func withStation(
    _ shape: KioskShape, _ body: (_ station: [String], _ socket: String) async throws -> Void
  ) async throws {
    let folder = try temporaryFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let (state, config) = (folder.path + "/state", folder.path + "/scangate.yaml")
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let venue = try VenueServer(
      VenueConfiguration(
        storage: .memory, controlSocket: folder.path + "/venue.sock", kioskShape: shape, kioskToken: "the-shared-token")
    )
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await venue.run { tell.yield($0) }
    }
    defer { serving.cancel() }
    let address = try #require(await ready.first { _ in true })
    let example = repositoryFile("examples/kiosk.yaml")
    try String(contentsOf: example, encoding: .utf8)
      .replacing("https://kiosks.example.org", with: address.url + "\n  registration: shared")
      .write(toFile: config, atomically: true, encoding: .utf8)
    let token = [UInt8]("the-shared-token".utf8)
    try await expectEqual(Program.run(["credential", "set", "shared", "--state", state], input: token).status, 0)

    let station = ["--config", config, "--state", state]
    try await body(station, folder.path + "/venue.sock")
  }

  @Test(arguments: KioskShape.allCases) func aStationIsActivatedAndFetchesItsConfiguration(shape: KioskShape)
    async throws
  {
    try await withStation(shape) { station, socket in
      let made = try await Program.run(["venue", "activation-code", "--control", socket])
      let code = [UInt8](made.output.utf8)
      let activated = try await Program.run(["kiosk", "activate"] + station, input: code)
      expectEqual(activated.status, 0, "\(activated.errors)")
      let synced = try await Program.run(["kiosk", "sync"] + station)
      expectEqual(synced.status, 0, "\(shape) \(synced.errors) \(activated.errors)")
      let told = try await Program.run(["kiosk", "status", "--set", "in-use"] + station)
      // One of them knows no status, and one takes it from its administrators alone.
      expectEqual(told.status, ([.cueit, .cueitJWT].contains(shape) ? 69 : 0), "\(told.errors)")
      let status = try await Program.run(["kiosk", "status"] + station)
      expectEqual(status.status, 0, "\(status.output)")
      expect(!(activated.output + status.output + status.errors).contains("the-shared-token"))
    }
  }

  /// Every form in which a code is shown, made for any station and for this one; and a second one for a new token.
  @Test(arguments: KioskShape.allCases) func everyFormOfACodeIsTaken(shape: KioskShape) async throws {
    try await withStation(shape) { station, socket in
      func made(_ arguments: String...) async throws -> [String] {
        try await Program.run(["venue", "activation-code", "--control", socket] + arguments).lines
      }
      func activate(_ code: String?, _ more: String...) async throws {
        let result = try await Program.run(
          ["kiosk", "activate"] + more + station, input: [UInt8](try #require(code).utf8))
        expectEqual(result.status, 0, "\(code ?? "") \(result.errors)")
      }
      // Four forms, each made for any station and for this one alone. At a landing each shape has two of the eight, the next shape the
      // next two: each has its turn.
      let turn = try #require(KioskShape.allCases.firstIndex(of: shape))
      for number in stride(from: extent(landing: turn % 4, release: 0), to: 8, by: extent(landing: 4, release: 1)) {
        let (form, isOwn) = (number % 4, number >= 4)
        _ = try await Program.run(["kiosk", "reset", "--yes"] + station)
        let status = try await Program.run(["kiosk", "status", "--json"] + station)
        let object = try JSONSerialization.jsonObject(with: Data(status.output.utf8)) as? [String: Any]
        let id = try #require(object?["station_id"] as? String)
        // A link always names the kiosk that it was made for.
        let own = isOwn || form == 3 ? ["--for", id] : []
        let codes = try await Program.run(
          ["venue", "activation-code", "--control", socket] + own + (form == 0 ? [] : ["--json", "--url", ""])
        ).lines
        try await activate(form == 0 ? codes.first : codes.dropFirst(form - 1).first)
      }
      try await activate(try await made("--json").dropFirst().first, "--again")
    }
  }
}
