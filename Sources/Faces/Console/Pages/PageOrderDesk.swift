import ScanConfiguration
import ScanModel
import StationProtocol

/// Gives the orders of pages that are no gate's own.
struct PageOrderDesk: Sendable {
  /// How long an order is waited for.
  private static let limit: Duration = .seconds(10)

  let setting: ConsoleSetting
  let mirror: StationMirror
  /// What the role of the page may order, where the file lets the console.
  let allowed: Set<OrderKind>

  /// What may be ordered now: what role, file and gateway allow.
  func allowedNow() async -> Set<OrderKind> {
    allowed.intersection(setting.configuration.orders).intersection(await mirror.orders)
  }

  /// Gives an order; it is done once.
  func perform(_ order: PageOrder, of caller: PageCaller) async -> PageOutcome {
    let kind = order.action.kind
    guard allowed.contains(kind), setting.configuration.orders.contains(kind) else { return .refused(.notAllowed, "") }
    do throws(StationAbsence) {
      // Nobody there is found out before anything is given: then it was surely not done.
      _ = try await mirror.snapshot(notOlderThan: .seconds(1))
      let outcome = try await mirror.perform(
        StationOrder(order.action, who: caller.name, why: order.why, id: order.id), within: Self.limit)
      return PageOutcome(outcome, done: order.doneText)
    } catch {
      return error.mayBeDone ? .unknown : .away
    }
  }
}

extension PageOrder {
  /// Reads a form of a page that is no gate's own.
  init(staff form: PageForm) throws(Fault) {
    guard let id = form["id"].flatMap({ OrderID(hexadecimal: $0) }),
      let kind = form["order"].flatMap({ OrderKind(rawValue: $0) })
    else { throw .malformed }
    switch kind {
    case .signalTest:
      guard let gate = form["gate"], (1...StationLimits.maximumName).contains(gate.utf8.count),
        let signal = form["signal"].flatMap({ Signal(text: $0) })
      else { throw .malformed }
      self.init(id, .signalTest(GateID(gate), signal), form, done: kind.rawValue)
    case .search:
      guard let text = form["text"], (1...StationLimits.maximumName).contains(text.utf8.count) else { throw .invalid }
      self.init(id, .search(text), form, done: kind.rawValue)
    case .outboxRetry: self.init(id, .outboxRetry, form, done: kind.rawValue)
    case .listRefresh:
      guard let system = form["system"], (1...StationLimits.maximumName).contains(system.utf8.count) else {
        throw .malformed
      }
      self.init(id, .listRefresh(TicketSystemID(system)), form, done: kind.rawValue)
    case .acknowledge:
      guard let conflict = form["conflict"].flatMap({ AttemptID(hexadecimal: $0) }) else { throw .malformed }
      self.init(id, .acknowledge(conflict), form, done: kind.rawValue)
    case .status:
      guard let word = form["status"] else { throw .malformed }
      let status = StationStatus(rawValue: word)
      guard status != nil || word == "own" else { throw .malformed }
      self.init(id, .status(status), form, done: kind.rawValue)
    default: throw .malformed
    }
  }

  private init(_ id: OrderID, _ action: StationOrder.Action, _ form: PageForm, done text: String) {
    self.id = id
    self.action = action
    why = TerminalText.clean(form["why"] ?? "", limit: StationLimits.maximumWhy)
    doneText = text
  }
}
