package import TicketSystemKit

/// What is wrong with a file that a process beside the gateway is handed by its unit: no gate needs it. Holds no secret.
package struct CredentialProblem: Sendable, Hashable {
  /// What sort of thing is wrong.
  package enum Kind: Sendable, Hashable {
    /// The file is not there, is none of its sort, or others can read it.
    case file
    /// The certificate in it ends soon, or has ended.
    case life
  }

  /// What sort of thing it is.
  package var kind: Kind
  /// The file.
  package var path: String
  /// Where the configuration names it.
  package var position: SourcePosition
  /// What is wrong, as a sentence.
  package var words: String
  /// The command that cures it, or what to do.
  package var cure: String

  package init(
    _ path: String, at position: SourcePosition, _ words: String, cure: String, kind: Kind = .file
  ) {
    self.kind = kind
    self.path = path
    self.position = position
    self.words = words
    self.cure = cure
  }
}
