package import ScanModel

/// How a ticket system's log of who came and went is kept.
package struct MirrorEvent: Sendable, Equatable {
  /// The raw values are the names in events.
  package enum State: String, Sendable, CaseIterable {
    /// It is told who comes and goes; told at the start, when a trouble is over, and when counts have changed.
    case telling
    /// It cannot be told now; it is tried again.
    case failed
    /// Somebody is not told of, and never will be: why.
    case leftOut
    /// There is no such log, or not for our key: nothing is told before the configuration is loaded again.
    case off
  }

  /// The ticket system.
  package var system: TicketSystemID
  /// How it is kept.
  package var state: State
  /// What became of passages since the log was told of the first.
  package var counts: MirrorCounts
  /// What happened, and what to do; `nil` where nothing is to be done.
  package var detail: String?
  /// When.
  package var at: WallTime
}

/// What became of passages of which a log was to be told: each is counted once.
package struct MirrorCounts: Sendable, Equatable, Codable {
  /// In the log.
  package var sent: Int64 = 0
  /// Sent, or perhaps sent, and nobody knows whether they are there.
  package var lost: Int64 = 0
  /// Not taken by the ticket system.
  package var refused: Int64 = 0
  /// Not sent, for nobody has told of which event they are, or not by a name that the log takes.
  package var withoutEvent: Int64 = 0
  /// Not sent, for they are of too long ago, or no clock tells of when.
  package var tooOld: Int64 = 0
  /// Not sent, for they had been taken back by then: nobody passed.
  package var annulled: Int64 = 0

  package init() {}

  /// All of them.
  package var all: Int64 { sent &+ lost &+ refused &+ withoutEvent &+ tooOld &+ annulled }
}
