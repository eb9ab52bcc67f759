import ScanModel
import Admission
import ScanTesting

/// A sale at the ticket system.
struct EveningSale {
  let number: Int
  let persons: Int
  let name: String?
  private(set) var status: EveningPlan.Status
  private(set) var changedAt: Int64 = 0
  /// The refusals that it has ever had.
  private(set) var refusals: Set<RefuseReason> = []

  init(number: Int, _ plan: EveningPlan.Sale) {
    self.number = number
    persons = plan.persons
    name = plan.isNamed ? "sale \(number)" : nil
    status = plan.status
    note()
  }

  mutating func change(to status: EveningPlan.Status, at time: Int64) {
    self.status = status
    changedAt = time
    note()
  }

  private mutating func note() {
    switch status {
    case .paid: break
    case .refused(let reason), .refusedAndRecorded(let reason): refusals.insert(reason)
    }
  }
}

/// An entry that the ticket system has made.
struct EveningRecord {
  let entryID: String
  let at: Int64
  let stamp: WallTime
  /// Whose request it was; `nil` where it was another station's.
  let exchange: EveningExchange?
}

struct EveningTicket {
  let number: Int
  let isEntry: Bool
  let sale: Int
  var records: [EveningRecord] = []
  /// When another station admitted on it.
  var foreignAt: Int64?
}

final class EveningPerson {
  let plan: EveningPlan.Person
  var visits = 0
  var isIn = false
  var last: Verdict?
  /// How often they were refused what they had a right to, and by which fault.
  var wronged: [String] = []

  init(_ plan: EveningPlan.Person) { self.plan = plan }
}

/// One time that somebody shows a code.
final class EveningVisit {
  let person: EveningPerson
  let number: Int
  let gate: GateID
  var dice: SeededGenerator
  var began: Int64?
  var isOver = false
  var ignoringPending = false
  var exchange: EveningExchange?
  /// Whether it is one of the last, when nothing goes wrong any more.
  let isOfCalm: Bool

  init(_ person: EveningPerson, seed: UInt64, calm: Int = 0) {
    self.person = person
    isOfCalm = calm > 0
    number = person.visits + calm * 100
    let mixed = seed &* 0x9E37_79B9 &+ UInt64(person.plan.id) &* 7_919 &+ UInt64(number) &* 104_729
    dice = SeededGenerator(seed: mixed)
    gate = GateID("gate \(Int.random(in: 0..<3, using: &dice))")
  }

  var code: Int { person.plan.code }
}

/// A request, and what became of it in truth.
final class EveningExchange {
  /// What it meets on its way.
  enum Path: CaseIterable {
    case fine, notSent, requestLost, answerLost, late, lateThenLost, page, gatewayPage, serverError
  }

  let attempt: AttemptID
  let code: Int
  /// Who waits for it; `nil` where it is to tell of an admission.
  let visit: EveningVisit?
  let owed: AttemptID?
  let gate: GateID
  let asked: Int64
  var path = Path.fine
  var sent: Int64 = 0
  var ended: Int64 = 0
  var lateEnded: Int64?
  /// When the server carried it out; `nil` where it never did.
  var served: Int64?
  var answer: TicketAnswer?
  var mayHaveRedeemed = true
  var date: WallTime?
  /// What a look-up right before it has found, and when that was true.
  var found: LookUp?
  var foundAt: Int64?
  /// When the process ended that waited for it.
  var cutAt: Int64?
  var isReboot = false
  /// The record that it made.
  var made: EveningRecord?
  /// Which record its answer showed.
  var shown: String?
  var decision: AttemptDecision?
  var late: LateRecord?
  /// Whether the journal has it as asked, and when that is durable.
  var isWritten = false
  var askedDurableAt: Int64 = 0
  /// Whether a later process has taken it up: somebody was told of it.
  var takenUpAt: Int64?
  var wasTakenUp: Bool { takenUpAt != nil }
  /// Whether that was after the end of the machine.
  var wasInterrupted = false
  /// Whether the machine ended before it was durable that it was asked.
  var isForgotten = false

  init(attempt: AttemptID, code: Int, visit: EveningVisit?, owed: AttemptID?, gate: GateID, asked: Int64) {
    self.gate = gate
    self.attempt = attempt
    self.code = code
    self.visit = visit
    self.owed = owed
    self.asked = asked
  }

  /// Whether the station got the ticket system's whole answer in time.
  var isAnswered: Bool { path == .fine && cutAt == nil }
  /// Whether anything of it may have left.
  var wasSent: Bool { path != .notSent || cutAt != nil }
}

/// An admission of the station.
final class EveningAdmission {
  enum Ending: Equatable { case confirmed(String?), contradicted, unsettled, withdrawn }

  let person: EveningPerson
  let attempt: AttemptID
  let decided: Int64
  let isProvisional: Bool
  let entryID: String?
  let exchange: EveningExchange?
  var isOpen = false
  var isGivenBack = false
  var givenBackAt: Int64 = 0
  /// The process ended before the gate opened.
  var wasCut = false
  var ending: Ending?
  var tries = 0

  init(
    _ person: EveningPerson, _ decision: AttemptDecision, attempt: AttemptID, at time: Int64,
    _ exchange: EveningExchange?
  ) {
    self.person = person
    self.attempt = attempt
    decided = time
    isProvisional = decision.isProvisional
    entryID = decision.entryID
    self.exchange = exchange
  }

  var code: Int { person.plan.code }
  /// Whether staff are told that the ticket system does not have it, or may not.
  var isConflict: Bool { ending == .contradicted || ending == .unsettled }
}
