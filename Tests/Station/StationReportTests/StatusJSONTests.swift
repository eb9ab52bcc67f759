import Expectations
import Foundation
import ScanModel
import StationProtocol
import StationReport
import StationTesting
import Testing

/// The JSON of a snapshot.
@Suite struct StatusJSONTests {
  /// Also where nobody knows them.
  @Test func diskAndCertificatesAreAlwaysThere() throws {
    let text = StatusJSON.text(SampleStation.snapshot(), [])
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    expect(json["disk"] is NSNull)
    expect((json["ticket_systems"] as? [[String: Any]])?.first?["certificate_ends"] is NSNull)
  }

  @Test func jsonHasEveryKeyAndTheSameWord() throws {
    var station = SampleStation.snapshot()
    station.outbox.isHeld = true
    station.gates[0].condition = .init(state: "ready", detail: SampleStation.hostile)
    station.control = .init()
    station.fleet = .init(name: "summer", condition: .init(state: "together"))
    station.fleet?.inHouse = 812
    station.fleet?.inHouseHere = -3
    station.disk = .init(free: 5_000_000_000, size: 31_000_000_000)
    station.ticketSystems[0].certificateEnds = SampleStation.now + .seconds(40 * 86_400)
    let remarks = StationJudgement.remarks(on: station, program: station.version)
    let text = StatusJSON.text(station, remarks)
    expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202E}" })
    let json = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    expect(json["level"] as? Int == 1 && json["running"] as? Bool == true && json["station"] as? String == "door")
    let gates = try #require(json["gates"] as? [[String: Any]])
    expectEqual(gates.map { $0["passed"] as? Int }, [412, 31])
    expectEqual(gates.first?["detail"] as? String, SampleStation.hostile)
    expectEqual((json["outbox"] as? [String: Any])?["held"] as? Bool, true)
    expectEqual((json["remarks"] as? [[String: Any]])?.compactMap { $0["place"] as? String }, ["gate north", "outbox"])
    let fleet = try #require(json["fleet"] as? [String: Any])
    expect(fleet["in_house"] as? Int == 812 && fleet["in_house_here"] as? Int == -3)
    let disk = try #require(json["disk"] as? [String: Any])
    expect(disk["free_bytes"] as? Int == 5_000_000_000 && disk["size_bytes"] as? Int == 31_000_000_000)
    let systems = try #require(json["ticket_systems"] as? [[String: Any]])
    expectEqual(systems.map { $0["certificate_ends"] as? String }, ["2026-12-31T18:42:07.000Z"])
    let document = try String(contentsOf: repositoryFile("docs/operations.md"), encoding: .utf8)
    func keys(_ value: Any) -> Set<String> {
      switch value {
      case let object as [String: Any]: object.reduce(Set(object.keys)) { $0.union(keys($1.value)) }
      case let list as [Any]: list.reduce([]) { $0.union(keys($1)) }
      default: []
      }
    }
    for key in keys(json) { expect(document.contains("`\(key)`"), "docs/operations.md does not name \(key)") }
  }
}
