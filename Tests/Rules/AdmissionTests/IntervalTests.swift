import Admission
import Expectations
import Foundation
import ScanModel
import ScanTesting
import Testing

/// A ledger of tickets that admit as often as they are shown, and not twice in 900 s; its machine, and what is stored of it.
private struct IntervalWorld {
  static let interval = 900.0
  static let policy = AttemptPolicy(interval: .seconds(900))
  static let right = OfflineRight(quantity: 2, sale: "s", saleQuantity: 1)

  var ledger = AttemptLedger(policy)
  /// What nobody in here knows: how late it is.
  var now = 100_000.0
  /// When the machine was started.
  var booted = 0.0
  /// How far the civil clock is off.
  var wrong = 0.0
  var isTrusted = true
  /// With the start of the machine in which it was written.
  private var journal: [LedgerPlace: (boot: Double, text: Data)] = [:]

  var time: MonotonicTime { MonotonicTime(nanoseconds: Int64((now - booted) * 1e9)) }
  var wall: WallTime { WallTime(nanoseconds: Int64((now + wrong) * 1e9)) }

  enum Answer { case valid, lost, offline }

  mutating func begin(_ key: UInt8 = 7, gate: String = "north") -> (AttemptID, Beginning) {
    let attempt = AttemptID()
    return (
      attempt,
      ledger.begin(
        TicketKey([key]), folded: TicketKey([99]), attempt: attempt, gate: GateID(gate), at: time, wall: wall,
        isTrusted: isTrusted, ignoringPending: true)
    )
  }

  mutating func scan(_ key: UInt8 = 7, _ answer: Answer = .valid, gate: String = "north") -> AttemptDecision {
    let (attempt, beginning) = begin(key, gate: gate)
    guard beginning == .ask else {
      if case .known(let decision) = beginning { return decision }
      return AttemptDecision(verdict: .undecided(.busy))
    }
    let said: TicketAnswer =
      answer == .valid
      ? .valid(Entitlement(quantity: 1, details: TicketDetails())) : .undecided(.unreachable, detail: nil)
    let outcome = AttemptOutcome(
      fate: answer == .valid ? .answered : answer == .lost ? .lost : .notSent, answer: said, mayHaveRedeemed: false,
      sentAt: answer == .offline ? nil : time, endedAt: time)
    return ledger.conclude(
      TicketKey([key]), attempt: attempt, outcome: outcome, wall: wall, isTrusted: isTrusted,
      offline: answer == .offline ? Self.right : nil)
  }

  /// The process ends, and the machine with it where `boots`.
  mutating func restart(boots: Bool = false) throws {
    for (place, memory) in ledger.takeChanges() {
      journal[place] = memory.map { (booted, Data($0.json)) }
    }
    if boots { booted = now }
    ledger = AttemptLedger(Self.policy)
    for (place, (boot, text)) in journal {
      let memory = try JSONDecoder().decode(LedgerMemory.self, from: text)
      let isTaken = ledger.restore(place, memory, age: 0, isSameBoot: boot == booted)
      expect(isTaken)
    }
  }
}

@Suite struct IntervalTests {
  @Test func aTicketAdmitsAsOftenAsItIsShownAndNotTwiceInAnInterval() throws {
    var world = IntervalWorld()
    for round in 1...50 {
      let first = world.wall
      let admitted = world.scan()
      expect(admitted.verdict == .admit && admitted.admitted == round && admitted.allowance == Entitlement.unlimited)
      for later in [1.0, 898] {
        world.now += later
        let (_, again) = world.begin(gate: "south")
        guard case .known(let refusal) = again else { return expect(false, "a request") }
        expectEqual(refusal.verdict, .refuse(.tooSoon))
        expectEqual(refusal.firstUse, FirstUse(gate: GateID("north"), at: first, request: admitted.admission))
      }
      world.now += 1
    }
  }

  /// A lost answer of what only reads is over at once; what was admitted without the ticket system's word counts as any.
  @Test func lostAnswersAndProvisionalAdmissions() throws {
    var world = IntervalWorld()
    expectEqual(world.scan(7, .lost).verdict, .undecided(.unreachable))
    let provisional = world.scan(7, .offline)
    expect(provisional.verdict == .admit && provisional.isProvisional)
    expectEqual(world.scan().verdict, .refuse(.tooSoon))
    world.now += 900
    // Neither the list's quantity nor its sale bounds it.
    expect(world.scan(7, .offline).isProvisional)
    // While it is told, a presentation does not wait for that.
    let telling = AttemptID()
    let attempt = try #require(provisional.admission)
    expectEqual(
      world.ledger.beginTelling(
        TicketKey([7]), owed: attempt, attempt: telling, gate: GateID("north"), at: world.time, wall: world.wall), .ask)
    expectEqual(world.scan().verdict, .refuse(.tooSoon))
    world.now += 900
    expectEqual(world.scan().verdict, .undecided(.busy))
  }

