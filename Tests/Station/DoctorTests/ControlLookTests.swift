import EventSchedule
import Expectations
import ScanConfiguration
import ScanModel
import ScriptedHTTP
import Sealing
import StationSetUp
import Testing
import TicketSystemKit

@testable import Doctor

/// How a station stands with its control service, over real sockets.
@Suite struct ControlLookTests {
  private static let service = """
    HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"status":"ok"}
    """

  private func look(_ place: Place, port: Int) async throws -> [Finding] {
    let text = "\(Place.yaml)\ncontrol: { type: kiosk, url: \"http://127.0.0.1:\(port)\" }"
    let credentials = CredentialResolver { name throws(SetupError) in throw SetupError("no credential \(name)") }
    return await ControlLook(keys: place.keys, credentials: credentials, version: "1", patience: .seconds(10))
      .findings(try place.station(text))
  }

  @Test func withoutTheStationsKeyNobodyIsAsked() async throws {
    let server = ScriptedServer(answer: Self.service)
    let port = try await server.start()
    let found = try await look(try Place(), port: port)
    expectEqual(found.severities, [.warning])
    expectEqual(found.first?.cure, "sudo scangate kiosk status")
    await server.stop()
    expectEqual(server.requests, [])
  }

  /// It is looked at, and never activated by a look.
  @Test func aStationThatIsNotActivatedIsSaidToBeAndNothingIsChanged() async throws {
    let place = try Place()
    _ = try place.keys.open()
    let server = ScriptedServer(answer: Self.service)
    let port = try await server.start()
    let found = try await look(place, port: port)
    expect(!found.isEmpty && found.allSatisfy { $0.severity == .warning && $0.area == .control }, "\(found)")
    expect(found.allSatisfy { $0.cure == "sudo scangate kiosk status" })
    await server.stop()
    expect(!server.requests.isEmpty)
    expect(server.requests.allSatisfy { $0.hasPrefix("GET /api/health") }, "\(server.requests)")
  }

  @Test func aServiceThatDoesNotAnswerIsNamed() async throws {
    let place = try Place()
    _ = try place.keys.open()
    let found = try await look(place, port: 9)
    expect(found.contains { $0.severity == .warning && $0.words.contains("127.0.0.1:9") }, "\(found)")
    // It opens no gate, and its silence shuts none.
    expect(found.allSatisfy { $0.severity < .fault })
  }

  @Test func whereThereIsNoneNothingIsSaid() async throws {
    let place = try Place()
    let credentials = CredentialResolver { _ throws(SetupError) in "" }
    let look = ControlLook(keys: place.keys, credentials: credentials, version: "1", patience: .seconds(1))
    await expectEqual(look.findings(try place.station()), [])
  }

  @Test func healthIsWellOnlyWhereAllIs() {
    var health = ControlHealth()
    (health.serverConnected, health.tokenValid, health.configCurrent) = (true, true, true)
    expectEqual(ControlLook.judge(health).severities, [.good])
    health.configCurrent = false
    expectEqual(ControlLook.judge(health).severities, [.warning])
    health.words = ["The configuration is old.", "\u{1B}[2J The token ends."]
    let found = ControlLook.judge(health)
    expect(found.severities == [.warning, .warning] && !found[1].words.contains("\u{1B}"), "\(found)")
  }
}
