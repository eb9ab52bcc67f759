import Expectations
import Foundation
import ScanModel
import StationProtocol
import StationReport
import StationTesting
import Testing

/// The JSON of a snapshot.
@Suite struct StatusJSONTests {
  @Test func jsonHasEveryKeyAndTheSameWord() throws {
    var station = SampleStation.snapshot()
    station.outbox.isHeld = true
    station.gates[0].condition = .init(state: "ready", detail: SampleStation.hostile)
    station.control = .init()
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