  @Test func aGateThatDidNotOpenBeginsNoInterval() throws {
    for answer in [IntervalWorld.Answer.valid, .offline] {
      var world = IntervalWorld()
      let admitted = world.scan(7, answer)
      let isTaken = world.ledger.giveBack(TicketKey([7]), admission: try #require(admitted.admission), at: world.time)
      expect(isTaken)
      expectEqual(world.scan(7, answer).verdict, .admit)
      expectEqual(world.scan(7, answer).verdict, .refuse(.tooSoon))
    }
  }

  @Test func leavingDoesNotShortenIt() {
    var world = IntervalWorld()
    _ = world.scan()
    let hasLeft = world.ledger.leave(TicketKey([7]))
    expect(hasLeft)
    expectEqual(world.scan().verdict, .refuse(.tooSoon))
    world.now += 900
    expectEqual(world.scan().verdict, .admit)
  }

  @Test func anotherSpellingIsTheSameTicket() throws {
    for restarts in [false, true] {
      var world = IntervalWorld()
      let admitted = world.scan(7)
      if restarts { try world.restart(boots: true) }
      let refusal = world.scan(8)
      expect(refusal.verdict == .refuse(.tooSoon) && refusal.note == .otherCode)
      expectEqual(refusal.firstUse?.request, admitted.admission)
      world.now += 900
      for offline in [false, true] {
        expectEqual(world.scan(8, offline ? .offline : .valid).verdict, .admit)
        world.now += 900
      }
    }
  }

  /// In one boot the monotonic clock counts, whatever the civil one says; over boots the civil one, where it is believed.
  @Test(arguments: [false, true]) func overRestarts(boots: Bool) throws {
    for (later, wrong, isTrusted, verdict) in [
      (899.0, 0.0, true, Verdict.refuse(.tooSoon)), (900, 0, true, .admit),
      // The clock is behind, or not believed.
      (600, -10_000, true, boots ? .undecided(.clockWrong) : .refuse(.tooSoon)),
      (600, 10_000, false, boots ? .undecided(.clockWrong) : .refuse(.tooSoon)),
    ] {
      var world = IntervalWorld()
      _ = world.scan()
      try world.restart(boots: boots)
      world.now += later
      (world.wrong, world.isTrusted) = (wrong, isTrusted)
      if boots, later >= 900 { world.booted = world.now - 1 }
      expectEqual(world.scan().verdict, verdict, "\(later) \(wrong)")
      // The machine has been running for longer than the interval.
      world.now += 900
      expectEqual(world.scan(9).verdict, .admit)
    }
  }

  /// The machine ended while it was decided: somebody may have passed, as long as the interval lasts.
  @Test func whatTheEndOfTheMachineCutOffIsOverWithTheInterval() throws {
    var world = IntervalWorld()
    let (attempt, _) = world.begin()
    let (began, wall) = (world.time, world.wall)
    try world.restart(boots: true)
    world.ledger.interrupt(
      TicketKey([7]), attempt: attempt, gate: GateID("north"), began: began, wall: wall, at: world.time,
      isSameBoot: false, mayRedeem: false)
    world.now += 60
    let staff = world.scan()
    expect(staff.verdict == .undecided(.interrupted) && staff.note == .interrupted)
    expect(world.ledger.unsettled.isEmpty)
    try world.restart()
    expectEqual(world.scan().verdict, .undecided(.interrupted))
    world.now += 840
    expectEqual(world.scan().verdict, .admit)
  }

  /// Over losses, outages, kills, power cuts and clocks that are set: nobody passes twice in an interval, in any spelling; and by
  /// clocks that are believed nobody is refused beyond it.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 200, release: 2_000))))
  func neverTwiceInAnInterval(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var world = IntervalWorld()
    var passed: [Double] = []
    /// The last that may have passed, too: the machine ended while it was decided.
    var mayHavePassed = -IntervalWorld.interval
    /// The spellings on which somebody may have passed last by a clock that was not believed: over a boot nobody can tell when.
    var unclear: Set<UInt8> = []
    var last: (key: UInt8, decision: AttemptDecision)?
    for _ in 0..<80 {
      world.now += Double(Int.random(in: 0...600, using: &random))
      let key: UInt8 = random.chance(80) ? 7 : 8
      func note(_ decision: AttemptDecision) {
        expect(passed.last.map(isFree) ?? true, "seed \(seed) at \(world.now): \(passed)")
        passed.append(world.now)
        mayHavePassed = world.now
        last = (key, decision)
        unclear.remove(key)
        if !world.isTrusted { unclear.insert(key) }
      }
      func isFree(since time: Double) -> Bool { world.now - time >= IntervalWorld.interval }
      switch Int.random(in: 0..<20, using: &random) {
      case ..<12:
        let answer: IntervalWorld.Answer = random.chance(60) ? .valid : random.chance(50) ? .offline : .lost
        let decision = world.scan(key, answer)
        if decision.verdict == .admit {
          note(decision)
        } else if isFree(since: mayHavePassed), unclear.isEmpty, world.isTrusted, answer != .lost {
          expect(false, "seed \(seed) at \(world.now): \(decision.verdict), \(passed)")
        }
      case ..<14:
        try world.restart()
      case ..<16:
        guard random.chance(50) else {
          try world.restart(boots: true)
          continue
        }
        let (attempt, beginning) = world.begin(key)
        if case .known(let decision) = beginning, decision.verdict == .admit { note(decision) }
        guard beginning == .ask else { continue }
        let (began, wall) = (world.time, world.wall)
        let isTrusted = world.isTrusted
        if random.chance(50) { passed.append(world.now) }
        mayHavePassed = world.now
        unclear.remove(key)
        if !isTrusted { unclear.insert(key) }
        try world.restart(boots: true)
        world.ledger.interrupt(
          TicketKey([key]), folded: TicketKey([99]), attempt: attempt, gate: GateID("north"), began: began, wall: wall,
          at: world.time, isSameBoot: false, isTrusted: isTrusted, mayRedeem: false)
        last = nil
      case ..<18:
        guard let given = last, let admission = given.decision.admission,
          world.ledger.giveBack(TicketKey([given.key]), admission: admission, at: world.time)
        else { continue }
        passed.removeLast()
        last = nil
        mayHavePassed = passed.last ?? -IntervalWorld.interval
      default:
        world.isTrusted = random.chance(70)
        world.wrong = world.isTrusted ? 0 : Double(Int.random(in: -5_000...5_000, using: &random))
      }
    }
  }
}
