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

  /// Names a file.
  public init(path: String, role: Role, position: SourcePosition) {
    self.path = path
    self.role = role
    self.position = position
  }
}

/// A credential of the station that the configuration names.
public struct CredentialReference: Sendable, Hashable {
  /// The name.
  public let name: String
  /// Where the configuration names it.
  public let position: SourcePosition

  /// What names of credentials begin with that set-up codes brought; none of the file can have it.
  public static let enrolledPrefix = "enrolled:"

  /// Whether a set-up code brought it.
  public var isEnrolled: Bool { name.hasPrefix(Self.enrolledPrefix) }

  /// Names a credential.
  public init(name: String, position: SourcePosition) {
    self.name = name
    self.position = position
  }
}
