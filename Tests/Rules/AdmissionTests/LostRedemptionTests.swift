import Admission
import Expectations
import ScanModel
import ScanTesting
import Testing

/// A ticket system that redeems each code once, and says "already used" of it, and never when.
@Suite struct LostRedemptionTests {
  private static let used = TicketAnswer.refused(.alreadyUsed, detail: nil)

  /// One ticket at such a system, which may lose what it has to say.
  private struct World {
    var ledger = AttemptLedger()
    let key = TicketKey([7]), gate = GateID("north")
    /// In seconds.
    var time = 1_000.0
    var isRedeemed = false
    /// How many were let in, by us and elsewhere.
    var admitted = 0

    func mono(_ seconds: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64(seconds * 1e9)) }
    func wall(_ seconds: Double) -> WallTime { WallTime(nanoseconds: Int64(seconds * 1e9)) }

    enum Way { case answered, lostAfter, lostBefore }

    mutating func present(_ way: Way, redeemsOnce: Bool = true) -> AttemptDecision? {
      time += 1
      let attempt = AttemptID()
      let beginning = ledger.begin(
        key, attempt: attempt, gate: gate, at: mono(time), wall: wall(time), ignoringPending: true,
        redeemsOnce: redeemsOnce)
      if case .known(let decision) = beginning { return count(decision) }
      guard beginning == .ask else { return nil }
      let wasRedeemed = isRedeemed
      if way != .lostBefore { isRedeemed = true }
      let began = time
      time += 1
      let answer: TicketAnswer =
        wasRedeemed
        ? LostRedemptionTests.used
        : .redeemed(Redemption(entryID: "e", scannedAt: wall(time), quantity: 1, details: TicketDetails()))
      let isLost = way == .lostAfter || way == .lostBefore
      let outcome = AttemptOutcome(
        fate: isLost ? .lost : .answered, answer: isLost ? .undecided(.unreachable, detail: nil) : answer,
        mayHaveRedeemed: isLost || !wasRedeemed, sentAt: mono(began), endedAt: mono(time))
      return count(
        ledger.conclude(key, attempt: attempt, outcome: outcome, wall: wall(time)))
    }

    private mutating func count(_ decision: AttemptDecision) -> AttemptDecision {
      if decision.verdict == .admit { admitted += 1 }
      return decision
    }

