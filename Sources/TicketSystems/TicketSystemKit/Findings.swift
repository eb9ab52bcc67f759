/// What a reading of the file found: errors, doubts, and the files it names. One object for one reading, on one thread.
public final class Findings {
  /// The errors so far.
  public private(set) var errors: Set<ConfigurationError> = []
  /// The doubts so far.
  public private(set) var warnings: Set<ConfigurationError> = []
  /// The files that the configuration names.
  public private(set) var files: [FileReference] = []
  /// The credentials that the configuration names.
  public private(set) var credentials: [CredentialReference] = []
  /// The type of each ticket system that was read, by its name.
  public var systemTypes: [String: TicketSystemType] = [:]
  /// What the caller brought along.
  public let options: ConfigurationOptions

  /// Begins a reading.
  public init(options: ConfigurationOptions) { self.options = options }

  /// Whether the file is refused.
  public var hasErrors: Bool { !errors.isEmpty }

  /// Records an error; an alias that is read twice reports once.
  public func error(at position: SourcePosition, _ problem: String, _ remedy: String) {
    errors.insert(ConfigurationError(at: position, problem, remedy))
  }

  /// Records a doubt that does not refuse the file.
  public func warning(at position: SourcePosition, _ problem: String, _ remedy: String) {
    warnings.insert(ConfigurationError(at: position, problem, remedy))
  }

  /// Records a file that must be there when the service runs.
  public func file(_ reference: FileReference) { files.append(reference) }

  /// Records a credential that must be there when the service runs.
  public func credential(_ reference: CredentialReference) { credentials.append(reference) }
}
