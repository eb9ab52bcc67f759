import Alerts
import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import ScanTesting
import StationProtocol
import StationTesting
import Testing

@testable import Console

/// The page that Prometheus reads.
@Suite struct MetricsPageTests {
  private static let console: ConsoleFigures = {
    var process = ProcessFigures()
    process.cpu = .milliseconds(1_250)
    (process.resident, process.virtual, process.openFiles, process.mostFiles) = (22_000_000, 90_000_000, 14, 1_024)
    var figures = ConsoleFigures(
      version: "0.1.0", startedAt: SampleStation.now - .milliseconds(7_200_250), process: process)
    var alerts = AlertFigures()
    alerts.open = [.reader: 1]
    (alerts.waiting, alerts.delivered, alerts.failures) = (1, 3, 2)
    figures.alerts = alerts
    figures.certificateEnds = SampleStation.now + .seconds(90 * 86_400)
    return figures
  }()
  private static let away = StationAbsence(.nobody, "nobody")

  /// A station of which everything is known.
  private static let station: StationSnapshot = {
    var station = SampleStation.snapshot()
    station.readers[1].condition = .init(state: "parked")
    station.ticketSystems[0].owed = 2
    station.ticketSystems[0].certificateEnds = station.at + .seconds(60 * 86_400)
    station.disk = .init(free: 11_000_000_000, size: 31_000_000_000)
    station.outbox.owed = 2
    station.outbox.oldest = station.at - .seconds(95)
    var away = StationSnapshot.TicketSystem(id: TicketSystemID("members"), type: "subscriptions")
    away.offline = .noConnection
    away.fault = .init(reason: .keyRefused, detail: "x")
    station.ticketSystems.append(away)
    var control = StationSnapshot.Control()
    (control.isActivated, control.isConnected, control.isTokenValid) = (true, true, true)
    station.control = control
    station.fleet = .init(name: "summer", condition: .init(state: "together"))
    station.fleet?.inHouse = 1_160
    station.fleet?.inHouseHere = -3
    var counters = StationCounters()
    let north = GateID("north")
    counters.scans = [
      .init(gate: north, verdict: "admit", reason: nil, decider: .server, count: 412),
      .init(gate: north, verdict: "refuse", reason: "alreadyUsed", decider: .server, count: 9),
    ]
    var times = StationCounters.Histogram()
    for milliseconds in [1, 2, 3, 48, 49, 700, 6_000] { times.add(.milliseconds(milliseconds)) }
    counters.decisions = [.init(gate: north, times: times)]
    counters.requests = [.init(system: TicketSystemID("venue"), times: times)]
    counters.repeats = [.init(gate: north, count: 17)]
    counters.orders = [
      .init(kind: .openOnce, outcome: "done", count: 2), .init(kind: .annul, outcome: "refused", count: 1),
    ]
    (counters.conflicts, counters.eventsDropped, counters.listeners) = (1, 0, 2)
    counters.kioskRequests = [.init(name: "health", result: "ok", count: 40)]
    counters.kioskActivations = [.init(name: "activation", result: "done", count: 1)]
    counters.kioskChanges = 2
    station.counters = counters
    return station
  }()

  private static func page(_ station: StationSnapshot, most: Int = 2_000) throws -> PrometheusText {
    try PrometheusText(MetricsPage.text(.success(station), console, most: most))
  }

