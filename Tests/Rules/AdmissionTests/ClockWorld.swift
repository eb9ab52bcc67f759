import Admission
import ScanModel
import ScanTesting

/// An evening at one gate, whose ticket system dates records by one clock and its answers by another. People come with fresh
/// tickets, with tickets used elsewhere at any time, and with copies that follow their originals at one distance.
struct ClockWorld {
  private struct Ticket {
    let key: TicketKey
    /// When it was redeemed, and whether by us; `nil` while it is fresh.
    var redeemed: (at: Double, isOurs: Bool)?
    var used: Double?
    var admissions = 0
    var wasBurnt = false
  }

  /// How far the clock that dates records is ahead of the one that makes `Date`.
  let off: Double
  private let hasDate: Bool
  /// Whether a look-up can tell.
  private let canLookUp: Bool
  private var random: SeededGenerator
  private var bench = LedgerBench()
  private var tickets: [Ticket] = []
  private var now = 5_000.0
  private var slowest = 0.0

  var problems: [String] = []
  var burnt = 0
  var admitted = 0
  var doubted = 0
  var learnt = false
  var healed = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    let offs = [
      0, 0, 3, -3, 60, -60, Double.random(in: -4...1, using: &random), Double.random(in: -900...900, using: &random),
    ]
    off = offs.randomElement(using: &random) ?? 0
    hasDate = random.chance(75)
    canLookUp = random.chance(70)
  }

  mutating func run() {
    let copyAge = Double.random(in: 20...600, using: &random)
    for number in 0..<40 {
      now += Double.random(in: 2...40, using: &random)
      var ticket = Ticket(key: TicketKey([UInt8(number)]))
      let kind = Int.random(in: 0..<100, using: &random)
      if kind < 12 {
        ticket.used = now - Double.random(in: 10...4_000, using: &random)
      } else if kind < 25 {
        ticket.used = now - copyAge - Double.random(in: 0...0.5, using: &random)
      }
      if let used = ticket.used { ticket.redeemed = (used, false) }
      tickets.append(ticket)
      present(number)
    }
    // Whoever was sent away wrongly comes again.
    for number in tickets.indices where tickets[number].wasBurnt {
      now += 30
      let verdict = present(number)
      switch verdict {
      case .admit: healed += 1
      case .undecided: break
      case .refuse: problems.append("\(number) was burnt by a clock, and is refused when it comes again")
      }
    }
    learnt = bench.ledger.clock.offset != .zero
  }

  /// As the keeper does it.
  @discardableResult private mutating func present(_ number: Int) -> Verdict {
    let key = tickets[number].key
    let wasFresh = tickets[number].redeemed == nil
    let (attempt, beginning) = bench.begin(at: now, key: key)
    if case .known(let decision) = beginning { return judge(decision.verdict, number) }
    var wasUnused = false
    if bench.ledger.wantsProof(key, at: bench.mono(now), wall: bench.wall(own(now))) {
      doubted += 1
      wasUnused = canLookUp && wasFresh
      if !wasUnused, !bench.ledger.clock.mayProbe(key, at: bench.mono(now)) {
        bench.ledger.abandon(key, attempt: attempt)
        return judge(.undecided(.clockWrong), number)
      }
    }
    let took = Double.random(in: 0.01...(random.chance(20) ? 2 : 0.3), using: &random)
    slowest = max(slowest, took)
    let made = now + Double.random(in: 0...took, using: &random)
    if wasFresh { tickets[number].redeemed = (made, true) }
    let recorded = (tickets[number].redeemed?.at ?? made) + off
    let date = hasDate ? Int64(Double.random(in: made...(now + took), using: &random)) : nil
    let outcome = bench.outcome(
      bench.redemption("e\(number)", Int64(recorded.rounded(.down))), from: now, to: now + took, date: date)
    let decision = bench.ledger.conclude(
      key, attempt: attempt, outcome: outcome, wall: bench.wall(own(now + took)), wasUnused: wasUnused)
    let isOurs = tickets[number].redeemed?.isOurs == true
    if isOurs, decision.verdict != .admit, tickets[number].admissions == 0, !tickets[number].wasBurnt {
      tickets[number].wasBurnt = true
      burnt += 1
      if wasUnused { problems.append("\(number) was looked up, spent, and not admitted: \(decision)") }
    }
    return judge(decision.verdict, number)
  }

  /// Our own clock, where it stands in for `Date`: right to a second.
  private func own(_ time: Double) -> Double { time }

  private mutating func judge(_ verdict: Verdict, _ number: Int) -> Verdict {
    guard verdict == .admit else { return verdict }
    admitted += 1
    tickets[number].admissions += 1
    if tickets[number].admissions > 1 { problems.append("\(number) admitted twice") }
    guard let used = tickets[number].used else { return verdict }
    // A record clock that is ahead makes older records look fresh until it is found out; the second of `Date`, that of the record,
    // the request's time, what a learnt offset may lie below the truth, and, without Date, our own clock's margin.
    let margin = max(0, off) + (hasDate ? 5 : 9) + 3 * max(slowest, 2)
    if now - used > margin { problems.append("\(number) admitted, used elsewhere \(now - used) s ago") }
    return verdict
  }
}