    /// The process ends, and another one goes on from what was kept.
    mutating func restart(isSameBoot: Bool) {
      for (place, memory) in ledger.takeChanges() { stored[place] = memory }
      ledger = AttemptLedger()
      for (place, memory) in stored { _ = ledger.restore(place, memory, age: ledger.age, isSameBoot: isSameBoot) }
    }
    private var stored: [LedgerPlace: LedgerMemory] = [:]
  }

  @Test func aLostRedemptionAdmitsItsPersonOnce() {
    for isRestarted in [false, true] {
      var world = World()
      expectEqual(world.present(.lostAfter)?.verdict, .undecided(.unreachable))
      if isRestarted { world.restart(isSameBoot: true) }
      let second = world.present(.answered)
      expect(second?.verdict == .admit && second?.note == .ownLostAnswer, "\(String(describing: second))")
      if isRestarted { world.restart(isSameBoot: true) }
      expectEqual(world.present(.answered)?.verdict, .refuse(.alreadyUsed))
      expectEqual(world.admitted, 1)
    }
  }

  @Test func ofAnyOtherSystemStaffDecide() {
    var world = World()
    expectEqual(world.present(.lostAfter, redeemsOnce: false)?.verdict, .undecided(.unreachable))
    let second = world.present(.answered, redeemsOnce: false)
    expect(second?.verdict == .undecided(.interrupted) && second?.note == .ownRequestPossible)
  }

  @Test func afterAWhileOrAStartOfTheMachineStaffDecide() {
    var late = World()
    _ = late.present(.lostAfter)
    late.time += 301
    expectEqual(late.present(.answered)?.verdict, .undecided(.interrupted))
    var later = World()
    _ = later.present(.lostAfter)
    later.restart(isSameBoot: false)
    expectEqual(later.present(.answered)?.verdict, .undecided(.interrupted))
    expectEqual(later.present(.answered)?.verdict, .undecided(.interrupted))
  }

  @Test func whatIsKnownToBeUsedIsNotExcused() {
    var world = World()
    world.isRedeemed = true
    expectEqual(world.present(.answered)?.verdict, .refuse(.alreadyUsed))
    expectEqual(world.present(.lostAfter)?.verdict, .refuse(.alreadyUsed))
    expectEqual(world.present(.answered)?.verdict, .refuse(.alreadyUsed))
    expectEqual(world.admitted, 0)
  }

  /// Whatever is lost and whenever the process or the machine ends: one person at most, and nobody is refused whose redemption was ours
  /// alone and whom nobody has admitted.
  @Test func inAnyEveningOneIsAdmitted() {
    let seeds = extent(landing: 3_000, release: 100_000)
    var (lost, admitted) = (0, 0)
    for seed in 0..<UInt64(seeds) {
      var random = SeededGenerator(seed: seed)
      var world = World()
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        switch Int.random(in: 0..<10, using: &random) {
        case 0: world.restart(isSameBoot: true)
        case 1: world.restart(isSameBoot: false)
        case 2: world.time += Double.random(in: 0...400, using: &random)
        default:
          let way: World.Way = [.answered, .lostAfter, .lostBefore].randomElement(using: &random) ?? .answered
          if way == .lostAfter { lost += 1 }
          let decision = world.present(way)
          if world.admitted == 0, case .refuse? = decision?.verdict {
            expect(false, "seed \(seed): nobody else has used it, and nobody was admitted")
          }
        }
      }
      expect(world.admitted <= 1, "seed \(seed): \(world.admitted)")
      admitted += world.admitted
    }
    expect(lost > seeds / 2 && admitted > seeds / 4, "\(lost), \(admitted)")
  }

  // MARK: Telling

  @Test func whatIsOwedIsToldAgainWithoutALookUp() throws {
    var world = World()
    let attempt = AttemptID()
    _ = world.ledger.begin(
      world.key, attempt: attempt, gate: world.gate, at: world.mono(10), wall: world.wall(10), redeemsOnce: true)
    let lost = AttemptOutcome(
      fate: .lost, answer: .undecided(.unreachable, detail: nil), mayHaveRedeemed: true, sentAt: world.mono(10),
      endedAt: world.mono(11), offline: .noConnection)
    let admitted = world.ledger.conclude(
      world.key, attempt: attempt, outcome: lost, wall: world.wall(11), offline: OfflineRight())
    expect(admitted.verdict == .admit && admitted.isProvisional)
    // Hours later.
    let telling = AttemptID()
    expectEqual(
      world.ledger.beginTelling(
        world.key, owed: attempt, attempt: telling, gate: world.gate, at: world.mono(9_000), wall: world.wall(9_000),
        redeemsOnce: true), .ask)
    let outcome = AttemptOutcome(
      fate: .answered, answer: Self.used, mayHaveRedeemed: false, sentAt: world.mono(9_000), endedAt: world.mono(9_001))
    expectEqual(
      world.ledger.told(world.key, owed: attempt, attempt: telling, outcome: outcome, wall: world.wall(9_001)),
      .confirmed(entryID: nil))
  }

  /// Lost, come again a minute later, and let in by the policy: the redemption was for the same person.
  @Test func whoCameAgainAndWasLetInIsConfirmed() throws {
    for (pause, told) in [(60.0, ToldRecord.confirmed(entryID: nil)), (600.0, .unsettled)] {
      var world = World()
      _ = world.present(.lostAfter)
      world.time += pause
      let (owed, telling) = (AttemptID(), AttemptID())
      _ = world.ledger.begin(
        world.key, attempt: owed, gate: world.gate, at: world.mono(world.time), wall: world.wall(world.time),
        redeemsOnce: true)
      let unsent = AttemptOutcome(
        fate: .notSent, answer: .undecided(.unreachable, detail: nil), mayHaveRedeemed: false, sentAt: nil,
        endedAt: world.mono(world.time), offline: .noConnection)
      let admitted = world.ledger.conclude(
        world.key, attempt: owed, outcome: unsent, wall: world.wall(world.time), offline: OfflineRight())
      expect(admitted.isProvisional)
      world.time += 3_600
      _ = world.ledger.beginTelling(
        world.key, owed: owed, attempt: telling, gate: world.gate, at: world.mono(world.time),
        wall: world.wall(world.time), redeemsOnce: true)
      let outcome = AttemptOutcome(
        fate: .answered, answer: Self.used, mayHaveRedeemed: false, sentAt: world.mono(world.time),
        endedAt: world.mono(world.time + 1))
      expectEqual(
        world.ledger.told(
          world.key, owed: owed, attempt: telling, outcome: outcome, wall: world.wall(world.time + 1)), told)
    }
  }
}
