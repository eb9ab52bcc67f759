import Foundation
import ScanModel
import Admission
import ScanTesting
import Testing

/// A world with one ticket: a server that redeems like EventSchedule (or, for a signed ticket, says "already used" or "not paid"), a network that loses and delays, this station's
/// gates with their ledger, and a foreign station that asks the same server.
///
/// Times are nanoseconds of our monotonic clock, which here is true time; the server's clock is off by `offset`.
struct LedgerWorld {
  enum Kind: CaseIterable { case entry, sale, signed }

  /// What a request will meet.
  enum Path: CaseIterable { case fine, notSent, requestLost, answerLost, late, lateThenLost, serverError }

  struct Event {
    let at: Int64
    let order: Int
    let what: What
  }

  enum What {
    case present(gate: Int, ignoringPending: Bool)
    case foreign
    case serve(Exchange)
    case conclude(Exchange)
    case late(Exchange)
    /// The process ends and starts again; with it the machine, perhaps.
    case restart(isReboot: Bool)
    /// The server goes offline, or is back.
    case reach(Bool)
    /// The ticket is refunded at the server.
    case refund
    /// The ticket system is to be told of a provisional admission.
    case tell(AttemptID)
  }

  /// One request, filled in on its way.
  final class Exchange {
    let attempt: AttemptID
    let path: Path
    let asked: Int64
    let sent: Int64
    /// The provisional admission of which it tells.
    let owed: AttemptID?
    var processed: Int64?
    var ended: Int64 = 0
    var lateEnded: Int64?
    /// When the process ended before it was concluded.
    var cutAt: Int64?
    var answer: TicketAnswer?
    var date: WallTime?
    /// Whether it may have redeemed, and nothing was heard of it in time.
    var isUnanswered: Bool { path != .fine && path != .notSent || cutAt != nil }
    init(attempt: AttemptID, path: Path, asked: Int64, sent: Int64, owed: AttemptID? = nil) {
      self.owed = owed
      self.attempt = attempt
      self.path = path
      self.asked = asked
      self.sent = sent
    }
  }

  static let second: Int64 = 1_000_000_000
  static let key = TicketKey([1, 2, 3])

  let seed: UInt64
  let kind: Kind
  /// What the server says of a signed ticket that was redeemed.
  let spent: RefuseReason
  let quantity: Int
  let hasDate: Bool
  let offset: Int64
  let ownOffset: Int64
  let policy = AttemptPolicy()
  var random: SeededGenerator
  var ledger: AttemptLedger
  var events: [Event] = []
  var order = 0

  // The server.
  var firstScan: WallTime?
  var entryCount = 0

  // What happened.
  var exchanges: [Exchange] = []
  var ownAdmissions: [Int64] = []
  var foreignRedeemed: Int64?
  var problems: [String] = []
  var notes: [AttemptDecision.Note: Int] = [:]
  var waited = 0
  /// Whether the run is printed, for a look at one seed.
  var isTraced = false

  // What outlives the process.
  var disk: [LedgerPlace: Data] = [:]
  var outboxOnDisk: [OwedOne] = []
  /// What was on the disk before the last write, and when that was: a machine that ends may not have had it.
  var before: (disk: [LedgerPlace: Data], outbox: [OwedOne], at: Int64?, attempt: AttemptID?) = ([:], [], nil, nil)
  var underWay: [Exchange] = []
  var bootOffset: Int64 = 0
  var isRebooted = false
  var hasLostConclusion = false

  // What happens without the ticket system.
  /// What a ticket may do offline; `nil` where gates admit nobody then.
  var right: OfflineRight?
  var isReachable = true
  var isRefunded = false
  var outbox: [OwedOne] = []
  /// From when on nothing new happens, and the network is kinder.
  var calmFrom = Int64.max

