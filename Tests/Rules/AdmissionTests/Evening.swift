import ScanModel
import Admission
import ScanTesting

/// One evening: a ticket system with its clocks, what stands between it and the station, the station with its gates, ledger and
/// journal, and the people who come. The station is driven as `LedgerKeeper` drives it.
///
/// Times are nanoseconds of true time. What chance decides about a visit hangs on its person and its number alone, so that an
/// evening goes on much the same without some of the others.
final class Evening {
  static let second: Int64 = 1_000_000_000

  enum What {
    case present(EveningVisit)
    case lookedUp(EveningExchange)
    case serve(EveningExchange)
    case conclude(EveningExchange)
    case late(EveningExchange)
    case open(EveningAdmission)
    /// Nobody has passed.
    case annul(EveningAdmission)
    case tell(AttemptID)
    /// A ticket is looked up because of what was lost.
    case settle(code: Int, tries: Int)
    case start
    case incident(EveningPlan.What)
  }

  struct Event {
    let at: Int64
    let order: Int
    /// The process that it dies with; `nil` where it happens all the same.
    let process: Int?
    let what: What
  }

  let plan: EveningPlan
  let clocks: EveningClocks
  let keys: [TicketKey]
  let foldedKeys: [TicketKey?]
  private var queue: [Event] = []
  private var order = 0
  var now: Int64 = 0

  // The ticket system, and the way to it.
  var sales: [EveningSale]
  var tickets: [EveningTicket]
  var isReachable = true

  // The station.
  var ledger = AttemptLedger()
  var journal: EveningJournal
  var process = 0
  var isUp = true
  var bootOffset: Int64 = 0
  /// As far as the station knows.
  var isKnownOffline = false
  var lastWords: [TicketKey: RefuseReason] = [:]
  var learntWritten: Duration?
  var suspicionsWritten: [RecordSuspicion] = []
  var dice: SeededGenerator

  // What happened.
  var people: [EveningPerson]
  var visits: [EveningVisit] = []
  var exchanges: [EveningExchange] = []
  var admissions: [EveningAdmission] = []
  var ends: [(at: Int64, isReboot: Bool)] = []
  var problems: [String] = []
  var clockFaults = EveningClockFaults()
  var counts: [String: Int] = [:]
  var trace: [String] = []
  let isTraced: Bool

  init(_ plan: EveningPlan, isTraced: Bool = false) {
    self.plan = plan
    self.isTraced = isTraced
    clocks = plan.clocks
    keys = plan.codes.indices.map { TicketKey([1, UInt8($0)]) }
    foldedKeys = plan.codes.map { plan.server == .records ? TicketKey([2, UInt8($0.group)]) : nil }
    sales = plan.sales.enumerated().map { EveningSale(number: $0, $1) }
    tickets = plan.tickets.enumerated().map { EveningTicket(number: $0, isEntry: $1.isEntry, sale: $1.sale) }
    journal = EveningJournal(canReboot: plan.canReboot)
    dice = SeededGenerator(seed: plan.seed &* 31 &+ 17)
    people = plan.persons.map { EveningPerson($0) }
    for person in people { come(person, at: person.plan.arrives) }
    for incident in plan.incidents { schedule(.incident(incident.what), at: incident.at, dies: false) }
    schedule(.incident(.reach(true)), at: plan.calm, dies: false)
    for person in people {
      // A copy is tried once more, when everybody had time to come.
      let times: [Int64] = person.plan.isHonest ? [100, 160, 700] : [900]
      for (index, seconds) in times.enumerated() {
        let at = plan.calm + (seconds + Int64(person.plan.id)) * Self.second
        schedule(.present(EveningVisit(person, seed: plan.seed, calm: index + 1)), at: at, dies: false)
      }
    }
  }

  func count(_ what: String, _ times: Int = 1) { counts[what, default: 0] += times }

  func say(_ text: @autoclosure () -> String) {
    if isTraced { trace.append("\(Double(now / 1_000_000) / 1_000) s: \(text())") }
  }

  func fail(_ text: @autoclosure () -> String) {
    let text = text()
    problems.append(text)
    say("!!! \(text)")
  }

  // MARK: Time

  var isCalm: Bool { now >= plan.calm }
  func mono(_ time: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: time - bootOffset) }
  var wall: WallTime { clocks.wall(at: now) }

  func schedule(_ what: What, at time: Int64, dies: Bool = true) {
    order += 1
    let event = Event(at: max(time, now), order: order, process: dies ? process : nil, what: what)
    // The next one is the last.
    var index = queue.count
    while index > 0, queue[index - 1].at <= event.at { index -= 1 }
    queue.insert(event, at: index)
  }

  func come(_ person: EveningPerson, at time: Int64) {
    person.visits += 1
    let visit = EveningVisit(person, seed: plan.seed)
    schedule(.present(visit), at: time, dies: false)
  }

  func run() {
    var steps = 0
    while let event = queue.popLast() {
      steps += 1
      guard steps < 5_000 else { return fail("does not end") }
      now = event.at
      if let of = event.process, of != process { continue }
      switch event.what {
      case .present(let visit): present(visit)
      case .lookedUp(let exchange): lookedUp(exchange)
      case .serve(let exchange): serve(exchange)
      case .conclude(let exchange): conclude(exchange)
      case .late(let exchange): late(exchange)
      case .open(let admission): open(admission)
      case .annul(let admission): annul(admission)
      case .tell(let owed): tell(owed)
      case .settle(let code, let tries): settle(code, tries: tries)
      case .start: start()
      case .incident(let what): happen(what)
      }
    }
    checkEvening()
  }

  private func happen(_ what: EveningPlan.What) {
    say("\(what)")
    switch what {
    case .foreign(let code): redeemElsewhere(code)
    case .sale(let sale, let status): sales[sale].change(to: status, at: now)
    case .reach(let isReachable):
      self.isReachable = isReachable
      if isReachable { isKnownOffline = false }
    case .end(let isReboot, let away): end(isReboot: isReboot, away: away)
    }
  }
}
