import HTTPTypes
import Hummingbird
import ScanConfiguration
import ScanModel
import StationProtocol
import StationReport

/// What technicians' and organisers' pages have in common: how the station is, who asks, in which words, and what became of an order.
struct StaffPage: Sendable {
  /// What names, in an address, the order whose outcome is shown.
  private static let doneKey = "done"

  let setting: ConsoleSetting
  let mirror: StationMirror
  let desk: PageOrderDesk
  let outcomes: PageOutcomes
  /// Its path.
  let path: String
  let role: PageRole

  init(_ setting: ConsoleSetting, _ mirror: StationMirror, path: String, role: PageRole, orders: Set<OrderKind>) {
    self.setting = setting
    self.mirror = mirror
    desk = PageOrderDesk(setting: setting, mirror: mirror, allowed: orders)
    outcomes = PageOutcomes()
    self.path = path
    self.role = role
  }

  /// The page, filled by `fill`; without a station it says so, and nothing that was so before.
  func page(
    _ template: String, _ request: Request, _ context: ConsoleContext,
    _ fill: (inout PageModel, StationSnapshot, PageTexts, PageTime, Set<OrderKind>) async -> Void
  ) async throws -> Response {
    let caller = try context.requires(role)
    let texts = setting.texts(for: request, context)
    let time = PageTime(now: SystemTime().wall())
    var model: PageModel = [
      "form": .text(PageGuard.formToken(for: caller)), "clock": .text(time.clock),
      "user": .text(texts("attendant.signedInAs", TerminalText.clean(caller.name, limit: 60))), "path": .text(path),
    ]
    if let id = Self.done(in: request) {
      model.set("outcome", .part(OutcomeWords(texts: texts, time: time).model(outcomes.outcome(of: id, for: caller))))
    }
    var title = ""
    do throws(StationAbsence) {
      let station = try await mirror.snapshot(notOlderThan: .seconds(1))
      title = TerminalText.clean(station.station, limit: 60)
      model.set("station", .foreign(station.station, limit: 60))
      model.set("isThere", true)
      await fill(&model, station, texts, time, await desk.allowedNow())
    } catch {
      model.set("away", .text(texts["absence.\(error.kind.name)"]))
    }
    var page = PageLayout(template, title: title.isEmpty ? "scangate" : title, kind: template, model)
    page.isLive = true
    return page.response(texts)
  }

  /// Takes an order of one of its forms, and leads back to the page.
  func order(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let caller = try context.requires(role)
    guard let form = context.pageForm else { throw PageRefusal.form }
    let order: PageOrder
    do throws(PageOrder.Fault) {
      order = try PageOrder(staff: form)
    } catch {
      guard error == .invalid, let id = form["id"].flatMap({ OrderID(hexadecimal: $0) }) else {
        throw PageRefusal.malformed
      }
      outcomes.keep(.invalid, of: id, for: caller)
      return back(id)
    }
    outcomes.keep(await desk.perform(order, of: caller), of: order.id, for: caller)
    return back(order.id)
  }

  private func back(_ id: OrderID) -> Response { .redirect(to: "\(path)?\(Self.doneKey)=\(id)", type: .normal) }

  private static func done(in request: Request) -> OrderID? {
    StaffQuery(request.uri.query)[doneKey].flatMap { OrderID(hexadecimal: $0) }
  }

  /// Conflicts that are open, each with a form of its own.
  static func conflicts(
    of station: StationSnapshot, _ texts: PageTexts, _ time: PageTime, _ orders: Set<OrderKind>
  ) -> PageModel.Item {
    .list(
      station.outbox.open.prefix(50).map { conflict in
        let reason = conflict.reason.map { texts.named("reason", $0) } ?? texts.named("conflict", conflict.state)
        return [
          "gate": .foreign(conflict.gate.name, limit: 60), "at": .text(time.short(conflict.admitted)),
          "code": conflict.code.map { .foreign($0, limit: 8) }, "reason": .foreign(reason, limit: 80),
          "words": conflict.words.map { .foreign($0, limit: 200) }, "conflict": .text(conflict.id.description),
          "order": orders.contains(.acknowledge) ? .text(OrderID().description) : nil,
        ]
      })
  }
}

/// The query of an address, as forms send it. Pure; what is not understood is not there.
struct StaffQuery: Sendable {
  private let form: PageForm?

  init(_ query: String?) { form = query.flatMap { PageForm([UInt8]($0.utf8)) } }

  /// A value that was sent and is not empty.
  subscript(name: String) -> String? { form?[name].flatMap { $0.isEmpty ? nil : $0 } }
}

extension StationAbsence.Kind {
  /// The name of its text.
  var name: String {
    switch self {
    case .nobody: "nobody"
    case .notAllowed: "notAllowed"
    case .refused: "refused"
    case .silent: "silent"
    }
  }
}
