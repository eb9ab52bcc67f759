internal import FleetKeeping
internal import ScanConfiguration
package import ScanModel
internal import Admission
internal import LinuxIO
internal import StationProtocol
internal import Synchronization
internal import TicketSystemKit

/// Who has been admitted on which code, for all ticket systems of the station: outlives a reload of the configuration in
/// memory, and the process in the journal.
///
/// A ledger belongs to a server, by its type and address: configured under two names it is one, under a new name the same.
package final class StationMemory: Sendable {
  /// Holds what this process holds of the outputs.
  package let command = OutputCommand()

  let dependencies: LedgerDependencies
  /// The thread on which gates and ledgers live.
  var loop: DeviceLoop { dependencies.loop }

  private let whenFailing: JournalFailurePolicy
  private let ledgers = Mutex<[String: LedgerKeeper]>([:])
  /// The server of each name that was configured in this process's time.
  private let servers = Mutex<[TicketSystemID: String]>([:])
  private let scopes = Mutex<[String: TicketScope]>([:])
  /// What an earlier process left, by servers.
  private let interrupted: Mutex<[String: [AskedAttempt]]>
  private let owed: Mutex<[String: [OwedAdmission]]>
  private let orders: OutboxControl
  /// Whether staff hold the outbox.
  private let isHeld: Mutex<Bool>
  /// What was taken up before anybody listened.
  private let untold = Mutex<[GatewayEvent]>([])
  private let watching = Mutex<[Task<Void, Never>]>([])
  /// What the ticket systems of the station that runs share with other stations.
  private let shares = Mutex<[Sharing]>([])

  /// What a ticket system shares with other stations of the fleet.
  package struct Sharing: Sendable {
    package let system: TicketSystemID
    /// Its address for the ledger: the same at all stations.
    package let server: String
    package let knowledge: SharedKnowledge
  }

  /// Makes the memory of a station over what the journal keeps.
  /// - Parameters:
  ///   - whenFailing: what gates do while the journal cannot be written.
  ///   - interrupted: the attempts that an earlier process asked and never concluded (`AttemptBook.unconcluded`).
  ///   - owed: the admissions that an earlier process had still to tell (`AttemptBook.owed`).
  ///   - isHeld: whether staff have held the outbox when an earlier process ran.
  ///   - orders: what staff's orders about the outbox need.
  package init(
    dependencies: LedgerDependencies, whenFailing: JournalFailurePolicy = .continue, interrupted: [AskedAttempt] = [],
    owed: [OwedAdmission] = [], isHeld: Bool = false, orders: OutboxControl = OutboxControl()
  ) {
    self.isHeld = Mutex(isHeld)
    self.owed = Mutex(Dictionary(grouping: owed, by: \.server))
    self.orders = orders
    self.dependencies = dependencies
    self.whenFailing = whenFailing
    self.interrupted = Mutex(Dictionary(grouping: interrupted, by: \.server))
  }

  /// How the station stands with its fleet; `nil` where it is of none.
  var fleetLook: FleetLook? { get async { await dependencies.fleet?.look } }

  /// Tells the journal's states as events, and gives it again what it has lost, until `end`.
  package func watch(events: any EventSink, time: any TimeSource) {
    if let fleet = dependencies.fleet {
      let teller = FleetTeller(dependencies: dependencies, events: events, time: time)
      Task { await fleet.listen { teller.tell($0) } }
      dependencies.fleetOrders?.listen { teller.tell($0) }
    }
    for event in untold.withLock({ untold in
      defer { untold.removeAll() }
      return untold
    }) {
      events.emit(event)
    }
    let states = dependencies.journal.states
    let watch = Task { [weak self] in
      var isFirst = true
      for await state in states {
        // That it works is no news until it did not.
        if !isFirst || state != .working { events.emit(.journal(state, at: time.wall())) }
        isFirst = false
        switch state {
        case .noticed: await self?.writeAnew()
        // What may have been told is not told again before somebody has looked.
        case .doubted, .accepted: await self?.applyHold()
        case .working, .failing: break
        }
      }
    }
    watching.withLock { watching in
      for task in watching { task.cancel() }
      watching = [watch]
    }
  }

  /// Whether nothing is sent: staff hold it, or the journal is not relied on.
  private var mayNotSend: Bool { isHeld.withLock { $0 } || !dependencies.isAccepted() }

  private func applyHold() async {
    for keeper in ledgers.withLock({ Array($0.values) }) { await keeper.hold(mayNotSend) }
  }

  /// Has nothing sent any more, or lets it be sent again.
  func hold(_ isOn: Bool) async {
    isHeld.withLock { $0 = isOn }
    await applyHold()
  }

  /// Has everything sent now, what left the outbox untold as well; that it is held is over.
  /// - Throws: why that cannot be had: then nothing has changed.
  func retry() async throws(JournalFault) {
    let again = try await orders.retriable()
    await hold(false)
    for (server, keeper) in ledgers.withLock({ $0 }) { await keeper.retry(again.filter { $0.server == server }) }
  }

  /// Relies on a journal that was found doubtful.
  /// - Returns: whether that is noted; `nil` where it was relied on already.
  func acceptJournal() async -> Bool? {
    if dependencies.isAccepted() { return nil }
    // What waited is sent once the journal's state says so, as for whoever is told of it: after the event.
    return await orders.accept()
  }

  /// Codes that were presented lately and are shown so when they are shortened.
  func presented(_ shortened: String) async -> [Code] { await orders.presented(shortened) }

  private func writeAnew() async {
    await dependencies.fleet?.writeAnew()
    dependencies.fleetOrders?.writeAnew()
    for keeper in ledgers.withLock({ Array($0.values) }) { await keeper.writeAnew() }
  }

  /// The list on board of a ticket system, for what speaks to it.
  func list(of system: TicketSystemConfiguration) -> ListOnBoard {
    var list = dependencies.listOnBoard(
      of: system.id, system.address, maxAge: system.list.maxAge, freshFor: system.list.freshFor)
    list.refresh = system.list.refresh
    return list
  }

  /// Who keeps the list on board of a ticket system current; `nil` where nobody is to, or can.
  func refresher(
    of system: TicketSystemConfiguration, _ connection: TicketSystemConnection, events: any EventSink
  ) -> ListRefresher? {
    guard let interval = system.list.refresh, let roster = connection.roster,
      let list = dependencies.list(system.id, system.address)
    else { return nil }
    let keeper = ledgers.withLock { $0[system.address] }
    return ListRefresher(
      of: system.id, roster, into: list, every: interval, folding: system.type.foldedKey,
      clock: { [dependencies] in dependencies.clock.now() },
      lastScan: { await keeper?.lastDecided ?? MonotonicTime(nanoseconds: .min) }, events: events)
  }

  /// Who tells the logs of a station's ticket systems of passages.
  func mirrors(
    of configuration: StationConfiguration, _ connections: [TicketSystemConnection], events: any EventSink
  ) -> StationMirrors {
    let systems = zip(configuration.ticketSystems, connections)
    let keepers = ledgers.withLock { $0 }
    let fence = MirrorFence()
    let senders = systems.compactMap { system, connection -> MirrorSender? in
      // Where no gate asks it, nobody passes.
      guard let mirror = connection.mirror, let keeper = keepers[system.address] else { return nil }
      return MirrorSender(
        of: system.id, mirror, station: configuration.name, keeper: keeper, fence: fence, events: events)
    }
    let servers = Set(dependencies.formerServers + configuration.ticketSystems.map(\.address))
    let others = systems.map { system, connection in
      (system.id, connection.mirror == nil ? servers : servers.subtracting([system.address]))
    }
    return StationMirrors(senders, behind: fence) { [dependencies] in
      for (system, servers) in others { await MirrorStore.forget(system, at: servers, dependencies, fence) }
    }
  }

  /// The ledger of a ticket system: that of an earlier configuration, where there was one, with this one's bound.
  /// - Throws: where another ticket system has the same server and another scope.
  func ledger(
    of system: TicketSystemConfiguration, floodLimit: Int, time: any TimeSource, events: any EventSink
  ) throws(SetupError) -> LedgerKeeper {
    let server = system.address
    let scope = scopes.withLock { scopes in
      if scopes[server] == nil { scopes[server] = system.scope }
      return scopes[server]
    }
    guard scope == system.scope else {
      throw SetupError(
        "ticketSystems.\(system.id): its server has another scope under another name. Give both the same scope.")
    }
    servers.withLock { $0[system.id] = server }
    let (keeper, isNew) = ledgers.withLock { ledgers in
      if let keeper = ledgers[server] { return (keeper, false) }
      let keeper = LedgerKeeper(
        server: server, dependencies: dependencies, scope: system.scope,
        policy: AttemptPolicy(recordOffset: system.recordOffset, isShared: dependencies.fleet != nil),
        whenFailing: whenFailing, floodLimit: floodLimit,
        time: time, events: events)
      ledgers[server] = keeper
      return (keeper, true)
    }
    if !isNew {
      Task {
        await keeper.setFloodLimit(floodLimit)
        await keeper.setRecordOffset(system.recordOffset)
      }
    }
    return keeper
  }

  /// Gives the ledgers the attempts on their servers that an earlier process left open; to be called before their gates run.
  /// - Parameters:
  ///   - systems: whom to ask of what became of them, by their servers.
  ///   - faces: the same as each gate asks it.
  func takeUp(asking systems: [String: any TicketSystem], at faces: [String: [GateID: any TicketSystem]]) async {
    // Before anybody is asked: what holds for all gates of the fleet holds from the first person on.
    await dependencies.fleetOrders?.recall()
    // Where it cannot be read, nobody passes, and the journal tells why.
    await dependencies.fleet?.start()
    for (server, keeper) in ledgers.withLock({ $0 }) {
      let theirs = interrupted.withLock { $0.removeValue(forKey: server) } ?? []
      let toTell = owed.withLock { $0.removeValue(forKey: server) } ?? []
      // Before it has anything to send.
      await keeper.hold(mayNotSend)
      let taken = await keeper.takeUp(theirs, asker: systems[server], faces: faces[server] ?? [:], owed: toTell)
      untold.withLock { $0 += taken }
    }
  }

  /// Has all ticket systems asked whether they would decide scans; to be called before their gates run. Returns at once.
  /// - Parameter systems: those of the station, by their servers; others are no longer asked.
  func check(_ systems: [String: [any TicketSystem]]) async {
    for (server, keeper) in ledgers.withLock({ $0 }) { await keeper.check(systems[server] ?? []) }
  }

  /// What the ticket systems of the station share that runs now; nothing while there is none.
  package var shared: [Sharing] { shares.withLock { $0 } }

  /// Told what they share; to be called when the station begins, and with nothing before their connections end.
  func share(_ sharing: [Sharing]) { shares.withLock { $0 = sharing } }

  /// Takes leave of the output holder and of the journal's states; to be called when no station follows.
  package func end() async {
    await command.end()
    await dependencies.fleet?.end()
    watching.withLock { for task in $0 { task.cancel() } }
  }

  /// The ledger of a server, where there is one.
  func keeper(of server: String) -> LedgerKeeper? { ledgers.withLock { $0[server] } }

  /// Who does what staff order.
  func orderKeeper(events: EventHub, time: any TimeSource) -> OrderKeeper {
    OrderKeeper(journal: dependencies.journal, events: events, loop: loop, time: time) { [dependencies] in
      dependencies.clock.now()
    }
  }

  /// Now, by every clock.
  var clock: JournalTime { dependencies.clock.now() }

  /// What is known of the list on board of a ticket system; `nil` where it has none.
  func listState(of system: TicketSystemConfiguration) async -> StationSnapshot.List? {
    guard let list = dependencies.list(system.id, system.address), !list.isAbsent else { return nil }
    let state: TicketListState
    do throws(TicketListFault) {
      guard let found = try await list.state() else { return nil }
      state = found
    } catch {
      return StationSnapshot.List(mostAge: system.list.maxAge)
    }
    return StationSnapshot.List(
      tickets: UInt64(max(state.count, 0)), age: state.told.at(clock), mostAge: system.list.maxAge)
  }

  /// The server that a name stood for last.
  func server(of system: TicketSystemID) -> String? { servers.withLock { $0[system] } }

  /// The scope of a server's ledger, where there is one.
  func scope(of server: String) -> TicketScope? { scopes.withLock { $0[server] } }
}
