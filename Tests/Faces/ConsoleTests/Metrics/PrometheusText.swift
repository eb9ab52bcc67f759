/// A page of metrics, read as strictly as its format allows (Prometheus' text format 0.0.4, and what `promtool check metrics` asks for).
struct PrometheusText {
  /// What is wrong with a page.
  struct Fault: Error, CustomStringConvertible {
    let description: String
    init(_ words: String, _ line: String) { description = "\(words): \(line)" }
  }

  /// One line with a value.
  struct Sample: Equatable {
    let name: String
    let labels: [String: String]
    /// As it is written.
    let value: String
  }

  /// A metric.
  struct Family {
    let name: String
    let kind: String
    let help: String
    var samples: [Sample] = []
  }

  /// In the order of the page.
  private(set) var families: [Family] = []

  subscript(name: String) -> Family? { families.first { $0.name == name } }

  /// How many series there are.
  var series: Int { families.map(\.samples.count).reduce(0, +) }

  /// The value of a series; `nil` where there is none.
  func value(_ name: String, _ labels: [String: String] = [:]) -> String? {
    families.flatMap(\.samples).first { $0.name == name && $0.labels == labels }?.value
  }

  /// Reads a page.
  /// - Throws: `Fault`.
  init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Fault("the last line has no end", text) }
    var help: (name: String, text: String)?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) {
      if let (name, words) = Self.comment(line, "HELP") {
        guard help == nil, self[name] == nil else { throw Fault("told of twice", line) }
        guard words.hasSuffix("."), words.count > 5, !words.contains("\\") else { throw Fault("no help", line) }
        help = (name, words)
      } else if let (name, kind) = Self.comment(line, "TYPE") {
        guard let known = help, known.name == name else { throw Fault("a type without help", line) }
        guard ["counter", "gauge", "histogram"].contains(kind) else { throw Fault("no type", line) }
        try Self.checkName(name, kind)
        families.append(Family(name: name, kind: kind, help: known.text))
        help = nil
      } else {
        guard help == nil, let family = families.indices.last else { throw Fault("a value of nothing", line) }
        families[family].samples.append(try Self.sample(line, of: families[family]))
      }
    }
    if let help { throw Fault("a help without type", help.name) }
    for family in families { try Self.check(family) }
  }

  private static func comment(_ line: String, _ word: String) -> (name: String, text: String)? {
    guard line.hasPrefix("# \(word) ") else { return nil }
    let rest = line.dropFirst(word.count + 3)
    guard let blank = rest.firstIndex(of: " ") else { return nil }
    return (String(rest[..<blank]), String(rest[rest.index(after: blank)...]))
  }

  /// What `promtool` says of names.
  private static func checkName(_ name: String, _ kind: String) throws {
    guard let first = name.utf8.first, (0x61...0x7A).contains(first),
      name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F })
    else { throw Fault("no name", name) }
    guard (kind == "counter") == name.hasSuffix("_total") else { throw Fault("a counter, or none", name) }
    for ending in ["_bucket", "_count", "_sum", "_ms", "_milliseconds", "_minutes", "_kb", "_gauge", "_counter"] {
      guard !name.hasSuffix(ending) else { throw Fault("an ending of something else", name) }
    }
  }

  private static func sample(_ line: String, of family: Family) throws -> Sample {
    var rest = Substring(line)
    let name = rest.prefix { $0 != "{" && $0 != " " }
    rest = rest.dropFirst(name.count)
    let endings = family.kind == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
    guard endings.contains(where: { family.name + $0 == name }) else { throw Fault("a value of another", line) }
    var labels: [String: String] = [:]
    if rest.first == "{" {
      rest = rest.dropFirst()
      while true {
        let label = rest.prefix { $0 != "=" }
        guard !label.isEmpty, label.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == 0x5F }) else {
          throw Fault("no label", line)
        }
        rest = rest.dropFirst(label.count)
        guard rest.hasPrefix("=\"") else { throw Fault("a label without value", line) }
        rest = rest.dropFirst(2)
        let value = try Self.value(&rest, line)
        guard labels.updateValue(value, forKey: String(label)) == nil else { throw Fault("a label twice", line) }
        if rest.first == "," {
          rest = rest.dropFirst()
          continue
        }
        guard rest.first == "}" else { throw Fault("labels without end", line) }
        rest = rest.dropFirst()
        break
      }
    }
    guard rest.first == " " else { throw Fault("no blank", line) }
    rest = rest.dropFirst()
    guard isNumber(rest) else { throw Fault("no number", line) }
    return Sample(name: String(name), labels: labels, value: String(rest))
  }

  private static func value(_ rest: inout Substring, _ line: String) throws -> String {
    var scalars = Substring(rest).unicodeScalars
    var value = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\"":
        rest = Substring(scalars)
        return String(value)
      case "\\":
        switch scalars.popFirst() {
        case "\\": value.append("\\")
        case "\"": value.append("\"")
        case "n": value.append("\n")
        default: throw Fault("no escape", line)
        }
      default:
        guard scalar.value >= 0x20 else { throw Fault("a control character", line) }
        value.append(scalar)
      }
    }
    throw Fault("a value without end", line)
  }

  private static func isNumber(_ text: Substring) -> Bool {
    let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
    return text.count { $0 == "-" } <= 1 && (1...2).contains(parts.count)
      && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }
  }

  private static func check(_ family: Family) throws {
    guard !family.samples.isEmpty else { throw Fault("no series", family.name) }
    var known: Set<String> = []
    for sample in family.samples {
      let series = sample.name + sample.labels.sorted { $0.key < $1.key }.description
      guard known.insert(series).inserted else { throw Fault("a series twice", series) }
      if family.kind == "counter", sample.value.hasPrefix("-") { throw Fault("a counter below nothing", series) }
    }
    guard family.kind == "histogram" else { return }
    for (labels, samples) in Dictionary(
      grouping: family.samples, by: { $0.labels.filter { $0.key != "le" } })
    {
      let buckets = samples.filter { $0.name.hasSuffix("_bucket") }
      let bounds = buckets.map { $0.labels["le"] ?? "" }
      guard bounds.last == "+Inf", bounds.dropLast().allSatisfy({ Double($0) != nil }),
        zip(bounds.dropLast(), bounds.dropLast().dropFirst()).allSatisfy({ Double($0) ?? 0 < Double($1) ?? 0 })
      else { throw Fault("no bounds", "\(family.name) \(bounds)") }
      let counts = buckets.compactMap { UInt64($0.value) }
      guard counts.count == buckets.count, zip(counts, counts.dropFirst()).allSatisfy({ $0 <= $1 }) else {
        throw Fault("buckets that do not add up", "\(family.name) \(labels)")
      }
      guard samples.first(where: { $0.name.hasSuffix("_count") })?.value == buckets.last?.value,
        samples.filter({ $0.name.hasSuffix("_sum") }).count == 1, samples.count == buckets.count + 2
      else { throw Fault("a histogram that is not whole", "\(family.name) \(labels)") }
    }
  }
}
