internal import FleetBook
internal import ScanModel

/// A station of a `FleetWorld`: what its process holds, and what its disk does.
struct FleetStation: Hashable, Sendable {
  /// Something that takes time.
  enum Pending: Hashable, Sendable {
    case note(ClaimIntent)
    case redeem
    case conclude(ClaimConclusion)
    case close(ClaimConclusion)
    case open(BootTime)
  }

  /// A presentation that is being decided.
  struct Running: Hashable, Sendable {
    var attempt: ClaimAttempt
    var scan: ScanID
    var presentation: Int
    var code: Int
  }

  /// What outlives the process and the power.
  struct Journal: Hashable, Sendable {
    var intents: [ScanID: ClaimIntent] = [:]
    var conclusions: [ScanID: ClaimConclusion] = [:]
    var codes: [ScanID: Int] = [:]
    var exits: [ClaimDebt] = []
    var told: Set<Told> = []
  }

  struct Told: Hashable, Sendable {
    var scan: ScanID
    var key: ClaimKey
  }

  let id: StationID
  let plan: FleetPlan
  var epoch = 0
  var attempt: Running?
  var telling: ClaimTelling?
  var calls: UInt32 = 0
  var debts: [ClaimDebt] = []
  var pending: [Pending] = []
  var journal = Journal()
  var seen = SeenClaims()
  var alone: AloneBook

  init(number: Int, plan: FleetPlan) {
    id = FleetPlan.station(number)
    self.plan = plan
    alone = AloneBook(plan.alone)
  }

  /// Whether somebody sees to a scan's entry on a key.
  func answers(for scan: ScanID, on key: ClaimKey) -> Bool {
    attempt?.scan == scan || debts.contains { $0.entry.scan == scan && $0.key == key }
  }

  /// Scans of which it is not known what they did.
  func repeats(of code: Int) -> Set<ScanID> {
    Set(
      journal.intents.values.lazy.filter { intent in
        guard journal.codes[intent.scan] == code else { return false }
        let written = pending.lazy.compactMap {
          if case .close(let new) = $0, new.scan == intent.scan { new } else { nil }
        }
        guard let conclusion = written.first ?? journal.conclusions[intent.scan] else { return true }
        return !conclusion.isAdmission && conclusion.debts.contains { $0.goal == .interrupted }
      }.map(\.scan))
  }

  /// How often this station has admitted on a code.
  func admitted(_ code: Int) -> Int {
    journal.conclusions.values.count { $0.isAdmission && (plan.isSale || journal.codes[$0.scan] == code) }
  }

  mutating func owe(_ new: [ClaimDebt], isExit: Bool) {
    if isExit { journal.exits += new }
    debts += new.filter { debt in !debts.contains { $0.key == debt.key && $0.entry.scan == debt.entry.scan } }
  }

  /// Another one comes first.
  mutating func later() {
    telling = nil
    if !debts.isEmpty { debts.append(debts.removeFirst()) }
  }

  mutating func told(_ debt: ClaimDebt) {
    telling = nil
    debts.removeAll { $0.key == debt.key && $0.entry.scan == debt.entry.scan }
    journal.told.insert(Told(scan: debt.entry.scan, key: debt.key))
  }

  /// The process ends, the power with it, and another begins.
  mutating func restart() {
    epoch += 1
    attempt = nil
    telling = nil
    pending = []
    debts = []
    seen = SeenClaims()
    alone = AloneBook(plan.alone, admitted: alone.admitted)
    guard plan.plant != .debtsAreForgotten else { return }
    for intent in journal.intents.values.sorted(by: { $0.scan.description < $1.scan.description }) {
      let left = ClaimRecovery.debts(of: intent, journal.conclusions[intent.scan], station: id)
      debts += left.filter { !journal.told.contains(Told(scan: $0.entry.scan, key: $0.key)) }
    }
    for exit in journal.exits where !journal.told.contains(Told(scan: exit.entry.scan, key: exit.key)) {
      var exit = exit
      exit.isRetold = true
      debts.append(exit)
    }
  }
}
