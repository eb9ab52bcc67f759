/// Why a fleet is not made or changed: what is wrong, and what to do. No secret is in it.
package struct FleetFault: Error, Equatable, CustomStringConvertible {
  /// Whose fault it is.
  package enum Kind: Sendable, Equatable {
    /// What was asked for cannot be.
    case asked
    /// What was read cannot be used.
    case data
    /// What was to be written is not there.
    case output
  }

  package let kind: Kind
  package let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
