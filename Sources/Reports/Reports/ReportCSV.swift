internal import ScanModel
internal import WireText

/// A report as comma-separated values: one table, in which the first column says what a line counts, so that a spreadsheet filters and
/// sums it.
///
/// Times are civil time and offset in columns of their own: a spreadsheet takes the first for a time.
package struct ReportCSV {
  /// The columns; what comes later is added at the end.
  package static let columns = [
    "table", "time", "utc_offset", "clock_trusted", "gate", "event", "decided_by", "what", "reason", "subject", "who",
    "why", "scan", "count",
  ]

  private let clock: ReportClock
  private var text = ""

  /// The file. It begins with the mark by which spreadsheets know UTF-8.
  package static func bytes(of report: Report) -> [UInt8] {
    var csv = ReportCSV(clock: report.clock)
    csv.write(report)
    return [0xEF, 0xBB, 0xBF] + csv.text.utf8
  }

  private init(clock: ReportClock) { self.clock = clock }

  private mutating func write(_ report: Report) {
    text = Self.columns.joined(separator: ",") + "\r\n"
    line("total", at: report.scope.from, what: "from", count: nil)
    line("total", at: report.scope.until, what: "until", count: nil)
    lines("total", report.total)
    line("total", what: "only counted", count: report.flooded)
    line("total", what: "by a clock that was not trusted", count: report.untrusted)
    for kind in ReportedItem.Kind.allCases { line("total", what: kind.rawValue, count: report.count(kind)) }
    for (start, gates) in report.times.sorted(by: { $0.key < $1.key }) {
      for (gate, counts) in gates.sorted(by: { $0.key < $1.key }) { lines("time", counts, at: start, gate: gate) }
    }
    for (name, counts) in report.gates.sorted { lines("gate", counts, gate: name) }
    for (name, counts) in report.events.sorted { lines("event", counts, event: name) }
    for (name, counts) in report.deciders.sorted { lines("decided_by", counts, decider: name) }
    for (reason, count) in report.sortedReasons {
      line("reason", what: reason.outcome.rawValue, reason: reason.name, count: count)
    }
    for kind in ReportedItem.Kind.allCases {
      for item in report.items(kind) { write(item) }
      if report.omitted(kind) > 0 { line(kind.rawValue, what: "not listed", count: report.omitted(kind)) }
    }
  }

  private mutating func lines(
    _ table: String, _ counts: ReportCounts, at time: WallTime? = nil, gate: String = "", event: String = "",
    decider: String = ""
  ) {
    let named = [
      ("admitted", counts.admitted), ("annulled", counts.annulled), ("refused", counts.refused),
      ("undecided", counts.undecided),
    ]
    for (what, count) in named where count > 0 || table == "total" {
      line(table, at: time, gate: gate, event: event, decider: decider, what: what, count: count)
    }
  }

  private mutating func write(_ item: ReportedItem) {
    line(
      item.kind.rawValue, at: item.at.wall, trusted: item.at.isTrusted, gate: item.gate, event: item.event,
      decider: item.decider, what: item.what, reason: item.reason, subject: item.subject, who: item.who, why: item.why,
      scan: item.scan, count: item.count)
  }

  private mutating func line(
    _ table: String, at time: WallTime? = nil, trusted: Bool? = nil, gate: String = "", event: String = "",
    decider: String = "", what: String, reason: String = "", subject: String = "", who: String = "", why: String = "",
    scan: String = "", count: Int?
  ) {
    let cells = [
      table, time.map { clock.plain($0) } ?? "", time.map { "UTC" + clock.offsetText(at: $0) } ?? "",
      trusted.map { $0 ? "true" : "false" } ?? "", gate, event, decider, what, reason, subject, who, why, scan,
      count.map { String($0) } ?? "",
    ]
    text += cells.map { CSVCell.text($0) }.joined(separator: ",") + "\r\n"
  }
}

extension Report {
  /// Refusals first, then what was not decided; the most frequent first.
  package var sortedReasons: [(reason: Reason, count: Int)] {
    reasons.map { ($0.key, $0.value) }.sorted { a, b in
      (a.reason.outcome.rawValue, b.count, a.reason.name) < (b.reason.outcome.rawValue, a.count, b.reason.name)
    }
  }
}
