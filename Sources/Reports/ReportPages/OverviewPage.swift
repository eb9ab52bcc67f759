import Reports
import ScanModel

/// The first page: of what it is, and the numbers.
enum OverviewPage {
  private struct Row {
    var name: PageText
    var count: Int
    var note = ""
    var isMain = false
    var isPart = false
  }

  static func page(of report: Report, _ words: PageWords) -> ReportPages.Page {
    let scope = ScopeText(report, words)
    return (words(PageTexts.report), scope.line, { draw(report, words, scope, $0) })
  }

  private static func draw(_ report: Report, _ words: PageWords, _ scope: ScopeText, _ canvas: PageCanvas) {
    var y = 106.0
    func told(_ name: PageText, _ value: String) {
      canvas.text(words(name), PageCanvas.margin, y, width: 110, size: 10, ink: .faint)
      y += max(
        16, canvas.text(value, PageCanvas.margin + 115, y, width: PageCanvas.inner - 115, size: 10, lines: 3) + 3)
    }
    told(PageTexts.time, scope.times)
    told(PageTexts.zone, scope.zone)
    told(PageTexts.gate, report.scope.gate.map { ReportText.clean($0.name) } ?? words(PageTexts.all))
    told(PageTexts.event, report.scope.event.map { ReportText.clean($0) } ?? words(PageTexts.all))
    told(PageTexts.made, report.clock.text(report.scope.madeAt))
    y += 14
    if report.total.scans == 0 {
      let none = scope.narrowed.isEmpty ? PageTexts.none : PageTexts.noneNarrowed
      y += canvas.text(words(none), PageCanvas.margin, y, width: PageCanvas.inner, size: 12, lines: 2) + 14
    }
    for (index, row) in rows(of: report, words).enumerated() {
      draw(row, index, y, words, canvas)
      y += 22
    }
    let note = words(PageTexts.note) + (report.scope.event == nil ? "" : words(PageTexts.noteOfEvent))
    canvas.text(note, PageCanvas.margin, y + 10, width: PageCanvas.inner, size: 8.5, ink: .faint, lines: 8)
  }

  private static func draw(_ row: Row, _ index: Int, _ y: Double, _ words: PageWords, _ canvas: PageCanvas) {
    if index.isMultiple(of: 2) { canvas.fill(PageCanvas.margin, y - 4, PageCanvas.inner, 22, .band) }
    let left = row.isPart ? 22.0 : 8
    canvas.text(
      words(row.name), PageCanvas.margin + left, y, width: 190 - left, size: 10.5, isBold: row.isMain)
    canvas.text(
      words.count(row.count), PageCanvas.margin + 195, y, width: 80, size: 10.5, isBold: row.isMain, side: .right)
    canvas.text(row.note, PageCanvas.margin + 290, y + 1, width: PageCanvas.inner - 298, size: 9, ink: .faint)
  }

  private static func rows(of report: Report, _ words: PageWords) -> [Row] {
    let total = report.total
    func share(_ part: Int) -> String {
      total.scans == 0 ? "" : words(PageTexts.share, words.share(part, of: total.scans))
    }
    var rows = [
      Row(name: PageTexts.scans, count: total.scans, note: words(PageTexts.scansNote), isMain: true),
      Row(name: PageTexts.admitted, count: total.admitted, note: share(total.admitted), isMain: true),
      Row(name: PageTexts.annulled, count: total.annulled, note: words(PageTexts.annulledNote), isPart: true),
      Row(name: PageTexts.refused, count: total.refused, note: share(total.refused), isMain: true),
      Row(name: PageTexts.undecided, count: total.undecided, note: share(total.undecided), isMain: true),
      Row(name: PageTexts.provisional, count: report.count(.provisional), note: words(PageTexts.provisionalNote)),
      Row(name: PageTexts.conflicts, count: report.count(.conflict), note: words(PageTexts.conflictsNote)),
      Row(name: PageTexts.orders, count: report.count(.order)),
      Row(name: PageTexts.faults, count: report.count(.fault), note: words(PageTexts.faultsNote)),
    ]
    if report.flooded > 0 {
      rows.append(Row(name: PageTexts.counted, count: report.flooded, note: words(PageTexts.countedNote)))
    }
    if report.untrusted > 0 {
      rows.append(Row(name: PageTexts.doubtful, count: report.untrusted, note: words(PageTexts.doubtfulNote)))
    }
    return rows
  }
}
