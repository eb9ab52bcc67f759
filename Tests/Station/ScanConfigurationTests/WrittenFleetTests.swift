import Expectations
import FleetBook
import FleetSetUp
import Foundation
import ScanModel
import Testing
import TicketSystemKit

@testable import ScanConfiguration

/// The section that a fleet's folder has for its stations, read as theirs.
@Suite struct WrittenFleetTests {
  @Test func aStationTakesTheSectionThatItsFleetsFolderHas() throws {
    var wish = FleetWish(
      name: "summer", nodes: try ["gate1", "gate2", "gate3=10.0.0.13"].map { try #require(FleetNode($0)) })
    let names = try ["north", "south"].map { try #require(StationID($0)) }
    wish.event = "fair-2026"
    wish.stations = names
    let change = try FleetChange.making(wish, at: WallTime(seconds: 1_800_000_000))
    let written = try #require(change.files.first { $0.path == "stations/north/fleet.yaml" })
    let file = goodFile.replacingOccurrences(of: "station: { name: door }", with: "station: { name: north }")
    let reading = try ConfigurationFile.parse(
      text: file + String(decoding: written.bytes, as: UTF8.self), file: "f", options: testOptions)
    let fleet = try #require(reading.configuration.fleet)
    expectEqual(fleet.name, "fair-2026")
    expectEqual(fleet.servers, change.layout.servers)
    expectEqual(fleet.copies, 3)
    expectEqual(fleet.credential.name, "fleet")
    expectEqual(fleet.ca.path, "/etc/scangate/fleet-ca.pem")
    expectEqual(fleet.alone, .refuse)
    expectEqual(Set(fleet.stations.keys), Set(names))
    expect(fleet.administrators == change.layout.administratorKeys && fleet.administrators.count == 1)
    for station in change.layout.stations { expectEqual(fleet.stations[station.name], station.signs) }
  }
}
