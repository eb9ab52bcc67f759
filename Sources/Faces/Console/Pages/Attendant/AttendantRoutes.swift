import HTTPTypes
import Hummingbird
import ScanConfiguration
import ScanModel
import StationProtocol
import WireText

/// `/attendant/GATE`: the door's face, and what whoever stands there may order. A form is answered by the page, loaded anew with what
/// became of it.
struct AttendantRoutes: Sendable {
  /// How long an order is waited for; a code that was typed, as long as its gate may take.
  private static let orderLimit: Duration = .seconds(10)
  private static let presentLimit: Duration = .seconds(30)
  /// As many conflicts as a telephone shows; when they are acknowledged, others follow.
  private static let mostConflicts = 10
  /// What names, in an address, the order whose outcome is shown.
  private static let doneKey = "done"

  let setting: ConsoleSetting
  let mirror: StationMirror
  let hub: DoorHub
  let outcomes = PageOutcomes()

  func add(to pages: ConsoleGroup) {
    pages.get("/attendant/:gate") { try await page($0, $1) }
    pages.post("/attendant/:gate") { try await order($0, $1) }
  }

  // MARK: The page

  private func page(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let gate = try DoorRoutes.gate(context)
    let caller = try context.requires(.attendant, at: gate.name)
    let texts = setting.texts(for: request, context)
    let (face, _) = await hub.look(at: gate)
    let time = SystemTime()
    let clock = PageTime(now: time.wall())
    var model = DoorRoutes.model(of: gate, face, texts, at: time)
    let station = try? await mirror.snapshot(notOlderThan: .seconds(1))
    let orders = await allowed()
    model.set("showsDetail", true)
    model.set("form", .text(PageGuard.formToken(for: caller)))
    model.set("user", .text(texts("attendant.signedInAs", TerminalText.clean(caller.name, limit: 60))))
    model.set("mayNothing", .flag(orders.isEmpty))
    for kind in orders {
      // Each form has a number of its own, made here: whoever sends it twice orders it once.
      var form: PageModel = ["id": .text(OrderID().description), "why": .text("why-\(kind.rawValue)")]
      switch kind {
      case .maintenance:
        let isOut = station?.gates.first { $0.id == gate }?.isMaintenanceOrdered ?? false
        form.set("isOut", .flag(isOut))
      case .status:
        guard let control = station?.control, control.isActivated else { continue }
        form.set("choices", .list(Self.choices(control.board, texts)))
      case .acknowledge:
        guard let open = station?.outbox.open, !open.isEmpty else { continue }
        form.set("conflicts", .list(open.prefix(Self.mostConflicts).map { Self.conflict($0, texts, clock) }))
      default: break
      }
      model.set(kind.rawValue, .part(form))
    }
    model.set(
      "gates",
      .list(
        (station?.gates ?? []).filter { $0.id != gate }.map {
          ["name": .foreign($0.id.name, limit: 60), "step": .text(PagePath.step($0.id.name))]
        }))
    if let id = Self.done(in: request) {
      let outcome = outcomes.outcome(of: id, for: caller)
      model.set("outcome", .part(OutcomeWords(texts: texts, time: clock).model(outcome)))
    }
    let name = TerminalText.clean(gate.name, limit: ShownScan.longestFact)
    var page = PageLayout("attendant", title: texts("attendant.title", name), kind: "attendant", model)
    page.isLive = true
    if case .noGate = face { page.status = .notFound }
    return page.response(texts)
  }

  /// What the control service may be told in place of the station's own status.
  private static func choices(_ board: StationSnapshot.Board, _ texts: PageTexts) -> [PageModel] {
    let own: PageModel = [
      "value": "own", "words": .text(texts["status.own"]), "isChosen": .flag(board.manualStatus == nil),
    ]
    return [own]
      + StationStatus.allCases.map { status in
        [
          "value": .text(status.rawValue), "words": .text(texts["status.\(status.rawValue)"]),
          "isChosen": .flag(board.manualStatus == status),
        ]
      }
  }

  private static func conflict(
    _ conflict: StationSnapshot.Conflict, _ texts: PageTexts, _ clock: PageTime
  ) -> PageModel {
    let facts = [
      // The service has shortened it; one that has not is no reason to show more.
      conflict.code.map { $0.unicodeScalars.count <= 5 ? $0 : Code($0).shortened }, clock.short(conflict.admitted),
      conflict.gate.name, texts.named("conflict", conflict.state), conflict.reason.map { texts.named("reason", $0) },
      conflict.words,
    ]
    return [
      "id": .text(OrderID().description), "conflict": .text(conflict.id.description),
      "facts": .list(facts.compactMap(\.self).map { ["words": .foreign($0, limit: ShownScan.longestDetail)] }),
    ]
  }

  /// What an attendant may order now: what role, file and gateway allow.
  private func allowed() async -> Set<OrderKind> {
    PageOrder.ofAttendants.intersection(setting.configuration.orders).intersection(await mirror.orders)
  }

  private static func done(in request: Request) -> OrderID? {
    guard let query = request.uri.query, query.hasPrefix("\(doneKey)=") else { return nil }
    return OrderID(hexadecimal: String(query.dropFirst(doneKey.count + 1)))
  }

  // MARK: Orders

  private func order(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let gate = try DoorRoutes.gate(context)
    let caller = try context.requires(.attendant, at: gate.name)
    guard let form = context.pageForm else { throw PageRefusal.form }
    let order: PageOrder
    do throws(PageOrder.Fault) {
      order = try PageOrder(form, at: gate)
    } catch {
      guard error == .invalid, let id = form["id"].flatMap({ OrderID(hexadecimal: $0) }) else {
        throw PageRefusal.malformed
      }
      outcomes.keep(.invalid, of: id, for: caller)
      return Self.back(to: gate, id)
    }
    outcomes.keep(await perform(order, of: caller), of: order.id, for: caller)
    return Self.back(to: gate, order.id)
  }

  private func perform(_ order: PageOrder, of caller: PageCaller) async -> PageOutcome {
    let kind = order.action.kind
    guard PageOrder.ofAttendants.contains(kind), setting.configuration.orders.contains(kind) else {
      return .refused(.notAllowed, "")
    }
    do throws(StationAbsence) {
      // Nobody there is found out before anything is given: then it was surely not done.
      _ = try await mirror.snapshot(notOlderThan: .seconds(1))
      let outcome = try await mirror.perform(
        StationOrder(order.action, who: caller.name, why: order.why, id: order.id),
        within: kind == .present ? Self.presentLimit : Self.orderLimit)
      return PageOutcome(outcome, done: order.doneText)
    } catch {
      return error.mayBeDone ? .unknown : .away
    }
  }

  /// The page again, which no reload sends twice.
  private static func back(to gate: GateID, _ id: OrderID) -> Response {
    .redirect(to: "/attendant/\(PagePath.step(gate.name))?\(doneKey)=\(id)", type: .normal)
  }
}
