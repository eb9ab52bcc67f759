internal import ScanConfiguration
internal import ScanModel
internal import Synchronization

/// What outlives a reload of the configuration: who has been admitted on which code.
public final class StationMemory: Sendable {
  private let ledgers = Mutex<[TicketSystemID: LedgerKeeper]>([:])

  /// Makes an empty memory.
  public init() {}

  /// The ledger of a ticket system: that of an earlier configuration, where there was one, with this one's bound.
  func ledger(
    of system: TicketSystemID, floodLimit: Int, time: any TimeSource, events: any EventSink
  ) -> LedgerKeeper {
    let (keeper, isNew) = ledgers.withLock { ledgers in
      if let keeper = ledgers[system] { return (keeper, false) }
      let keeper = LedgerKeeper(floodLimit: floodLimit, time: time, events: events)
      ledgers[system] = keeper
      return (keeper, true)
    }
    if !isNew { Task { await keeper.setFloodLimit(floodLimit) } }
    return keeper
  }
}
