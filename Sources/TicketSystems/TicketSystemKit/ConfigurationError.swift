/// A place in a configuration file. Lines and columns count from 1; a column is a Unicode scalar, as YAML counts.
package struct SourcePosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The file's name as it was given.
  package var file: String
  /// The line, from 1.
  package var line: Int
  /// The column, from 1.
  package var column: Int

  package init(file: String, line: Int, column: Int) {
    self.file = file
    self.line = line
    self.column = column
  }

  package static func < (a: Self, b: Self) -> Bool { (a.file, a.line, a.column) < (b.file, b.line, b.column) }

  package var description: String { "\(file):\(line):\(column)" }
}

/// One thing that is wrong, or doubtful, in a configuration: where, what, and what would be right.
package struct ConfigurationError: Error, Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Where.
  package var position: SourcePosition
  /// What is wrong. Never holds a secret; names from the file are shortened and cleaned of control characters.
  package var problem: String
  /// What would be right.
  package var remedy: String

  package init(at position: SourcePosition, _ problem: String, _ remedy: String) {
    self.position = position
    self.problem = problem
    self.remedy = remedy
  }

  package static func < (a: Self, b: Self) -> Bool {
    (a.position, a.problem, a.remedy) < (b.position, b.problem, b.remedy)
  }

  /// `file:line:column: what is wrong; what would be right`, on one line.
  package var description: String { "\(position): \(problem); \(remedy)" }
}

/// All errors of a file at once, sorted by position; never empty.
package struct ConfigurationErrors: Error, Equatable, Sendable, CustomStringConvertible {
  /// The errors.
  package let errors: [ConfigurationError]
  /// What is doubtful besides.
  package let warnings: [ConfigurationError]

  /// Makes the refusal of a file; there is at least one error.
  package init(errors: [ConfigurationError], warnings: [ConfigurationError]) {
    self.errors = errors
    self.warnings = warnings
  }

  /// One line each.
  package var description: String { errors.map(\.description).joined(separator: "\n") }
}

/// `text` in double quotes as an error may show it: at most 40 characters, and nothing that could steer a terminal.
package func quoted(_ text: String) -> String {
  var shown = ""
  for (index, scalar) in text.unicodeScalars.enumerated() {
    if index == 40 { return "\"\(shown)…\"" }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: shown += "·"
    default: shown.unicodeScalars.append(scalar)
    }
  }
  return "\"\(shown)\""
}
