internal import ScanConfiguration
internal import ScanModel
internal import Synchronization

/// What outlives a reload of the configuration: who has been admitted on which code.
public final class StationMemory: Sendable {
  /// By name and server: under another address a ledger would let in again who is in.
  private let ledgers = Mutex<[String: LedgerKeeper]>([:])

  /// Makes an empty memory.
  public init() {}

  /// The ledger of a ticket system: that of an earlier configuration, where there was one, with this one's bound.
  func ledger(
    of system: TicketSystemConfiguration, floodLimit: Int, time: any TimeSource, events: any EventSink
  ) -> LedgerKeeper {
    let name = "\(system.id) \(TicketSystemRegistry.address(of: system))"
    let (keeper, isNew) = ledgers.withLock { ledgers in
      if let keeper = ledgers[name] { return (keeper, false) }
      let keeper = LedgerKeeper(floodLimit: floodLimit, time: time, events: events)
      ledgers[name] = keeper
      return (keeper, true)
    }
    if !isNew { Task { await keeper.setFloodLimit(floodLimit) } }
    return keeper
  }
}
