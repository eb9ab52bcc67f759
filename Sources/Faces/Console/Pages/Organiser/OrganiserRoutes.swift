import HTTPTypes
import Hummingbird
import ScanConfiguration
import ScanModel
import StationProtocol

/// `/organiser`: how it goes, as charts; nothing at a gate is ordered here.
struct OrganiserRoutes: Sendable {
  /// How many gates have their charts on one page.
  private static let mostCharts = 3

  private let staff: StaffPage
  private let reports: PageReports

  init(_ setting: ConsoleSetting, _ mirror: StationMirror, _ reports: PageReports) {
    staff = StaffPage(setting, mirror, path: "/organiser", role: .organiser, orders: [.acknowledge])
    self.reports = reports
  }

  func add(to pages: ConsoleGroup) {
    pages.get("/organiser") { try await page($0, $1) }
    pages.post("/organiser") { try await staff.order($0, $1) }
    pages.get("/organiser/report") { request, context in
      do {
        return try await reports.report(request, context)
      } catch let trouble as PageReports.Trouble {
        return try await page(request, context, trouble: trouble)
      }
    }
  }

  private func page(
    _ request: Request, _ context: ConsoleContext, trouble: PageReports.Trouble? = nil
  ) async throws -> Response {
    try await staff.page("organiser", request, context) { model, station, texts, time, orders in
      Self.fill(&model, station, texts, time, orders, only: StaffQuery(request.uri.query)["gate"])
      model.set("reports", .flag(reports.isThere))
      model.set("reportTrouble", trouble.map { .text($0.shown(texts)) })
      model.set("reportFrom", .text(PageInstant.local(time.now - .seconds(86_400), time)))
      model.set("reportUntil", .text(PageInstant.local(time.now, time)))
    }
  }

  /// Fills the template.
  static func fill(
    _ model: inout PageModel, _ station: StationSnapshot, _ texts: PageTexts, _ time: PageTime,
    _ orders: Set<OrderKind>, only gate: String? = nil
  ) {
    let throughput = ThroughputChart(throughput: station.throughput, texts: texts, time: time)
    // A page of many charts would be long, and heavy.
    let named = station.gates.filter { $0.id.name == gate }
    let drawn = named.isEmpty ? Array(station.gates.prefix(mostCharts)) : named
    model.set(
      "others",
      .list(
        station.gates.filter { gate in !drawn.contains { $0.id == gate.id } }.map {
          ["name": .foreign($0.id.name, limit: 60), "step": .text(PagePath.step($0.id.name))]
        }))
    model.set("allGates", .list(station.gates.map { ["name": .foreign($0.id.name, limit: 60)] }))
    model.set(
      "gates",
      .list(
        drawn.enumerated().map { index, gate in
          let chart = throughput.chart(of: gate.id, id: "throughput-\(index)")
          return [
            "gate": .foreign(gate.id.name, limit: 60), "chart": .markup(chart.svg), "words": .text(chart.words),
            "isEmpty": .flag(chart.isEmpty),
            "columns": .list(chart.series.map { ["name": .text($0.name)] }), "rows": .list(throughput.rows(of: chart)),
            "kinds": .list(chart.series.map { ["name": .text($0.name), "kind": .text($0.kind)] }),
          ]
        }))
    model.set("systems", .list(station.ticketSystems.enumerated().map { system($0, $1, station, texts) }))
    model.set("venue", station.fleet.map { .text(VenueCount(fleet: $0, texts: texts).words) })
    model.set("waiting", PageFinding.waiting(station, texts).map { .text($0) })
    model.set("deciding", .text(String(station.gates.count(where: \.isDeciding))))
    model.set("conflicts", StaffPage.conflicts(of: station, texts, time, orders))
  }

  private static func system(
    _ index: Int, _ system: StationSnapshot.TicketSystem, _ station: StationSnapshot, _ texts: PageTexts
  ) -> PageModel {
    let gates = station.gates.filter { $0.ticketSystem == system.id }
    let inside = SystemCount(gates: gates).inside
    let house = HouseChart(inside: inside, seats: system.seats, texts: texts)
    let times = station.counters.requests.first { $0.system == system.id }?.times
    let answers = times.map { AnswerChart(times: $0, texts: texts).chart(id: "answers-\(index)") }
    return [
      "system": .foreign(system.branding?.name ?? system.id.name, limit: 60),
      "logo": system.branding?.logoText.map { .foreign($0, limit: 60) },
      "swatch": system.branding.map { .markup(BrandStripe.svg($0)) },
      "host": system.host.map { .foreign($0, limit: 100) },
      "event": system.event.map { .foreign($0, limit: 100) },
      "inside": .text(String(inside)), "sold": (system.seats?.sold).map { .text(String($0)) },
      "capacity": (system.seats?.capacity).map { .text(String($0)) },
      "house": .markup(house.chart(id: "house-\(index)").svg),
      "kinds": .list(
        (system.seats?.kinds ?? []).map { kind in
          [
            "name": .foreign(kind.name, limit: 60), "sold": .text(kind.sold.map(String.init) ?? "–"),
            "capacity": .text(kind.capacity.map(String.init) ?? "–"),
          ]
        }),
      "answers": answers.map { .markup($0.svg) },
      "answerRows": times.map { .list(AnswerChart(times: $0, texts: texts).rows) },
      "trouble": system.offline.map { .text(texts.named("offline", $0.rawValue)) },
    ]
  }
}

/// How many are in by some gates. Pure.
struct SystemCount {
  let gates: [StationSnapshot.Gate]

  /// Who came in, less who went out; since the service was started.
  var inside: UInt64 {
    func sum(_ isExit: Bool) -> UInt64 {
      gates.filter { $0.isExit == isExit }.reduce(0) { $0 &+ $1.passed }
    }
    let (entered, left) = (sum(false), sum(true))
    return entered > left ? entered - left : 0
  }
}
