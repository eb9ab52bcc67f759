import Admission
import Expectations
import Foundation
import Gateway
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketTransport
import VenueServer

@testable import Subscriptions

/// Random evenings at a service that renews, fails, loses answers and goes away, with processes that end at any moment:
///
/// - nobody passes after the end that was paid for, and the grace;
/// - nobody passes twice in an interval, at whichever gate and in whichever form;
/// - nobody is refused who has paid, whatever became of the answers.
@Suite(.timeLimit(.minutes(2))) struct MembershipPropertyTests {
  /// What a member has, by the shop's books.
  private struct Member {
    let id: String
    let tier: MemberTier
    var ends: WallTime
    /// Whether the service takes it to renew itself: what else is paid for again it has to be told of.
    var renews: Bool
    /// Between which times somebody passed last.
    var passed: ClosedRange<MonotonicTime>?
    /// Whether the service may have said that it has ended, and nothing better since.
    var mayHaveEnded = false
  }

  /// One evening.
  private struct Evening {
    let venue: MemberVenue
    let seed: UInt64
    let grace: Duration
    let recheck: Duration
    var random: SeededGenerator
    var members: [Member] = []
    var station: MemberStation
    var isAway = false
    var admitted = 0

    var time: MovableTime { venue.time }

    init(_ venue: MemberVenue, seed: UInt64) async throws {
      var random = SeededGenerator(seed: seed)
      self.venue = venue
      self.seed = seed
      grace = .seconds([0, 0, 600, 7_200].randomElement(using: &random) ?? 0)
      recheck = .seconds([0, 600, 3_600].randomElement(using: &random) ?? 0)
      self.random = random
      station = try await Self.process(venue, .init(), grace, recheck)
    }

    private static func process(
      _ venue: MemberVenue, _ disk: MemberStation.Disk, _ grace: Duration, _ recheck: Duration
    ) async throws -> MemberStation {
      try await MemberStation(
        asking: venue.url(), time: venue.time, disk: disk, tiers: [.premium], grace: grace, recheck: recheck,
        freshFor: .seconds(14_400))
    }

    // MARK: What happens

    mutating func sell(_ tier: MemberTier) async throws {
      let ends = WallTime(seconds: time.wall().seconds + Int64.random(in: -7_200...21_600, using: &random))
      let renews = random.chance(80)
      let id = try await venue.sell(tier, ends: ends.iso8601Seconds, renews: renews)
      members.append(Member(id: id, tier: tier, ends: ends, renews: renews))
    }

    /// Paid for again. Where the shop does not tell, what was found a short while ago holds for ten minutes.
    mutating func renew(_ index: Int, isTold: Bool) async throws {
      let ends = WallTime(seconds: time.wall().seconds + Int64.random(in: 3_600...28_800, using: &random))
      guard ends > members[index].ends else { return }
      let isTold = isTold || !members[index].renews
      try await venue.server.renewSubscription(members[index].id, until: ends.iso8601Seconds, isTold: isTold)
      (members[index].ends, members[index].renews) = (ends, true)
      time.advance(by: .seconds(isTold ? 11 : 601))
    }

    mutating func refund(_ index: Int) async throws {
      try await venue.server.refundSubscription(members[index].id)
      // Who was let in without the service's word, in the grace, is contradicted.
      (members[index].renews, members[index].mayHaveEnded) = (false, true)
    }

    mutating func misbehave() throws {
      let faults = [
        "close=before", "close=after", "close=midway", "reset=before", "reset=after", "status=500", "status=502",
        "status=503", "html", "json=cut", "json=types", "redirect",
      ]
      let scope = random.chance(50) ? "checks" : "refreshes"
      let fault = faults.randomElement(using: &random) ?? "html"
      try venue.misbehave("\(fault),on=\(scope),next=\(Int.random(in: 1...2, using: &random))")
    }

    mutating func goAway(_ away: Bool) throws {
      isAway = away
      venue.behave()
      if away { try venue.misbehave("close=before,on=all") }
    }

    /// The process ends, and another one begins.
    mutating func restart() async throws {
      let before = station
      station = try await Self.process(venue, before.disk.left(), grace, recheck)
      await before.close()
    }

    /// The process ends while somebody waits at the gate.
    mutating func restartWhileAsked(_ index: Int) async throws {
      let (before, began) = (station, time.now())
      let code = try self.code(of: members[index])
      if !isAway { try venue.misbehave("latency=100ms,on=checks,next=1") }
      let isOver = Mutex(false)
      let asking = Task {
        defer { isOver.withLock { $0 = true } }
        return await before.kept(code)
      }
      await until {
        if isOver.withLock({ $0 }) { return true }
        return (try? await before.disk.journal.unconcluded())?.isEmpty == false
      }
      let left = before.disk.left()
      let admission = await asking.value.decision.admission
      // What is concluded in it may have opened the gate.
      let mayHavePassed = left.journal.facts.contains { fact in
        switch fact {
        case .concluded(let concluded): concluded.attempt == admission
        case .owed(let owed): owed.attempt == admission
        default: false
        }
      }
      if mayHavePassed { members[index].passed = began...time.now() }
      station = try await Self.process(venue, left, grace, recheck)
      await before.close()
    }

    private mutating func code(of member: Member) throws -> String {
      random.chance(50) ? member.id : try signedPass(member.id, at: time.wall())
    }

    // MARK: What is promised

    /// Somebody shows a pass, or two show the same one at once.
    mutating func present(_ index: Int) async throws {
      let (began, at) = (time.wall(), time.now())
      let member = members[index]
      let code = try self.code(of: member)
      var decisions: [KeptDecision]
      if random.chance(15) {
        let (station, other) = (station, try self.code(of: member))
        async let first = station.kept(code, named: "lounge")
        async let second = station.kept(other, named: "terrace")
        decisions = await [first, second]
      } else {
        decisions = [await station.kept(code, named: random.chance(50) ? "lounge" : "terrace")]
      }
      let passes = decisions.count { $0.decision.verdict == .admit }
      expect(passes <= 1, "seed \(seed): two at once: \(decisions)")
      for kept in decisions { judge(kept, member, began, at, passes) }
      if passes > 0 {
        admitted += 1
        (members[index].passed, members[index].mayHaveEnded) = (at...time.now(), false)
      } else if decisions.contains(where: { $0.decision.verdict == .refuse(.expired) }) {
        members[index].mayHaveEnded = true
      }
    }

    private func judge(
      _ kept: KeptDecision, _ member: Member, _ began: WallTime, _ at: MonotonicTime, _ passes: Int
    ) {
      let words = "seed \(seed): \(member) at \(began), \(kept.decision), by \(kept.decider)"
      switch kept.decision.verdict {
      case .admit:
        // The service tells the time in whole seconds, and its word has been on its way.
        expect(began < member.ends + grace + .seconds(3), "after its end: \(words)")
        expect(
          member.passed.map { time.now() - $0.lowerBound >= MemberStation.interval } ?? true,
          "twice in an interval: \(words)")
        expect(member.tier == .premium, "of another tier: \(words)")
      case .refuse(.tooSoon):
        expect(
          passes > 0 || member.passed.map { at - $0.upperBound < MemberStation.interval } == true,
          "not that soon: \(words)")
      case .refuse(let reason):
        guard member.tier == .premium, time.wall() + .seconds(1) < member.ends else { return }
        // While nobody can be asked, the service's last word counts.
        expect(
          reason == .expired && member.mayHaveEnded && kept.decider != .server, "refused although paid for: \(words)")
      case .undecided: break
      }
    }
  }

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 6, release: 120)))) func everyPromiseHolds(seed: UInt64)
    async throws
  {
    try await MemberVenue.run(seed % 2 == 0 ? .document : .real) { venue in
      var evening = try await Evening(venue, seed: seed)
      for tier in [MemberTier.premium, .premium, .premium, .standard] { try await evening.sell(tier) }
      for _ in 0..<40 {
        let longest = [60, 1_000, 4_000].randomElement(using: &evening.random) ?? 60
        venue.time.advance(by: .seconds(Int.random(in: 11...longest, using: &evening.random)))
        let index = evening.members.indices.randomElement(using: &evening.random) ?? 0
        switch Int.random(in: 0..<100, using: &evening.random) {
        case 0..<12: try await evening.renew(index, isTold: evening.random.chance(40))
        case 12..<16: try await evening.refund(index)
        case 16..<30: try evening.misbehave()
        case 30..<36: try evening.goAway(!evening.isAway)
        case 36..<42: try await evening.restart()
        case 42..<48: try await evening.restartWhileAsked(index)
        default: break
        }
        try await evening.present(index)
      }
      // At the end all is well, and who has paid passes.
      try evening.goAway(false)
      try await evening.restart()
      for index in evening.members.indices {
        venue.time.advance(by: .seconds(901))
        try await evening.renew(index, isTold: true)
        if evening.members[index].tier == .premium, venue.time.wall() < evening.members[index].ends {
          let before = evening.admitted
          try await evening.present(index)
          expectEqual(evening.admitted, before + 1, "seed \(seed): \(evening.members[index])")
        }
      }
      await evening.station.close()
    }
  }

  /// A date in any zone is the moment that it names: on random days, at random ends, an answer means what its parts say.
  @Test(arguments: [UInt64](1...UInt64(extent(landing: 8, release: 80)))) func anAnswerMeansWhatItsMomentsSay(
    seed: UInt64
  )
    throws
  {
    var random = SeededGenerator(seed: seed)
    var valid = 0
    for _ in 0..<300 {
      let now = WallTime(seconds: .random(in: 1_577_836_800...4_000_000_000, using: &random))
      let longest = [1, 3_600, 40 * 86_400].randomElement(using: &random) ?? 1
      let ends = now + .seconds(Int.random(in: -longest...3_600, using: &random))
      let zone = Int.random(in: -14 * 60...14 * 60, using: &random)
      let grace = Duration.seconds([0, 1, 3_600, 16 * 86_400].randomElement(using: &random) ?? 0)
      let (renews, isRefreshed) = (Bool.random(using: &random), Bool.random(using: &random))
      let answer = HTTPAnswer(
        status: 200, mediaType: "application/json",
        body: [UInt8](
          Wire.subscription(ends: ends, renews: renews) {
            $0["expiresDateUtc"] = "\"\(Self.text(ends, minutesEast: zone))\""
          }.utf8), serverDate: now)
      let judge = SubscriptionJudge(environment: .production, grace: grace, tiers: nil, host: "host:1")
      let verdict = judge.judge(
        try VerdictTests.read(answer), of: nil, at: .init(trusted: nil), refresh: isRefreshed ? .done : .possible)
      let words = "seed \(seed): \(now) \(ends) \(zone) min, \(grace), \(renews), \(isRefreshed): \(verdict)"
      let isInGrace = renews && isRefreshed && now < ends + grace
      switch verdict {
      case .valid(_, let until):
        valid += 1
        expect(now < ends ? until == ends : isInGrace && until == ends + grace, "\(words)")
      case .refused(let reason, _): expect(reason == .expired && now >= ends && !isInGrace, "\(words)")
      case .refresh: expect(now >= ends && renews && !isRefreshed, "\(words)")
      case .undecided: expect(false, "\(words)")
      }
    }
    expect(valid > 0, "seed \(seed): nothing was proven")
  }

  /// The moment by the clocks of a zone.
  private static func text(_ time: WallTime, minutesEast minutes: Int) -> String {
    let local = (time + .seconds(60 * minutes)).iso8601Seconds.dropLast()
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    return "\(local)\(minutes < 0 ? "-" : "+")\(two(abs(minutes) / 60)):\(two(abs(minutes) % 60))"
  }
}
