/// Names that were cleaned already: so many, others are cleaned again.
struct ShownNames: Sendable {
  private static let most = 4_096
  private var names: [String: String] = [:]

  mutating func name(_ text: String) -> String {
    if let known = names[text] { return known }
    let shown = ReportText.clean(text)
    if names.count < Self.most { names[text] = shown }
    return shown
  }
}

/// Names and words as a report shows them, whatever a ticket system, a file or somebody's fingers have put into them.
package enum ReportText {
  /// The longest name in characters; longer ones are cut.
  package static let longest = 120

  /// `text` without what cannot be printed: controls and line ends are spaces, and marks that would turn the reading direction of what
  /// stands beside them are left out. Joiners stay: scripts need them.
  package static func clean(_ text: String, limit: Int = longest) -> String {
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in text.unicodeScalars {
      let kept: Unicode.Scalar
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: kept = " "
      case .surrogate, .privateUse, .unassigned: kept = "\u{FFFD}"
      default:
        let isJoiner = scalar.value == 0x200C || scalar.value == 0x200D || scalar.properties.isVariationSelector
        if scalar.properties.isDefaultIgnorableCodePoint || scalar.properties.generalCategory == .format, !isJoiner {
          continue
        }
        kept = scalar
      }
      if kept == " ", result.isEmpty || result.last == " " { continue }
      if count == limit {
        result.append("…")
        break
      }
      result.append(kept)
      count += 1
    }
    if result.last == " " { result.removeLast() }
    return String(result)
  }
}
