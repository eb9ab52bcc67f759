package import ScanModel

/// What can be a code: everything else is refused as unreadable, without a request.
package struct AcceptRule: Sendable, Equatable {
  /// The fewest characters.
  package var minLength = 8
  /// The most characters; not less than the fewest.
  package var maxLength = 128
  /// The characters.
  package var alphabet = CodeAlphabet.printable
  /// A regular expression that the whole code must match.
  package var pattern: String?

  /// Makes the rule of which a gate's own changes what it says: 8 to 128 printable characters. A gate that has none takes
  /// what its ticket system's codes look like (`TicketSystemSection.accept`).
  package init() {}
}
