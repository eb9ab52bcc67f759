extension SectionSchema {
  /// The section's keys as a Markdown table: key, value, default, meaning.
  package var markdownTable: String {
    var lines = ["| key | value | default | meaning |", "|---|---|---|---|"]
    for key in keys {
      let fallback: String
      if key.isRequired {
        fallback = "required"
      } else if let text = key.defaultText {
        fallback = key.sections.isEmpty || text != "see below" ? "`\(text)`" : "see below"
      } else {
        fallback = "none"
      }
      let cells = ["`\(key.name)`", key.summary, fallback, key.doc].map {
        $0.split(separator: "|").joined(separator: "\\|")
      }
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }
}
