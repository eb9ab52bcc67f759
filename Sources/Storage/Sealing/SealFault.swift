/// Why a key or a credential cannot be had or kept: what happened, to which file, and what to do. Never holds a secret.
package struct SealFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kind, as far as it decides what to do.
  package enum Kind: Sendable, Equatable {
    /// There is nothing yet.
    case absent
    /// The key is not the one by which things were sealed, or it is lost.
    case wrongKey
    /// A file is damaged, or open to others.
    case refused
    /// A record does not open although the key is the right one: it is damaged, or was put there from elsewhere.
    case damaged
    /// The disk does not let us: no room, read-only, errors, no permission. The keys may be right, and another try may succeed.
    case disk
    /// Something else is in the way: the service runs, or a file is where a folder should be.
    case system
  }

  /// The kind.
  package let kind: Kind
  /// The words, ready to print.
  package let description: String

  package init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
