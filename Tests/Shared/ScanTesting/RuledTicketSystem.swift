package import ScanModel
import Synchronization

/// A gate's face of a ticket system in memory, where the gate takes tickets of one event alone: it judges answers as an adapter does.
package final class RuledTicketSystem: TicketSystem {
  private let system: FakeTicketSystem
  private let event: String
  private let inspections = Mutex<(found: [Code: Inspection], made: [Code])>(([:], []))
  private let requests = Mutex<[TicketDetails?]>([])
  private let stand = Mutex<(now: GateStanding, told: [@Sendable () -> Void])>((.open, []))

  /// Makes the face.
  /// - Parameter event: the one that the gate admits to. Each code that names an event names one that is known.
  package init(_ system: FakeTicketSystem, event: String) {
    self.system = system
    self.event = event
  }

  package var id: TicketSystemID { system.id }

  package var rule: GateRule? {
    GateRule(
      standing: { self.stand.withLock { $0.now } }, notify: { told in self.stand.withLock { $0.told.append(told) } },
      judgeNamed: { $0 == self.event ? .takes : .bars(self.bar($0)) }, judge: { self.word(on: $0) })
  }

  private func bar(_ told: String) -> GateBar { GateBar(.refuse(.wrongEvent), detail: "of \(told)") }

  private func word(on ticket: TicketDetails?) -> GateWord {
    guard let told = ticket?.eventID else { return .unknown }
    return told == event ? .takes : .bars(bar(told))
  }

  /// What the list on board was said to have of each ticket that was asked for, in order.
  package var listed: [TicketDetails?] { requests.withLock { $0 } }

  /// Sets whether anybody could be admitted; somebody could, at first.
  package func setStanding(_ standing: GateStanding) {
    let told = stand.withLock { stand in
      stand.now = standing
      return stand.told
    }
    for tell in told { tell() }
  }

  /// Sets what an inspection of `code` finds; nothing at first.
  package func find(_ code: Code, _ found: Inspection) { inspections.withLock { $0.found[code] = found } }

  /// The codes that were inspected, in order.
  package var inspected: [Code] { inspections.withLock { $0.made } }

  package func inspect(_ code: Code, deadline: MonotonicTime) async -> Inspection {
    inspections.withLock { inspections in
      inspections.made.append(code)
      return inspections.found[code] ?? Inspection(.unknown)
    }
  }

  package func recognise(_ code: Code) -> RecognisedCode { system.recognise(code) }

  package func foldedKey(of code: Code) -> TicketKey? { system.foldedKey(of: code) }

  package func reach(deadline: MonotonicTime) async -> Reach { await system.reach(deadline: deadline) }

  package func lookUp(_ code: Code, deadline: MonotonicTime) async -> LookUp {
    await system.lookUp(code, deadline: deadline)
  }

  package func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    requests.withLock { $0.append(request.listed) }
    return judged(await system.attempt(request) { late(self.judged($0)) })
  }

  private func judged(_ outcome: AttemptOutcome) -> AttemptOutcome {
    guard case .redeemed(var redemption) = outcome.answer else { return outcome }
    redemption.bar =
      switch word(on: redemption.details) {
      case .takes: nil
      case .bars(let bar): bar
      case .unknown: GateBar(.undecided(.badAnswer))
      }
    var outcome = outcome
    outcome.answer = .redeemed(redemption)
    return outcome
  }
}
