import EventSchedule
import Expectations
import ScanConfiguration
import ScanModel
import ScanTesting
import StationProtocol
import Testing
import TicketSystemKit

@testable import Gateway

/// What a station tells of itself that no event has told.
@Suite(.timeLimit(.minutes(1))) struct SnapshotTests {
  private static let text = """
    version: 1
    station: { name: bench }
    ticketSystems: { main: { type: eventschedule, url: "http://127.0.0.1:9", apiKey: main, rate: { limit: 40 } } }
    readers: { left: { type: wedge, match: { vendor: "0c2e", serial: none } } }
    gates: { north: { readers: [left], ticketSystem: main } }
    """

  private func snapshot(folder: String?) async throws -> StationSnapshot {
    let reading = try ConfigurationFile.parse(
      bytes: [UInt8](Self.text.utf8), file: "bench.yaml", options: ConfigurationOptions(ticketSystems: [.eventSchedule])
    ).configuration
    let hub = EventHub()
    let memory = StationMemory(dependencies: try .inMemory())
    let running = RunningStation(
      version: "0.1.0", events: hub, memory: memory, setUp: nil, holder: nil, folder: folder)
    let station = try await ConfiguredStation.make(
      reading, outputs: .own, credentials: CredentialResolver { _ throws(SetupError) in "a-key-of-some-length" },
      memory: memory, events: hub
    ) { _, _ in }
    running.attach(station, of: reading)
    let snapshot = await running.snapshot()
    await station.discard()
    return snapshot
  }

  @Test func whatIsLeftOfBudgetAndDiskIsTold() async throws {
    let snapshot = try await snapshot(folder: temporaryRoot)
    expectEqual(snapshot.ticketSystems.map(\.budget), [StationSnapshot.Budget(left: 40, most: 40)])
    // Nobody was asked yet, and by plain HTTP nobody shows a certificate.
    expectEqual(snapshot.ticketSystems.map(\.certificateEnds), [nil])
    // Where none was ever imported, there is no list that could not be read.
    expectEqual(snapshot.ticketSystems.map(\.list), [nil])
    let disk = try #require(snapshot.disk)
    expect(disk.size > 0 && disk.free <= disk.size, "\(disk)")
  }

  @Test func aDiskThatCannotBeAskedIsNotMadeUp() async throws {
    try await expectEqual(snapshot(folder: nil).disk, nil)
    try await expectEqual(snapshot(folder: "\(temporaryRoot)/there-is-no-such-folder").disk, nil)
  }
}
