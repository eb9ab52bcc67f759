internal import ScanConfiguration

/// What reading the configuration gave.
enum ConfigurationLook {
  static func judge(_ reading: ConfigurationReading, file: String) -> [Finding] {
    let check = "scangate config check \(file)"
    // The words begin with file, line and column.
    func finding(_ severity: Finding.Severity, _ words: String) -> Finding {
      guard words.hasPrefix("\(file):"), let end = words.firstRange(of: ": ")?.lowerBound else {
        return Finding(severity, .configuration, file, words, cure: check)
      }
      return Finding(
        severity, .configuration, String(words[..<end]), String(words[end...].dropFirst(2)),
        cure: "Edit it, then: \(check)")
    }
    var findings = reading.errors.map { finding(.fault, $0) } + reading.warnings.map { finding(.warning, $0) }
    if let configuration = reading.configuration, findings.isEmpty {
      let (gates, readers) = (configuration.gates.count, configuration.readers.count)
      findings.append(
        Finding(.good, .configuration, file, "It is good (\(gates) gates, \(readers) readers)."))
    }
    return findings
  }
}
