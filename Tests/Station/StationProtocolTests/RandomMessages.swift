import ScanModel
import ScanTesting
import StationProtocol

/// Messages of the station's socket that a seed repeats.
struct RandomMessages {
  private static let letters = Array("abcdefxyz0189-_ üß漢\u{0}\n\u{202E}")

  var generator: SeededGenerator

  init(seed: Int) { generator = SeededGenerator(seed: UInt64(seed)) }

  mutating func below(_ bound: Int) -> Int { .random(in: 0..<bound, using: &generator) }
  mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }
  mutating func flag() -> Bool { below(2) == 0 }
  mutating func number<Number: FixedWidthInteger & UnsignedInteger>() -> Number {
    pick([0, 1, .max, .random(in: .min ... .max, using: &generator)])
  }
  mutating func signed() -> Int64 { pick([.min, .max, 0, .random(in: .min ... .max, using: &generator)]) }
  mutating func text(_ longest: Int = 12) -> String {
    String((0..<below(longest)).map { _ in pick(Self.letters) })
  }
  mutating func optional<Value>(_ value: Value) -> Value? { flag() ? value : nil }
  mutating func wall() -> WallTime { WallTime(nanoseconds: signed()) }
  mutating func duration() -> Duration { .nanoseconds(signed()) }
  mutating func gate() -> GateID { GateID(text()) }
  mutating func bytes(_ longest: Int) -> [UInt8] { (0..<below(longest)).map { _ in number() } }
  mutating func list<Value>(_ most: Int = 4, _ make: (inout Self) -> Value) -> [Value] {
    (0..<below(most)).map { _ in make(&self) }
  }

  mutating func signal() -> Signal {
    pick([
      .admit, .provisional, .refuse(pick(RefuseReason.allCases)), .undecided(pick(UndecidedReason.allCases)), .busy,
      .idle,
      .offline, .outOfService, .setUp(pick(SetUpSignal.all)),
    ])
  }

  mutating func action() -> StationOrder.Action {
    switch pick(OrderKind.allCases) {
    case .maintenance: .maintenance(gate(), isOn: flag())
    case .openOnce: .openOnce(gate())
    case .annul: .annul(gate())
    case .present: .present(gate(), Code(bytes: bytes(40)))
    case .search: .search(text())
    case .outboxHold: .outboxHold(isOn: flag())
    case .outboxRetry: .outboxRetry
    case .listRefresh: .listRefresh(optional(TicketSystemID(text())))
    case .arming: .arming(minutes: number())
    case .signalTest: .signalTest(gate(), signal())
    case .journalAccept: .journalAccept
    case .status: .status(optional(pick(StationStatus.allCases)))
    case .acknowledge: .acknowledge(AttemptID())
    case .picture: .picture(ReaderID(text()))
    }
  }

  mutating func order() -> StationOrder {
    StationOrder(action(), who: text(), why: text(40), givenAt: MonotonicTime(nanoseconds: signed()))
  }

  mutating func fromListener() -> ListenerMessage {
    switch below(4) {
    case 0: .hello(version: number(), program: text(), wants: ListenerWants(names: flag()))
    case 1: .snapshot
    case 2: .listen
    default: .order(order())
    }
  }

  mutating func found() -> FoundTicket {
    FoundTicket(
      code: text(), system: TicketSystemID(text()), holder: optional(text()), event: optional(text()),
      admitted: number(), allowance: optional(number()), firstAdmitted: optional(wall()), gate: optional(gate()),
      words: optional(text(40)))
  }

  mutating func outcome() -> OrderOutcome {
    switch below(6) {
    case 4: .picture(cameraPicture())
    case 0: .done(text(100))
    case 1: .decided(line: text(300))
    case 2: .found(list { $0.found() })
    case 3: .refused(pick(OrderRefusal.allCases), text(100))
    default: .unknown(text(100))
    }
  }

  mutating func cameraPicture() -> CameraView {
    CameraView(
      jpeg: bytes(400), width: number(), height: number(), format: text(), age: duration(), rate: optional(number()),
      light: pick(CameraView.Light.allCases), brightness: number(), isFrozen: flag(),
      seen: list { random in
        CameraView.Seen(
          symbology: random.text(), code: random.text(),
          corners: random.list { CameraView.Corner(x: $0.number(), y: $0.number()) })
      })
  }

  mutating func fromStation() -> StationMessage {
    switch below(6) {
    case 0:
      .welcome(
        StationWelcome(
          version: number(), station: text(), program: text(), orders: list { $0.pick(OrderKind.allCases) },
          names: flag()))
    case 1: .refused(text(200))
    case 2: .snapshot(SnapshotPart(index: number(), isLast: flag(), bytes: bytes(300)))
    case 3: .event(StationEvent(number: number(), line: text(300)))
    case 4: .dropped(number())
    default: .answer(OrderID(), outcome())
    }
  }

  // MARK: Snapshots

  mutating func condition() -> StationSnapshot.Condition {
    StationSnapshot.Condition(state: text(), detail: optional(text(60)))
  }

  mutating func snapshot() -> StationSnapshot {
    var snapshot = StationSnapshot(station: text(), version: text(), at: wall(), uptime: duration())
    snapshot.isClockTrusted = flag()
    snapshot.reload = optional(StationSnapshot.Reload(outcome: condition(), at: wall()))
    snapshot.gates = list { random in
      var gate = StationSnapshot.Gate(
        id: random.gate(), condition: random.condition(), ticketSystem: TicketSystemID(random.text()))
      gate.since = random.optional(random.wall())
      gate.reason = random.optional(random.pick(UndecidedReason.allCases))
      gate.isExit = random.flag()
      gate.readers = random.list { ReaderID($0.text()) }
      gate.isDeciding = random.flag()
      gate.offline = random.optional(random.pick(OfflineCause.allCases))
      gate.outputFault = random.optional(random.text(60))
      gate.passed = random.number()
      gate.isMaintenanceOrdered = random.flag()
      gate.event = random.optional(random.text())
      return gate
    }
    snapshot.readers = list { random in
      var reader = StationSnapshot.Reader(
        id: ReaderID(random.text()), condition: random.condition(), since: random.optional(random.wall()))
      reader.lastRead = random.optional(random.wall())
      (reader.reads, reader.refusals) = (random.number(), random.number())
      reader.isCamera = random.flag()
      return reader
    }
    snapshot.ticketSystems = list { $0.ticketSystem() }
    snapshot.outbox.isHeld = flag()
    snapshot.outbox.owed = number()
    snapshot.outbox.oldest = optional(wall())
    snapshot.outbox.conflicts = number()
    snapshot.outbox.open = list { $0.conflict() }
    snapshot.journal = condition()
    snapshot.disk = optional(StationSnapshot.Disk(free: number(), size: number()))
    if flag() {
      var control = StationSnapshot.Control()
      control.server = optional(text())
      (control.isActivated, control.isConnected) = (flag(), flag())
      (control.isTokenValid, control.isCurrent) = (flag(), flag())
      control.words = list { $0.text(60) }
      control.board = board()
      control.sessionTimeout = optional(duration())
      snapshot.control = control
      var fleet = StationSnapshot.Fleet(
        name: text(), condition: StationSnapshot.Condition(state: text(), detail: optional(text())))
      fleet.inHouse = optional(signed())
      fleet.inHouseHere = signed()
      fleet.clockAhead = optional(duration())
      fleet.differences = list { $0.text(60) }
      snapshot.fleet = fleet
    }
    snapshot.holder = optional(text())
    snapshot.isArmed = optional(flag())
    snapshot.counters = counters()
    snapshot.throughput = throughput()
    return snapshot
  }

  private mutating func ticketSystem() -> StationSnapshot.TicketSystem {
    var system = StationSnapshot.TicketSystem(id: TicketSystemID(text()), type: text())
    system.host = optional(text())
    system.offline = optional(pick(OfflineCause.allCases))
    system.offlineSince = optional(wall())
    system.fault = optional(StationSnapshot.Fault(reason: pick(UndecidedReason.allCases), detail: text(60)))
    system.isBeingAsked = flag()
    system.doubt = optional(text(60))
    system.budget = optional(StationSnapshot.Budget(left: number(), most: number()))
    system.certificateEnds = optional(wall())
    system.clockAhead = optional(duration())
    system.list = optional(
      StationSnapshot.List(
        tickets: optional(number()), age: optional(duration()), mostAge: optional(duration()),
        refresh: optional(condition())))
    system.owed = number()
    system.branding = optional(
      StationSnapshot.Branding(
        name: optional(text()), logoText: optional(text()), background: number(), text: number(), primary: number(),
        onPrimary: number(), accent: number(), onAccent: number()))
    system.event = optional(text())
    system.seats = optional(
      StationSnapshot.Seats(
        capacity: optional(number()), sold: optional(number()),
        kinds: list {
          StationSnapshot.Seats.Kind(
            name: $0.text(), capacity: $0.optional($0.number()), sold: $0.optional($0.number()))
        }))
    return system
  }

  private mutating func conflict() -> StationSnapshot.Conflict {
    StationSnapshot.Conflict(
      id: AttemptID(), system: TicketSystemID(text()), gate: gate(), code: optional(text()), admitted: wall(),
      state: text(), reason: optional(text()), words: optional(text(60)))
  }

  private mutating func board() -> StationSnapshot.Board {
    var board = StationSnapshot.Board()
    (board.name, board.room, board.location) = (optional(text()), optional(text()), optional(text()))
    (board.welcomeMessage, board.helpMessage) = (optional(text(60)), optional(text(60)))
    board.status = optional(pick(StationStatus.allCases))
    board.manualStatus = optional(pick(StationStatus.allCases))
    board.statusTexts = list { .init(status: $0.pick(StationStatus.allCases), text: $0.text(60)) }
    return board
  }

  private mutating func throughput() -> StationThroughput {
    var throughput = StationThroughput()
    throughput.from = wall()
    throughput.series = list { random in
      StationThroughput.Series(
        gate: random.gate(), verdict: random.text(), reason: random.optional(random.text()),
        counts: random.list(30) { $0.number() })
    }
    return throughput
  }

  private mutating func times() -> StationCounters.Histogram {
    var times = StationCounters.Histogram()
    for _ in 0..<below(5) { times.add(duration()) }
    return times
  }

  private mutating func calls() -> [StationCounters.Calls] {
    list { StationCounters.Calls(name: $0.text(), result: $0.text(), count: $0.number()) }
  }

  private mutating func counters() -> StationCounters {
    var counters = StationCounters()
    counters.scans = list {
      StationCounters.Scans(
        gate: $0.gate(), verdict: $0.text(), reason: $0.optional($0.text()), decider: $0.pick(Decider.allCases),
        count: $0.number())
    }
    counters.decisions = list { StationCounters.GateTimes(gate: $0.gate(), times: $0.times()) }
    counters.requests = list { StationCounters.SystemTimes(system: TicketSystemID($0.text()), times: $0.times()) }
    counters.repeats = list { StationCounters.GateCount(gate: $0.gate(), count: $0.number()) }
    counters.orders = list {
      StationCounters.Orders(kind: $0.pick(OrderKind.allCases), outcome: $0.text(), count: $0.number())
    }
    (counters.conflicts, counters.eventsDropped) = (number(), number())
    (counters.listeners, counters.kioskChanges) = (number(), number())
    (counters.kioskRequests, counters.kioskActivations) = (calls(), calls())
    return counters
  }

  mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...below(4) {
      let byte: UInt8 = pick([0, 1, 0x7F, 0x80, 0xFF, .random(in: .min ... .max, using: &generator)])
      switch below(4) {
      case 0 where !bytes.isEmpty: bytes[below(bytes.count)] = byte
      case 1 where !bytes.isEmpty: bytes.remove(at: below(bytes.count))
      case 2: bytes.insert(byte, at: below(bytes.count + 1))
      default: bytes = Array(bytes.prefix(below(bytes.count + 1)))
      }
    }
    return bytes
  }
}
