internal import FleetBook
internal import ScanModel

/// Stations, a store and a network between them, in which everything that may happen next is an action: whoever chooses them has every
/// order of events. Judged by what people see: pulses, and what the store says in the end.
struct FleetWorld: Hashable, Sendable {
  /// Who asked the store.
  enum Asker: Hashable, Sendable {
    case attempt(ScanID)
    case telling
  }

  /// Something on its way.
  struct Message: Hashable, Sendable {
    var station: Int
    var epoch: Int
    var asker: Asker
    var number: UInt32
    var call: ClaimCall
    /// What is on its way back; `nil` on the way to the store.
    var answer: ClaimAnswer?
    /// Whether nobody waits for it any more.
    var isGhost = false
    /// Whether there is another one of it.
    var isDoubled = false
  }

  /// What can happen next.
  enum Action: Hashable, Sendable {
    case present(Int)
    case deliver(Int)
    case tell(Int)
    case work(Int, Int)
    case pass
    // What goes wrong.
    case lose(Int)
    case delay(Int)
    case double(Int)
    case noQuorum(Int)
    case stale(Int)
    case timeIsUp(Int)
    case unanswered(Int, Int)
    case notOpened(Int, Int)
    case crash(Int)

    var isFault: Bool {
      switch self {
      case .present, .deliver, .tell, .work, .pass: false
      default: true
      }
    }
  }

  /// Somebody went in.
  struct Pulse: Hashable, Sendable {
    var presentation: Int
    var code: Int
    var scan: ScanID
    var at: BootTime
    var isProvisional: Bool
    var hasLeft = false
  }

  let plan: FleetPlan
  let policy = ClaimPolicy()
  var table = ClaimTable<Claim>()
  /// What each key had before, for a leader that does not know of its successor.
  var past: [ClaimKey: ClaimTable<Claim>.Row] = [:]
  var network: [Message] = []
  var stations: [FleetStation]
  var now = BootTime(nanoseconds: 1_000_000_000_000)
  var faultsLeft: Int
  var crashesLeft: Int
  var stepsLeft: Int
  var presented: Set<Int> = []
  var scans = 0
  var pulses: [Pulse] = []
  var conflicts: Set<ClaimConflict> = []
  /// Scans whose conclusion nobody may have acted on, because the process ended or the gate did not open.
  var excused: Set<ScanID> = []
  /// Scans for which the ticket system has a record, or whose station cannot know whether it has.
  var redeemed: Set<ScanID> = []
  /// Whether nothing goes wrong any more; then the last verdict is kept.
  var isSettling = false
  var verdict: ClaimVerdict?

  init(_ plan: FleetPlan) {
    self.plan = plan
    stations = (0..<plan.stations).map { FleetStation(number: $0, plan: plan) }
    faultsLeft = plan.faults
    crashesLeft = plan.crashes
    stepsLeft = plan.steps
  }

  /// The leader's clock: it is its own.
  var wall: WallTime { WallTime(nanoseconds: now.nanoseconds &+ 1_700_000_000_000_000_000) }

  // MARK: What may happen

  func actions() -> [Action] {
    var actions: [Action] = []
    for (number, presentation) in plan.presentations.enumerated()
    where !presented.contains(number) && stations[presentation.station].attempt == nil {
      if case .leave(let entered) = presentation.kind,
        !pulses.contains(where: { $0.presentation == entered && !$0.hasLeft })
      {
        continue
      }
      actions.append(.present(number))
    }
    for number in network.indices { actions.append(.deliver(number)) }
    for (number, station) in stations.enumerated() {
      if station.telling == nil && !station.debts.isEmpty { actions.append(.tell(number)) }
      for place in station.pending.indices { actions.append(.work(number, place)) }
    }
    if stepsLeft > 0 { actions.append(.pass) }
    guard faultsLeft > 0 else { return actions }
    for (number, message) in network.enumerated() where !message.isGhost {
      actions.append(.lose(number))
      guard message.answer == nil else { continue }
      if case .write = message.call.kind {
        actions += [.delay(number), .double(number)]
      } else if past[message.call.key] != nil {
        actions.append(.stale(number))
      }
      if !message.isDoubled { actions.append(.noQuorum(number)) }
    }
    for (number, station) in stations.enumerated() {
      if station.attempt != nil {
        actions.append(.timeIsUp(number))
      }
      for (place, pending) in station.pending.enumerated() {
        if pending == .redeem { actions.append(.unanswered(number, place)) }
        // The gate's fault, or the disk's: then the conclusion is not durable in time.
        switch pending {
        case .open, .conclude: actions.append(.notOpened(number, place))
        case .note, .redeem, .close: break
        }
      }
      if crashesLeft > 0, station.attempt != nil || station.telling != nil || !station.pending.isEmpty {
        actions.append(.crash(number))
      }
    }
    return actions
  }

