import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import ScriptedHTTP
import StationProtocol
import StationTesting
import Synchronization
import Testing
import TicketTransport

@testable import Alerts

/// From a station to whoever takes alerts, over real sockets.
@Suite struct WatchTests {
  private typealias Station = Result<StationSnapshot, StationAbsence>

  /// A station that tests change, and whoever takes its alerts.
  private final class Bench: Sendable {
    private final class Status: Sendable { let value = Mutex(200) }

    let station: Mutex<Station>
    private let status: Status
    let lines = Mutex<[String]>([])
    let server: ScriptedServer
    let port: Int
    let file: String

    init(_ station: StationSnapshot = SampleStation.snapshot()) async throws {
      self.station = Mutex(.success(station))
      let status = Status()
      self.status = status
      let server = ScriptedServer { _, _, connection in
        connection.send("HTTP/1.1 \(status.value.withLock { $0 }) Said\r\nContent-Length: 0\r\n\r\n")
      }
      self.server = server
      port = try await server.start()
      file = "\(temporaryRoot)/alerts-\(UUID().uuidString).json"
    }

    func answer(_ status: Int) { self.status.value.withLock { $0 = status } }

    func change(_ change: (inout StationSnapshot) -> Void) {
      station.withLock { station in
        var snapshot = (try? station.get()) ?? SampleStation.snapshot()
        change(&snapshot)
        station = .success(snapshot)
      }
    }

    func end() { station.withLock { $0 = .failure(StationAbsence(.nobody, "nobody")) } }

    /// Minutes are milliseconds.
    func watch(
      _ conditions: Set<AlertCondition> = Set(AlertCondition.chosen), retries: [Duration] = [.milliseconds(5)]
    ) throws -> AlertWatch {
      var settings = AlertWatch.Settings(station: "door", conditions: conditions, file: file)
      settings.interval = .milliseconds(2)
      settings.timing.bad = .milliseconds(6)
      settings.timing.good = .milliseconds(12)
      settings.timing.longest = .milliseconds(24)
      settings.retries = retries
      return AlertWatch(
        settings, sender: try AlertSender(url: ServerAddress("http://127.0.0.1:\(port)/gate")),
        look: { self.station.withLock { $0 } }, log: { line in self.lines.withLock { $0.append(line) } })
    }

    /// The titles that have arrived.
    var titles: [String] {
      server.requests.compactMap { request in
        request.components(separatedBy: "\r\n").first { $0.hasPrefix("Title: ") }.map { String($0.dropFirst(7)) }
      }
    }

    /// Runs a watch while `work` is done.
    func running(_ watch: AlertWatch, _ work: () async throws -> Void) async rethrows {
      let task = Task { await watch.run() }
      do {
        try await work()
      } catch {
        task.cancel()
        throw error
      }
      task.cancel()
      await task.value
    }
  }

  @Test func whatIsWrongAndThatItIsOverIsTold() async throws {
    let bench = try await Bench()
    let watch = try bench.watch()
    await bench.running(watch) {
      bench.change { $0.readers[0].condition = .init(state: "parked") }
      await until { bench.titles == ["door: reader north-reader"] }
      var open = await watch.figures.open
      expectEqual(open, [.reader: 1])
      bench.change { $0.readers[0].condition = .init(state: "reading") }
      await until { bench.titles == ["door: reader north-reader", "door: resolved: reader north-reader"] }
      open = await watch.figures.open
      expectEqual(open, [:])
      await until { await watch.figures.delivered == 2 }
    }
    await bench.server.stop()
  }

  @Test func thatNoServiceRunsIsToldWhateverIsChosen() async throws {
    let bench = try await Bench()
    bench.change { $0.readers[0].condition = .init(state: "parked") }
    let watch = try bench.watch([.disk])
    await bench.running(watch) {
      bench.end()
      await until { bench.titles == ["door: service"] }
      bench.change { $0.uptime = .seconds(121) }
      await until { bench.titles.count == 2 }
    }
    expectEqual(bench.titles, ["door: service", "door: resolved: service"])
    await bench.server.stop()
  }

  @Test func whatDidNotArriveIsToldAgain() async throws {
    let bench = try await Bench()
    bench.answer(503)
    let watch = try bench.watch(retries: [.milliseconds(5), .milliseconds(5), .seconds(600)])
    await bench.running(watch) {
      bench.change { $0.journal = .init(state: "failing") }
      await until { await watch.figures.failures == 3 }
      bench.answer(200)
      // Something else arrives: whoever takes alerts is there again, and what waits for minutes is told now.
      bench.change { $0.readers[0].condition = .init(state: "parked") }
      await until { await watch.figures.delivered == 2 }
    }
    expectEqual(Set(bench.titles), ["door: disk", "door: reader north-reader"])
    expectEqual(bench.lines.withLock { $0 }.filter { $0.contains("is tried again later") }.count, 1)
    await bench.server.stop()
  }