  /// - Parameter restarts: whether the process and the machine end now and then.
  /// - Parameter offline: whether the server goes offline, and gates admit provisionally.
  init(seed: UInt64, restarts: Bool = false, offline: Bool = false) {
    var random = SeededGenerator(seed: seed)
    self.seed = seed
    kind = Kind.allCases.randomElement(using: &random) ?? .entry
    quantity = Int.random(in: 1...3, using: &random)
    spent = seed % 2 == 0 ? .alreadyUsed : .unpaid
    hasDate = random.chance(80)
    offset = Int64.random(in: -60 * Self.second...60 * Self.second, using: &random)
    // Without Date our own clock must be within its margin of the server's, else nothing can be promised.
    ownOffset =
      hasDate
      ? Int64.random(in: -60 * Self.second...60 * Self.second, using: &random)
      : offset + Int64.random(in: -19 * Self.second / 10...19 * Self.second / 10, using: &random)
    ledger = AttemptLedger(policy)
    self.random = random
    var time = 1_000 * Self.second + Int64.random(in: 0...Self.second, using: &self.random)
    if offline { chooseRight() }
    for _ in 0..<Int.random(in: 2...8, using: &self.random) {
      let scales: [Int64] = [100_000_000, Self.second, 10 * Self.second, 200 * Self.second]
      let scale = scales.randomElement(using: &self.random) ?? 0
      time += Int64.random(in: 0...scale, using: &self.random)
      if restarts, self.random.chance(25) {
        schedule(.restart(isReboot: self.random.chance(40)), at: time)
      } else if self.random.chance(12) {
        schedule(.foreign, at: time)
      } else if offline, self.random.chance(20) {
        schedule(self.random.chance(10) ? .refund : .reach(self.random.chance(30)), at: time)
      } else {
        schedule(.present(gate: Int.random(in: 0..<3, using: &self.random), ignoringPending: false), at: time)
      }
    }
    guard offline else { return }
    calmFrom = time + 60 * Self.second
    schedule(.reach(true), at: calmFrom)
  }

  mutating func schedule(_ what: What, at time: Int64) {
    order += 1
    events.append(Event(at: time, order: order, what: what))
  }

