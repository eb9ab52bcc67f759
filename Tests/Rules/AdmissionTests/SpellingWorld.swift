import Foundation
import ScanModel
import Admission
import ScanTesting
import Testing

/// Codes that differ in case alone, and a server that takes them for one ticket, or for several, or knows one of them; it is
/// away now and then, loses requests and answers, and the station's process ends.
///
/// Second `t` is everybody's second `t`.
struct SpellingWorld {
  /// The server's side of a ticket.
  struct Ticket {
    let spellings: Set<Int>
    let isEntry: Bool
    let quantity: Int
    let sale: String?
    var firstScan: Int64?
    var entries = 0
  }

  /// What the station does offline.
  enum Policy: CaseIterable { case refuse, queue, list }

  struct Admission {
    let spelling: Int
    let attempt: AttemptID
    let isProvisional: Bool
    var ending: ToldRecord?
    /// Whether staff were told that the ticket system does not have it.
    var isConflict: Bool {
      switch ending {
      case .contradicted, .unsettled: true
      default: false
      }
    }
  }

  static let count = 3
  static let folded = TicketKey([9])
  static func key(_ spelling: Int) -> TicketKey { TicketKey([1, UInt8(spelling)]) }

  let folds: Bool
  let policy: Policy
  var random: SeededGenerator
  var tickets: [Ticket] = []
  var ledger = AttemptLedger()
  var disk: [LedgerPlace: Data] = [:]
  var now: Int64 = 1_000
  var isReachable = true
  var admissions: [Admission] = []
  /// Spellings of which a request was sent that was not answered.
  var lost: Set<Int> = []
  /// Spellings that were presented before.
  var seen: Set<Int> = []
  var problems: [String] = []
  /// What has happened, by name.
  var counts: [String: Int] = [:]

  init(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    folds = random.chance(50)
    policy = Policy.allCases.randomElement(using: &random) ?? .queue
    let sharesSale = random.chance(15)
    let namesSales = random.chance(85)
    var groups = folds ? [Set(0..<Self.count)] : (0..<Self.count).map { [$0] }
    // Some spellings are no ticket where the server tells them apart.
    if !folds, random.chance(50) { groups.removeLast(Int.random(in: 1...2, using: &random)) }
    for (index, spellings) in groups.enumerated() {
      tickets.append(
        Ticket(
          spellings: spellings, isEntry: random.chance(50), quantity: Int.random(in: 1...2, using: &random),
          sale: namesSales ? "sale \(sharesSale ? 0 : index)" : nil))
    }
    self.random = random
  }

  var mono: MonotonicTime { MonotonicTime(nanoseconds: now * 1_000_000_000) }
  var wall: WallTime { WallTime(seconds: now) }

  /// What the list names: each ticket once, spelt as it was sold.
  var listed: Set<Int> { Set(tickets.compactMap { $0.spellings.min() }) }

  mutating func redeem(_ spelling: Int) -> TicketAnswer {
    guard let index = tickets.firstIndex(where: { $0.spellings.contains(spelling) }) else {
      return .refused(.notFound, detail: nil)
    }
    var ticket = tickets[index]
    var scannedAt = now
    if ticket.isEntry {
      scannedAt = ticket.firstScan ?? now
      ticket.firstScan = scannedAt
      ticket.entries = 1
    } else {
      ticket.entries += 1
    }
    tickets[index] = ticket
    return .redeemed(
      Redemption(
        entryID: "\(index)-\(ticket.entries)", scannedAt: WallTime(seconds: scannedAt),
        quantity: ticket.isEntry ? 1 : ticket.quantity, sale: ticket.sale, details: TicketDetails()))
  }

  mutating func run() {
    for _ in 0..<40 {
      now += Int64.random(in: 1...40, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<12: isReachable.toggle()
      case 12..<18: restart()
      case 18..<40: if isReachable { tell() }
      default: present(Int.random(in: 0..<Self.count, using: &random))
      }
      check()
    }
    isReachable = true
    for _ in 0..<20 {
      now += 60
      tell()
    }
    check()
  }

  // MARK: What outlives the process

  mutating func restart() {
    store()
    ledger = AttemptLedger()
  }

  mutating func store() {
    for (place, memory) in ledger.takeChanges() {
      disk[place] = memory.map { Data($0.json) }
    }
    if random.chance(20) { ledger.letGo(beyond: 0) }
  }

  mutating func recall(_ places: [LedgerPlace]) {
    for place in places {
      guard let data = disk[place], let memory = try? JSONDecoder().decode(LedgerMemory.self, from: data) else {
        continue
      }
      if !ledger.restore(place, memory, age: ledger.age, isSameBoot: true) { problems.append("too old") }
    }
  }

  mutating func prepare(_ spelling: Int, folded: TicketKey? = nil) {
    for _ in 0..<2 { recall(ledger.missing(Self.key(spelling), folded: folded)) }
  }

  // MARK: At the gate

  mutating func present(_ spelling: Int) {
    prepare(spelling, folded: Self.folded)
    let key = Self.key(spelling)
    let isDistinct = policy == .list && listed.count > 1 && listed.contains(spelling)
    let attempt = AttemptID()
    defer { seen.insert(spelling) }
    switch ledger.begin(
      key, folded: Self.folded, isDistinct: isDistinct, attempt: attempt, gate: GateID("north"), at: mono, wall: wall,
      ignoringPending: true)
    {
    case .known(let decision): judge(decision, spelling, isAnswered: false)
    case .locked, .pending: problems.append("locked, or pending")
    case .ask: ask(spelling, attempt)
    }
    store()
  }

