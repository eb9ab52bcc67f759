internal import ScanModel
internal import StationProtocol

/// A page of metrics as it grows, in Prometheus' text format (version 0.0.4). What is beyond the bound of series is left out, and counted;
/// what comes first is kept.
struct MetricsText {
  /// What sort of metric it is.
  enum Kind: String {
    case counter
    case gauge
    case histogram
  }

  /// A value, in the units of the page: counts, bytes and seconds.
  enum Value: Equatable {
    case count(UInt64)
    case integer(Int64)
    case seconds(Duration)
    case time(WallTime)
    case flag(Bool)

    fileprivate var text: String {
      switch self {
      case .count(let count): String(count)
      case .integer(let number): String(number)
      case .seconds(let duration): Self.seconds(duration.saturatedNanoseconds)
      case .time(let time): Self.seconds(time.nanoseconds)
      case .flag(let holds): holds ? "1" : "0"
      }
    }

    /// Nanoseconds as seconds, without what need not be said: `0.25`, `3`, `-0.001`.
    fileprivate static func seconds(_ nanoseconds: Int64) -> String {
      let magnitude = nanoseconds.magnitude
      let sign = nanoseconds < 0 ? "-" : ""
      let fraction = magnitude % 1_000_000_000
      guard fraction > 0 else { return "\(sign)\(magnitude / 1_000_000_000)" }
      var digits = String(fraction, digits: 9)
      while digits.hasSuffix("0") { digits.removeLast() }
      return "\(sign)\(magnitude / 1_000_000_000).\(digits)"
    }
  }

  /// Labels, in the order in which they are written.
  typealias Labels = KeyValuePairs<StaticString, String>

  /// The metric that says how many were left out; always there.
  static let omittedName: StaticString = "scangate_series_omitted"

  /// How many series are on the page, and how many are not.
  private(set) var series = 0
  private(set) var omitted: UInt64 = 0
  private let most: Int
  private var text = ""

  /// Begins a page.
  /// - Parameter most: how many series it may have.
  init(most: Int) {
    // One says what was left out.
    self.most = max(most - 1, 0)
    text.reserveCapacity(32_768)
  }

  /// Adds a metric of one series, or none where nothing is known.
  mutating func add(_ kind: Kind, _ name: StaticString, _ help: StaticString, _ value: Value?) {
    let none: Labels = [:]
    add(kind, name, help, value.map { [(none, $0)] } ?? [])
  }

  /// Adds a metric. Of series with the same labels the first counts: two of them no reader takes.
  mutating func add(
    _ kind: Kind, _ name: StaticString, _ help: StaticString, _ values: [(labels: Labels, value: Value)]
  ) {
    var known: Set<String> = []
    for (labels, value) in values {
      let labels = Self.text(labels)
      guard takes(1, labels, &known) else { continue }
      if known.count == 1 { begin(kind, name, help) }
      line(name, "", labels, value.text)
    }
  }

  /// Adds a metric of histograms; each is there wholly or not at all.
  mutating func add(
    _ name: StaticString, _ help: StaticString, _ values: [(labels: Labels, value: StationCounters.Histogram)]
  ) {
    var known: Set<String> = []
    for (labels, histogram) in values {
      let labels = Self.text(labels)
      guard takes(histogram.buckets.count + 2, labels, &known) else { continue }
      if known.count == 1 { begin(.histogram, name, help) }
      let bounds = StationCounters.Histogram.bounds.map { Value.seconds($0).text } + ["+Inf"]
      var count: UInt64 = 0
      for (bound, bucket) in zip(bounds, histogram.buckets) {
        let (sum, isOver) = count.addingReportingOverflow(bucket)
        count = isOver ? .max : sum
        line(name, "_bucket", labels + (labels.isEmpty ? "" : ",") + "le=\"\(bound)\"", String(count))
      }
      line(name, "_sum", labels, Value.seconds(histogram.sum).text)
      line(name, "_count", labels, String(count))
    }
  }

  /// The whole page.
  func finished() -> String {
    var page = self
    page.begin(.gauge, Self.omittedName, "Series that this page has no room for.")
    page.line(Self.omittedName, "", "", String(omitted))
    return page.text
  }

  /// Whether there is room for a series of that many lines.
  private mutating func takes(_ lines: Int, _ labels: String, _ known: inout Set<String>) -> Bool {
    guard !known.contains(labels) else { return false }
    guard series + lines <= most else {
      omitted &+= UInt64(lines)
      return false
    }
    known.insert(labels)
    series += lines
    return true
  }

  private mutating func begin(_ kind: Kind, _ name: StaticString, _ help: StaticString) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func line(_ name: StaticString, _ ending: StaticString, _ labels: String, _ value: String) {
    text += labels.isEmpty ? "\(name)\(ending) \(value)\n" : "\(name)\(ending){\(labels)} \(value)\n"
  }

  /// Labels as they stand between braces: what would end a value is escaped, what would end a line, or a reader, is shown as a dot.
  private static func text(_ labels: Labels) -> String {
    var text = ""
    for (name, value) in labels {
      if !text.isEmpty { text += "," }
      text += "\(name)=\""
      for scalar in value.unicodeScalars {
        switch scalar {
        case "\\": text += "\\\\"
        case "\"": text += "\\\""
        default: text.unicodeScalars.append(TerminalText.isHarmless(scalar) ? scalar : "·")
        }
      }
      text += "\""
    }
    return text
  }
}
