import Reports
import ScanModel

/// A list, over as many pages as it takes: rows are as high as what they say, and each page has the columns' names.
enum ListPages {
  private struct Column {
    var name: PageText
    /// As part of the page's width.
    var part: Double
    var text: (ReportedItem) -> String
    var side = TextSide.left
    var width: Double { PageCanvas.inner * part - 6 }
  }

  private struct Row {
    var cells: [String]
    var height: Double
  }

  private static let top = 100.0
  private static let first = 118.0
  private static let size = 8.0
  /// The most lines of a cell: the longest words that somebody gave.
  private static let mostLines: Int32 = 12
  /// What the note below the last row takes.
  private static let noteHeight = 22.0

  static func pages(
    _ kind: ReportedItem.Kind, of report: Report, _ words: PageWords, _ canvas: PageCanvas
  ) -> [ReportPages.Page] {
    let items = Array(report.items(kind).prefix(ReportPages.mostRows))
    let omitted = report.count(kind) - items.reduce(0) { $0 + $1.count }
    let columns = columns(kind, of: report, words)
    let note = omitted > 0 ? words(PageTexts.omitted, words.count(omitted)) : ""
    var pages: [[Row]] = [[]]
    var y = first
    for (index, item) in items.enumerated() {
      let row = row(item, columns, canvas)
      let below = index == items.count - 1 && !note.isEmpty ? noteHeight : 0
      if y + row.height + below > PageCanvas.end, pages.last?.isEmpty == false {
        pages.append([])
        y = first
      }
      pages[pages.count - 1].append(row)
      y += row.height
    }
    let (title, subtitle) = (words(title(kind)), words(subtitle(kind), words.count(report.count(kind))))
    return pages.enumerated().map { index, rows in
      (title, subtitle, { draw(rows, columns, words, index == pages.count - 1 ? note : "", $0) })
    }
  }

  private static func title(_ kind: ReportedItem.Kind) -> PageText {
    switch kind {
    case .provisional: PageTexts.provisional
    case .conflict: PageTexts.conflicts
    case .order: PageTexts.orders
    case .fault: PageTexts.faults
    }
  }

  private static func subtitle(_ kind: ReportedItem.Kind) -> PageText {
    switch kind {
    case .provisional: PageTexts.provisionalHead
    case .conflict: PageTexts.conflictsHead
    case .order: PageTexts.ordersHead
    case .fault: PageTexts.faultsHead
    }
  }

  private static func columns(_ kind: ReportedItem.Kind, of report: Report, _ words: PageWords) -> [Column] {
    let clock = report.clock
    let time = Column(
      name: kind == .fault ? PageTexts.columnFirst : PageTexts.columnTime, part: 0.25,
      text: { clock.text($0.at.wall, isTrusted: $0.at.isTrusted) })
    let gate = Column(name: PageTexts.columnGate, part: 0.13, text: \.gate)
    let scan = Column(name: PageTexts.columnScan, part: 0.11, text: { digits($0.scan) })
    let decider = Column(
      name: PageTexts.columnDecider, part: 0.13, text: { $0.decider.isEmpty ? "" : words.decider($0.decider) })
    switch kind {
    case .provisional:
      return [
        time, gate, Column(name: PageTexts.columnEvent, part: 0.2, text: \.event), decider,
        Column(
          name: PageTexts.columnBecame, part: 0.18,
          text: { [words.state($0.what), $0.reason.isEmpty ? "" : words.reason($0.reason)].said }),
        scan,
      ]
    case .conflict:
      return [
        time, gate, decider, Column(name: PageTexts.columnState, part: 0.16, text: { words.state($0.what) }),
        Column(name: PageTexts.columnReason, part: 0.22, text: { words.reason($0.reason) }), scan,
      ]
    case .order:
      return [
        time, gate, Column(name: PageTexts.columnOrder, part: 0.16, text: { [words.state($0.what), $0.subject].said }),
        Column(name: PageTexts.columnWho, part: 0.13, text: \.who),
        Column(name: PageTexts.columnWhy, part: 0.18, text: \.why),
        Column(
          name: PageTexts.columnBecame, part: 0.15,
          text: { $0.reason.split(separator: ": ").map { words.state(String($0)) }.said }),
      ]
    case .fault:
      return [
        time, gate, Column(name: PageTexts.columnWhat, part: 0.15, text: { words.state($0.what) }),
        Column(name: PageTexts.columnReason, part: 0.27, text: { words.reason($0.reason) }), scan,
        Column(name: PageTexts.columnCount, part: 0.09, text: { words.count($0.count) }, side: .right),
      ]
    }
  }

  /// Without the word that keeps spreadsheets from taking the digits for a number.
  private static func digits(_ scan: String) -> String { scan.hasPrefix("scan ") ? String(scan.dropFirst(5)) : scan }

  private static func row(_ item: ReportedItem, _ columns: [Column], _ canvas: PageCanvas) -> Row {
    let cells = columns.map { $0.text(item) }
    let heights = zip(cells, columns).map { cell, column in
      cell.isEmpty ? 0 : canvas.height(of: cell, width: column.width, size: size, lines: mostLines)
    }
    return Row(cells: cells, height: max(12, heights.max() ?? 0) + 5)
  }

  private static func draw(
    _ rows: [Row], _ columns: [Column], _ words: PageWords, _ note: String, _ canvas: PageCanvas
  ) {
    func line(_ cells: [String], _ y: Double, isBold: Bool) {
      var x = PageCanvas.margin
      for (cell, column) in zip(cells, columns) {
        canvas.text(
          cell, x + 3, y + 2, width: column.width, size: size, isBold: isBold, side: column.side,
          lines: isBold ? 1 : mostLines)
        x += PageCanvas.inner * column.part
      }
    }
    line(columns.map { words($0.name) }, top, isBold: true)
    var y = first
    for (index, row) in rows.enumerated() {
      if index.isMultiple(of: 2) { canvas.fill(PageCanvas.margin, y, PageCanvas.inner, row.height, .band) }
      line(row.cells, y, isBold: false)
      y += row.height
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
