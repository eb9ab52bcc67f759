import Reports

/// Bars from left to right, each with its name and its numbers.
enum BarChart {
  /// One bar.
  struct Bar {
    var name: String
    /// What it is made of, from the left.
    var parts: [(count: Int, ink: Ink)]
    /// Its numbers in words.
    var words: String

    var sum: Int { parts.reduce(0) { $0 + $1.count } }
  }

  /// So many bars are on the page; the rest is one.
  private static let mostBars = 22

  /// Scans by a name.
  static func page(
    _ title: String, _ subtitle: String, _ counts: NamedCounts, nameless: String,
    words: @escaping (String) -> String = { $0 }
  ) -> ReportPages.Page {
    var rows = counts.sorted.map { (name: $0.name.isEmpty ? nameless : words($0.name), counts: $0.counts) }
    // Without a bar: all together they would make each other one short.
    var others: Bar?
    if rows.count > mostBars {
      let rest = rows[(mostBars - 1)...]
      let sum = rest.reduce(ReportCounts()) { $0 + $1.counts }
      rows = Array(rows.prefix(mostBars - 1))
      others = Bar(name: "\(rest.count) others, together", parts: [], words: numbers(sum))
    }
    let bars = rows.map { row in
      Bar(
        name: row.name,
        parts: [
          (row.counts.admitted, Ink.admitted), (row.counts.refused, .refused), (row.counts.undecided, .undecided),
        ],
        words: numbers(row.counts))
    }
    let legend = [("admitted", Ink.admitted), ("refused", .refused), ("undecided", .undecided)]
    return (title, subtitle, { draw(bars + [others].compactMap(\.self), legend, $0) })
  }

  /// Refusals, and what was not decided, by reason.
  static func page(reasonsOf report: Report) -> ReportPages.Page {
    var rows = report.sortedReasons
    var others = 0
    if rows.count > mostBars {
      others = rows[(mostBars - 1)...].reduce(0) { $0 + $1.count }
      rows = Array(rows.prefix(mostBars - 1))
    }
    var bars = rows.map { reason, count in
      let whole = reason.outcome == .refused ? report.total.refused : report.total.undecided
      let name = reason.name.isEmpty ? "(no reason)" : PageWords.spaced(reason.name)
      return Bar(
        name: name, parts: [(count, reason.outcome == .refused ? .refused : .undecided)],
        words: "\(PageWords.count(count)) \(reason.outcome.rawValue), \(PageWords.share(count, of: whole)) of these")
    }
    if others > 0 { bars.append(Bar(name: "other reasons, together", parts: [], words: PageWords.count(others))) }
    let legend = [("refused", Ink.refused), ("undecided: the code was not judged", .undecided)]
    return ("By reason", "Why scans were refused, or not decided", { draw(bars, legend, $0) })
  }

  private static func numbers(_ counts: ReportCounts) -> String {
    [
      "\(PageWords.count(counts.admitted)) admitted",
      counts.annulled > 0 ? "(\(PageWords.count(counts.annulled)) annulled)" : nil,
      "· \(PageWords.count(counts.refused)) refused",
      counts.undecided > 0 ? "· \(PageWords.count(counts.undecided)) undecided" : nil,
    ].compactMap(\.self).joined(separator: " ")
  }

  private static func draw(_ bars: [Bar], _ legend: [(String, Ink)], _ canvas: PageCanvas) {
    var x = PageCanvas.margin
    for (name, ink) in legend {
      canvas.fill(x, 104, 9, 9, ink)
      canvas.text(name, x + 14, 102, width: 180)
      x += 14 + canvas.width(of: name) + 18
    }
    let most = max(1, bars.map(\.sum).max() ?? 1)
    var y = 130.0
    for bar in bars {
      // Name and numbers above, so that no length of either is in the bar's way.
      let words = min(canvas.width(of: bar.words, size: 8.5) + 2, 280)
      canvas.text(bar.name, PageCanvas.margin, y, width: PageCanvas.inner - words - 14, size: 9.5, isBold: true)
      canvas.text(
        bar.words, PageCanvas.margin + PageCanvas.inner - words, y + 1, width: words, size: 8.5, side: .right)
      canvas.fill(PageCanvas.margin, y + 15, PageCanvas.inner, 8, .band)
      var left = PageCanvas.margin
      for (count, ink) in bar.parts where count > 0 {
        let width = PageCanvas.inner * Double(count) / Double(most)
        canvas.fill(left, y + 15, width, 8, ink)
        left += width
        // A line between two, for who sees no colour.
        canvas.line(left, y + 15, to: left, y + 23, .white, width: 0.8)
      }
      y += 30
    }
  }
}
