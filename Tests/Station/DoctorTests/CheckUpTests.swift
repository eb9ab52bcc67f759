import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import Sealing
import Testing
import TicketSystemKit

@testable import Doctor

/// A whole report, of a station on this machine.
@Suite struct CheckUpTests {
  private func checkUp(_ place: Place, _ reading: ConfigurationReading) -> CheckUp {
    CheckUp(
      version: "1", file: "station.yaml", reading: reading, keys: place.keys,
      credentials: CredentialResolver { name throws(SetupError) in throw SetupError("there is no credential \(name).")
      },
      machine: place.machine)
  }

  @Test func everyAreaIsLookedAtAndEachFaultHasItsCure() async throws {
    let place = try Place()
    var checkUp = checkUp(
      place,
      ConfigurationReading(
        configuration: try place.station(), warnings: ["station.yaml:3:1: a word; another"], errors: []))
    // What the running service would tell goes into the same report.
    checkUp.service = {
      [Finding(.warning, .service, "gates.north", "It is in maintenance.", cure: "scangate maintenance off north")]
    }
    let report = await checkUp.report()
    let areas = Set(report.findings.map(\.area))
    for area: Finding.Area in [
      .service, .configuration, .permissions, .udev, .readers, .outputs, .ticketSystems, .lists, .journal, .disk,
      .clock,
    ] { expect(areas.contains(area), "\(area): \(report.lines())") }
    expectEqual(report.exitStatus, 2)
    for finding in report.findings where finding.severity >= .warning { expect(finding.cure != nil, "\(finding)") }
    expect(report.findings.contains { $0.place == "gates.north" && $0.area == .service })
    let warning = try #require(report.findings.first { $0.area == .configuration })
    expect(warning.place == "station.yaml:3:1" && warning.words == "a word; another", "\(warning)")
    // Nothing was made in the state folder.
    expectEqual(try FileManager.default.contentsOfDirectory(atPath: place.state), [])
  }

  @Test func aConfigurationThatCannotBeReadIsAFaultAndTheRestIsLookedAtAllTheSame() async throws {
    let place = try Place()
    let report = await checkUp(
      place, ConfigurationReading(warnings: [], errors: ["station.yaml:6:15: it is wrong; mend it"])
    ).report()
    expectEqual(report.exitStatus, 2)
    expect(report.findings.contains { $0.place == "station.yaml:6:15" && $0.severity == .fault })
    expect(report.findings.contains { $0.area == .disk } && report.findings.contains { $0.area == .journal })
    expect(report.station == nil)
  }
}