  /// The pages that `make metrics-check` has Prometheus itself read. `UPDATE_GOLDEN=1` writes them anew.
  @Test func isAsPrometheusHasTakenIt() throws {
    for (name, text) in [
      ("station", MetricsPage.text(.success(Self.station), Self.console)),
      ("away", MetricsPage.text(.failure(Self.away), Self.console)),
    ] {
      let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../pages/\(name).prom")
      if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
        try text.write(to: file, atomically: true, encoding: .utf8)
      }
      try expectEqual(text, String(contentsOf: file, encoding: .utf8), "\(name)")
      _ = try PrometheusText(text)
    }
  }

  @Test func hasWhatIsPromised() throws {
    let page = try Self.page(Self.station)
    expectEqual(page.value("scangate_up"), "1")
    for (name, labels, value) in [
      ("scangate_scans_total", ["gate": "north", "verdict": "admit", "reason": "", "decider": "server"], "412"),
      (
        "scangate_scans_total", ["gate": "north", "verdict": "refuse", "reason": "alreadyUsed", "decider": "server"],
        "9"
      ),
      ("scangate_decision_seconds_bucket", ["gate": "north", "le": "0.001"], "1"),
      ("scangate_decision_seconds_bucket", ["gate": "north", "le": "0.05"], "5"),
      ("scangate_decision_seconds_bucket", ["gate": "north", "le": "5"], "6"),
      ("scangate_decision_seconds_bucket", ["gate": "north", "le": "+Inf"], "7"),
      ("scangate_decision_seconds_sum", ["gate": "north"], "6.803"),
      ("scangate_decision_seconds_count", ["gate": "north"], "7"),
      ("scangate_request_seconds_count", ["system": "venue"], "7"),
      ("scangate_reader_state", ["reader": "south-reader", "state": "parked"], "1"),
      ("scangate_reader_state", ["reader": "south-reader", "state": "reading"], "0"),
      ("scangate_gate_state", ["gate": "north", "state": "ready"], "1"),
      ("scangate_ticket_system_up", ["system": "venue"], "1"),
      ("scangate_ticket_system_up", ["system": "members"], "0"),
      ("scangate_ticket_system_fault", ["system": "members", "reason": "keyRefused"], "1"),
      ("scangate_rate_budget_left", ["system": "venue"], "55"),
      ("scangate_list_age_seconds", ["system": "venue"], "720"),
      ("scangate_clock_ahead_seconds", ["system": "venue"], "-0.24"),
      ("scangate_outbox_owed", ["system": "venue"], "2"),
      ("scangate_outbox_oldest_seconds", [:], "95"), ("scangate_conflicts_total", [:], "1"),
      ("scangate_disk_free_bytes", [:], "11000000000"), ("scangate_disk_size_bytes", [:], "31000000000"),
      ("scangate_certificate_end_seconds", ["system": "venue"], "1800470527"),
      ("scangate_console_certificate_end_seconds", [:], "1803062527"), ("scangate_journal_failing", [:], "0"),
      ("scangate_clock_trusted", [:], "1"), ("scangate_fleet_together", [:], "1"),
      ("scangate_fleet_in_house", [:], "1160"), ("scangate_fleet_in_house_here", [:], "-3"),
      ("scangate_kiosk_requests_total", ["endpoint": "health", "result": "ok"], "40"),
      ("scangate_kiosk_activations_total", ["result": "done"], "1"),
      ("scangate_kiosk_configuration_changes_total", [:], "2"), ("scangate_events_dropped_total", [:], "0"),
      ("scangate_orders_total", ["order": "openOnce", "outcome": "done"], "2"),
      ("scangate_orders_total", ["order": "maintenance", "outcome": "done"], "0"),
      ("scangate_build_info", ["program": "service", "version": "0.1.0"], "1"),
      ("process_cpu_seconds_total", [:], "1.25"), ("process_resident_memory_bytes", [:], "22000000"),
      ("process_open_fds", [:], "14"), ("scangate_series_omitted", [:], "0"),
      ("scangate_alerts_open", ["condition": "reader"], "1"), ("scangate_alerts_open", ["condition": "disk"], "0"),
    ] as [(String, [String: String], String)] {
      expectEqual(page.value(name, labels), value, "\(name) \(labels)")
    }
    expectEqual(page.value("process_start_time_seconds"), "1795279326.75")
    expectEqual(page.value("scangate_start_time_seconds"), "\(SampleStation.now.seconds - 3 * 3_600)")
  }

  @Test func answersWithoutTheStation() throws {
    let page = try PrometheusText(MetricsPage.text(.failure(Self.away), Self.console))
    expectEqual(page.value("scangate_up"), "0")
    expectEqual(page.value("process_cpu_seconds_total"), "1.25")
    expectEqual(page.value("scangate_build_info", ["program": "console", "version": "0.1.0"]), "1")
    expectEqual(page["scangate_gate_state"]?.name, nil)
    expectEqual(page.value("scangate_series_omitted"), "0")
  }

  /// The numbers of whatever station come back as they were.
  @Test(arguments: 0..<extent(landing: 60, release: 600))
  func readsBackToTheSameNumbers(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    func number(_ random: inout SeededGenerator) -> UInt64 {
      let some = [0, 1, UInt64.max, UInt64.random(in: .min ... .max, using: &random)]
      return some[Int.random(in: 0..<some.count, using: &random)]
    }
    func times(_ random: inout SeededGenerator) -> StationCounters.Histogram {
      let buckets = (0...StationCounters.Histogram.bounds.count).map { _ in number(&random) }
      let sum = Duration.nanoseconds(Int64.random(in: 0...Int64.max, using: &random))
      return StationCounters.Histogram(buckets: buckets, sum: sum) ?? StationCounters.Histogram()
    }
    var station = SampleStation.snapshot()
    var counters = StationCounters()
    for gate in 0..<Int.random(in: 0..<6, using: &random) {
      let gate = GateID("gate-\(gate)")
      for reason in RefuseReason.allCases where random.chance(40) {
        counters.scans.append(
          .init(gate: gate, verdict: "refuse", reason: reason.rawValue, decider: .server, count: number(&random)))
      }
      counters.decisions.append(.init(gate: gate, times: times(&random)))
      counters.repeats.append(.init(gate: gate, count: number(&random)))
    }
    (counters.conflicts, counters.eventsDropped) = (number(&random), number(&random))
    station.counters = counters
    station.ticketSystems[0].clockAhead = .nanoseconds(Int64.random(in: .min ... .max, using: &random))
    station.ticketSystems[0].budget = .init(left: number(&random), most: number(&random))
    let page = try Self.page(station)
    for scans in counters.scans {
      expectEqual(
        page.value(
          "scangate_scans_total",
          [
            "gate": scans.gate.name, "verdict": scans.verdict, "reason": scans.reason ?? "",
            "decider": scans.decider.rawValue,
          ]), "\(scans.count)", "seed \(seed)")
    }
    for repeats in counters.repeats {
      expectEqual(page.value("scangate_repeats_total", ["gate": repeats.gate.name]), "\(repeats.count)", "seed \(seed)")
    }
    for decisions in counters.decisions {
      var sum: UInt64 = 0
      for (index, bucket) in decisions.times.buckets.enumerated() {
        sum = sum.addingReportingOverflow(bucket).overflow ? .max : sum + bucket
        let bound =
          index < StationCounters.Histogram.bounds.count
          ? Self.decimal(StationCounters.Histogram.bounds[index]) : "+Inf"
        expectEqual(
          page.value("scangate_decision_seconds_bucket", ["gate": decisions.gate.name, "le": bound]), "\(sum)",
          "seed \(seed), \(bound)")
      }
      let shown = page.value("scangate_decision_seconds_sum", ["gate": decisions.gate.name])
      expectEqual(shown, Self.decimal(decisions.times.sum), "seed \(seed)")
    }
    expectEqual(page.value("scangate_conflicts_total"), "\(counters.conflicts)", "seed \(seed)")
    expectEqual(
      page.value("scangate_clock_ahead_seconds", ["system": "venue"]),
      station.ticketSystems[0].clockAhead.map(Self.decimal), "seed \(seed)")
    expectEqual(
      page.value("scangate_rate_budget_left", ["system": "venue"]),
      station.ticketSystems[0].budget.map { "\($0.left)" }, "seed \(seed)")
  }

  /// Seconds by another way than the page's.
  private static func decimal(_ duration: Duration) -> String {
    let decimal = Decimal(duration.saturatedNanoseconds) / 1_000_000_000
    return NSDecimalNumber(decimal: decimal).description(withLocale: nil)
  }

  /// Whatever a station's names are, a page can be read, and has no line that somebody else wrote.
  @Test(arguments: 0..<extent(landing: 60, release: 600))
  func isAPageWhateverNamesAre(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    func text(_ random: inout SeededGenerator) -> String {
      let parts = [
        "a", "\"", "\\", "\n", "\r", "\u{0}", "}", "{", ",", "=", " ", "\u{202E}", "漢", "e\u{301}",
        SampleStation.hostile,
      ]
      return (0..<Int.random(in: 0..<6, using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }.joined()
    }
    var station = SampleStation.snapshot(version: text(&random))
    station.station = text(&random)
    for _ in 0..<8 {
      let gate = GateID(text(&random))
      station.gates.append(
        .init(id: gate, condition: .init(state: text(&random)), ticketSystem: TicketSystemID("venue")))
      station.readers.append(.init(id: ReaderID(text(&random)), condition: .init(state: text(&random))))
      station.ticketSystems.append(.init(id: TicketSystemID(text(&random)), type: text(&random)))
      station.counters.scans.append(
        .init(gate: gate, verdict: text(&random), reason: text(&random), decider: .server, count: 1))
      station.counters.repeats.append(.init(gate: gate, count: 1))
      station.counters.kioskRequests.append(.init(name: text(&random), result: text(&random), count: 1))
    }
    station.control = StationSnapshot.Control()
    let page = try Self.page(station)
    let states = Set(page["scangate_gate_state"]?.samples.compactMap { $0.labels["state"] } ?? [])
    expectEqual(
      states.subtracting(["ready", "fault", "maintenance", "closed", "notSetUp", "starting", "other"]), [],
      "seed \(seed)")
  }

  /// What is beyond the bound is left out, counted, and a histogram is never cut.
  @Test(arguments: [0, 1, 30, 31, 100, 1_000, 2_000, 5_000])
  func seriesAreBounded(most: Int) throws {
    var station = SampleStation.snapshot()
    for number in 0..<200 {
      let gate = GateID("gate-\(number)")
      station.gates.append(.init(id: gate, condition: .init(state: "ready"), ticketSystem: TicketSystemID("venue")))
      station.counters.scans.append(.init(gate: gate, verdict: "admit", reason: nil, decider: .server, count: 1))
      station.counters.decisions.append(.init(gate: gate, times: StationCounters.Histogram()))
    }
    let whole = try Self.page(station, most: 1_000_000)
    expectEqual(whole.value("scangate_series_omitted"), "0")
    let page = try Self.page(station, most: most)
    expect(page.series <= max(most, 1), "\(page.series)")
    expectEqual(page.value("scangate_series_omitted"), "\(whole.series - page.series)")
    if most > 1 { expectEqual(page.value("scangate_up"), "1", "what matters most comes first") }
    if most < whole.series { expect(page.series >= most - 15, "there was room: \(page.series)") }
  }

  @Test func aStationOfTheUsualSizeFits() throws {
    var station = SampleStation.snapshot()
    for number in 0..<20 {
      let gate = GateID("gate-\(number)")
      station.gates.append(.init(id: gate, condition: .init(state: "ready"), ticketSystem: TicketSystemID("venue")))
      station.readers.append(.init(id: ReaderID("reader-\(number)"), condition: .init(state: "reading")))
      for reason in RefuseReason.allCases.prefix(10) {
        station.counters.scans.append(
          .init(gate: gate, verdict: "refuse", reason: reason.rawValue, decider: .server, count: 1))
      }
      station.counters.decisions.append(.init(gate: gate, times: StationCounters.Histogram()))
    }
    try expectEqual(Self.page(station).value("scangate_series_omitted"), "0")
  }

  /// `docs/operations.md` has a line for each metric, and for no other.
  @Test func eachMetricIsInTheDocuments() throws {
    let text = try String(contentsOf: repositoryFile("docs/operations.md"), encoding: .utf8)
    let told = text.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("| `scangate_") || line.hasPrefix("| `process_") else { return nil }
      return String(line.dropFirst(3).prefix { $0 != "`" && $0 != "{" })
    }
    let page = try Self.page(Self.station)
    expectEqual(Set(told), Set(page.families.map(\.name)))
    expectEqual(told.count, Set(told).count, "told once")
    for family in page.families {
      let line = text.split(separator: "\n").first {
        $0.hasPrefix("| `\(family.name)`") || $0.hasPrefix("| `\(family.name){")
      }
      expect(line?.contains("| \(family.kind) |") == true, "\(family.name) is a \(family.kind)")
    }
  }

  @Test func thisProcessIsMeasured() {
    let before = ProcessFigures.now()
    expect(before.resident.map { $0 > 1_000_000 } == true && before.virtual ?? 0 >= before.resident ?? 0, "\(before)")
    expect((before.openFiles ?? 0) >= 3, "\(before)")
    var sum = 0
    for number in 0..<3_000_000 { sum &+= number &* sum ^ number }
    expect(ProcessFigures.now().cpu > before.cpu, "\(sum)")
  }
}
