/// A chart as SVG, made here: bars that stand on one another, one stack for each place. Pure; every text in it is escaped, and nothing in
/// it is a style or a script. What it shows stands in its title and description as words, and in the table beside it.
struct PageChart: Sendable, Equatable {
  /// What stands alike in all stacks.
  struct Series: Sendable, Equatable {
    var name: String
    /// How it is drawn: `admit`, `refuse`, `undecided`, `plain`. Each has a hatching besides its colour.
    var kind: String
    /// For each place; what is missing is none.
    var values: [UInt64]
  }

  /// More places, or series, are not drawn.
  static let mostPlaces = 144
  static let mostSeries = 16
  private static let kinds: Set<String> = ["admit", "refuse", "undecided", "plain"]
  private static let widestBar = 96.0
  private static let hatched: Set<String> = ["refuse", "undecided"]
  private static let (height, axis, bottom, top) = (240, 48, 24, 10)

  /// What distinguishes it from others of the same page: letters, digits and `-`.
  var id: String
  var title: String
  /// What it shows, in a sentence.
  var words: String
  /// What stands below each place; empty ones are left out.
  var places: [String]
  var series: [Series]
  /// Whether it is read from its end, as what happened last stands there: the axis is beside that.
  var isReadFromEnd = false
  /// Whether it has a few places only, and is seen whole on a telephone.
  var isNarrow = false

  private var width: Int { isNarrow ? 320 : 720 }
  /// Between which the bars stand.
  private var left: Int { isReadFromEnd ? 0 : Self.axis }
  private var right: Int { isReadFromEnd ? width - Self.axis : width }

  /// The highest stack; at least 1.
  var highest: UInt64 {
    (0..<min(places.count, Self.mostPlaces)).map { place in
      series.prefix(Self.mostSeries).reduce(UInt64(0)) { sum, series in
        let value = series.values.indices.contains(place) ? series.values[place] : 0
        let (total, isOver) = sum.addingReportingOverflow(value)
        return isOver ? .max : total
      }
    }.max().map { max($0, 1) } ?? 1
  }

  /// What the axis ends with: the next of 2, 4, 10, 20, 40, 100 … from `value` on, which has a whole half.
  static func end(for value: UInt64) -> UInt64 {
    var step: UInt64 = 1
    while true {
      for factor: UInt64 in [2, 4, 10] {
        let (end, isOver) = step.multipliedReportingOverflow(by: factor)
        if isOver { return .max }
        if end >= value { return end }
      }
      let (next, isOver) = step.multipliedReportingOverflow(by: 10)
      if isOver { return .max }
      step = next
    }
  }

  /// The element.
  var svg: String {
    let count = min(places.count, Self.mostPlaces)
    let end = Self.end(for: highest)
    let area = Self.height - Self.bottom - Self.top
    let step = count == 0 ? 0 : Double(right - left) / Double(count)
    // A few bars are no walls.
    let bar = min(step * 0.84, Self.widestBar)
    func high(_ value: UInt64) -> Double { Double(value) / Double(end) * Double(area) }
    var svg = """
      <svg class="chart\(isNarrow ? " narrow" : "")" viewBox="0 0 \(width) \(Self.height)" role="img" aria-labelledby="\(id)-t \(id)-d">\
      <title id="\(id)-t">\(PageEscaping.escape(title))</title><desc id="\(id)-d">\(PageEscaping.escape(words))</desc>
      """
    svg += hatchings
    for (value, y) in [(end, Self.top), (end / 2, Self.top + area / 2), (0, Self.top + area)]
    where value != 0 || y == Self.top + area {
      svg += "<line class=\"grid\" x1=\"\(left)\" x2=\"\(right)\" y1=\"\(y)\" y2=\"\(y)\"/>"
      svg += "<text class=\"axis\" x=\"\(isReadFromEnd ? right + 6 : left - 6)\" y=\"\(y + 4)\" "
      svg += "text-anchor=\"\(isReadFromEnd ? "start" : "end")\">\(value)</text>"
    }
    // One shape a series: a page of many bars stays small.
    var shapes = Array(repeating: "", count: min(series.count, Self.mostSeries))
    for place in 0..<count {
      var stacked: UInt64 = 0
      let x = Double(left) + step * Double(place)
      for (index, series) in series.prefix(Self.mostSeries).enumerated() where series.values.indices.contains(place) {
        let value = series.values[place]
        guard value > 0 else { continue }
        let bottom = Double(Self.top + area) - high(stacked)
        stacked = min(stacked.addingReportingOverflow(value).overflow ? .max : stacked + value, end)
        let top = Double(Self.top + area) - high(stacked)
        shapes[index] += "M\(Self.text(x + (step - bar) / 2)) \(Self.text(bottom))h\(Self.text(bar))"
        shapes[index] += "V\(Self.text(top))h-\(Self.text(bar))z"
      }
      guard !places[place].isEmpty else { continue }
      // What would be cut at the edge ends there.
      let middle = x + step / 2
      let isLast = middle > Double(right - 20)
      svg += "<text class=\"axis\" x=\"\(isLast ? "\(right)" : Self.text(middle))\" y=\"\(Self.height - 6)\" "
      svg += "text-anchor=\"\(isLast ? "end" : "middle")\">"
      svg += "\(PageEscaping.escape(places[place]))</text>"
    }
    for (series, shape) in zip(series, shapes) where !shape.isEmpty {
      let kind = Self.kinds.contains(series.kind) ? series.kind : "plain"
      let paint = Self.hatched.contains(kind) ? "fill=\"url(#\(id)-\(kind))\"" : "class=\"bar-\(kind)\""
      svg += "<path \(paint) d=\"\(shape)\"/>"
    }
    return svg + "</svg>"
  }

  /// Colour alone tells nobody anything.
  private var hatchings: String {
    """
    <defs><pattern id="\(id)-refuse" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">\
    <rect class="bar-refuse" width="6" height="6"/><line class="hatch" x1="0" x2="0" y1="0" y2="6"/></pattern>\
    <pattern id="\(id)-undecided" width="6" height="6" patternUnits="userSpaceOnUse">\
    <rect class="bar-undecided" width="6" height="6"/><circle class="dot" cx="3" cy="3" r="1.4"/></pattern></defs>
    """
  }

  /// A number with one decimal, without a library's idea of a language.
  static func text(_ value: Double) -> String {
    guard value.isFinite, value.magnitude < 1e9 else { return "0" }
    let tenths = Int((value * 10).rounded())
    let fraction = tenths.magnitude % 10
    return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10)\(fraction == 0 ? "" : ".\(fraction)")"
  }

  /// Whether it shows anything.
  var isEmpty: Bool { series.allSatisfy { $0.values.allSatisfy { $0 == 0 } } }
}
