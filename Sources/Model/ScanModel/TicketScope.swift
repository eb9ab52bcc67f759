/// For how long "once" holds, for all tickets of a ticket system: `ticketSystems.<name>.scope` and what belongs to it.
package enum TicketScope: Sendable, Equatable {
  /// For ever.
  case once
  /// For a day; it begins at that time after midnight, by the station's civil time, so that a night belongs to its evening.
  case perDay(begins: Duration)
  /// For the event that is called so; another name begins anew.
  case perEvent(String)
  /// Until the person leaves through a gate whose direction is `out`: then the ticket admits again.
  case untilExit
  /// For so long after each admission: the ticket admits as often as it is shown, and not twice in that time.
  case every(Duration)

  /// What the scope adds to a ticket's key.
  /// - Parameter local: the time in seconds since 1970-01-01 of the civil calendar, the zone's offset included.
  package func part(local: Int64) -> [UInt8] {
    switch self {
    case .once, .untilExit: return [0]
    case .perDay(let begins):
      let seconds = local.subtractingReportingOverflow(begins.saturatedNanoseconds / 1_000_000_000)
      let shifted = seconds.overflow ? local : seconds.partialValue
      let day = shifted / 86_400 - (shifted % 86_400 < 0 ? 1 : 0)
      return [1] + withUnsafeBytes(of: day.bigEndian) { [UInt8]($0) }
    case .perEvent(let name): return [2] + Array(name.utf8)
    case .every: return [3]
    }
  }
}
