import Reports
import ScanModel

/// A list, over as many pages as it takes.
enum ListPages {
  private struct Column {
    var name: String
    /// As part of the page's width.
    var part: Double
    var text: (ReportedItem) -> String
    var side = TextSide.left
  }

  private static let rowsOfPage = 27
  private static let rowHeight = 24.0

  static func pages(_ kind: ReportedItem.Kind, of report: Report) -> [ReportPages.Page] {
    let all = report.items(kind)
    let items = Array(all.prefix(ReportPages.mostRows))
    let omitted = report.count(kind) - items.reduce(0) { $0 + $1.count }
    let columns = columns(kind, of: report)
    let starts = stride(from: 0, to: max(1, items.count), by: rowsOfPage)
    return starts.map { start in
      let rows = Array(items[start..<min(items.count, start + rowsOfPage)])
      let isLast = start + rowsOfPage >= items.count
      let note =
        isLast && omitted > 0 ? "\(PageWords.count(omitted)) more are counted and not listed here; CSV lists more." : ""
      return (title(kind), subtitle(kind, report), { draw(rows, columns, note, $0) })
    }
  }

  private static func title(_ kind: ReportedItem.Kind) -> String {
    switch kind {
    case .provisional: "Provisional admissions"
    case .conflict: "Conflicts"
    case .order: "Orders of staff"
    case .fault: "Faults"
    }
  }

  private static func subtitle(_ kind: ReportedItem.Kind, _ report: Report) -> String {
    let count = PageWords.count(report.count(kind))
    return switch kind {
    case .provisional: "\(count) admitted without the ticket system's word, and what it said later"
    case .conflict: "\(count) that the ticket system contradicts or was not told of, or of which no answer tells"
    case .order: "\(count) given, each with who gave it and what became of it"
    case .fault: "\(count): what kept gates from deciding or opening, counted together by gate and reason"
    }
  }

  private static func columns(_ kind: ReportedItem.Kind, of report: Report) -> [Column] {
    let clock = report.clock
    let time = Column(
      name: kind == .fault ? "time, first" : "time", part: 0.24,
      text: { clock.text($0.at.wall, isTrusted: $0.at.isTrusted) })
    let gate = Column(name: "gate", part: 0.13, text: \.gate)
    let scan = Column(name: "scan", part: 0.12, text: { digits($0.scan) })
    switch kind {
    case .provisional:
      return [
        time, gate, Column(name: "event", part: 0.2, text: \.event),
        Column(name: "decided by", part: 0.11, text: \.decider),
        Column(name: "became", part: 0.2, text: { [PageWords.spaced($0.what), PageWords.spaced($0.reason)].said }),
        scan,
      ]
    case .conflict:
      return [
        time, gate, Column(name: "decided by", part: 0.12, text: \.decider),
        Column(name: "state", part: 0.16, text: { PageWords.spaced($0.what) }),
        Column(name: "reason", part: 0.23, text: { PageWords.spaced($0.reason) }), scan,
      ]
    case .order:
      return [
        time, gate, Column(name: "order", part: 0.17, text: { [PageWords.spaced($0.what), $0.subject].said }),
        Column(name: "who", part: 0.13, text: \.who),
        Column(name: "why", part: 0.17, text: \.why),
        Column(name: "became", part: 0.16, text: { PageWords.spaced($0.reason) }),
      ]
    case .fault:
      return [
        time, gate, Column(name: "what", part: 0.15, text: { PageWords.spaced($0.what) }),
        Column(name: "reason", part: 0.28, text: { PageWords.spaced($0.reason) }), scan,
        Column(name: "count", part: 0.08, text: { PageWords.count($0.count) }, side: .right),
      ]
    }
  }

  /// Without the word that keeps spreadsheets from taking the digits for a number.
  private static func digits(_ scan: String) -> String { scan.hasPrefix("scan ") ? String(scan.dropFirst(5)) : scan }

  private static func draw(_ rows: [ReportedItem], _ columns: [Column], _ note: String, _ canvas: PageCanvas) {
    var y = 100.0
    func line(isBold: Bool, _ text: (Column) -> String) {
      var x = PageCanvas.margin
      for column in columns {
        let width = PageCanvas.inner * column.part
        canvas.text(
          text(column), x + 3, y + 2, width: width - 6, size: 8, isBold: isBold, side: column.side,
          lines: isBold ? 1 : 2)
        x += width
      }
    }
    line(isBold: true, \.name)
    y += 16
    for (index, row) in rows.enumerated() {
      if index.isMultiple(of: 2) { canvas.fill(PageCanvas.margin, y, PageCanvas.inner, rowHeight, .band) }
      line(isBold: false) { $0.text(row) }
      y += rowHeight
    }
    if !note.isEmpty {
      canvas.text(note, PageCanvas.margin, y + 6, width: PageCanvas.inner, size: 8.5, ink: .faint)
    }
  }
}

extension [String] {
  /// Those that say something, one after the other.
  fileprivate var said: String { filter { !$0.isEmpty }.joined(separator: ": ") }
}
