/// A file that the configuration names.
package struct FileReference: Sendable, Hashable {
  /// What the file is for.
  package enum Role: Sendable, Hashable {
    /// A secret: one line that only the service may read.
    case secret
    /// Certificates in PEM.
    case certificates
    /// The servers and organiser's keys that set-up codes may name. It may come later, on a medium that anybody writes.
    case trustList
    /// What a ticket system goes by, a line each, and reads again when it changes.
    case lines
  }

  /// The absolute path.
  package let path: String
  /// What it is for.
  package let role: Role
  /// Where the configuration names it.
  package let position: SourcePosition

  package init(path: String, role: Role, position: SourcePosition) {
    self.path = path
    self.role = role
    self.position = position
  }
}

/// A credential of the station that the configuration names.
package struct CredentialReference: Sendable, Hashable {
  /// The name.
  package let name: String
  /// Where the configuration names it.
  package let position: SourcePosition

  /// What names of credentials begin with that set-up codes brought; none of the file can have it.
  package static let enrolledPrefix = "enrolled:"

  /// Whether a set-up code brought it.
  package var isEnrolled: Bool { name.hasPrefix(Self.enrolledPrefix) }

  package init(name: String, position: SourcePosition) {
    self.name = name
    self.position = position
  }
}