  @Test func whatCannotBeToldIsGivenUpWithWords() async throws {
    let bench = try await Bench()
    bench.answer(401)
    let watch = try bench.watch(retries: [.milliseconds(2), .milliseconds(2), .milliseconds(2)])
    await bench.running(watch) {
      bench.change { $0.journal = .init(state: "failing") }
      await until { await watch.figures.givenUp == 1 }
    }
    expectEqual(bench.titles.count, 4)
    let last = bench.lines.withLock { $0.last } ?? ""
    expect(
      last.contains("\"door: disk\" is told to nobody: 4 tries have failed.") && last.contains("Check the token"),
      last.isEmpty ? "nothing" : "\(last)")
    await bench.server.stop()
  }

  /// What is open is not told again by the next process, and its end is.
  @Test func aRestartTellsNothingTwice() async throws {
    let bench = try await Bench()
    bench.change { $0.readers[0].condition = .init(state: "parked") }
    let first = try bench.watch()
    await bench.running(first) {
      await until { await first.figures.delivered == 1 }
    }
    let second = try bench.watch()
    let open = await second.figures.open
    expectEqual(open, [.reader: 1])
    await bench.running(second) {
      // Something that comes later has come, so what was open was looked at.
      bench.change { $0.journal = .init(state: "failing") }
      await until { bench.titles.count == 2 }
      bench.change { $0.readers[0].condition = .init(state: "reading") }
      await until { bench.titles.count == 3 }
    }
    expectEqual(bench.titles, ["door: reader north-reader", "door: disk", "door: resolved: reader north-reader"])
    await bench.server.stop()
  }

  @Test func whatWaitedIsToldByTheNextProcess() async throws {
    let bench = try await Bench()
    bench.answer(500)
    bench.change { $0.readers[0].condition = .init(state: "parked") }
    let first = try bench.watch(retries: [.seconds(600)])
    await bench.running(first) {
      await until { await first.figures.failures == 1 }
    }
    bench.answer(200)
    let second = try bench.watch(retries: [.seconds(600)])
    await bench.running(second) {
      await until { await second.figures.delivered == 1 }
    }
    expectEqual(bench.titles, ["door: reader north-reader", "door: reader north-reader"])
    await bench.server.stop()
  }

  @Test func aFileThatCannotBeWrittenIsToldOnceAndStopsNothing() async throws {
    let bench = try await Bench()
    var settings = AlertWatch.Settings(station: "door", conditions: [.reader], file: "/proc/nosuch/alerts.json")
    settings.interval = .milliseconds(2)
    settings.timing.bad = .milliseconds(6)
    let watch = AlertWatch(
      settings, sender: try AlertSender(url: ServerAddress("http://127.0.0.1:\(bench.port)/gate")),
      look: { bench.station.withLock { $0 } }, log: { line in bench.lines.withLock { $0.append(line) } })
    await bench.running(watch) {
      bench.change { $0.readers[0].condition = .init(state: "parked") }
      await until { await watch.figures.delivered == 1 }
    }
    expectEqual(bench.lines.withLock { $0 }.filter { $0.contains("cannot be written") }.count, 1)
    await bench.server.stop()
  }

  /// Whoever takes alerts and says nothing holds up no end, and what was on its way is told by the next process.
  @Test func whoSaysNothingHoldsUpNoEnd() async throws {
    let silent = ScriptedServer { _, _, _ in }
    let port = try await silent.start()
    let file = "\(temporaryRoot)/alerts-\(UUID().uuidString).json"
    var settings = AlertWatch.Settings(station: "door", conditions: [.reader], file: file)
    settings.interval = .milliseconds(2)
    settings.timing.bad = .milliseconds(6)
    var station = SampleStation.snapshot()
    station.readers[0].condition = .init(state: "parked")
    let watch = AlertWatch(
      settings, sender: try AlertSender(url: ServerAddress("http://127.0.0.1:\(port)/gate"), patience: .seconds(3_600)),
      look: { [station] in .success(station) }, log: { _ in })
    let task = Task { await watch.run() }
    await until { silent.requests.count == 1 }
    task.cancel()
    await task.value
    let figures = await watch.figures
    expect(figures.waiting == 1 && figures.failures == 0, "\(figures)")
    try expectEqual(AlertState.read(file)?.waiting.map(\.tries), [0])
    await silent.stop()
  }
}
