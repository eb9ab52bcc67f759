internal import HolderClient
internal import HolderProtocol
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
internal import Synchronization

/// What outlives a reload of the configuration: who has been admitted on which code, and the command of the outputs, which
/// would go to their safe state if it were given up in between.
public final class StationMemory: Sendable {
  private struct Owner: Hashable {
    var system: TicketSystemID
    var address: String
  }

  private let ledgers = Mutex<[Owner: LedgerKeeper]>([:])
  private let held = Mutex<HeldOutputs?>(nil)

  /// Makes an empty memory.
  public init() {}

  /// The ledger of a ticket system: that of an earlier configuration, where there was one, with this one's bound.
  func ledger(
    of system: TicketSystemConfiguration, floodLimit: Int, time: any TimeSource, events: any EventSink
  ) -> LedgerKeeper {
    let owner = Owner(system: system.id, address: TicketSystemRegistry.address(of: system))
    let (keeper, isNew) = ledgers.withLock { ledgers in
      if let keeper = ledgers[owner] { return (keeper, false) }
      let keeper = LedgerKeeper(floodLimit: floodLimit, time: time, events: events)
      ledgers[owner] = keeper
      return (keeper, true)
    }
    if !isNew { Task { await keeper.setFloodLimit(floodLimit) } }
    return keeper
  }

  /// The outputs that the holder at `path` holds for this process, made when first asked for.
  func holder(at path: String, plan: OutputPlan) throws(SystemError) -> HeldOutputs {
    if let known = held.withLock({ $0 }) { return known }
    let made = try HeldOutputs(path: path, plan: plan, watching: HeldOutputs.Watching())
    held.withLock { $0 = made }
    return made
  }

  /// Takes leave of the output holder; to be called when no station follows.
  public func end() async {
    let last = held.withLock { held in
      defer { held = nil }
      return held
    }
    await last?.stop()
  }

  /// Whether there is a ledger of this ticket system, at this address where one is given.
  func knows(_ system: TicketSystemID, at address: String? = nil) -> Bool {
    ledgers.withLock { ledgers in
      ledgers.keys.contains { $0.system == system && (address == nil || $0.address == address) }
    }
  }

  /// A name that a server had in this process's time and has in `new` no more.
  func name(of address: String, besides new: StationConfiguration) -> TicketSystemID? {
    ledgers.withLock { ledgers in
      ledgers.keys.first { owner in
        owner.address == address
          && !new.ticketSystems.contains {
            $0.id == owner.system && TicketSystemRegistry.address(of: $0) == address
          }
      }?.system
    }
  }
}
