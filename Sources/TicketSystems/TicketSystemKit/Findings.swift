/// What a reading of the file found: errors, doubts, and the files it names. One object for one reading, on one thread.
package final class Findings {
  /// The errors so far.
  package private(set) var errors: Set<ConfigurationError> = []
  /// The doubts so far.
  package private(set) var warnings: Set<ConfigurationError> = []
  /// The files that the configuration names.
  package private(set) var files: [FileReference] = []
  /// The credentials that the configuration names.
  package private(set) var credentials: [CredentialReference] = []
  /// The type of each ticket system that was read, by its name.
  package var systemTypes: [String: TicketSystemType] = [:]
  /// What the caller brought along.
  package let options: ConfigurationOptions

  /// Begins a reading.
  package init(options: ConfigurationOptions) { self.options = options }

  /// Whether the file is refused.
  package var hasErrors: Bool { !errors.isEmpty }

  /// Records an error; an alias that is read twice reports once.
  package func error(at position: SourcePosition, _ problem: String, _ remedy: String) {
    errors.insert(ConfigurationError(at: position, problem, remedy))
  }

  /// Records a doubt that does not refuse the file.
  package func warning(at position: SourcePosition, _ problem: String, _ remedy: String) {
    warnings.insert(ConfigurationError(at: position, problem, remedy))
  }

  /// Records a file that must be there when the service runs.
  package func file(_ reference: FileReference) { files.append(reference) }

  /// Records a credential that must be there when the service runs.
  package func credential(_ reference: CredentialReference) { credentials.append(reference) }
}
