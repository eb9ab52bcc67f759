import Reports

/// Bars from left to right, each with its name and its numbers.
struct BarChart {
  let words: PageWords

  /// What there is a bar of.
  private struct Row {
    var name: String
    /// What it is made of, from the left.
    var parts: [(count: Int, surface: Surface)]
    /// Its numbers in words.
    var numbers: String
    var counts = ReportCounts()
    var sum: Int { parts.reduce(0) { $0 + $1.count } }
  }

  private static let top = 130.0
  /// The most lines of a name: the longest that a report has.
  private static let nameLines: Int32 = 3

  /// Scans by a name.
  func page(
    _ title: PageText, _ subtitle: PageText, _ counts: NamedCounts, name: (String) -> String
  ) -> ReportPages.Page {
    let rows = counts.sorted.map { each in
      Row(
        name: name(each.name),
        parts: [
          (each.counts.admitted, .admitted), (each.counts.refused, .refused), (each.counts.undecided, .undecided),
        ],
        numbers: numbers(each.counts), counts: each.counts)
    }
    let legend = [
      (PageTexts.partAdmitted, Surface.admitted), (PageTexts.partRefused, .refused),
      (PageTexts.partUndecided, .undecided),
    ]
    return (
      words(title), words(subtitle),
      { canvas in
        draw(rows, legend, canvas) { rest in numbers(rest.reduce(ReportCounts()) { $0 + $1.counts }) }
      }
    )
  }

  /// Refusals, and what was not decided, by reason.
  func page(reasonsOf report: Report) -> ReportPages.Page {
    let rows = report.sortedReasons.map { reason, count in
      let isRefused = reason.outcome == .refused
      let whole = isRefused ? report.total.refused : report.total.undecided
      return Row(
        name: reason.name.isEmpty ? words(PageTexts.noReason) : words.reason(reason.name),
        parts: [(count, isRefused ? .refused : .undecided)],
        numbers: words(
          isRefused ? PageTexts.reasonRefused : PageTexts.reasonUndecided, words.count(count),
          words.share(count, of: whole)))
    }
    let legend = [(PageTexts.partRefused, Surface.refused), (PageTexts.notJudged, .undecided)]
    return (
      words(PageTexts.byReason), words(PageTexts.byReasonNote),
      { canvas in draw(rows, legend, canvas) { rest in words.count(rest.reduce(0) { $0 + $1.sum }) } }
    )
  }

  private func numbers(_ counts: ReportCounts) -> String {
    let parts = [
      words(PageTexts.numberAdmitted, words.count(counts.admitted))
        + (counts.annulled > 0 ? " " + words(PageTexts.numberAnnulled, words.count(counts.annulled)) : ""),
      words(PageTexts.numberRefused, words.count(counts.refused)),
      counts.undecided > 0 ? words(PageTexts.numberUndecided, words.count(counts.undecided)) : nil,
    ]
    return parts.compactMap(\.self).joined(separator: " · ")
  }

  /// Draws as many rows as the page has room for; the rest is one, without a bar: it would make each other one short.
  private func draw(
    _ rows: [Row], _ legend: [(PageText, Surface)], _ canvas: PageCanvas, numbersOf rest: ([Row]) -> String
  ) {
    var x = PageCanvas.margin
    for (text, surface) in legend {
      let width = canvas.width(of: words(text)) + 2
      canvas.fill([Box(x: x, y: 104, width: 9, height: 9)], surface)
      canvas.text(words(text), x + 14, 102, width: width)
      x += 14 + width + 18
    }
    let places = places(rows, canvas)
    let most = max(1, rows.prefix(places.count).map(\.sum).max() ?? 1)
    for (row, place) in zip(rows, places) { draw(row, place, most, canvas) }
    let left = Array(rows.dropFirst(places.count))
    guard !left.isEmpty else { return }
    let y = places.last.map { $0.y + $0.height } ?? Self.top
    let others = Row(name: words(PageTexts.otherRows, words.count(left.count)), parts: [], numbers: rest(left))
    draw(others, (y, height(of: others, canvas)), most, canvas)
  }

  /// Where rows stand, as long as there is room.
  private func places(_ rows: [Row], _ canvas: PageCanvas) -> [(y: Double, height: Double)] {
    var places: [(y: Double, height: Double)] = []
    var y = Self.top
    for (index, row) in rows.enumerated() {
      let height = height(of: row, canvas)
      // One more stands below where something follows.
      let needed = index == rows.count - 1 ? height : height + 34
      guard y + needed <= PageCanvas.end else { break }
      places.append((y, height))
      y += height
    }
    return places
  }

  private func numbersWidth(_ row: Row, _ canvas: PageCanvas) -> Double {
    min(canvas.width(of: row.numbers, size: 8.5) + 2, PageCanvas.inner * 0.7)
  }

  private func nameWidth(_ row: Row, _ canvas: PageCanvas) -> Double {
    PageCanvas.inner - numbersWidth(row, canvas) - 14
  }

  private func nameHeight(_ row: Row, _ canvas: PageCanvas) -> Double {
    canvas.height(
      of: row.name, width: nameWidth(row, canvas), size: 9.5, isBold: true, lines: Self.nameLines)
  }

  private func height(of row: Row, _ canvas: PageCanvas) -> Double { max(13, nameHeight(row, canvas)) + 17 }

  private func draw(_ row: Row, _ place: (y: Double, height: Double), _ most: Int, _ canvas: PageCanvas) {
    // Name and numbers above, so that no length of either is in the bar's way.
    let (numbers, y) = (numbersWidth(row, canvas), place.y)
    canvas.text(
      row.name, PageCanvas.margin, y, width: nameWidth(row, canvas), size: 9.5, isBold: true, lines: Self.nameLines)
    canvas.text(
      row.numbers, PageCanvas.margin + PageCanvas.inner - numbers, y + 1, width: numbers, size: 8.5, side: .right)
    let bar = y + place.height - 15
    canvas.fill(PageCanvas.margin, bar, PageCanvas.inner, 8, .band)
    var left = PageCanvas.margin
    for (count, surface) in row.parts where count > 0 {
      let width = PageCanvas.inner * Double(count) / Double(most)
      canvas.fill([Box(x: left, y: bar, width: width, height: 8)], surface)
      left += width
      // A line between two, for who sees no colour.
      canvas.line(left, bar, to: left, bar + 8, .white, width: 0.8)
    }
  }
}
