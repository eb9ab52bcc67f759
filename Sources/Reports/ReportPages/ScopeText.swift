import Reports
import ScanModel

/// Of what a report is, in words.
struct ScopeText {
  private let report: Report
  private let words: PageWords

  init(_ report: Report, _ words: PageWords) {
    self.report = report
    self.words = words
  }

  /// From when until when.
  var times: String {
    let (from, until) = (report.clock.text(report.scope.from), report.clock.text(report.scope.until))
    return words(PageTexts.times, Self.short(from), Self.short(until))
  }

  /// Times, gate and event.
  var line: String { ([times] + narrowed).joined(separator: " · ") }

  /// The gate and the event that it is of.
  var narrowed: [String] {
    [
      report.scope.gate.map { words(PageTexts.ofGate, ReportText.clean($0.name)) },
      report.scope.event.map { words(PageTexts.ofEvent, ReportText.clean($0, limit: 60)) },
    ].compactMap(\.self)
  }

  /// The zone, and what the clock does in it meanwhile.
  var zone: String {
    let (first, last) = (
      report.clock.offsetText(at: report.scope.from), report.clock.offsetText(at: report.scope.until)
    )
    let name = report.scope.zoneName.isEmpty ? "" : ReportText.clean(report.scope.zoneName) + ", "
    return name + (first == last ? "UTC\(first)" : words(PageTexts.zoneChanges, first, last))
  }

  /// Without seconds where there are none.
  private static func short(_ time: String) -> String {
    guard time.utf8.count >= 19 else { return time }
    let (clock, rest) = (time.prefix(19), time.dropFirst(19))
    return (clock.hasSuffix(":00") ? String(clock.dropLast(3)) : String(clock)) + rest
  }
}
