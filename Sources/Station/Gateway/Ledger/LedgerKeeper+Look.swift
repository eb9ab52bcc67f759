internal import Admission
internal import Calls
import ScanModel

/// How a ticket system and its outbox are, for whoever looks at the station.
struct LedgerLook: Sendable {
  /// How it is for gates.
  var news: TicketSystemNews
  /// How many admissions it has still to be told of.
  var owed: Int
  /// When the oldest of them was given.
  var oldest: WallTime?
  /// Whether nothing is told to it.
  var isHeld: Bool
  /// How far this machine's clock is ahead of its server's; `nil` where no answer has told.
  var clockAhead: Duration?
}

extension LedgerKeeper {
  func look(at system: TicketSystemID) -> LedgerLook {
    let outbox = sender.outbox
    return LedgerLook(
      news: health.newest(of: system), owed: outbox.count, oldest: outbox.waiting.map(\.at.wall).min(),
      isHeld: outbox.isHeld, clockAhead: health.stationAhead)
  }
}
