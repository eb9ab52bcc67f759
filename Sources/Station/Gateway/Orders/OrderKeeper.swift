internal import Admission
internal import LinuxIO
internal import ScanModel
internal import Signalling
internal import StationProtocol
internal import StationSetUp
internal import Synchronization

/// Does what staff order, each order once: over reconnects, and over the end of the process.
///
/// ```
/// order ─▶ known? ──▶ its outcome, again
///            │ new
///            ▼
///          may it be, now? ──no──▶ refused, told
///            │ yes
///            ▼
///          written: its number durable, before a gate opens by it ─▶ done ─▶ written: what became of it ─▶ told
/// ```
/// Lives on the gates' thread, as gates and ledgers do. What an earlier process has begun and not ended may have been done: it is not
/// done again.
package actor OrderKeeper {
  /// How long the disk may take to keep that something is about to be done.
  private static let longestWrite = Duration.seconds(1)
  /// How long a verdict is awaited: longer than any gate takes for one.
  private static let longestVerdict = Duration.seconds(20)
  /// How many outcomes are remembered.
  private static let mostKnown = 2_048
  /// The reader of codes that were typed.
  static let reader = ReaderID("console")

  package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  private nonisolated let loop: DeviceLoop
  private let journal: any ScanJournal
  private let events: EventHub
  private let time: any TimeSource
  private let clock: @Sendable () -> JournalTime
  private var limits = OrderLimits()
  private var quota = RecordQuota()
  /// For orders of those who may not give them.
  private nonisolated let refusals = Mutex(RefusalQuota())
  private var known: [OrderID: (order: Subject, outcome: OrderOutcome)] = [:]
  private var knownInOrder: [OrderID] = []
  private var doing: [OrderID: (order: Subject, waiting: [CheckedContinuation<OrderOutcome, Never>])] = [:]
  /// The gates that orders have taken out of service.
  nonisolated let maintained = Mutex<Set<GateID>>([])

  init(
    journal: any ScanJournal, events: EventHub, loop: DeviceLoop, time: any TimeSource,
    clock: @escaping @Sendable () -> JournalTime
  ) {
    self.journal = journal
    self.events = events
    self.loop = loop
    self.time = time
    self.clock = clock
  }

  /// Takes up what an earlier process was ordered; to be called before gates run.
  func recall() async {
    // A journal that cannot be read is told of by whoever needs it.
    let orders = (try? await journal.orders()) ?? []
    let acknowledged = Set(
      orders.lazy.filter { $0.kind == OrderKind.acknowledge.rawValue && $0.outcome == "done" }.compactMap(\.subject))
    for (owed, told) in (try? await journal.conflicts()) ?? [] where !acknowledged.contains(owed.attempt.description) {
      events.view.recall(StationSnapshot.Conflict(owed, told))
    }
    for order in orders {
      if order.kind == OrderKind.maintenance.rawValue, order.outcome == "done", let gate = order.gate {
        note(gate, isOn: order.subject == "on")
      }
      // Who may give it can do so by any number.
      if order.reason == OrderRefusal.notAllowed.rawValue { continue }
      remember(order.id, Subject(order), Self.outcome(of: order))
    }
  }

  /// What is known of an order of an earlier process.
  private static func outcome(of order: JournaledOrder) -> OrderOutcome {
    switch order.outcome {
    // What was answered is not kept, and nobody is to be let in by a word that is not the verdict.
    case "done" where order.kind == OrderKind.present.rawValue:
      .unknown(
        "It was decided before the service was started anew, and the verdict is in the journal: scangate journal.")
    case "done" where order.kind == OrderKind.search.rawValue:
      .unknown("It was answered before the service was started anew. Search again, by a new number.")
    case "done": .done(order.detail ?? "It was done.")
    case "refused": .refused(order.reason.flatMap { OrderRefusal(rawValue: $0) } ?? .outOfService, order.detail ?? "")
    default:
      .unknown("The service ended while it was being done, and it is not done again. Look whether it was.")
    }
  }

  private func remember(_ id: OrderID, _ order: Subject, _ outcome: OrderOutcome) {
    if known.updateValue((order, outcome), forKey: id) == nil { knownInOrder.append(id) }
    guard knownInOrder.count > Self.mostKnown else { return }
    for id in knownInOrder.prefix(Self.mostKnown / 4) { known[id] = nil }
    knownInOrder.removeFirst(Self.mostKnown / 4)
  }

  /// What an order is about: by its number alone another one would be told that it was done.
  private struct Subject {
    let kind: String
    let gate: GateID?
    let detail: String?
    /// Of all that it says, by this process' own key: codes that are shown alike are not alike, and are not kept here. `nil` of an
    /// earlier process' order.
    let digest: Int?

    init(_ order: StationOrder) {
      (kind, gate, detail) = (order.action.kind.rawValue, order.action.gate, order.action.detail)
      digest = order.action.hashValue
    }

    init(_ order: JournaledOrder) {
      (kind, gate, detail, digest) = (order.kind, order.gate, order.subject, nil)
    }

    /// Whether they are the same order. A gate that there is not is not kept.
    func isOne(with other: Subject) -> Bool {
      if let digest, let theirs = other.digest { return digest == theirs }
      return kind == other.kind && (gate == other.gate || gate == nil || other.gate == nil) && detail == other.detail
    }
  }

  private static let otherOrder = OrderOutcome.refused(.numberUsed, OrderRefusal.numberIsUsed)

  private func note(_ gate: GateID, isOn: Bool) {
    maintained.withLock { maintained in
      if isOn { maintained.insert(gate) } else { maintained.remove(gate) }
    }
  }

  // MARK: Doing

  /// Does an order that was not given before; else what became of it, once that is known.
  func perform(
    _ order: StationOrder, by giver: OrderGiver, on station: any OrderedStation
  ) async -> OrderOutcome {
    let subject = Subject(order)
    if let known = known[order.id] { return known.order.isOne(with: subject) ? known.outcome : Self.otherOrder }
    if let other = doing[order.id]?.order {
      guard other.isOne(with: subject) else { return Self.otherOrder }
      return await withCheckedContinuation { doing[order.id]?.waiting.append($0) }
    }
    doing[order.id] = (subject, [])
    let (outcome, scan) = await carryOut(order, giver, station)
    let mark = conclude(order, giver, outcome, scan, station)
    // Whoever is told that a gate is out of service may have their hands in it: the next process has to know that, too.
    if order.action.stands, let mark {
      // Where the disk keeps nothing, that is told of the journal, and the gate is out of service all the same.
      _ = try? await journal.durable(mark, until: time.now() + Self.longestWrite)
    }
    for waiting in doing.removeValue(forKey: order.id)?.waiting ?? [] { waiting.resume(returning: outcome.kept) }
    return outcome
  }

  /// Counts an order of somebody who may not give it. From any thread: thousands of them do not come to that of the gates.
  /// - Returns: what is to be written down of it; `nil` where too many were written down lately.
  nonisolated func counted(_ order: StationOrder, by giver: OrderGiver, _ words: String) -> OrderOutcome? {
    events.view.ordered(order.action.kind, OrderOutcome.refused(.notAllowed, words).name)
    guard let left = refusals.withLock({ $0.take(giver.user, at: time.now()) }) else { return nil }
    return .refused(.notAllowed, left > 0 ? "\(words) \(left) more of this user were not written down." : words)
  }

  /// Writes down, and tells, that an order was not done of somebody who may not give it.
  func writeDown(
    _ order: StationOrder, by giver: OrderGiver, _ outcome: OrderOutcome, on station: any OrderedStation
  ) {
    tell(order, giver, outcome, nil, station, isUrgent: false)
  }

  private func carryOut(
    _ order: StationOrder, _ giver: OrderGiver, _ station: any OrderedStation
  ) async -> (OrderOutcome, ScanID?) {
    let action = order.action
    let age = time.now() - order.givenAt
    if action.kind.ages, age > StationLimits.orderAge || age < .zero {
      let words = "It was given \(max(0, age.milliseconds / 1_000)) s ago. Give it again."
      return (.refused(.stale, words), nil)
    }
    if let gate = action.gate, station.gate(gate) == nil {
      return (.refused(.unknown, "There is no gate \(TerminalText.clean(gate.name, limit: 60))."), nil)
    }
    let moment = time.now()
    if let (refusal, wait) = limits.take(action, by: giver.user, at: moment) {
      let seconds = max(1, (wait.milliseconds + 999) / 1_000)
      return (.refused(refusal, "As many were given lately as may be. Give it again in \(seconds) s."), nil)
    }
    let (outcome, scan) = await attempt(order, giver, station)
    // A typed code that went the way of a scan is decided, whatever the verdict: each guess counts.
    if outcome.refusal != nil { limits.giveBack(action, by: giver.user, takenAt: moment) }
    return (outcome, scan)
  }

  private func attempt(
    _ order: StationOrder, _ giver: OrderGiver, _ station: any OrderedStation
  ) async -> (OrderOutcome, ScanID?) {
    let action = order.action
    let scan = action.kind == .present ? ScanID() : nil
    // What would surely not be done need not be written first.
    if case .openOnce(let gate) = action, let obstacle = await station.gate(gate)?.obstacleToOpening {
      return (obstacle, nil)
    }
    if let fault = await begin(order, giver, scan) { return (.refused(.notWritten, fault), nil) }
    return await act(order, giver, scan, station)
  }

  private func act(
    _ order: StationOrder, _ giver: OrderGiver, _ scan: ScanID?, _ station: any OrderedStation
  ) async -> (OrderOutcome, ScanID?) {
    switch order.action {
    case .maintenance(let gate, let isOn):
      // Before the gate is told: a station that takes its place now goes by it.
      note(gate, isOn: isOn)
      return (await station.gate(gate)?.maintain(isOn) ?? Self.gone(gate), nil)
    case .openOnce(let gate): return (await station.gate(gate)?.openOnce() ?? Self.gone(gate), nil)
    case .annul(let gate): return await annul(at: gate, station)
    case .present(let gate, let code):
      let outcome = await present(code, at: gate, as: scan ?? ScanID(), giver, station)
      return (outcome, scan)
    case .signalTest(let gate, let signal): return (await station.gate(gate)?.test(signal) ?? Self.gone(gate), nil)
    case .search(let text): return (await station.search(text, names: giver.names), nil)
    case .outboxHold(let isOn):
      await station.memory.hold(isOn)
      let words =
        isOn
        ? "Nothing is told to ticket systems, until: scangate outbox retry" : "Ticket systems are told again."
      return (.done(words), nil)
    case .outboxRetry:
      do throws(JournalFault) {
        try await station.memory.retry()
      } catch {
        return (.refused(.notWritten, "\(error.description) Nothing was changed."), nil)
      }
      return (.done("Everything that is owed is told as soon as the ticket system answers."), nil)
    case .listRefresh(let system):
      let systems = station.refreshLists(of: system)
      guard !systems.isEmpty else {
        let of = system.map { " of \(TerminalText.clean($0.name, limit: 60))" } ?? ""
        return (.refused(.nothingThere, "There is no list\(of) on board that refreshes itself."), nil)
      }
      return (.done("The list on board is fetched: \(systems.map(\.name).joined(separator: ", "))."), nil)
    case .arming(let minutes):
      let minutes = min(max(Int(minutes), 1), 60)
      guard let setUp = station.setUp, setUp.arm(minutes: minutes) else {
        return (.refused(.nothingThere, "Nothing is missing that a set-up code could bring."), nil)
      }
      return (.done("Set-up codes are taken for \(minutes) min: hold one to the scanner."), nil)
    case .journalAccept:
      switch await station.memory.acceptJournal() {
      case true?: return (.done("The journal is relied on."), nil)
      case false?:
        let words =
          "The journal is relied on until the service ends: that cannot be noted beside it. Mend the disk, and say it again."
        return (.done(words), nil)
      case nil: return (.refused(.nothingThere, "The journal is relied on already."), nil)
      }
    case .status(let status): return (await Self.set(status, station), nil)
    case .acknowledge(let admission):
      guard events.view.acknowledge(admission) else {
        let words = "There is no such conflict that is open: somebody may have acknowledged it before."
        return (.refused(.nothingThere, words), nil)
      }
      return (.done("The conflict is acknowledged. It stays in the journal: scangate journal conflicts"), nil)
    case .picture(let reader): return (await station.picture(of: reader), nil)
    }
  }

  private static func set(_ status: StationStatus?, _ station: any OrderedStation) async -> OrderOutcome {
    guard let setUp = station.setUp else {
      return .refused(.nothingThere, "This station has no control service that could be told.")
    }
    switch await setUp.setStatus(status) {
    case .told: return .done("The control service was told: \(status?.rawValue ?? "what the station is by itself").")
    case .toBeTold(let words):
      return .done("It is noted, and the control service is told as soon as it can be: \(words)")
    case .notActivated:
      return .refused(.nothingThere, "This station is not activated at a control service.")
    case .notKept(let words): return .refused(.notWritten, "\(words) Nothing was changed.")
    }
  }

  private static func gone(_ gate: GateID) -> OrderOutcome {
    .refused(.outOfService, "Gate \(gate) is being set up. Give it again.")
  }

  private func annul(at gate: GateID, _ station: any OrderedStation) async -> (OrderOutcome, ScanID?) {
    let now = time.now()
    guard let last = events.view.lastAdmission(at: gate), now - last.at <= StationLimits.annulTime,
      !station.isExit(gate)
    else {
      let seconds = StationLimits.annulTime.milliseconds / 1_000
      return (.refused(.nothingToAnnul, "Nobody was admitted at gate \(gate) in the last \(seconds) s."), nil)
    }
    switch station.passage(at: gate, since: last.at) {
    case .unwatched, .nobody: break
    case .somebody:
      return (.refused(.nothingToAnnul, "Somebody has passed gate \(gate) since, or stands in its sensor."), nil)
    case .unknown:
      let words =
        "The passage sensor of gate \(gate) cannot be read, or was not when somebody was admitted: see scangate doctor."
      return (.refused(.nothingToAnnul, words), nil)
    }
    guard let keeper = station.ledger(of: gate) else { return (Self.gone(gate), nil) }
    do throws(JournalFault) {
      switch try await keeper.annul(last.scan) {
      case .takenBack:
        return (.done("The last admission at gate \(gate) was taken back: the ticket admits again."), last.scan)
      case .already:
        return (
          .refused(.nothingToAnnul, "Nobody is in on that ticket: it was taken back before, or they have left."), nil
        )
      case .tooLate:
        return (.refused(.nothingToAnnul, "Somebody was admitted on that ticket since, or its day is over."), nil)
      case .unknown:
        return (.refused(.nothingToAnnul, "The journal does not know of that admission as one of a ticket."), nil)
      }
    } catch {
      return (.unknown("Whether it was taken back for good is not known: \(error.description)"), last.scan)
    }
  }

  private func present(
    _ code: Code, at gate: GateID, as scan: ScanID, _ giver: OrderGiver, _ station: any OrderedStation
  ) async -> OrderOutcome {
    guard let controller = station.gate(gate) else { return Self.gone(gate) }
    let verdict = events.view.verdict(of: scan)
    defer { events.view.forget(scan) }
    switch controller.present(RawRead(reader: Self.reader, bytes: code.bytes, readAt: time.now()), as: scan) {
    case .taken: break
    case .repeated: return .refused(.busy, "The same code was presented at gate \(gate) a moment ago.")
    case .ended: return Self.gone(gate)
    }
    guard let decided = await verdict.first(within: Self.longestVerdict, else: nil) else {
      return .unknown(
        "Gate \(gate) gave no verdict in \(Self.longestVerdict.milliseconds / 1_000) s. Look at its state.")
    }
    let event = GatewayEvent.scan(decided)
    return .decided(line: (giver.names ? event : event.withoutNames).jsonLine)
  }

  // MARK: Writing

  /// Writes down that something is about to be done.
  /// - Returns: why it must not be: a gate opens only by what is durable.
  private func begin(_ order: StationOrder, _ giver: OrderGiver, _ scan: ScanID?) async -> String? {
    let mark = journal.enqueue(JournalBatch(facts: [.order(fact(order, giver, nil, scan))], isUrgent: true))
    guard order.action.opens else { return nil }
    do throws(JournalFault) {
      if try await journal.durable(mark, until: time.now() + Self.longestWrite) { return nil }
      return "The disk takes longer than \(Self.longestWrite.milliseconds) ms to keep it. Nothing was done."
    } catch {
      return "\(error.description) Nothing was done."
    }
  }

  /// - Returns: up to where the journal has it; `nil` where it is not written.
  private func conclude(
    _ order: StationOrder, _ giver: OrderGiver, _ outcome: OrderOutcome, _ scan: ScanID?,
    _ station: any OrderedStation
  ) -> JournalMark? {
    remember(order.id, Subject(order), outcome.kept)
    events.view.ordered(order.action.kind, outcome.name)
    // Whoever orders what is not done, again and again, must not push everything else out of journal and events.
    if outcome.refusal != nil, !quota.take(at: time.now()) { return nil }
    return tell(order, giver, outcome, scan, station, isUrgent: order.action.stands)
  }

  /// Writes down what became of an order, and has it told.
  @discardableResult private func tell(
    _ order: StationOrder, _ giver: OrderGiver, _ outcome: OrderOutcome, _ scan: ScanID?,
    _ station: any OrderedStation, isUrgent: Bool
  ) -> JournalMark {
    var fact = fact(order, giver, outcome, scan)
    // The text of a gate that there is not is anybody's.
    if let gate = fact.gate, station.gate(gate) == nil { fact.gate = nil }
    let mark = journal.enqueue(JournalBatch(facts: [.order(fact)], isUrgent: isUrgent))
    events.emit(
      .order(
        StaffOrderEvent(
          order: order, giver: giver, outcome: outcome, gate: fact.gate, scan: scan, at: time.wall())))
    return mark
  }

  private func fact(
    _ order: StationOrder, _ giver: OrderGiver, _ outcome: OrderOutcome?, _ scan: ScanID?
  ) -> JournaledOrder {
    JournaledOrder(
      id: order.id, kind: order.action.kind.rawValue, gate: order.action.gate, subject: order.action.detail,
      who: order.giverName, user: giver.user, why: order.reason ?? "", outcome: outcome?.name,
      reason: outcome?.refusal?.rawValue, detail: outcome?.words, scan: scan, at: clock())
  }
}

