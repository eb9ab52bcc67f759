package import StationProtocol

/// Whether the station answers.
package enum StationPresence: Equatable, Sendable {
  /// Nobody knows yet.
  case awaited
  /// It does, and what it says of itself.
  case here(StationWelcome)
  /// It does not, and why.
  case away(StationAbsence)
}
