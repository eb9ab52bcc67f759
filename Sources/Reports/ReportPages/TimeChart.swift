import Reports
import ScanModel

/// Admissions over time, stacked by gate.
enum TimeChart {
  /// So many gates are told apart; the rest is one.
  private static let mostGates = Surface.series.count - 1
  private static let mostSteps = 420

  static func page(of report: Report, _ words: PageWords) -> ReportPages.Page {
    (
      words(PageTexts.overTime), words(PageTexts.eachBar, words(name(of: report.step))), { draw(report, words, $0) }
    )
  }

  private static func name(of step: ReportStep) -> PageText {
    switch step {
    case .fiveMinutes: PageTexts.fiveMinutes
    case .quarterHour: PageTexts.quarterHour
    case .hour: PageTexts.hour
    case .day: PageTexts.day
    case .week: PageTexts.week
    case .month: PageTexts.month
    case .year: PageTexts.year
    }
  }

  private static func draw(_ report: Report, _ words: PageWords, _ canvas: PageCanvas) {
    let steps = steps(of: report)
    let gates = gates(of: report)
    let values = steps.map { start in counts(of: report.times[start] ?? [:], gates) }
    let top = Scale(values.map { $0.reduce(0, +) }.max() ?? 0)
    let below = legend(gates.map { words.name($0, nameless: PageTexts.noGate) }, canvas)
    let area = Box(
      x: PageCanvas.margin + 52, y: below + 22, width: PageCanvas.inner - 52, height: 642 - below - 22)
    for value in top.marks {
      let y = area.y + area.height * (1 - Double(value) / Double(top.end))
      canvas.line(area.x, y, to: area.x + area.width, y, value == 0 ? .faint : .line)
      canvas.text(words.count(value), PageCanvas.margin, y - 6, width: 46, size: 8, side: .right, ink: .faint)
    }
    let width = area.width / Double(max(1, steps.count))
    // Those of a gate together: lines of one run on in the next.
    var boxes = Array(repeating: [Box](), count: gates.count)
    for (index, parts) in values.enumerated() {
      var y = area.y + area.height
      for (part, count) in parts.enumerated() where count > 0 {
        let height = area.height * Double(count) / Double(top.end)
        y -= height
        let gap = width > 4 ? 0.5 : 0
        boxes[part].append(
          Box(x: area.x + Double(index) * width + gap, y: y, width: max(0.3, width - 2 * gap), height: height))
      }
    }
    for (part, boxes) in boxes.enumerated() { canvas.fill(boxes, Surface.series[part]) }
    axis(steps, report, area.x, area.y + area.height, area.width, canvas)
    canvas.text(
      summary(steps, values, report, words), PageCanvas.margin, area.y + area.height + 50, width: PageCanvas.inner,
      size: 10, lines: 4)
  }

  /// The beginnings of all steps, those without a scan as well, from the first that has one to the last.
  private static func steps(of report: Report) -> [WallTime] {
    guard let first = report.times.keys.min(), let last = report.times.keys.max() else { return [] }
    var steps: [WallTime] = []
    var start = first
    while start <= last, steps.count < mostSteps {
      steps.append(start)
      start = report.step.next(after: start, by: report.clock)
    }
    return steps
  }

  /// The gates that are told apart, the busiest first; with "others" where there are more.
  private static func gates(of report: Report) -> [String] {
    let admitting = report.gates.sorted.filter { $0.counts.admitted > 0 }.map(\.name)
    guard admitting.count > mostGates + 1 else { return admitting }
    return Array(admitting.prefix(mostGates)) + [NamedCounts.others]
  }

  private static func counts(of counts: [String: ReportCounts], _ gates: [String]) -> [Int] {
    var rest = counts.values.reduce(0) { $0 + $1.admitted }
    var values = gates.map { gate in
      let count = counts[gate]?.admitted ?? 0
      rest -= count
      return count
    }
    if rest > 0, !values.isEmpty { values[values.count - 1] += rest }
    return values
  }

  /// Which gate is which, on as many lines as it takes.
  /// - Returns: where the last one ends.
  private static func legend(_ names: [String], _ canvas: PageCanvas) -> Double {
    var (x, y) = (PageCanvas.margin, 102.0)
    for (index, name) in names.enumerated() {
      let width = min(PageCanvas.inner - 14, canvas.width(of: name, size: 9) + 2)
      if x + 14 + width > PageCanvas.margin + PageCanvas.inner { (x, y) = (PageCanvas.margin, y + 16) }
      canvas.fill([Box(x: x, y: y + 2, width: 9, height: 9)], Surface.series[index])
      canvas.text(name, x + 14, y, width: width)
      x += 14 + width + 16
    }
    return y + 14
  }

  /// Marks of time: some, where a new day, or a round time, begins.
  private static func axis(
    _ steps: [WallTime], _ report: Report, _ x: Double, _ y: Double, _ width: Double, _ canvas: PageCanvas
  ) {
    let every = max(1, Int((Double(steps.count) / 8).rounded(.up)))
    let wide = width / Double(max(1, steps.count))
    var (day, offset) = ("", "")
    let end = PageCanvas.margin + PageCanvas.inner
    for (index, step) in steps.enumerated() where index.isMultiple(of: every) {
      let left = x + Double(index) * wide
      canvas.line(left, y, to: left, y + 4, .faint)
      let civil = report.clock.plain(step)
      func mark(_ text: String, _ below: Double) {
        let width = canvas.width(of: text, size: 8) + 1
        canvas.text(text, min(left - 4, end - width), y + below, width: width, size: 8, ink: .faint)
      }
      let (date, clock) = (String(civil.prefix(10)), String(civil.dropFirst(11).prefix(5)))
      if report.step.isOfDays {
        mark(date, 6)
      } else {
        mark(clock, 6)
        if date != day { mark(date, 17) }
        let here = report.clock.isOfChange(step) ? "UTC" + report.clock.offsetText(at: step) : ""
        if here != offset { mark(here, 28) }
        offset = here
      }
      day = date
    }
  }

  private static func summary(
    _ steps: [WallTime], _ values: [[Int]], _ report: Report, _ words: PageWords
  ) -> String {
    let sums = values.map { $0.reduce(0, +) }
    guard let most = sums.max(), most > 0, let index = sums.firstIndex(of: most) else {
      return words(PageTexts.nobody)
    }
    let moment =
      report.step.isOfDays
      ? String(report.clock.plain(steps[index]).prefix(10)) : report.clock.text(steps[index])
    return words(PageTexts.most, words.count(report.total.admitted), words.count(most), moment)
  }
}

/// A scale of round numbers from nothing up.
struct Scale {
  let end: Int
  let marks: [Int]

  init(_ most: Int) {
    var unit = 1
    let steps = [2, 5, 10]
    var index = 0
    var decade = 1
    while unit < most, most / unit > 5, decade < Int.max / 100 {
      unit = decade * steps[index]
      index += 1
      if index == steps.count { (index, decade) = (0, decade * 10) }
    }
    let count = max(1, most / unit + (most % unit == 0 ? 0 : 1))
    end = count * unit
    marks = (0...count).map { $0 * unit }
  }
}
