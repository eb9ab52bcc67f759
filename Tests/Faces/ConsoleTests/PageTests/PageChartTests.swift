import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import ScanTesting
import StationProtocol
import Testing

@testable import Console

@Suite struct PageChartTests {
  @Test func theAxisEndsWithARoundNumber() {
    for (value, end) in [(0, 2), (1, 2), (2, 2), (3, 4), (6, 10), (11, 20), (41, 100), (101, 200)] as [(UInt64, UInt64)]
    {
      expectEqual(PageChart.end(for: value), end)
    }
    expect(PageChart.end(for: .max) == .max)
  }

  @Test func itsWordsAreEscaped() {
    let chart = PageChart(
      id: "a", title: "<script>", words: "\"&\"", places: ["<b>"],
      series: [.init(name: "n", kind: "\" onload=\"x", values: [1])])
    expect(!chart.svg.contains("<script>") && !chart.svg.contains("<b>") && !chart.svg.contains("onload"))
    expect(chart.svg.contains("role=\"img\"") && chart.svg.contains("aria-labelledby=\"a-t a-d\""))
  }

  /// Whatever the numbers are, bars stay within the picture, and nothing traps.
  @Test(arguments: 0..<extent(landing: 60, release: 600)) func barsStayWithinThePicture(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let places = Int.random(in: 0...200, using: &generator)
    let chart = PageChart(
      id: "c", title: "t", words: "w", places: Array(repeating: "", count: places),
      series: (0..<Int.random(in: 0...20, using: &generator)).map { index in
        PageChart.Series(
          name: "s", kind: ["admit", "refuse", "undecided", "plain"][index % 4],
          values: (0..<Int.random(in: 0...210, using: &generator)).map { _ in
            [0, 1, .max, UInt64.random(in: 0...1_000, using: &generator)].randomElement(using: &generator) ?? 0
          })
      })
    let svg = chart.svg
    for part in svg.components(separatedBy: "V").dropFirst() {
      let y = try #require(Double(part.prefix { $0.isNumber || $0 == "." || $0 == "-" }), "seed \(seed)")
      expect((0...240).contains(y), "seed \(seed): \(y)")
    }
    expect(!svg.contains("nan") && !svg.contains("inf"), "seed \(seed)")
  }

  @Test func throughputShowsTheLastFourHours() {
    var throughput = StationThroughput()
    throughput.from = WallTime(seconds: 1_795_737_900)
    throughput.series = [
      .init(gate: GateID("north"), verdict: "admit", reason: nil, counts: Array(repeating: 1, count: 144)),
      .init(gate: GateID("south"), verdict: "admit", reason: nil, counts: Array(repeating: 9, count: 144)),
      .init(gate: GateID("north"), verdict: "refuse", reason: "other", counts: [5]),
    ]
    let words = ThroughputChart(
      throughput: throughput, texts: .of(.en), time: PageTime(now: throughput.from + .seconds(43_200)))
    let chart = words.chart(of: GateID("north"), id: "x")
    expectEqual(chart.series.map(\.values.count), [48, 0])
    expectEqual(chart.highest, 1)
    expect(chart.words.contains("48"))
    expectEqual(words.rows(of: chart).count, 48)
    expect(words.chart(of: GateID("west"), id: "y").isEmpty)
  }

  @Test func timesOfFormsAreThoseOfTheMachine() throws {
    let clock = PageTime(now: WallTime(seconds: 1_795_780_800))
    let text = PageInstant.local(clock.now, clock)
    expectEqual(PageInstant.time(text, in: clock.zone), clock.now)
    for text in ["", "2026-13-01T10:00", "2026-11-27 10:00", "2026-11-27T10:00:00", "x", "9999999999999999"] {
      expectEqual(PageInstant.time(text, in: clock.zone), nil, "\(text)")
    }
  }
}
