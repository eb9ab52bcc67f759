package import ScanModel
internal import WireText

/// What a check-up has found.
package struct Report: Sendable, Equatable {
  /// The station's name; `nil` where its configuration cannot be read.
  package var station: String?
  /// The program's version.
  package var version: String
  /// When it was made.
  package var at: WallTime
  /// How long that took.
  package var took: Duration
  /// What was found: what matters most first, then by area and place.
  package private(set) var findings: [Finding]

  package init(station: String?, version: String, at: WallTime, took: Duration, findings: [Finding]) {
    self.station = station.map { TerminalText.clean($0) }
    self.version = version
    self.at = at
    self.took = took
    self.findings = Self.sorted(findings)
  }

  /// Adds what was found later.
  package mutating func add(_ more: [Finding]) { findings = Self.sorted(findings + more) }

  /// The worst of it; `good` where nothing was found.
  package var severity: Finding.Severity { findings.map(\.severity).max() ?? .good }

  /// What a program ends with: 0 where nothing need be done, 1 where somebody should act, 2 where a gate cannot admit.
  package var exitStatus: Int32 {
    switch severity {
    case .good, .note: 0
    case .warning: 1
    case .fault: 2
    }
  }

  private static func sorted(_ findings: [Finding]) -> [Finding] {
    var seen: Set<Finding> = []
    return findings.filter { seen.insert($0).inserted }.sorted { a, b in
      if a.severity != b.severity { return a.severity > b.severity }
      return (a.area.rank, a.place, a.words) < (b.area.rank, b.place, b.words)
    }
  }
}

extension Report {
  /// The report for people, a line each.
  /// - Parameter paint: gives words the colour of a severity; names it in words all the same.
  package func lines(_ paint: (String, Finding.Severity) -> String = { words, _ in words }) -> [String] {
    let seconds = "\(took.milliseconds / 1_000).\(max(0, took.milliseconds % 1_000 / 100)) s"
    var lines = ["scangate \(version)  \(station ?? "no configuration")  \(at.iso8601Seconds)  \(seconds)"]
    for finding in findings {
      lines.append("\(paint(finding.severity.label, finding.severity))  \(finding.place): \(finding.words)")
      if let cure = finding.cure { lines.append("\(Self.indent)→ \(cure)") }
    }
    return lines + [summary]
  }

  /// The report in a sentence.
  package var summary: String {
    func count(_ severity: Finding.Severity, _ one: String, _ several: String) -> String? {
      let count = findings.count { $0.severity == severity }
      return count == 0 ? nil : "\(count) \(count == 1 ? one : several)"
    }
    let counts = [count(.fault, "fault", "faults"), count(.warning, "warning", "warnings")].compactMap(\.self)
      .joined(separator: ", ")
    return switch severity {
    case .good, .note: "Everything is well."
    case .warning: "Gates can admit; somebody should act: \(counts)."
    case .fault: "A gate cannot admit: \(counts)."
    }
  }

  private static let indent = String(repeating: " ", count: Finding.Severity.width + 2)

  /// The report for programs: an object in one line.
  package var json: String {
    var line = JSONText()
    line.add("station", station)
    line.add("version", version)
    line.add("at", at.iso8601)
    line.add(milliseconds: "took_ms", took)
    line.add("severity", severity.rawValue)
    line.add("exit", Int64(exitStatus))
    line.add(
      "findings",
      objects: findings.map { finding in
        var object = JSONText()
        object.add("severity", finding.severity.rawValue)
        object.add("area", finding.area.rawValue)
        object.add("place", finding.place)
        object.add("words", finding.words)
        object.add("cure", finding.cure)
        return object.text
      })
    return line.text
  }
}

extension Finding.Severity {
  /// How wide the words of all are.
  fileprivate static let width = 7

  /// The word at the beginning of a line; what matters is in capitals, for whoever sees no colour.
  fileprivate var label: String {
    let word = self >= .warning ? rawValue.uppercased() : rawValue
    return word + String(repeating: " ", count: max(0, Self.width - word.count))
  }
}
