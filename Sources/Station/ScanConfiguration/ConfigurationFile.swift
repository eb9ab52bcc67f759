package import TicketSystemKit

/// The one configuration file: YAML in, a checked `StationConfiguration` or all its errors out.
package enum ConfigurationFile {
  /// What a good file gives.
  package struct Reading: Sendable {
    /// The configuration.
    package let configuration: StationConfiguration
    /// What is doubtful in it, sorted by position.
    package let warnings: [ConfigurationError]
  }

  /// Reads the file at `path`; a regular file of at most 1 MiB.
  /// - Parameter name: what it is called in errors, where `path` is a copy that nobody mends.
  /// - Throws: every error of the file at once. A file that cannot be read is an error at its line 1.
  package static func load(
    path: String, called name: String? = nil, options: ConfigurationOptions
  ) throws(ConfigurationErrors) -> Reading {
    let content: FileContent
    do throws(FileFault) {
      content = try FileContent.read(path, upTo: SourceText.maximumBytes)
    } catch {
      let start = SourcePosition(file: name ?? path, line: 1, column: 1)
      throw ConfigurationErrors(
        errors: [ConfigurationError(at: start, "the configuration \(error.problem)", error.remedy)], warnings: [])
    }
    return try parse(bytes: content.bytes, file: name ?? path, options: options)
  }

  /// Reads a configuration from text; `file` is its name in errors.
  /// - Throws: every error of the text at once.
  package static func parse(
    text: String, file: String, options: ConfigurationOptions
  ) throws(ConfigurationErrors) -> Reading {
    try parse(bytes: [UInt8](text.utf8), file: file, options: options)
  }

  /// Reads a configuration from bytes, which need not be text; `file` is its name in errors.
  /// - Throws: every error of the text at once.
  package static func parse(
    bytes: [UInt8], file: String, options: ConfigurationOptions
  ) throws(ConfigurationErrors) -> Reading {
    let findings = Findings(options: options)
    let source = SourceText(bytes: bytes, file: file, findings: findings)
    var configuration: StationConfiguration?
    if !findings.hasErrors, let root = SourceComposer.compose(source, findings) {
      configuration = StationSection.read(root, findings)
    }
    if let configuration, !findings.hasErrors {
      return Reading(configuration: configuration, warnings: findings.warnings.sorted())
    }
    if !findings.hasErrors {
      // A reader that answers nothing says why; should one forget, the file is refused all the same.
      findings.error(
        at: SourcePosition(file: file, line: 1, column: 1), "the file cannot be used",
        "compare it with docs/configuration.md")
    }
    throw ConfigurationErrors(errors: findings.errors.sorted(), warnings: findings.warnings.sorted())
  }

  /// Every section that a file can have, in the order of the documentation.
  package static func schema(options: ConfigurationOptions) -> [SectionSchema] {
    var sections: [SectionSchema] = []
    func add(_ section: SectionSchema) {
      guard !sections.contains(where: { $0.path == section.path }) else { return }
      sections.append(section)
      for key in section.keys { key.sections.forEach(add) }
      if section.path == GateSection.schema.path { options.ticketSystems.map { $0.gateSchema }.forEach(add) }
    }
    let top = StationSection.schema(options)
    sections.append(top)
    for key in top.keys {
      if key.name == "ticketSystems" { options.ticketSystems.map(TicketSystemReading.schema).forEach(add) }
      key.sections.forEach(add)
    }
    return sections
  }
}

/// A configuration as far as it is good, and everything that is wrong or doubtful, each in words with its place.
package struct ConfigurationReading: Sendable {
  /// `nil` where there are errors.
  package var configuration: StationConfiguration?
  /// What is doubtful.
  package var warnings: [String]
  /// What is wrong.
  package var errors: [String]

  package init(configuration: StationConfiguration? = nil, warnings: [String], errors: [String]) {
    self.configuration = configuration
    self.warnings = warnings
    self.errors = errors
  }
}