  // MARK: It happens

  mutating func apply(_ action: Action) {
    if action.isFault { faultsLeft -= 1 }
    switch action {
    case .present(let number): present(number)
    case .deliver(let number): deliver(network.remove(at: number))
    case .tell(let number): tell(number)
    case .work(let number, let place): work(number, stations[number].pending.remove(at: place))
    case .pass:
      stepsLeft -= 1
      now = now + plan.step
    case .lose(let number):
      let message = network.remove(at: number)
      fail(message, .lostAnswer)
    case .delay(let number):
      network[number].isGhost = true
      fail(network[number], .lostAnswer)
    case .double(let number):
      network[number].isDoubled = true
      var ghost = network[number]
      ghost.isGhost = true
      network.append(ghost)
    case .noQuorum(let number): fail(network.remove(at: number), .noQuorum)
    case .stale(let number):
      let message = network.remove(at: number)
      answer(message, .found(reading(past[message.call.key])))
    case .timeIsUp(let number): happen(number, .timeIsUp)
    case .unanswered(let number, let place):
      _ = stations[number].pending.remove(at: place)
      guard let running = stations[number].attempt else { return }
      redeemed.insert(running.scan)
      happen(number, .unanswered)
    case .notOpened(let number, let place):
      _ = stations[number].pending.remove(at: place)
      if let scan = stations[number].attempt?.scan { excuse(scan) }
      happen(number, .notOpened)
    case .crash(let number):
      crashesLeft -= 1
      crash(number)
    }
  }

  private mutating func excuse(_ scan: ScanID) {
    excused.insert(scan)
    if plan.redeems { redeemed.insert(scan) }
  }

  private mutating func nextScan() -> ScanID {
    scans += 1
    return FleetPlan.scan(scans)
  }

  private mutating func present(_ number: Int) {
    presented.insert(number)
    come(plan.presentations[number], number)
  }

  /// Somebody comes.
  mutating func come(_ presentation: FleetPlan.Presentation, _ number: Int) {
    let scan = nextScan()
    let station = presentation.station
    switch presentation.kind {
    case .leave(let entered):
      guard let place = pulses.firstIndex(where: { $0.presentation == entered && !$0.hasLeft }) else { return }
      pulses[place].hasLeft = true
      let entry = ClaimEntry(scan: scan, station: stations[station].id, gate: GateID("out"))
      stations[station].owe(
        [ClaimDebt(plan.keys(of: presentation.code)[0], entry, .left(by: scan, of: nil))], isExit: true)
    case .enter:
      let repeats = stations[station].repeats(of: presentation.code)
      // What may have been redeemed for them may have been for this one, which takes their place.
      if !redeemed.isDisjoint(with: repeats) { redeemed.insert(scan) }
      var attempt = ClaimAttempt(
        scan, at: GateID("in"), of: stations[station].id,
        [ClaimDemand(plan.keys(of: presentation.code)[0], plan.rule)],
        repeats: repeats, redeems: plan.redeems, policy: policy)
      let effects = attempt.begin(
        at: now, wall: wall, knowing: plan.isWatching ? hint(plan.keys(of: presentation.code)[0]) : nil, isAway: false)
      stations[station].attempt = FleetStation.Running(
        attempt: attempt, scan: scan, presentation: number, code: presentation.code)
      perform(effects, number: station)
    }
  }

