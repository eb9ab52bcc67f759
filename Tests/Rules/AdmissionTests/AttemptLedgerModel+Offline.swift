import Foundation
import ScanModel
import Admission
import ScanTesting
import Testing

/// What happens in the world while the server is offline, and how it is told afterwards.
extension LedgerWorld {
  /// A provisional admission, from the journal's point of view.
  struct OwedOne: Equatable {
    enum Ending: Equatable { case confirmed(String?), contradicted, unsettled, withdrawn }
    let attempt: AttemptID
    /// When somebody was admitted.
    let at: Int64
    var ending: Ending?
    var tries = 0
  }

  /// Provisional admissions that staff are told of.
  var conflicts: [OwedOne] { outbox.filter { $0.ending == .contradicted || $0.ending == .unsettled } }

  /// How many the list allows.
  var allowed: Int { max(kind == .sale ? quantity : 1, right?.quantity ?? 1) }

  /// Nothing is known of a code, or the list tells its quantity; now and then it is wrong.
  mutating func chooseRight() {
    right = OfflineRight()
    if random.chance(50) { right = OfflineRight(quantity: kind == .sale ? quantity : 1) }
    if random.chance(10) { right = OfflineRight(quantity: quantity + 1) }
  }

  mutating func owe(_ decision: AttemptDecision, _ time: Int64) {
    guard let attempt = decision.admission else { return problems.append("a provisional admission without a name") }
    outbox.append(OwedOne(attempt: attempt, at: time))
    schedule(.tell(attempt), at: time + Int64.random(in: 1...20 * Self.second, using: &random))
  }

  /// The gate opens, or not.
  mutating func openOrGiveBack(_ decision: AttemptDecision, _ time: Int64) {
    guard let attempt = decision.admission, random.chance(8) else { return }
    prepare()
    guard ledger.giveBack(Self.key, admission: attempt, at: mono(time)) else {
      return problems.append("a provisional admission cannot be given back")
    }
    ownAdmissions.removeAll { $0 == time }
    end(attempt, .withdrawn)
    store(time, nil)
    before.at = nil
  }

  func isGivenBack(_ decision: AttemptDecision) -> Bool {
    outbox.contains { $0.attempt == decision.admission && $0.ending == .withdrawn }
  }

  mutating func end(_ attempt: AttemptID, _ ending: OwedOne.Ending) {
    guard let index = outbox.firstIndex(where: { $0.attempt == attempt }) else {
      return problems.append("the end of something that was never owed")
    }
    if let known = outbox[index].ending, known != .unsettled { problems.append("ended twice: \(known), \(ending)") }
    outbox[index].ending = ending
  }

  mutating func end(_ attempt: AttemptID, _ told: ToldRecord, _ time: Int64) {
    if isTraced { print("\(time / 1_000_000) ms: told \(told)") }
    switch told {
    case .confirmed(let entryID): end(attempt, .confirmed(entryID))
    case .contradicted: end(attempt, .contradicted)
    case .unsettled: end(attempt, .unsettled)
    case .again: schedule(.tell(attempt), at: time + Int64.random(in: 1...30 * Self.second, using: &random))
    case .doubtful: schedule(.tell(attempt), at: time + Int64.random(in: 1...40 * Self.second, using: &random))
    case .gone: if outbox.first(where: { $0.attempt == attempt })?.ending == nil { problems.append("gone, whither?") }
    }
  }

  mutating func take(_ late: LateRecord) {
    if isTraced { print("late: \(late)") }
    switch late {
    case .confirms(let owed, let entryID): end(owed, .confirmed(entryID))
    case .contradicts(let owed, _, _): end(owed, .contradicted)
    case .unsettles(let owed): end(owed, .unsettled)
    default: break
    }
  }

  /// The sender's turn.
  mutating func tell(_ owed: AttemptID, _ time: Int64) {
    guard let open = outbox.first(where: { $0.ending == nil }) else { return }
    guard let mine = outbox.firstIndex(where: { $0.attempt == owed && $0.ending == nil }) else { return }
    // In the order of the ticket, and not while the server is known to be offline.
    guard open.attempt == owed, isReachable || random.chance(10) else {
      return schedule(.tell(owed), at: time + 3 * Self.second)
    }
    prepare()
    let attempt = AttemptID()
    let telling = ledger.beginTelling(
      Self.key, owed: owed, attempt: attempt, gate: GateID("gate"), at: mono(time), wall: wall(time))
    if isTraced { print("\(time / 1_000_000) ms: telling \(telling)") }
    switch telling {
    case .ask:
      store(time, nil)
      before.at = nil
      ask(attempt, time, owed: owed)
    case .settled(let told):
      end(owed, told, time)
      store(time, nil)
    case .locked: schedule(.tell(owed), at: time + Self.second / 10)
    case .unknown: problems.append("what is owed is forgotten")
    case .notYet, .lookUp:
      outbox[mine].tries += 1
      guard outbox[mine].tries < 6 else { return end(owed, .unsettled) }
      guard telling == .lookUp else { return schedule(.tell(owed), at: time + 31 * Self.second) }
      let found: LookUp = random.chance(20) || !isReachable ? .unknown : entryCount == 0 ? .unused : .used
      let told = ledger.lookedUp(Self.key, owed: owed, found: found, before: mono(time))
      if let told { end(owed, told, time) } else { schedule(.tell(owed), at: time + 31 * Self.second) }
      store(time, nil)
    }
  }

  mutating func told(_ owed: AttemptID, _ exchange: Exchange, _ outcome: AttemptOutcome, _ time: Int64) {
    end(
      owed,
      ledger.told(Self.key, owed: owed, attempt: exchange.attempt, outcome: outcome, wall: wall(time)), time)
    store(time, exchange.attempt)
  }

  /// Every provisional admission has come to an end, and each that was confirmed has an entry of its own at the server.
  mutating func checkOutbox() {
    if outbox.contains(where: { $0.ending == nil }) { problems.append("never told") }
    let confirmed = outbox.compactMap { owed -> String? in
      if case .confirmed(let entryID) = owed.ending { entryID ?? "no entry" } else { nil }
    }
    if Set(confirmed).count < confirmed.count { problems.append("two admissions on one entry: \(confirmed)") }
    if confirmed.count > entryCount { problems.append("\(confirmed.count) confirmed, \(entryCount) entries") }
    for owed in outbox where owed.ending != .unsettled {
      if ledger.owes(Self.key, owed.attempt) { problems.append("ended, and still owed") }
    }
    // Our own lost requests contradict nobody.
    let isContradictable = isRefunded || foreignRedeemed != nil || allowed > (kind == .sale ? quantity : 1)
    if !isContradictable, outbox.contains(where: { $0.ending == .contradicted }) {
      problems.append("contradicted without a reason")
    }
    let undone = ownAdmissions.count - conflicts.count - exchanges.count { $0.processed != nil }
    if undone > 0, kind == .sale { problems.append("\(undone) admissions without an entry") }
  }
}