  func serverTime(_ time: Int64) -> WallTime { WallTime(nanoseconds: 1_800_000_000 * Self.second + time + offset) }
  func wall(_ time: Int64) -> WallTime { WallTime(nanoseconds: 1_800_000_000 * Self.second + time + ownOffset) }
  func mono(_ time: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: time - bootOffset) }

  mutating func redeem(at time: Int64) -> TicketAnswer {
    var made = WallTime(seconds: serverTime(time).seconds)
    if isRefunded { return .refused(.refunded, detail: nil) }
    switch kind {
    case .signed where firstScan != nil: return .refused(spent, detail: nil)
    case .signed:
      firstScan = made
      entryCount = 1
    case .entry:
      made = firstScan ?? made
      firstScan = made
      entryCount = 1
    case .sale: entryCount += 1
    }
    let sold = kind == .signed ? 1 : quantity
    return .redeemed(
      Redemption(entryID: "\(entryCount)", scannedAt: made, quantity: sold, details: TicketDetails()))
  }

  mutating func run() {
    var steps = 0
    while let next = events.indices.min(by: { (events[$0].at, events[$0].order) < (events[$1].at, events[$1].order) }) {
      steps += 1
      guard steps < 10_000 else { return problems.append("does not end") }
      let event = events.remove(at: next)
      let time = event.at
      if isTraced { print("\(time / 1_000_000) ms: \(event.what)") }
      switch event.what {
      case .present(let gate, let ignoringPending): present(gate, ignoringPending, time)
      case .foreign:
        // A foreign station admits on an entry that its own request redeemed.
        if kind != .sale, firstScan == nil, !isRefunded { foreignRedeemed = time }
        _ = redeem(at: time)
      case .serve(let exchange):
        let answer = redeem(at: time)
        exchange.answer = answer
        if case .redeemed = answer { exchange.processed = time }
      case .conclude(let exchange): conclude(exchange, time)
      case .late(let exchange):
        let outcome = lateOutcome(exchange)
        recall(ledger.missing(for: outcome))
        take(ledger.late(Self.key, attempt: exchange.attempt, outcome: outcome, wall: wall(time)))
        store(time, nil)
      case .restart(let isReboot): restart(isReboot: isReboot, time)
      case .reach(let isReachable): self.isReachable = isReachable
      case .refund: isRefunded = true
      case .tell(let owed): tell(owed, time)
      }
    }
    if ledger.isLocked(Self.key) { problems.append("still locked") }
    prepare()
    checkAdmissions()
    checkOutbox()
  }

  // MARK: What outlives the process

  mutating func recall(_ places: [LedgerPlace]) {
    for place in places {
      guard let data = disk[place] else { continue }
      guard let memory = try? JSONDecoder().decode(LedgerMemory.self, from: data) else {
        problems.append("what was written cannot be read")
        continue
      }
      if !ledger.restore(place, memory, age: ledger.age, isSameBoot: !isRebooted) { problems.append("too old") }
    }
  }

  /// Writes what has changed, as it is done before a gate opens.
  mutating func store(_ time: Int64, _ attempt: AttemptID?) {
    let changes = ledger.takeChanges()
    if !changes.isEmpty || attempt != nil { before = (disk, outboxOnDisk, time, attempt) }
    outboxOnDisk = outbox
    for (place, memory) in changes {
      guard let memory else {
        disk[place] = nil
        continue
      }
      disk[place] = Data(memory.json)
    }
    if random.chance(20) { ledger.letGo(beyond: 0) }
  }

  mutating func restart(isReboot: Bool, _ time: Int64) {
    // What was asked is on the disk, and so is what was concluded a second ago; of the rest a machine may lose the last.
    var cut = underWay
    if isReboot, let written = before.at, time - written < Self.second, random.chance(50) {
      disk = before.disk
      outboxOnDisk = before.outbox
      hasLostConclusion = true
      cut += exchanges.filter { $0.attempt == before.attempt }
    }
    events.removeAll { event in
      switch event.what {
      case .conclude, .late, .tell: true
      case .present, .foreign, .serve, .restart, .reach, .refund: false
      }
    }
    ledger = AttemptLedger(policy)
    if isReboot {
      bootOffset = time - 7 * Self.second
      // What was written in an earlier boot is read as such; this world has one reboot at most between two writes.
      isRebooted = true
    }
    for exchange in cut {
      exchange.cutAt = time
      prepare()
      ledger.interrupt(
        Self.key, attempt: exchange.attempt, gate: GateID("gate"), began: mono(exchange.asked),
        wall: wall(exchange.asked), at: mono(time), isSameBoot: !isReboot)
    }
    underWay = []
    outbox = outboxOnDisk
    for owed in outbox where owed.ending == nil { schedule(.tell(owed.attempt), at: time + 5 * Self.second) }
    store(time, nil)
    // Were it lost, so would be the word that the attempts are concluded, and the next start would do the same again.
    before.at = nil
    isRebooted = false
    if isReboot { disk = disk.mapValues { rewritten($0) } }
  }

  /// What is on the disk as the new boot reads it, so that all that is there belongs to one boot.
  func rewritten(_ data: Data) -> Data {
    guard let memory = try? JSONDecoder().decode(LedgerMemory.self, from: data), case .ticket = memory else {
      return data
    }
    var reader = AttemptLedger(policy)
    _ = reader.restore(.ticket(Self.key), memory, age: 0, isSameBoot: false)
    reader.markAllChanged()
    guard let changed = reader.takeChanges()[.ticket(Self.key)], let changed else { return data }
    return Data(changed.json)
  }

  /// Has in the ledger what it needs of the ticket.
  mutating func prepare() {
    recall(ledger.missing(Self.key))
    recall(ledger.missing(Self.key).filter { $0 != .ticket(Self.key) })
  }

  mutating func present(_ gate: Int, _ ignoringPending: Bool, _ time: Int64) {
    prepare()
    let attempt = AttemptID()
    let beginning = ledger.begin(
      Self.key, attempt: attempt, gate: GateID("gate \(gate)"), at: mono(time), wall: wall(time),
      ignoringPending: ignoringPending)
    switch beginning {
    case .locked:
      waited += 1
      schedule(.present(gate: gate, ignoringPending: ignoringPending), at: time + Self.second / 20)
    case .pending:
      waited += 1
      schedule(.present(gate: gate, ignoringPending: true), at: time + Self.second / 2)
    case .known(let decision):
      store(time, nil)
      // With no request there is no attempt on the disk that would tell of it: it is durable before a gate opens.
      before.at = nil
      judge(decision, time, exchange: nil)
    case .ask: ask(attempt, time)
    }
  }

  mutating func ask(_ attempt: AttemptID, _ time: Int64, owed: AttemptID? = nil) {
    let queued = Int64.random(in: 0...Self.second / 5, using: &random)
    var path = random.chance(time < calmFrom ? 45 : 75) ? .fine : Path.allCases.randomElement(using: &random) ?? .fine
    if !isReachable { path = random.chance(70) ? .notSent : .requestLost }
    let exchange = Exchange(attempt: attempt, path: path, asked: time, sent: time + queued, owed: owed)
    exchanges.append(exchange)
    underWay.append(exchange)
    let graceEnd = exchange.sent + 2_500_000_000 + 29 * Self.second
    switch path {
    case .fine, .serverError:
      exchange.ended = exchange.sent + Int64.random(in: 1_000_000...2_400_000_000, using: &random)
      let processed = Int64.random(in: exchange.sent...exchange.ended, using: &random)
      if path == .fine || random.chance(50) { schedule(.serve(exchange), at: processed) }
      exchange.date = date(exchange, from: processed, to: exchange.ended)
    case .notSent: exchange.ended = exchange.sent + 2_500_000_000
    case .requestLost: exchange.ended = exchange.sent + 2_500_000_000
    case .answerLost:
      exchange.ended = exchange.sent + Int64.random(in: 1_000_000...2_500_000_000, using: &random)
      let latest = random.chance(50) ? exchange.ended : exchange.ended + 29 * Self.second
      schedule(.serve(exchange), at: Int64.random(in: exchange.sent...latest, using: &random))
    case .late, .lateThenLost:
      exchange.ended = exchange.sent + 2_500_000_000
      let lateEnd = Int64.random(
        in: exchange.ended + 1...(random.chance(70) ? exchange.ended + 5 * Self.second : graceEnd), using: &random)
      let processed = Int64.random(in: exchange.sent...lateEnd, using: &random)
      if path == .late || random.chance(50) { schedule(.serve(exchange), at: processed) }
      exchange.lateEnded = lateEnd
      exchange.date = date(exchange, from: processed, to: lateEnd)
      schedule(.late(exchange), at: lateEnd)
    }
    // The late outcome may overtake the word that the attempt is pending.
    let overtaken = exchange.lateEnded.flatMap { $0 < exchange.ended + Self.second ? $0 + 1 : nil }
    schedule(.conclude(exchange), at: overtaken ?? exchange.ended)
  }

  mutating func date(_ exchange: Exchange, from processed: Int64, to end: Int64) -> WallTime? {
    guard hasDate else { return nil }
    return WallTime(seconds: serverTime(Int64.random(in: processed...end, using: &random)).seconds)
  }

  func lateOutcome(_ exchange: Exchange) -> AttemptOutcome {
    let ended = mono(exchange.lateEnded ?? exchange.ended)
    if exchange.path == .late, let answer = exchange.answer {
      return AttemptOutcome(
        fate: .answered, answer: answer, mayHaveRedeemed: true, sentAt: mono(exchange.sent),
        endedAt: ended, serverDate: exchange.date)
    }
    return AttemptOutcome(
      fate: .lost, answer: .undecided(.unreachable, detail: nil), mayHaveRedeemed: true, sentAt: mono(exchange.sent),
      endedAt: ended)
  }

  mutating func conclude(_ exchange: Exchange, _ time: Int64) {
    underWay.removeAll { $0 === exchange }
    let outcome: AttemptOutcome
    let nothing = TicketAnswer.undecided(.unreachable, detail: nil)
    var right: OfflineRight?
    if exchange.owed == nil, random.chance(80) { right = self.right }
    switch exchange.path {
    case .fine:
      right = nil
      guard let answer = exchange.answer else { return problems.append("the model served nothing") }
      outcome = AttemptOutcome(
        fate: .answered, answer: answer, mayHaveRedeemed: !isRefunded, sentAt: mono(exchange.sent),
        endedAt: mono(exchange.ended), serverDate: exchange.date)
    case .serverError:
      outcome = AttemptOutcome(
        fate: .answered, answer: nothing, mayHaveRedeemed: true, sentAt: mono(exchange.sent),
        endedAt: mono(exchange.ended), serverDate: exchange.date)
    case .notSent:
      if random.chance(self.right == nil ? 50 : 10) {
        ledger.abandon(Self.key, attempt: exchange.attempt)
        if let owed = exchange.owed { schedule(.tell(owed), at: time + Self.second) }
        return
      }
      outcome = AttemptOutcome(
        fate: .notSent, answer: nothing, mayHaveRedeemed: false, sentAt: nil, endedAt: mono(exchange.ended))
    case .requestLost, .answerLost, .late, .lateThenLost:
      outcome = AttemptOutcome(
        fate: exchange.lateEnded == nil ? .lost : .pending, answer: nothing, mayHaveRedeemed: true,
        sentAt: mono(exchange.sent), endedAt: mono(exchange.ended))
    }
    recall(ledger.missing(for: outcome, offline: right))
    if let owed = exchange.owed { return told(owed, exchange, outcome, time) }
    let decision = ledger.conclude(
      Self.key, attempt: exchange.attempt, outcome: outcome, wall: wall(time), offline: right)
    if decision.isProvisional { owe(decision, time) }
    store(time, exchange.attempt)
    // Nothing else may tell of a provisional admission: it is durable before the gate opens.
    if decision.isProvisional { before.at = nil }
    if ledger.isLocked(Self.key) { problems.append("locked after conclude") }
    judge(decision, time, exchange: exchange)
  }

  // MARK: The promises

  mutating func judge(_ decision: AttemptDecision, _ time: Int64, exchange: Exchange?) {
    if isTraced { print("\(time / 1_000_000) ms: \(decision)") }
    if let note = decision.note { notes[note, default: 0] += 1 }
    switch decision.verdict {
    case .admit:
      ownAdmissions.append(time)
      if decision.isProvisional { openOrGiveBack(decision, time) }
    case .refuse(.refunded) where isRefunded: break
    case .refuse(let reason):
      if reason != .alreadyUsed, kind != .signed || reason != spent { problems.append("refused \(reason)") }
      // Without proof a code admits once offline.
      let isUnproven = exchange.map { $0.path != .fine } == true && right?.quantity == 1
      let isUsedUp = ownAdmissions.count >= (kind == .sale && !isUnproven ? quantity : 1)
      let isUsedElsewhere = foreignRedeemed.map { $0 <= time } == true
      if !isUsedUp, !isUsedElsewhere {
        problems.append("refused although nobody was admitted for it, at \(time)")
      }
    case .undecided(.interrupted) where bootOffset != 0: break
    // Who only says that it is spent cannot say by whom: a lost request of ours may be the reason.
    case .undecided(.interrupted) where kind == .signed && decision.note == .ownRequestPossible:
      if !exchanges.contains(where: { $0.isUnanswered }) { problems.append("for staff without a reason, at \(time)") }
    // Used elsewhere a moment before: a clock's fault is not excluded.
    case .undecided(.interrupted) where foreignRedeemed.map { $0 <= time } == true: break
    // A record that may be that of who was admitted before.
    case .undecided(.busy) where outbox.contains { $0.ending == nil || $0.ending == .unsettled }: break
    case .undecided(let reason):
      if reason != .unreachable { problems.append("undecided \(reason), at \(time)") }
    }
    if decision.admitted != ownAdmissions.count, !hasLostConclusion, !isGivenBack(decision) {
      problems.append("counts \(decision.admitted)")
    }
  }

  mutating func checkAdmissions() {
    let paid = kind == .sale ? quantity : 1
    // What was admitted by a list that was wrong is reported, all that is beyond.
    let excused = min(conflicts.count, allowed - paid)
    if ownAdmissions.count - excused > paid { problems.append("\(ownAdmissions.count) admissions for \(paid)") }
    let recorded = exchanges.count { $0.processed != nil }
    if kind == .sale, recorded - ownAdmissions.count > ledger.unsettled.count {
      problems.append("\(recorded) records, \(ownAdmissions.count) admissions, \(ledger.unsettled.count) listed")
    }
    let unreported = ownAdmissions.filter { admission in !conflicts.contains { $0.at == admission } }
    guard let foreign = foreignRedeemed, let admission = unreported.first else { return }
    // Excused only where the foreign redemption cannot be told from a request of ours: inside the span of an attempt
    // (lengthened by the grace where it went unanswered), or up to its margin before it.
    let isExcused = exchanges.contains { exchange in
      guard exchange.path != .notSent || exchange.cutAt != nil else { return false }
      let answered = exchange.path == .fine && exchange.cutAt == nil
      // Told of, "already used" confirms what a lost request of ours may have done.
      if kind == .signed, !answered, outbox.contains(where: { $0.at == admission }) { return true }
      let end = answered ? exchange.ended : (exchange.cutAt ?? exchange.ended) + 30 * Self.second
      // The margin is 2 s (4 s without Date: 2 s either way, and the record's second) and the span of the exchange that was judged.
      let judged = exchanges.map { ($0.lateEnded ?? $0.ended) - $0.sent }.max() ?? 0
      let margin = (hasDate ? 2 : 5) * Self.second + judged + Self.second / 10
      let begin = exchange.cutAt == nil ? exchange.sent : exchange.asked
      return foreign >= begin - margin && foreign <= end + Self.second * 5
    }
    if !isExcused { problems.append("admitted at \(admission), redeemed elsewhere at \(foreign)") }
  }
}
