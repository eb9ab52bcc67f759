import Expectations
import ScanModel
import ScanTesting
import StationProtocol
import Testing

@testable import Gateway

@Suite struct ThroughputBookTests {
  private static let north = GateID("north")
  private static let noon = WallTime(seconds: 1_795_780_800)

  private func total(_ told: StationThroughput) -> UInt64 {
    told.series.flatMap(\.counts).reduce(0) { $0 + UInt64($1) }
  }

  @Test func scansAreInTheBinOfTheirTime() {
    var book = ThroughputBook()
    for second in [0, 299, 300] { book.add(Self.north, .admit, at: Self.noon + .seconds(second)) }
    book.add(Self.north, .refuse(.unpaid), at: Self.noon)
    let told = book.told(at: Self.noon + .seconds(300))
    let last = StationThroughput.bins - 1
    expectEqual(told.start(of: last), Self.noon + .seconds(300))
    expectEqual(told.series.map(\.verdict), ["admit", "refuse"])
    expectEqual(told.series[0].counts[last - 1], 2)
    expectEqual(told.series[0].counts[last], 1)
    expectEqual(told.series[1].reason, "unpaid")
    expectEqual(told.series[1].counts.count, last)
  }

  @Test func twelveHoursLaterNothingIsLeft() {
    var book = ThroughputBook()
    book.add(Self.north, .admit, at: Self.noon)
    expectEqual(total(book.told(at: Self.noon + .seconds(43_199))), 1)
    expectEqual(book.told(at: Self.noon + .seconds(43_200)).series, [])
    // What is older than all that is kept does not come back with it.
    book.add(Self.north, .admit, at: Self.noon + .seconds(90_000))
    book.add(Self.north, .admit, at: Self.noon)
    expectEqual(total(book.told(at: Self.noon + .seconds(90_000))), 1)
  }

  /// However many reasons there are, a gate has so many by name, and none is lost.
  @Test func rareReasonsAreCountedTogether() {
    var book = ThroughputBook()
    for reason in RefuseReason.allCases { book.add(Self.north, .refuse(reason), at: Self.noon) }
    for reason in UndecidedReason.allCases { book.add(Self.north, .undecided(reason), at: Self.noon) }
    let told = book.told(at: Self.noon)
    expect(told.series.count { $0.reason != StationThroughput.other } <= StationThroughput.mostReasons)
    expect(told.series.contains { $0.reason == StationThroughput.other })
    expectEqual(total(told), UInt64(RefuseReason.allCases.count + UndecidedReason.allCases.count))
  }

  /// What is told is what was counted of the last twelve hours, whatever the clock does; and it is bounded.
  @Test(arguments: 0..<extent(landing: 40, release: 400)) func whatIsToldIsWhatWasCounted(seed: Int) {
    var generator = SeededGenerator(seed: UInt64(seed))
    var book = ThroughputBook()
    var now = Self.noon
    var newest = Self.noon
    var scans: [WallTime] = []
    let bin = StationThroughput.bin.saturatedNanoseconds
    for _ in 0..<200 {
      // A clock that is set back, or far ahead.
      let step = Int64.random(in: -2_000...4_000, using: &generator)
      now = Int.random(in: 0..<60, using: &generator) == 0 ? WallTime(seconds: now.seconds + 50_000) : now
      now = WallTime(seconds: now.seconds + step)
      newest = max(newest, now)
      book.add(Self.north, .admit, at: now)
      scans.append(now)
    }
    let first = (newest.nanoseconds / bin - Int64(StationThroughput.bins) + 1) * bin
    let told = book.told(at: newest)
    expectEqual(told.from, WallTime(nanoseconds: first), "seed \(seed)")
    expect(total(told) <= UInt64(scans.count { $0.nanoseconds >= first }), "seed \(seed)")
    expect(total(told) >= 1, "seed \(seed)")
    expect(told.series.allSatisfy { $0.counts.count <= StationThroughput.bins }, "seed \(seed)")
  }

  /// What an earlier process decided is counted beside what this one has, whatever comes first.
  @Test func whatAnEarlierProcessDecidedIsCounted() {
    let view = StationView()
    let earlier = [
      EarlierScan(gate: Self.north, verdict: "admit", reason: nil, at: Self.noon - .seconds(600)),
      EarlierScan(gate: Self.north, verdict: "refuse", reason: "alreadyUsed", at: Self.noon - .seconds(300)),
      EarlierScan(gate: Self.north, verdict: "admit", reason: nil, at: Self.noon - .seconds(43_500)),
    ]
    var book = ThroughputBook()
    book.add(Self.north, .admit, at: Self.noon)
    book.add(Self.north, .refuse(.alreadyUsed), at: Self.noon)
    for scan in earlier { book.add(scan) }
    let told = book.told(at: Self.noon)
    let last = StationThroughput.bins - 1
    expectEqual(told.series.map(\.verdict), ["admit", "refuse"])
    expectEqual(told.series[0].counts.suffix(3), [1, 0, 1])
    expectEqual(told.series[1].counts.suffix(3), [0, 1, 1])
    expectEqual(told.series[0].counts.count, last + 1)
    view.recall(earlier)
    expectEqual(total(view.throughput(at: Self.noon)), 2)
  }

  @Test func whatAClockSaysMayBeAnything() {
    for time in [Int64.min, .max, 0, -1] {
      var book = ThroughputBook()
      book.add(Self.north, .admit, at: WallTime(nanoseconds: time))
      _ = book.told(at: WallTime(nanoseconds: time))
      _ = book.told(at: Self.noon)
    }
  }
}