  /// What a watch told last: what there is, or for every other scan what there was.
  private func hint(_ key: ClaimKey) -> KnownClaim? {
    let row = scans.isMultiple(of: 2) ? past[key] ?? table.rows[key] : table.rows[key]
    return row.map { KnownClaim(claim: $0.value, revision: $0.revision, time: $0.time) }
  }

  private mutating func happen(_ number: Int, _ event: ClaimAttempt.Event, cutOff: Set<ScanID> = []) {
    guard var running = stations[number].attempt else { return }
    let effects = running.attempt.handle(event, at: now, wall: wall, cutOff: cutOff)
    stations[number].attempt = running
    perform(effects, number: number)
  }

  private mutating func perform(_ effects: [ClaimAttempt.Effect], number: Int) {
    for effect in effects {
      switch effect {
      case .call(let call, let what):
        if let scan = stations[number].attempt?.scan { send(number, .attempt(scan), call, what) }
      case .note(let intent): stations[number].pending.append(.note(intent))
      case .askAlone:
        stations[number].alone.alone(at: now)
        let code = stations[number].attempt.map { $0.code } ?? 0
        var word = stations[number].alone.word(isListed: true, at: now)
        // What this station knows itself it need not ask.
        if word == .mayAdmit, stations[number].admitted(code) >= plan.quantity { word = .refuses }
        happen(number, .alone(word))
      case .redeem: stations[number].pending.append(.redeem)
      case .conclude(let conclusion): stations[number].pending.append(.conclude(conclusion))
      case .close(let conclusion):
        let isChosen = stations[number].journal.conclusions[conclusion.scan] != nil
        if isChosen { excuse(conclusion.scan) }
        stations[number].pending.append(.close(conclusion))
      case .open(let until): stations[number].pending.append(.open(until))
      case .end(let verdict, let owed):
        if isSettling { self.verdict = verdict }
        if plan.plant != .debtsAreForgotten { stations[number].owe(owed, isExit: false) }
        stations[number].attempt = nil
      }
    }
  }

  private mutating func send(_ station: Int, _ asker: Asker, _ number: UInt32, _ call: ClaimCall) {
    network.append(
      Message(station: station, epoch: stations[station].epoch, asker: asker, number: number, call: call))
  }

  private mutating func tell(_ number: Int) {
    guard let debt = stations[number].debts.first else { return }
    let telling = ClaimTelling(debt, policy: policy)
    stations[number].telling = telling
    stations[number].calls &+= 1
    send(number, .telling, stations[number].calls, telling.begin())
  }

  private mutating func work(_ number: Int, _ pending: FleetStation.Pending) {
    let running = stations[number].attempt
    switch pending {
    case .note(let intent):
      stations[number].journal.intents[intent.scan] = intent
      if let running { stations[number].journal.codes[intent.scan] = running.code }
      happen(number, .noted(intent))
    case .conclude(let conclusion):
      stations[number].journal.conclusions[conclusion.scan] = conclusion
      happen(number, .concluded)
    case .close(let conclusion): stations[number].journal.conclusions[conclusion.scan] = conclusion
    case .redeem:
      guard let running else { return }
      if plan.redeems { redeemed.insert(running.scan) }
      happen(number, .redeemed(plan.saleDemand))
    case .open(let until):
      guard let running else { return }
      guard now <= until || plan.plant == .takeOverFrees else {
        excuse(running.scan)
        return happen(number, .notOpened)
      }
      let isAlone =
        stations[number].journal.conclusions[running.scan]?.debts.contains { $0.entry.isProvisional } ?? false
      pulses.append(
        Pulse(
          presentation: running.presentation, code: running.code, scan: running.scan, at: now, isProvisional: isAlone))
      if isAlone { stations[number].alone.admit() }
      happen(number, .opened)
    }
  }

  private mutating func crash(_ number: Int) {
    if let running = stations[number].attempt { excuse(running.scan) }
    for pending in stations[number].pending {
      // What was to take back an admission is lost with it.
      if case .close(let conclusion) = pending { excuse(conclusion.scan) }
    }
    for place in network.indices where network[place].station == number { network[place].isGhost = true }
    network.removeAll { $0.isGhost && ($0.answer != nil || $0.call.kind == .read) }
    stations[number].restart()
    for (key, row) in table.rows { look(number, key, row) }
  }

