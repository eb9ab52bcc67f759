import Reports
import ScanModel

/// The first page: of what it is, and the numbers.
enum OverviewPage {
  static func page(of report: Report) -> ReportPages.Page {
    let scope = ScopeText(report)
    return ("Report", scope.line, { draw(report, scope, $0) })
  }

  private static func draw(_ report: Report, _ scope: ScopeText, _ canvas: PageCanvas) {
    var y = 106.0
    func told(_ name: String, _ value: String) {
      canvas.text(name, PageCanvas.margin, y, width: 110, size: 10, ink: .faint)
      y += max(
        16, canvas.text(value, PageCanvas.margin + 115, y, width: PageCanvas.inner - 115, size: 10, lines: 3) + 3)
    }
    told("Time", scope.times)
    told("Civil time of", scope.zone)
    told("Gate", report.scope.gate.map { ReportText.clean($0.name) } ?? "all")
    told("Event", report.scope.event.map { ReportText.clean($0) } ?? "all")
    told("Made", report.clock.text(report.scope.madeAt))
    y += 14
    guard report.total.scans > 0 else {
      y +=
        canvas.text(
          "No scan is of this time\(scope.narrowed.isEmpty ? "" : ", gate and event").", PageCanvas.margin, y,
          width: PageCanvas.inner, size: 12) + 14
      figures(report, from: y, canvas)
      return
    }
    figures(report, from: y, canvas)
  }

  private static func figures(_ report: Report, from top: Double, _ canvas: PageCanvas) {
    var y = top
    for (index, row) in rows(of: report).enumerated() {
      if index.isMultiple(of: 2) { canvas.fill(PageCanvas.margin, y - 4, PageCanvas.inner, 22, .band) }
      let isPart = row.name.hasPrefix("of them")
      canvas.text(
        row.name, PageCanvas.margin + (isPart ? 22 : 8), y, width: 235, size: 10.5, isBold: !isPart && row.isMain)
      canvas.text(
        PageWords.count(row.count), PageCanvas.margin + 245, y, width: 80, size: 10.5, isBold: row.isMain, side: .right)
      canvas.text(row.note, PageCanvas.margin + 340, y + 1, width: PageCanvas.inner - 348, size: 9, ink: .faint)
      y += 22
    }
    canvas.text(note(report), PageCanvas.margin, y + 10, width: PageCanvas.inner, size: 8.5, ink: .faint, lines: 6)
  }

  private static func rows(of report: Report) -> [(name: String, count: Int, note: String, isMain: Bool)] {
    let total = report.total
    func share(_ part: Int) -> String {
      total.scans == 0 ? "" : "\(PageWords.share(part, of: total.scans)) of the scans"
    }
    var rows = [
      ("Scans", total.scans, "codes that were presented", true),
      ("Admitted", total.admitted, share(total.admitted), true),
      ("of them annulled", total.annulled, "taken back: nobody passed", false),
      ("Refused", total.refused, share(total.refused), true),
      ("Undecided", total.undecided, share(total.undecided), true),
      ("Provisional admissions", report.count(.provisional), "without the ticket system's word", false),
      ("Conflicts", report.count(.conflict), "contradicted, or nobody can tell", false),
      ("Orders of staff", report.count(.order), "", false),
      ("Faults", report.count(.fault), "of gates, outputs and the station", false),
    ]
    if report.flooded > 0 {
      rows.append(("Scans only counted", report.flooded, "faster than anybody presents codes", false))
    }
    if report.untrusted > 0 {
      rows.append(("Scans by a doubtful clock", report.untrusted, "their times may be wrong", false))
    }
    return rows
  }

  private static func note(_ report: Report) -> String {
    var words =
      "One scan is one presentation of a code at a gate. Codes and holders' names are in no report; “scangate journal show” finds a "
      + "scan by the digits that lists have."
    if report.scope.event != nil {
      words +=
        " Orders of staff, scans that were only counted, and starts of the station are of no event and not counted here."
    }
    return words
  }
}
