internal import ScanModel

/// Tells a server that fails (500) on whatever it is asked from one that stumbles over one code. Pure.
///
/// Statuses that count as offline, and those that say only when to ask again, tell neither.
struct FailureStreak {
  /// So many different codes in a row.
  static let least = 3

  /// The codes that it has failed on since it last did not, each in one spelling only; at most `least`.
  private var codes: [TicketKey] = []

  /// Takes the answer to one scan.
  /// - Returns: whether the server fails on whatever it is asked.
  mutating func take(_ status: Int, on code: TicketKey) -> Bool {
    switch status {
    case 408, 429, 502, 503, 504: return false
    case 500...599:
      if codes.count < Self.least, !codes.contains(code) { codes.append(code) }
      return codes.count == Self.least
    default:
      codes = []
      return false
    }
  }
}
