import HTTPTypes
import Hummingbird
import ScanConfiguration
import ScanModel
import StationProtocol
import StationReport

/// `/technician`: how everything is that somebody mends, and what they may try; and the journal by pages.
struct TechnicianRoutes: Sendable {
  /// What can be tried of lamps and sounds.
  static let signals = ["admit", "provisional", "refuse", "undecided", "busy", "idle", "offline", "outOfService"]

  private let staff: StaffPage
  private let reports: PageReports

  init(_ setting: ConsoleSetting, _ mirror: StationMirror, _ reports: PageReports) {
    staff = StaffPage(
      setting, mirror, path: "/technician", role: .technician,
      orders: [.search, .signalTest, .outboxRetry, .listRefresh, .acknowledge, .status, .picture])
    self.reports = reports
  }

  func add(to pages: ConsoleGroup) {
    pages.get("/technician") { try await page($0, $1) }
    pages.post("/technician") { try await staff.order($0, $1) }
    pages.get("/technician/journal") { try await journal($0, $1) }
  }

  private func page(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let version = staff.setting.version
    return try await staff.page("technician", request, context) { model, station, texts, time, orders in
      TechnicianModel(station: station, texts: texts, time: time, orders: orders, program: version).fill(&model)
      model.set("journal", .flag(reports.read != nil))
    }
  }

  private func journal(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let query = StaffQuery(request.uri.query)
    return try await staff.page("journal", request, context) { model, station, texts, time, _ in
      model.set("gates", .list(station.gates.map { ["gate": .foreign($0.id.name, limit: 60)] }))
      guard let read = reports.read else { return model.set("trouble", .text(texts["technician.noJournal"])) }
      let verdict = query["verdict"].flatMap { ["admit", "refuse", "undecided"].contains($0) ? $0 : nil }
      let question = PageReports.JournalQuestion(
        before: query["before"].flatMap { Int64($0) }, gate: query["gate"].map { GateID($0) }, verdict: verdict)
      do throws(PageReports.Trouble) {
        let (rows, next) = try await read(question)
        model.set("rows", .list(rows.map { Self.row($0, texts, time) }))
        model.set("isEmpty", .flag(rows.isEmpty))
        model.set("next", next.map { .text(Self.address($0, question)) })
      } catch {
        model.set("trouble", .text(error.shown(texts)))
      }
    }
  }

  private static func address(_ next: Int64, _ question: PageReports.JournalQuestion) -> String {
    var address = "/technician/journal?before=\(next)"
    if let gate = question.gate { address += "&gate=\(PagePath.step(gate.name))" }
    if let verdict = question.verdict { address += "&verdict=\(verdict)" }
    return address
  }

  private static func row(_ row: PageReports.Row, _ texts: PageTexts, _ time: PageTime) -> PageModel {
    [
      "at": .text(time.short(row.at)), "gate": .foreign(row.gate, limit: 60), "reader": .foreign(row.reader, limit: 60),
      "verdict": .text(texts.named("verdict", row.verdict)),
      "reason": row.reason.map { .foreign(texts.named("reason", $0), limit: 80) },
      "decider": .text(texts.named("decider", TerminalText.clean(row.decider, limit: 20))),
      "event": row.event.map { .foreign($0, limit: 100) },
      "note": row.note.map { .foreign(texts.named("note", $0), limit: 80) },
      "annulled": row.isAnnulled ? .text(texts["technician.annulled"]) : nil,
    ]
  }
}
