/// What a reading of the file found: errors, doubts, and the files it names. One object for one reading, on one thread.
public final class Findings {
  /// The errors so far.
  private(set) var errors: Set<ConfigurationError> = []
  /// The doubts so far.
  private(set) var warnings: Set<ConfigurationError> = []
  /// The files that the configuration names.
  private(set) var files: [FileReference] = []
  /// The credentials that the configuration names.
  private(set) var credentials: [CredentialReference] = []
  /// The type of each ticket system that was read, by its name.
  var systemTypes: [String: any TicketSystemSection.Type] = [:]
  /// What the caller brought along.
  let options: ConfigurationOptions

  init(options: ConfigurationOptions) { self.options = options }

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

/// What a reading of the file needs from outside.
public struct ConfigurationOptions: Sendable {
  /// The ticket systems that this program speaks to; each declares its own sections.
  public var ticketSystems: [any TicketSystemSection.Type]
  /// What is wrong with a regular expression of `accept.pattern`, in words; `nil` when it is good.
  public var patternValidator: @Sendable (String) -> String?
  /// What is wrong with a layout, its variant, options, and the locale of its Compose table where there is one, in words;
  /// `nil` when all are there and good.
  public var keymapValidator:
    @Sendable (_ layout: String, _ variant: String, _ options: String, _ compose: String?) -> String?

  /// Makes options.
  public init(
    ticketSystems: [any TicketSystemSection.Type] = [EventScheduleSection.self],
    patternValidator: @escaping @Sendable (String) -> String? = { _ in nil },
    keymapValidator:
      @escaping @Sendable (
        _ layout: String, _ variant: String, _ options: String, _ compose: String?
      ) -> String? = { _, _, _, _ in nil }
  ) {
    self.ticketSystems = ticketSystems
    self.patternValidator = patternValidator
    self.keymapValidator = keymapValidator
  }
}

/// A file that the configuration names.
public struct FileReference: Sendable, Hashable {
  /// What the file is for.
  public enum Role: Sendable, Hashable {
    /// A secret: one line that only the service may read.
    case secret
    /// Certificates in PEM.
    case certificates
    /// The servers and organiser's keys that set-up codes may name. It may come later, on a medium that anybody writes.
    case trustList
  }

  /// The absolute path.
  public let path: String
  /// What it is for.
  public let role: Role
  /// Where the configuration names it.
  public let position: SourcePosition
}

/// A credential of the station that the configuration names.
public struct CredentialReference: Sendable, Hashable {
  /// The name.
  public let name: String
  /// Where the configuration names it.
  public let position: SourcePosition

  /// Names a credential.
  public init(name: String, position: SourcePosition) {
    self.name = name
    self.position = position
  }
}
