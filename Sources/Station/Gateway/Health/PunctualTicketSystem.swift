internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit

/// A ticket system whose deadlines hold whatever becomes of its adapter: a call that does not return is left to itself, and the
/// gate goes on.
///
/// An adapter keeps its deadlines by itself; one that does is never interrupted, for it has some time more here. What a call that
/// was left brings in the end is not lost: for an attempt it is the late outcome.
struct PunctualTicketSystem: OnBoardTicketSystem {
  /// By how much an adapter may outlast a deadline.
  static let grace = Duration.milliseconds(500)

  private let system: any TicketSystem
  private let time: any TimeSource
  private let loop: DeviceLoop?
  /// The same, where its answer is on board.
  private let board: (any OnBoardTicketSystem)?

  /// Makes one of another; of one that is punctual already, the same.
  /// - Parameter loop: the thread on which adapters work between their waits; those of the process where there is none.
  init(_ system: any TicketSystem, time: any TimeSource, loop: DeviceLoop? = nil) {
    self.loop = loop
    let system = (system as? PunctualTicketSystem)?.system ?? system
    self.system = system
    board = system as? any OnBoardTicketSystem
    self.time = time
  }

  var id: TicketSystemID { system.id }

  var whereabouts: Whereabouts? { system.whereabouts }

  var mayRedeem: Bool { system.mayRedeem }

  var redeemsOnce: Bool { system.redeemsOnce }

  var rule: GateRule? { system.rule }

  func recognise(_ code: Code) -> RecognisedCode { system.recognise(code) }

  func foldedKey(of code: Code) -> TicketKey? { system.foldedKey(of: code) }

  func listedCode(_ code: Code) -> Code { system.listedCode(code) }

  func examine(_ code: Code, at time: WallTime) -> Examination { system.examine(code, at: time) }

  func refusalWords(for code: Code) -> String? { system.refusalWords(for: code) }

  func refusalDetails(for code: Code) -> TicketDetails? { system.refusalDetails(for: code) }

  func attempt(
    _ request: AttemptRequest, late: @escaping @Sendable (AttemptOutcome) -> Void
  ) async -> AttemptOutcome {
    let began = time.now()
    let outcome = await before(request.deadline) { [system] in
      await system.attempt(request, late: late)
    } left: { outcome in
      // Where it is pending still, the adapter itself tells the end.
      if outcome.fate != .pending { late(outcome) }
    }
    return outcome
      ?? AttemptOutcome(
        fate: .pending,
        answer: .undecided(
          .badAnswer,
          detail:
            "What speaks to \(id) did not come back in time, which is a fault of this program. Restart the service, and report it."
        ),
        mayHaveRedeemed: mayRedeem, sentAt: began, endedAt: time.now())
  }

  /// Whether its answer is on board.
  var isOnBoard: Bool { board != nil }

  func outcomeOnBoard(of request: AttemptRequest) async -> AttemptOutcome? {
    guard let board else { return nil }
    return await before(request.deadline) { await board.outcomeOnBoard(of: request) } ?? nil
  }

  func reach(deadline: MonotonicTime) async -> Reach {
    await before(deadline) { [system] in await system.reach(deadline: deadline) } ?? .unknown
  }

  func lookUp(_ code: Code, deadline: MonotonicTime) async -> LookUp {
    await before(deadline) { [system] in await system.lookUp(code, deadline: deadline) } ?? .unanswered
  }

  func inspect(_ code: Code, deadline: MonotonicTime) async -> Inspection {
    await before(deadline) { [system] in await system.inspect(code, deadline: deadline) } ?? Inspection(.unknown)
  }

  /// What `call` brings by the deadline, or a little after it; else `nil`, and `left` takes what it brings later.
  private func before<Value: Sendable>(
    _ deadline: MonotonicTime, _ call: @escaping @Sendable () async -> Value,
    left: @escaping @Sendable (Value) -> Void = { _ in }
  ) async -> Value? {
    let answer = OneAnswer<Value?>()
    let calling = Task(executorPreference: loop?.tasks) {
      let value = await call()
      if !answer.give(value) { left(value) }
    }
    return await withTaskCancellationHandler {
      await answer.first(within: max(.zero, deadline - time.now()) + Self.grace, else: nil, on: loop)
    } onCancel: {
      calling.cancel()
    }
  }
}

extension TicketSystem {
  /// It, where its answer is on board; else `nil`.
  var onBoard: (any OnBoardTicketSystem)? {
    guard let punctual = self as? PunctualTicketSystem else { return self as? any OnBoardTicketSystem }
    return punctual.isOnBoard ? punctual : nil
  }
}