  mutating func ask(_ spelling: Int, _ attempt: AttemptID) {
    let nothing = TicketAnswer.undecided(.unreachable, detail: nil)
    var outcome = AttemptOutcome(
      fate: .notSent, answer: nothing, mayHaveRedeemed: false, sentAt: nil, endedAt: mono, offline: .noConnection)
    var right: OfflineRight?
    if isReachable, random.chance(90) {
      outcome = answered(redeem(spelling))
    } else if isReachable {
      // The request was lost, or its answer.
      if random.chance(50) { _ = redeem(spelling) }
      outcome.fate = .lost
      outcome.mayHaveRedeemed = true
      outcome.sentAt = mono
      lost.insert(spelling)
    } else {
      right = self.right(spelling)
    }
    recall(ledger.missing(for: outcome, offline: right))
    let decision = ledger.conclude(
      Self.key(spelling), attempt: attempt, outcome: outcome, wall: wall, offline: right)
    judge(decision, spelling, isAnswered: outcome.fate == .answered)
  }

  func answered(_ answer: TicketAnswer) -> AttemptOutcome {
    AttemptOutcome(
      fate: .answered, answer: answer, mayHaveRedeemed: answer != .refused(.notFound, detail: nil), sentAt: mono,
      endedAt: mono, serverDate: wall)
  }

  func right(_ spelling: Int) -> OfflineRight? {
    switch policy {
    case .refuse: return nil
    case .queue: return OfflineRight()
    case .list:
      guard listed.contains(spelling), let ticket = tickets.first(where: { $0.spellings.contains(spelling) }) else {
        return nil
      }
      let quantity = ticket.isEntry ? 1 : ticket.quantity
      return OfflineRight(quantity: quantity, sale: "list \(spelling)", saleQuantity: quantity)
    }
  }

  // MARK: The promises

  mutating func judge(_ decision: AttemptDecision, _ spelling: Int, isAnswered: Bool) {
    let ticket = tickets.first { $0.spellings.contains(spelling) }
    let others = admissions.filter { $0.spelling != spelling && !isTwo(spelling, $0.spelling) }
    counts["\(decision.verdict.name)\(decision.note == .otherCode ? " otherCode" : "")", default: 0] += 1
    switch decision.verdict {
    case .admit:
      guard let attempt = decision.admission else { return problems.append("an admission without a name") }
      if decision.isProvisional, policy == .queue, !others.isEmpty {
        problems.append("\(spelling) was admitted offline after \(others.map(\.spelling))")
      }
      admissions.append(
        Admission(spelling: spelling, attempt: attempt, isProvisional: decision.isProvisional))
    case .refuse(.notFound): if ticket != nil { problems.append("\(spelling) is a ticket, and was not found") }
    case .refuse(let reason):
      // Nobody is refused for what was done with another ticket.
      if !folds, !admissions.contains(where: { $0.spelling == spelling }), !lost.contains(spelling) {
        problems.append("\(spelling) was refused \(reason) for another")
      }
    case .undecided:
      // A ticket of its own sale that was never presented before is judged by the server's entry.
      let isOwed = admissions.contains { $0.isProvisional && ($0.ending == nil || $0.ending == .unsettled) }
      let isTold = tickets.count { $0.sale == ticket?.sale } == 1 && ticket?.sale != nil && !folds
      if isAnswered, isTold, !seen.contains(spelling), !isOwed, !isContradicted {
        problems.append("\(spelling) was \(decision.verdict), though the server has told an entry of its own")
      }
    }
  }

  /// Whether somebody is in without an entry of the server that would tell of which sale.
  var isContradicted: Bool { admissions.contains { $0.isProvisional && $0.isConflict } }

  /// Whether the list names both.
  func isTwo(_ a: Int, _ b: Int) -> Bool { policy == .list && listed.contains(a) && listed.contains(b) }

  mutating func check() {
    for ticket in tickets {
      let inside = admissions.filter { ticket.spellings.contains($0.spelling) && !$0.isConflict }
      let paid = ticket.isEntry ? 1 : ticket.quantity
      // Without its word nobody knows what it does with a spelling; telling shows it.
      let sure = inside.filter { !$0.isProvisional || $0.ending != nil }
      if sure.count > paid { problems.append("\(sure.count) in on \(ticket), at \(now)") }
    }
  }

  // MARK: Telling

  mutating func tell() {
    guard let index = admissions.firstIndex(where: { $0.isProvisional && $0.ending == nil }) else { return }
    let owed = admissions[index]
    let key = Self.key(owed.spelling)
    prepare(owed.spelling)
    let attempt = AttemptID()
    switch ledger.beginTelling(
      key, owed: owed.attempt, attempt: attempt, gate: GateID("north"), at: mono, wall: wall)
    {
    case .ask:
      let outcome = answered(redeem(owed.spelling))
      recall(ledger.missing(for: outcome))
      admissions[index].ending = ledger.told(
        key, owed: owed.attempt, attempt: attempt, outcome: outcome, wall: wall)
    case .settled(let told): admissions[index].ending = told
    case .lookUp, .notYet: admissions[index].ending = .unsettled
    case .locked, .unknown: problems.append("what is owed is locked, or forgotten")
    }
    counts["told", default: 0] += 1
    store()
  }
}
