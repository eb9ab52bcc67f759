package import ScanModel

extension TicketListReader {
  /// What there is to tell of a list.
  package struct Summary: Sendable, Equatable {
    /// What came on board together: all of it is as old as that.
    package struct Part: Sendable, Equatable {
      /// When it was true.
      package var asOf: WallTime
      /// How many codes are of it.
      package var count: Int
    }

    /// When the newest of its content was true, and how many codes it names.
    package var state: TicketListState
    /// When that was imported.
    package var imported: WallTime
    /// When it was last told of all tickets; `nil` where it never was.
    package var completeAsOf: WallTime?
    /// What it has of earlier times, the newest first.
    package var older: [Part]
    /// How many codes are in which state.
    package var counts: [ListedTicket.Status: Int]
    /// How hard the codes are to guess.
    package var guessability: Guessability
  }
}
