internal import Alerts
internal import ScanConfiguration
internal import ScanModel
package import StationProtocol
internal import StationReport

/// The page of metrics: a station as Prometheus reads it. Pure. Labels are names of the configuration and words of ours; what devices,
/// servers and people have written is not on it.
///
/// What comes first is kept where there are more than `MetricsText.mostSeries`: whether the service is there, the console itself, then
/// states, then counters, then histograms.
package enum MetricsPage {
  /// The media type.
  package static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

  /// The most series of a page.
  package static let mostSeries = 2_000

  /// The page.
  /// - Parameters:
  ///   - station: how it is; the page of one that is away has the console's own metrics.
  ///   - most: how many series it may have; for tests.
  package static func text(
    _ station: Result<StationSnapshot, StationAbsence>, _ console: ConsoleFigures, most: Int = mostSeries
  ) -> String {
    var page = MetricsText(most: most)
    let snapshot = try? station.get()
    page.add(
      .gauge, "scangate_up", "Whether the station's service answers; without it there are the console's metrics alone.",
      .flag(snapshot != nil))
    add(console, service: snapshot?.version, to: &page)
    if let snapshot { add(snapshot, to: &page) }
    return page.finished()
  }

  private static func add(_ console: ConsoleFigures, service: String?, to page: inout MetricsText) {
    let programs = [("console", console.version)] + (service.map { [("service", $0)] } ?? [])
    page.add(
      .gauge, "scangate_build_info", "The release of each program.",
      programs.map { (["program": $0, "version": $1], .flag(true)) })
    let process = console.process
    page.add(.counter, "process_cpu_seconds_total", "How long the console has computed.", .seconds(process.cpu))
    page.add(
      .gauge, "process_resident_memory_bytes", "Memory that the console has in use.",
      process.resident.map { .count($0) })
    page.add(
      .gauge, "process_virtual_memory_bytes", "Memory that the console has reserved.",
      process.virtual.map { .count($0) })
    page.add(.gauge, "process_open_fds", "Descriptors that the console has open.", process.openFiles.map { .count($0) })
    page.add(.gauge, "process_max_fds", "Descriptors that it may have open.", process.mostFiles.map { .count($0) })
    page.add(.gauge, "process_start_time_seconds", "When the console was started.", .time(console.startedAt))
    page.add(
      .gauge, "scangate_console_certificate_end_seconds", "When the console's own certificate ends.",
      console.certificateEnds.map { .time($0) })
    if let alerts = console.alerts {
      page.add(
        .gauge, "scangate_alerts_open", "Alerts that are open, by what is wrong.",
        AlertCondition.allCases.map { (["condition": $0.rawValue], .integer(Int64(alerts.open[$0] ?? 0))) })
      page.add(
        .gauge, "scangate_alerts_waiting", "Alerts that are still to be posted.", .integer(Int64(alerts.waiting)))
      page.add(
        .counter, "scangate_alerts_total",
        "Alerts by what became of them: delivered, given up, or dropped for newer ones.",
        [
          (["result": "delivered"], .count(alerts.delivered)), (["result": "givenUp"], .count(alerts.givenUp)),
          (["result": "dropped"], .count(alerts.dropped)),
        ])
      page.add(
        .counter, "scangate_alert_failures_total", "Tries to post an alert that were in vain.", .count(alerts.failures))
    }
  }

  private static func add(_ station: StationSnapshot, to page: inout MetricsText) {
    addStation(station, to: &page)
    addGates(station.gates, to: &page)
    addReaders(station.readers, to: &page)
    addTicketSystems(station.ticketSystems, to: &page)
    if let control = station.control { add(control, station.counters, to: &page) }
    add(station.counters, to: &page)
  }

  // MARK: The station

  private static func addStation(_ station: StationSnapshot, to page: inout MetricsText) {
    page.add(
      .gauge, "scangate_station_info", "The station's name.", [(["station": station.station], .flag(true))])
    page.add(
      .gauge, "scangate_start_time_seconds", "When the service was started.", .time(station.at - station.uptime))
    page.add(
      .gauge, "scangate_clock_trusted", "Whether somebody vouches for the machine's clock.",
      .flag(station.isClockTrusted))
    page.add(
      .gauge, "scangate_journal_failing", "Whether the journal keeps nothing.",
      .flag(station.journal.state == "failing"))
    page.add(
      .gauge, "scangate_disk_free_bytes", "What the service may still write to the journal's disk.",
      station.disk.map { .count($0.free) })
    page.add(
      .gauge, "scangate_disk_size_bytes", "The size of the journal's disk.", station.disk.map { .count($0.size) })
    page.add(
      .gauge, "scangate_fleet_together", "Whether the station has its fleet.",
      (station.fleet?.condition.state).map { .flag($0 == "together") })
    page.add(
      .gauge, "scangate_fleet_in_house",
      "Who came and has not left, over all stations of the fleet; absent while nobody knows.",
      (station.fleet?.inHouse).map { .integer($0) })
    page.add(
      .gauge, "scangate_fleet_in_house_here", "The same by this station alone.",
      (station.fleet?.inHouseHere).map { .integer($0) })
    page.add(
      .gauge, "scangate_outbox_held", "Whether staff hold the outbox: nothing is told.", .flag(station.outbox.isHeld))
    page.add(
      .gauge, "scangate_outbox_oldest_seconds",
      "How long the oldest admission has waited to be told; 0 where none waits.",
      .seconds(station.outbox.oldest.map { max(station.at - $0, .zero) } ?? .zero))
    page.add(
      .counter, "scangate_conflicts_total", "Admissions that ticket systems have contradicted.",
      .count(station.counters.conflicts))
    page.add(
      .counter, "scangate_events_dropped_total", "Events that slow listeners, logs and files have missed.",
      .count(station.counters.eventsDropped))
    page.add(.gauge, "scangate_listeners", "Listeners at the station's socket.", .count(station.counters.listeners))
  }

  // MARK: Gates and readers

  private static func addGates(_ gates: [StationSnapshot.Gate], to page: inout MetricsText) {
    page.add(
      .gauge, "scangate_gate_state", "The state of a gate: 1 for the one that it is in.",
      gates.flatMap { gate in
        states(gate.condition.state, ["ready", "fault", "maintenance", "closed", "notSetUp", "starting"]).map {
          (["gate": gate.id.name, "state": $0], .flag($1))
        }
      })
    page.add(
      .gauge, "scangate_gate_offline", "Whether a gate's policy decides instead of its ticket system.",
      gates.map { (["gate": $0.id.name], .flag($0.offline != nil)) })
    page.add(
      .gauge, "scangate_gate_output_failing", "Whether a gate's outputs fail, so that no admission could open it.",
      gates.map { (["gate": $0.id.name], .flag($0.outputFault != nil)) })
    page.add(
      .counter, "scangate_passed_total", "Admissions whose output worked.",
      gates.map { (["gate": $0.id.name], .count($0.passed)) })
  }

  private static func addReaders(_ readers: [StationSnapshot.Reader], to page: inout MetricsText) {
    page.add(
      .gauge, "scangate_reader_state", "The state of a reader: 1 for the one that it is in.",
      readers.flatMap { reader in
        states(reader.condition.state, ["reading", "parked", "waiting", "failed", "starting"]).map {
          (["reader": reader.id.name, "state": $0], .flag($1))
        }
      })
  }

  /// Each state with whether it is the one; one that is not among them is another.
  private static func states(_ state: String, _ known: [String]) -> [(state: String, holds: Bool)] {
    known.map { ($0, $0 == state) } + (known.contains(state) ? [] : [("other", true)])
  }

  // MARK: Ticket systems

  private static func addTicketSystems(_ systems: [StationSnapshot.TicketSystem], to page: inout MetricsText) {
    func values(
      _ value: (StationSnapshot.TicketSystem) -> MetricsText.Value?
    ) -> [(labels: MetricsText.Labels, value: MetricsText.Value)] {
      systems.compactMap { system in value(system).map { (["system": system.id.name], $0) } }
    }
    page.add(
      .gauge, "scangate_ticket_system_up", "Whether a ticket system can be asked, and lets scans be decided.",
      values { .flag(!$0.isAway && $0.fault == nil) })
    page.add(
      .gauge, "scangate_ticket_system_fault", "Why nobody can be admitted by a ticket system, as was found last.",
      systems.compactMap { system in
        system.fault.map { (["system": system.id.name, "reason": $0.reason.rawValue], .flag(true)) }
      })
    page.add(
      .gauge, "scangate_rate_budget_left", "Requests that a ticket system takes now, by our reckoning.",
      values { $0.budget.map { .count($0.left) } })
    page.add(
      .gauge, "scangate_rate_budget_limit", "Requests that a ticket system takes at most.",
      values { $0.budget.map { .count($0.most) } })
    page.add(
      .gauge, "scangate_certificate_end_seconds", "When the certificate ends that a ticket system has shown last.",
      values { $0.certificateEnds.map { .time($0) } })
    page.add(
      .gauge, "scangate_clock_ahead_seconds", "How far this machine's clock is ahead of a ticket system's.",
      values { $0.clockAhead.map { .seconds($0) } })
    page.add(
      .gauge, "scangate_list_age_seconds", "How old a list on board is.", values { $0.list?.age.map { .seconds($0) } })
    page.add(
      .gauge, "scangate_list_limit_seconds", "How old a list on board may be to decide by it.",
      values { $0.list?.mostAge.map { .seconds($0) } })
    page.add(
      .gauge, "scangate_list_tickets", "How many tickets a list on board has.",
      values { $0.list?.tickets.map { .count($0) } })
    page.add(
      .gauge, "scangate_outbox_owed", "Admissions that a ticket system has still to be told of.",
      values { .count($0.owed) })
  }

  // MARK: The control service

  private static func add(
    _ control: StationSnapshot.Control, _ counters: StationCounters, to page: inout MetricsText
  ) {
    page.add(
      .gauge, "scangate_kiosk_connected", "Whether the control service answered when it was asked last.",
      .flag(control.isConnected))
    page.add(
      .gauge, "scangate_kiosk_token_valid", "Whether the control service accepts the station's token.",
      .flag(control.isTokenValid))
    page.add(
      .gauge, "scangate_kiosk_configuration_current", "Whether the configuration was fetched less than an hour ago.",
      .flag(control.isCurrent))
    page.add(
      .counter, "scangate_kiosk_requests_total", "Calls to the control service.",
      counters.kioskRequests.map { (["endpoint": $0.name, "result": $0.result], .count($0.count)) })
    page.add(
      .counter, "scangate_kiosk_activations_total", "Activations at the control service.",
      counters.kioskActivations.map { (["result": $0.result], .count($0.count)) })
    page.add(
      .counter, "scangate_kiosk_configuration_changes_total", "Configurations that differed from the one before.",
      .count(counters.kioskChanges))
  }

  // MARK: What is counted

  private static func add(_ counters: StationCounters, to page: inout MetricsText) {
    // An order that was never given is 0: whoever watches for the first one sees it come.
    let given = counters.orders.map { order in
      (
        labels: ["order": order.kind.rawValue, "outcome": order.outcome] as MetricsText.Labels,
        value: MetricsText.Value.count(order.count)
      )
    }
    page.add(
      .counter, "scangate_orders_total", "Orders by what became of them.",
      given + OrderKind.allCases.map { (["order": $0.rawValue, "outcome": "done"], .count(0)) })
    page.add(
      .counter, "scangate_repeats_total", "Codes that were shown again within hold-off.",
      counters.repeats.map { (["gate": $0.gate.name], .count($0.count)) })
    page.add(
      .counter, "scangate_scans_total", "Scans by what became of them.",
      counters.scans.map { scans in
        (
          [
            "gate": scans.gate.name, "verdict": scans.verdict, "reason": scans.reason ?? "",
            "decider": scans.decider.rawValue,
          ], .count(scans.count)
        )
      })
    page.add(
      "scangate_decision_seconds", "From the last byte of a code to the verdict.",
      counters.decisions.map { (["gate": $0.gate.name], $0.times) })
    page.add(
      "scangate_request_seconds", "How long ticket systems took to answer requests that may redeem.",
      counters.requests.map { (["system": $0.system.name], $0.times) })
  }
}