  // MARK: The store

  private mutating func deliver(_ message: Message) {
    if let found = message.answer { return reach(message, found) }
    switch message.call.kind {
    case .read:
      switch table.read(message.call.key) {
      case .success(let row): answer(message, .found(reading(row)))
      case .failure(let fault): answer(message, .failed(fault))
      }
    case .write(var claim, let revision):
      let key = message.call.key
      if plan.plant == .takeOverFrees { claim.entries.removeAll { $0.state == .interrupted } }
      let before = table.rows[key]
      var result = table.write(key, claim, at: revision, time: wall)
      if plan.plant == .storeWithoutComparing, case .failure(.wrongRevision) = result, revision == .none {
        result = .success(ClaimRevision(1))
      }
      if case .success = result, let row = table.rows[key] {
        past[key] = before
        for number in stations.indices { look(number, key, row) }
      }
      switch result {
      case .success(let revision): answer(message, .written(revision))
      case .failure(let fault): answer(message, .failed(fault))
      }
    }
  }

  private func reading(_ row: ClaimTable<Claim>.Row?) -> ClaimReading {
    row.map { .known(KnownClaim(claim: $0.value, revision: $0.revision, time: $0.time)) } ?? .absent
  }

  private mutating func answer(_ message: Message, _ answer: ClaimAnswer) {
    guard !message.isGhost else { return }
    var back = message
    back.answer = answer
    network.append(back)
  }

  private mutating func fail(_ message: Message, _ fault: ClaimFault) {
    if plan.plant == .lostIsWritten, fault == .lostAnswer, case .write = message.call.kind {
      return reach(message, .written(ClaimRevision(1)))
    }
    reach(message, .failed(fault))
  }

  private mutating func reach(_ message: Message, _ answer: ClaimAnswer) {
    let number = message.station
    guard stations[number].epoch == message.epoch else { return }
    switch message.asker {
    case .attempt(let scan):
      guard stations[number].attempt?.scan == scan else { return }
      var cutOff: Set<ScanID> = []
      if case .found(.known(let known)) = answer {
        cutOff = stations[number].seen.see(known.claim, at: now, limit: policy.cutOffAfter)
      }
      happen(number, .answered(message.number, answer), cutOff: cutOff)
    case .telling:
      guard message.number == stations[number].calls, var telling = stations[number].telling else { return }
      let step = telling.take(answer)
      stations[number].telling = telling
      switch step {
      case .call(let call):
        stations[number].calls &+= 1
        send(number, .telling, stations[number].calls, call)
      case .later: stations[number].later()
      case .told(let found):
        if plan.plant != .silentMerge { conflicts.formUnion(found) }
        stations[number].told(telling.debt)
      case .stuck: stations[number].told(telling.debt)
      }
    }
  }

  /// A watch shows a station what a key has.
  private mutating func look(_ number: Int, _ key: ClaimKey, _ row: ClaimTable<Claim>.Row) {
    guard plan.plant != .debtsAreForgotten, plan.plant != .absentIsNever else { return }
    let known = KnownClaim(claim: row.value, revision: row.revision, time: row.time)
    let station = stations[number]
    let orphans = ClaimRecovery.orphans(
      in: known, on: key, station: station.id, answered: { station.answers(for: $0, on: key) },
      fate: { scan in station.journal.intents[scan].map { ($0, station.journal.conclusions[scan]) } })
    stations[number].owe(orphans, isExit: false)
  }
}

extension ClaimReading {
  fileprivate func has(_ scan: ScanID) -> Bool {
    if case .known(let known) = self { known.claim.entry(of: scan) != nil } else { false }
  }
}

extension FleetPlan {
  /// The ticket's key.
  func keys(of code: Int) -> [ClaimKey] { [Self.key(.ticket, code)] }

  /// What the ticket system tells of the sale.
  var saleDemand: [ClaimDemand] { isSale ? [ClaimDemand(Self.key(.sale, 0), .quantity(quantity))] : [] }
}