/// The station, as far as orders reach it.
protocol OrderedStation: Sendable {
  /// A gate that runs now.
  func gate(_ id: GateID) -> GateController?
  /// Whether people leave by it.
  func isExit(_ gate: GateID) -> Bool
  /// The ledger of its ticket system.
  func ledger(of gate: GateID) -> LedgerKeeper?
  /// What outlives reloads.
  var memory: StationMemory { get }
  /// Whether somebody has passed a gate since a moment, as far as its sensors tell.
  func passage(at gate: GateID, since moment: MonotonicTime) -> PassageSensor.Passage
  /// Who sets the station up by scans; `nil` where nobody does.
  var setUp: StationSetUp? { get }
  /// Has lists on board fetched now: that of one ticket system, or all. Of which there are some.
  func refreshLists(of system: TicketSystemID?) -> [TicketSystemID]
  /// What the station knows of a ticket.
  func search(_ text: String, names: Bool) async -> OrderOutcome
  /// The next picture of a reader's camera.
  func picture(of reader: ReaderID) async -> OrderOutcome
}

extension OrderOutcome {
  /// What is remembered of it: of a picture, that it was shown.
  fileprivate var kept: OrderOutcome {
    guard case .picture = self else { return self }
    return .done("The picture was shown and is kept nowhere. Ask for another one, by a new number.")
  }
}

extension StationOrder.Action {
  /// Whether it stands over the end of the process, until another one ends it.
  fileprivate var stands: Bool {
    switch self {
    case .maintenance, .outboxHold, .outboxRetry, .acknowledge: true
    case .openOnce, .annul, .present, .search, .listRefresh, .arming, .signalTest, .journalAccept, .status,
      .picture:
      false
    }
  }

  /// Whether a gate may open by it.
  fileprivate var opens: Bool {
    switch self {
    case .openOnce, .present: true
    case .maintenance, .annul, .search, .outboxHold, .outboxRetry, .listRefresh, .arming, .signalTest, .journalAccept,
      .status, .acknowledge, .picture:
      false
    }
  }
}
