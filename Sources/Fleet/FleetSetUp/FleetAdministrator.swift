internal import JetStreamClaims

/// What makes whoever has it administer a fleet's servers: makes and closes books.
enum FleetAdministrator {
  private static let head = "scangate-fleet-administrator-1:"

  /// One line, for a file that its owner alone reads.
  static func text(_ key: NKey) -> String { head + key.toBeSealed }

  /// Reads it; `nil` where it is none.
  static func key(_ text: String) -> NKey? {
    text.hasPrefix(head) ? NKey(seed: String(text.dropFirst(head.count))) : nil
  }
}
