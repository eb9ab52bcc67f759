import Calls
import Expectations
import ScanModel
import ScanTesting
import Testing

@testable import Bookings

/// Five calls in 15 minutes, three for lists and two for checks.
@Suite struct DoorRationTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private func take(_ ration: inout DoorRation, _ use: DoorRation.Use, at time: MonotonicTime) -> DoorRation.Place? {
    guard case .granted(let place) = ration.tryTake(use, number: .random(in: .min ... .max), at: time) else {
      return nil
    }
    return place
  }

  @Test func listsHaveThreeAndChecksTwo() {
    var ration = DoorRation()
    for (use, most) in [(DoorRation.Use.list, 3), (.check, 2), (.signIn, 3)] {
      for _ in 0..<most {
        let place = take(&ration, use, at: Self.start)
        if let place { ration.finished(place, at: Self.start) } else { expect(false, "\(use) has too few") }
      }
      let end = Self.start + DoorRation.period
      expectEqual(ration.tryTake(use, number: 1, at: Self.start), .spent(until: end))
      expectEqual(ration.tryTake(use, number: 1, at: end - .nanoseconds(1)), .spent(until: end))
      expect(take(&ration, use, at: end) != nil)
    }
  }

  @Test func aPlaceIsHeldFromTheCallOnUntilAPeriodAfterItsEnd() throws {
    var ration = DoorRation()
    let first = try #require(take(&ration, .check, at: Self.start))
    let second = try #require(take(&ration, .check, at: Self.start))
    ration.finished(first, at: Self.start + .seconds(8))
    expectEqual(
      ration.tryTake(.check, number: 1, at: Self.start + .seconds(10)), .spent(until: Self.start + .seconds(908)))
    ration.notSent(second)
    expect(take(&ration, .check, at: Self.start + .seconds(10)) != nil, "what was not sent costs nothing")
  }

  @Test func whatIsLeftIsWhatCouldBeAsked() throws {
    var ration = DoorRation()
    expectEqual(ration.left(at: Self.start).most, 5)
    expectEqual(ration.left(at: Self.start).left, 5)
    _ = take(&ration, .signIn, at: Self.start)
    let list = try #require(take(&ration, .list, at: Self.start))
    _ = take(&ration, .check, at: Self.start)
    expectEqual(ration.left(at: Self.start).left, 3)
    ration.limited(list, at: Self.start, retryAfter: .seconds(10))
    expectEqual(ration.left(at: Self.start).left, 0)
    // A list waits for a minute; the other check does not.
    expectEqual(ration.left(at: Self.start + .seconds(11)).left, 1)
    expectEqual(ration.left(at: Self.start + .seconds(61)).left, 3)
  }

  @Test func aRefusalHoldsListsAndChecksBackAndNoSignIn() throws {
    var ration = DoorRation()
    let place = try #require(take(&ration, .list, at: Self.start))
    ration.limited(place, at: Self.start, retryAfter: .seconds(120))
    let until = Self.start + .seconds(120)
    expectEqual(ration.tryTake(.list, number: 1, at: Self.start), .spent(until: until))
    expectEqual(ration.tryTake(.check, number: 1, at: Self.start), .spent(until: until))
    expect(take(&ration, .signIn, at: Self.start) != nil)
    expect(take(&ration, .check, at: until) != nil)
  }

  @Test(arguments: [
    (Duration?.none, Duration.seconds(900)), (.zero, .seconds(1)), (.seconds(1_000_000), .seconds(900)),
    (.seconds(-5), .seconds(1)),
  ])
  func whatAdviceIsObeyed(advice: Duration?, wait: Duration) throws {
    var ration = DoorRation()
    let place = try #require(take(&ration, .check, at: Self.start))
    ration.limited(place, at: Self.start, retryAfter: advice)
    expectEqual(ration.wait(for: .list, at: Self.start), Self.start + wait)
  }

  /// What a process puts down, and another takes, counts once for both.
  @Test func othersCallsCountOnce() throws {
    var station = DoorRation()
    let place = try #require(take(&station, .check, at: Self.start))
    station.finished(place, at: Self.start + .seconds(1))
    var command = DoorRation()
    for _ in 0..<3 {
      let told = station.told(at: Self.start + .seconds(61))
      command.take(told.calls, blocked: told.blocked, at: Self.start + .seconds(61))
    }
    expect(take(&command, .check, at: Self.start + .seconds(61)) != nil)
    expectEqual(
      command.tryTake(.check, number: 1, at: Self.start + .seconds(61)), .spent(until: Self.start + .seconds(906)))
    let told = command.told(at: Self.start + .seconds(61))
    station.take(told.calls, blocked: told.blocked, at: Self.start + .seconds(61))
    expect(take(&station, .check, at: Self.start + .seconds(61)) == nil, "the other's call counts here, too")
    expect(take(&station, .list, at: Self.start + .seconds(61)) != nil)
  }

  @Test func aRecordSurvivesAClockThatWasPutBack() throws {
    var ration = DoorRation()
    for _ in 0..<3 {
      let place = try #require(take(&ration, .signIn, at: Self.start))
      ration.finished(place, at: Self.start)
    }
    var record = DoorRecord(subject: "s")
    ration.put(into: &record, at: Self.start, wall: WallTime(seconds: 1_000_000))
    let read = try #require(DoorRecord(record.bytes))
    for wall in [WallTime(seconds: 1_000_000), WallTime(seconds: 10), WallTime(nanoseconds: .min)] {
      var next = DoorRation()
      next.take(read, at: Self.start, wall: wall)
      expect(take(&next, .signIn, at: Self.start) == nil, "\(wall)")
    }
    var later = DoorRation()
    later.take(read, at: Self.start, wall: WallTime(seconds: 1_000_905), boot: BootID("another"))
    expect(take(&later, .signIn, at: Self.start) != nil)
  }

  /// As when the machine learns the time after its start: by the boot's own clock the call is a minute old.
  @Test func aClockThatWasPutOnMakesNoCallOlder() throws {
    var ration = DoorRation()
    for _ in 0..<2 {
      let place = try #require(take(&ration, .check, at: Self.start))
      ration.finished(place, at: Self.start)
    }
    var record = DoorRecord(subject: "s")
    ration.put(into: &record, at: Self.start, wall: WallTime(seconds: 1_000_000), boot: BootID("1"))
    let read = try #require(DoorRecord(record.bytes))
    let (minute, year) = (Self.start + .seconds(60), WallTime(seconds: 32_000_000))
    var same = DoorRation()
    same.take(read, at: minute, wall: year, boot: BootID("1"))
    expectEqual(same.wait(for: .check, at: minute), Self.start + DoorRation.period + DoorRation.toldMargin)
    var other = DoorRation()
    other.take(read, at: minute, wall: year, boot: BootID("2"))
    expectEqual(other.wait(for: .check, at: minute), nil)
  }

  /// However often a station is started anew, by whatever fractions of seconds: no call gets older by it.
  @Test func manyRestartsMakeNoCallOlder() throws {
    var ration = DoorRation()
    let wall = WallTime(seconds: 1_000_000)
    for _ in 0..<3 {
      let place = try #require(take(&ration, .list, at: Self.start))
      ration.finished(place, at: Self.start)
    }
    for number in 0..<40 {
      let ahead = Duration.milliseconds(Int64(number) * 20_733)
      var record = DoorRecord(subject: "s")
      ration.put(into: &record, at: Self.start + ahead, wall: wall + ahead, boot: BootID("\(number)"))
      let read = try #require(DoorRecord(record.bytes))
      ration = DoorRation()
      ration.take(read, at: Self.start + ahead, wall: wall + ahead, boot: BootID("\(number + 1)"))
      let waits = ration.wait(for: .list, at: Self.start + ahead)
      let until = try #require(waits)
      expect(until >= Self.start + DoorRation.period && until <= Self.start + .seconds(910), "\(number): \(until)")
    }
  }

  /// What the record before this one said is read, and rounded the safe way.
  @Test func aRecordInWholeSecondsIsRead() throws {
    let text = #"{"version":1,"subject":"s","calls":[{"number":"7","use":"check","at":1000}],"blocked":1300}"#
    let record = try #require(DoorRecord([UInt8](text.utf8)))
    expectEqual(record.calls.map(\.at), [WallTime(seconds: 1_001)])
    expectEqual(record.blockedUntil, WallTime(seconds: 1_301))
  }

  /// By a service that says "again in a second", three lists would be gone in three.
  @Test func aListThatIsRefusedWaitsAMinuteThenLonger() throws {
    var ration = DoorRation()
    var now = Self.start
    for wait in [60, 120, 240] {
      let place = try #require(take(&ration, .list, at: now), "after \(wait)")
      ration.limited(place, at: now, retryAfter: .seconds(1))
      expectEqual(ration.wait(for: .check, at: now), now + .seconds(1))
      let waits = ration.wait(for: .list, at: now)
      let until = try #require(waits)
      expect(until >= now + .seconds(wait), "\(until - now)")
      now = now + .seconds(wait)
    }
    // Three are in the period now.
    expectEqual(ration.wait(for: .list, at: now), Self.start + DoorRation.period)
    now = Self.start + DoorRation.period
    let place = try #require(take(&ration, .list, at: now))
    ration.finished(place, at: now)
    now = now + DoorRation.period
    let next = try #require(take(&ration, .list, at: now))
    ration.limited(next, at: now, retryAfter: .zero)
    expectEqual(ration.wait(for: .list, at: now), now + .seconds(60), "a list that was told ends it")
  }

  /// Whatever is asked whenever: the plain way counts the calls that the service may have counted in any 15 minutes.
  @Test func neverMoreThanFiveInAnyPeriod() {
    let seed = UInt64(7_004)
    for round in 0..<extent(landing: 60, release: 600) {
      var random = SeededGenerator(seed: seed &+ UInt64(round))
      var ration = DoorRation()
      var now = Self.start
      var calls: [(use: DoorRation.Use, sent: MonotonicTime, ended: MonotonicTime)] = []
      var open: [(place: DoorRation.Place, sent: MonotonicTime)] = []
      var (blocked, listsBlocked, refusedLists) = (Self.start, Self.start, 0)
      for _ in 0..<200 {
        now = now + .seconds(Int64.random(in: 0...120, using: &random))
        if let index = open.indices.randomElement(using: &random), random.chance(60) {
          let (place, sent) = open.remove(at: index)
          switch Int.random(in: 0..<10, using: &random) {
          case 0: ration.notSent(place)
          case 1:
            let wait = Int64.random(in: 0...1_200, using: &random)
            ration.limited(place, at: now, retryAfter: .seconds(wait))
            blocked = max(blocked, now + .seconds(min(max(wait, 1), 900)))
            if place.use == .list {
              listsBlocked = max(listsBlocked, now + .seconds([60, 120, 240, 480, 900][min(refusedLists, 4)]))
              refusedLists += 1
            }
            calls.append((place.use, sent, now))
          default:
            ration.finished(place, at: now)
            if place.use == .list { refusedLists = 0 }
            calls.append((place.use, sent, now))
          }
        }
        let use = DoorRation.Use.allCases.randomElement(using: &random) ?? .list
        // What may still be counted: under way, or ended less than a period ago.
        let counted =
          calls.count { $0.use == use && now - $0.ended < DoorRation.period } + open.count { $0.place.use == use }
        let isFree =
          counted < use.most && (use == .signIn || now >= blocked) && (use != .list || now >= listsBlocked)
        switch ration.tryTake(use, number: .random(in: .min ... .max, using: &random), at: now) {
        case .granted(let place):
          expect(isFree, "seed \(seed) round \(round): \(use) at \(now)")
          open.append((place, now))
        case .spent(let until):
          expect(!isFree, "seed \(seed) round \(round): \(use) at \(now)")
          expect(until > now, "seed \(seed) round \(round)")
        }
        let five =
          (calls.filter { $0.use != .signIn }.map { ($0.sent, $0.ended) }
          + open.filter { $0.place.use != .signIn }.map { ($0.sent, now) })
          .count { now - $0.1 < DoorRation.period }
        expect(five <= 5, "seed \(seed) round \(round)")
      }
    }
  }
}
