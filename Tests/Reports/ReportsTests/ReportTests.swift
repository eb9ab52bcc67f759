import Expectations
import LinuxIO
import Reports
import ScanModel
import ScanTesting
import Testing

@Suite struct ReportTests {
  /// A report equals what it was made of, the whole: each table's sum is the number of scans, whatever they are counted by.
  @Test(arguments: 0..<extent(landing: 40, release: 400)) func eachTableHasEachScan(seed: Int) throws {
    var random = Evenings(seed: seed)
    let berlin = try #require(ZoneRules.named("Europe/Berlin"))
    // An evening, a week with a change of the clock in it, or a year.
    let length = random.pick([7_200, 7 * 86_400, 366 * 86_400] as [Int64])
    let start: Int64 = 1_792_000_000
    let scope = ReportScope(
      from: WallTime(seconds: start), until: WallTime(seconds: start + length), zone: berlin,
      madeAt: WallTime(seconds: start))
    var report = Report(scope: scope)
    var counts = ReportCounts()
    var (untrusted, outputs) = (0, 0)
    for _ in 0..<random.below(800) {
      // Some lie before and after it.
      let scan = random.scan(after: start - length / 10, within: length + length / 5)
      report.add(scan)
      guard scan.at.wall >= scope.from, scan.at.wall < scope.until else { continue }
      switch scan.outcome {
      case .admitted: counts = counts + ReportCounts(admitted: 1, annulled: scan.isAnnulled ? 1 : 0)
      case .refused: counts = counts + ReportCounts(refused: 1)
      case .undecided: counts = counts + ReportCounts(undecided: 1)
      }
      untrusted += scan.at.isTrusted ? 0 : 1
      outputs += scan.outputFault.isEmpty ? 0 : 1
    }
    expectEqual(report.total, counts, "seed \(seed)")
    for table in [report.gates, report.events, report.deciders] { expectEqual(table.sum, counts, "seed \(seed)") }
    let times = report.times.values.flatMap(\.values).reduce(ReportCounts(), +)
    expectEqual(times, counts, "seed \(seed)")
    expectEqual(report.reasons.values.reduce(0, +), counts.refused + counts.undecided, "seed \(seed)")
    expectEqual(report.untrusted, untrusted, "seed \(seed)")
    let listed = report.items(.fault).filter { $0.what == "outputs" }.count
    expectEqual(listed, outputs, "seed \(seed)")
    for step in report.times.keys {
      expectEqual(report.step.beginning(of: step, by: report.clock), step, "seed \(seed)")
      expect(report.step.next(after: step, by: report.clock) > step, "seed \(seed)")
    }
  }

  /// What is too much to be told apart is counted all the same.
  @Test func manyNamesAreCountedTogether() {
    var report = Report(scope: Self.scope())
    let at = JournalTime(wall: WallTime(seconds: 10), monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true)
    for number in 0..<5_000 {
      report.add(
        ReportedScan(
          id: "", gate: "g\(number % 300)", at: at, outcome: .admitted, decider: "server", event: "event \(number)"))
      report.add(ReportedItem(.order, at: at, what: "open"))
    }
    expectEqual(report.events.sum.admitted, 5_000)
    expect(report.events.counts.count <= 2_001)
    expect(report.gates.counts[NamedCounts.others] != nil)
    expectEqual(report.count(.order), 5_000)
  }

  @Test func listsEndAndSayWhatIsLeftOut() {
    var report = Report(scope: Self.scope())
    let at = JournalTime(wall: WallTime(seconds: 10), monotonic: MonotonicTime(nanoseconds: 0), isTrusted: true)
    for _ in 0..<(Report.mostListed + 7) { report.add(ReportedItem(.provisional, at: at)) }
    expectEqual(report.items(.provisional).count, Report.mostListed)
    expectEqual(report.omitted(.provisional), 7)
    expectEqual(report.count(.provisional), Report.mostListed + 7)
  }

  /// Names of 10,000 letters, marks that turn the reading direction, and controls.
  @Test func namesAreShownAndHarmNothing() {
    expectEqual(ReportText.clean(String(repeating: "ä", count: 10_000)).count, ReportText.longest + 1)
    expectEqual(ReportText.clean("a\u{202E}b\u{200F}\u{0}\u{1B}[2Jc\r\nd"), "ab [2Jc d")
    expectEqual(ReportText.clean(" می\u{200C}خواهم "), "می\u{200C}خواهم")
    expectEqual(ReportText.clean("\u{E000}"), "\u{FFFD}")
  }

  static func scope(from: Int64 = 0, until: Int64 = 86_400, zone: ZoneRules = .utc) -> ReportScope {
    ReportScope(
      from: WallTime(seconds: from), until: WallTime(seconds: until), zone: zone, madeAt: WallTime(seconds: until))
  }
}
