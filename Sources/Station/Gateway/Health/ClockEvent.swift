package import ScanModel

/// What a ticket system's answers tell of clocks: of this machine's, and of the one that dates their records.
package struct ClockEvent: Sendable, Equatable {
  /// What is known now. The raw values are the names in events.
  package enum State: String, Sendable, CaseIterable {
    /// This machine's clock is more than two minutes off the ticket system's. Gates go by the ticket system's.
    case stationWrong
    /// It no longer is.
    case stationRight
    /// Whether a record is fresh cannot be told by its time: a clock of the ticket system's is wrong.
    case recordsDoubted
    /// It can be told again.
    case recordsTrusted
  }

  /// The ticket system whose answers tell it.
  package var system: TicketSystemID
  /// What is known now.
  package var state: State
  /// How far the clock in question is ahead of the one that makes the answers' `Date`; negative where it is behind.
  package var ahead: Duration
  /// What happened, and what to do; `nil` where nothing is to be done.
  package var detail: String?
  /// When it became known.
  package var at: WallTime
}
