import Expectations
import Foundation
import Journal
import ScanConfiguration
import ScanModel
import Sealing
import StationProtocol
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
    let checkUp = checkUp(
      place,
      ConfigurationReading(
        configuration: try place.station(), warnings: ["station.yaml:3:1: a word; another"], errors: []))
    let report = await checkUp.report()
    let areas = Set(report.findings.map(\.area))
    for area: Finding.Area in [
      .service, .configuration, .permissions, .udev, .readers, .outputs, .ticketSystems, .lists, .journal, .disk,
      .clock,
    ] { expect(areas.contains(area), "\(area): \(report.lines())") }
    expectEqual(report.exitStatus, 2)
    for finding in report.findings where finding.severity >= .warning { expect(finding.cure != nil, "\(finding)") }
    let warning = try #require(report.findings.first { $0.area == .configuration })
    expect(warning.place == "station.yaml:3:1" && warning.words == "a word; another", "\(warning)")
    // Nothing was made in the state folder.
    expectEqual(try FileManager.default.contentsOfDirectory(atPath: place.state), [])
  }

  /// Where a service runs, it says how readers, lists and outbox are; where it says nothing, that is said.
  @Test func whatRunsIsAsked() async throws {
    let place = try Place()
    let key = try place.keys.open().key
    let journal = try Journal.open(
      Journal.Settings(path: place.state + "/journal.sqlite"), key: key, boot: BootID("boot 1"), time: SystemTime())
    try await journal.written(journal.enqueue(JournalBatch(facts: [.owed(owed("TICKET-0001", minutes: 90))])))
    // Whose journal it is is told by the kernel.
    try place.put("/proc/locks", try String(contentsOfFile: "/proc/locks", encoding: .utf8))
    let reading = ConfigurationReading(configuration: try place.station(), warnings: [], errors: [])
    func report(_ answer: Result<StationSnapshot, StationAbsence>) async -> Report {
      var checkUp = checkUp(place, reading)
      checkUp.service = { answer }
      return await checkUp.report()
    }
    var station = StationSnapshot(station: "door", version: "1", at: SystemTime().wall(), uptime: .seconds(9))
    var gate = StationSnapshot.Gate(
      id: GateID("north"), condition: .init(state: "maintenance"), ticketSystem: TicketSystemID("main"))
    (gate.readers, gate.isMaintenanceOrdered) = ([ReaderID("left")], true)
    station.gates = [gate]
    station.readers = [StationSnapshot.Reader(id: ReaderID("left"), condition: .init(state: "reading"))]
    var system = StationSnapshot.TicketSystem(id: TicketSystemID("main"), type: "eventschedule")
    system.list = .init(tickets: 12, age: .seconds(60), mostAge: .seconds(86_400))
    station.ticketSystems = [system]

    let told = await report(.success(station)).findings
    let maintenance = try #require(told.first { $0.place == "gates.north" && $0.area == .service })
    expect(maintenance.severity == .warning && maintenance.cure == "sudo scangate maintenance off north")
    expectEqual(told.filter { $0.area == .lists }.map(\.words), ["12 tickets, 1 min old."])
    expectEqual(told.filter { $0.area == .outbox }.map(\.words), ["Nothing waits to be told."])
    // What is wrong of a reader is looked for all the same, and then said instead.
    expectEqual(told.filter { $0.place == "readers.left" }.map(\.severity), [.fault], "\(told)")

    // One of another station says nothing of this one.
    station.station = "another"
    let own = await report(.success(station)).findings
    expect(!own.contains { $0.place == "gates.north" && $0.area == .service })
    expectEqual(own.filter { $0.area == .outbox }.map(\.severity), [.warning])
    expect(own.contains { $0.area == .lists && $0.severity == .warning })

    let silent = await report(.failure(StationAbsence(.silent, "The service does not answer."))).findings
    let finding = try #require(silent.first { $0.place == "socket" })
    expect(finding.severity == .warning && finding.cure == "sudo systemctl restart scangate", "\(finding)")
    await journal.close()
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
