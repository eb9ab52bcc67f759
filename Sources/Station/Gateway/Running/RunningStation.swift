internal import Calls
internal import CameraReader
internal import LinuxIO
internal import Reading
internal import Signalling
package import ScanConfiguration
package import ScanModel
package import StationProtocol
package import StationSetUp
internal import Synchronization
internal import TicketSystemKit

/// The station as whoever looks at it from outside sees it: outlives reloads of the configuration, each of which brings other gates.
package final class RunningStation: Sendable {
  private struct Present: Sendable {
    var configuration: StationConfiguration
    var station: ConfiguredStation
  }

  /// How long what is asked of gates, ledgers and lists is waited for: a station of which something hangs is to be seen above all.
  private static let patience = Duration.milliseconds(500)

  /// The program's version.
  package let version: String
  let events: EventHub
  let memory: StationMemory
  let setUp: StationSetUp?
  private let holder: String?
  /// The disk of the state folder; `nil` where there is none.
  private let disk: DiskWatch?
  let time: any TimeSource
  private let began: MonotonicTime
  private let present = Mutex<Present?>(nil)
  let orders: OrderKeeper

  /// - Parameters:
  ///   - holder: where the output holder listens; `nil` where the service drives the outputs itself.
  ///   - setUp: who sets the station up by scans; `nil` where nobody does.
  ///   - folder: the state folder; `nil` where its disk is not to be looked at.
  package init(
    version: String, events: EventHub, memory: StationMemory, setUp: StationSetUp?, holder: String?,
    folder: String? = nil, time: any TimeSource = SystemTime()
  ) {
    self.version = version
    self.events = events
    self.memory = memory
    self.setUp = setUp
    self.holder = holder
    disk = folder.map { DiskWatch($0) }
    self.time = time
    began = time.now()
    orders = memory.orderKeeper(events: events, time: time)
  }

  /// The gates are these from now on.
  package func attach(_ station: ConfiguredStation, of configuration: StationConfiguration) {
    present.withLock { $0 = Present(configuration: configuration, station: station) }
    for gate in orders.maintained.withLock({ $0 }) { station.gate(gate)?.orderMaintenance(true) }
  }

  /// The station's name; empty before there is a station.
  package var name: String { present.withLock { $0?.configuration.name } ?? "" }

  /// The configuration by which the station runs now.
  package var configuration: StationConfiguration? { present.withLock { $0?.configuration } }

  /// A gate of the station that runs now.
  func gate(_ id: GateID) -> GateController? { present.withLock { $0?.station }?.gate(id) }

  /// Whether somebody has passed a gate since a moment, as far as its sensors tell.
  func passage(at gate: GateID, since moment: MonotonicTime) -> PassageSensor.Passage {
    present.withLock { $0?.station }?.passage(at: gate, since: moment) ?? .unknown
  }

  /// Has lists on board fetched now: that of one ticket system, or all. Of which there are some.
  func refreshLists(of system: TicketSystemID?) -> [TicketSystemID] {
    present.withLock { $0?.station }?.refreshLists(of: system) ?? []
  }

  /// The next picture of a reader's camera; `nil` where it has none.
  func look(at reader: ReaderID) async throws(CameraLookFault) -> CameraLook? {
    try await present.withLock { $0?.station }?.look(at: reader)
  }

  /// A ticket system as no gate in particular asks it.
  func face(of system: TicketSystemID) -> (any TicketSystem)? {
    present.withLock { $0?.station }?.face(of: system)
  }

  // MARK: How it is

  /// How the station is now. What does not answer in half a second is as events told it last.
  package func snapshot() async -> StationSnapshot {
    let present = present.withLock { $0 }
    let view = events.view
    var snapshot = StationSnapshot(
      station: present?.configuration.name ?? "", version: version, at: time.wall(), uptime: time.now() - began)
    snapshot.isClockTrusted = memory.clock.isTrusted
    snapshot.reload = view.reload
    snapshot.journal = view.journal
    snapshot.holder = holder
    snapshot.counters = view.counters
    snapshot.throughput = view.throughput(at: snapshot.at)
    async let disk = disk?.look(within: Self.patience)
    guard let present else {
      snapshot.disk = await disk
      return snapshot
    }
    async let gates = gates(of: present)
    async let systems = ticketSystems(of: present)
    async let control = setUp?.look(within: Self.patience)
    async let fleet = within(Self.patience, else: nil) { [memory] in await memory.fleetLook }
    snapshot.disk = await disk
    snapshot.gates = await gates
    let cameras = Set(present.configuration.cameras.map(\.id))
    snapshot.readers = present.configuration.readers.map { reader in
      var told = view.reader(reader.id)
      told.isCamera = cameras.contains(reader.id)
      return told
    }
    let found = await systems
    snapshot.ticketSystems = found.map(\.system)
    for index in snapshot.gates.indices where snapshot.gates[index].event == nil {
      let system = snapshot.gates[index].ticketSystem
      snapshot.gates[index].event = snapshot.ticketSystems.first { $0.id == system }?.event
    }
    snapshot.outbox.owed = found.reduce(0) { $0 &+ $1.system.owed }
    snapshot.outbox.oldest = found.compactMap(\.oldest).min()
    snapshot.outbox.isHeld = found.contains(where: \.isHeld)
    (snapshot.outbox.conflicts, snapshot.outbox.open) = view.openConflicts
    snapshot.fleet = await fleet.map { StationSnapshot.Fleet($0) }
    if let control = await control {
      snapshot.isArmed = control.isArmed
      snapshot.control = control.control.map { told in
        let (server, isActivated, health) = (told.server, told.isActivated, told.health)
        var control = StationSnapshot.Control()
        control.server = server
        control.isActivated = isActivated
        control.isConnected = health.serverConnected
        control.isTokenValid = health.tokenValid
        control.isCurrent = health.configCurrent
        control.words = health.words
        control.board = told.board
        control.sessionTimeout = told.sessionTimeout
        return control
      }
      snapshot.counters.take(control.counters)
    }
    return snapshot
  }

  private func gates(of present: Present) async -> [StationSnapshot.Gate] {
    var gates: [StationSnapshot.Gate] = []
    for configured in present.configuration.gates {
      let (condition, since, reason, passed) = events.view.condition(of: configured.id)
      var gate = StationSnapshot.Gate(
        id: configured.id, condition: condition, ticketSystem: configured.ticketSystem)
      gate.since = since
      gate.reason = reason
      gate.isExit = configured.direction == .out
      gate.readers = configured.readers
      gate.passed = passed
      gates.append(gate)
    }
    let looked = await within(Self.patience, else: [:]) { () -> [GateID: GateController.Look] in
      var looked: [GateID: GateController.Look] = [:]
      for gate in present.configuration.gates { looked[gate.id] = await present.station.gate(gate.id)?.look() }
      return looked
    }
    return gates.map { gate in
      guard let look = looked[gate.id] else { return gate }
      var gate = gate
      gate.isDeciding = look.isDeciding
      gate.offline = look.offline
      gate.outputFault = look.outputFault
      gate.isMaintenanceOrdered = look.isMaintenanceOrdered
      return gate
    }
  }

  private struct FoundSystem: Sendable {
    var system: StationSnapshot.TicketSystem
    var oldest: WallTime?
    var isHeld = false
  }

  private func ticketSystems(of present: Present) async -> [FoundSystem] {
    let configured = present.configuration.ticketSystems
    // Beside one another: each may hang by itself.
    return await withTaskGroup(of: (Int, FoundSystem).self) { group in
      for (index, system) in configured.enumerated() {
        group.addTask { (index, await self.look(at: system, of: present.station)) }
      }
      var found: [Int: FoundSystem] = [:]
      for await (index, system) in group { found[index] = system }
      return configured.indices.compactMap { found[$0] }
    }
  }

  private func look(at configured: TicketSystemConfiguration, of station: ConfiguredStation) async -> FoundSystem {
    var found = FoundSystem(
      system: StationSnapshot.TicketSystem(id: configured.id, type: configured.type.name))
    found.system.host = station.host(of: configured.id)
    let connection = station.look(at: configured.id)
    found.system.budget = connection?.budget.map {
      StationSnapshot.Budget(left: UInt64(clamping: $0.left), most: UInt64(clamping: $0.most))
    }
    found.system.certificateEnds = connection?.certificateEnds
    found.system.branding = connection?.branding.map { StationSnapshot.Branding($0) }
    found.system.event = connection?.event
    found.system.seats = connection?.seats.map { StationSnapshot.Seats($0) }
    async let looked = within(Self.patience, else: nil) { [memory] in
      await memory.keeper(of: configured.address)?.look(at: configured.id)
    }
    async let list = within(Self.patience, else: nil) { [memory] in
      await memory.listState(of: configured)
    }
    if let look = await looked {
      found.system.offline = look.news.offline
      found.system.offlineSince = look.news.offline.flatMap { events.view.offlineSince(configured.id, by: $0) }
      found.system.fault = look.news.fault.map { StationSnapshot.Fault(reason: $0.reason, detail: $0.detail) }
      found.system.isBeingAsked = look.news.isBeingAsked
      found.system.doubt = look.news.doubt ?? look.news.clockFault
      found.system.clockAhead = look.clockAhead
      found.system.owed = UInt64(look.owed)
      found.oldest = look.oldest
      found.isHeld = look.isHeld
    }
    found.system.list = await list
    found.system.list?.refresh = events.view.refresh(of: configured.id)
    // A list on board has what was sold, and nothing of what could have been.
    if found.system.seats?.sold == nil, let tickets = found.system.list?.tickets {
      found.system.seats = found.system.seats ?? StationSnapshot.Seats()
      found.system.seats?.sold = tickets
    }
    return found
  }
}

/// What `work` brings, or `value` where that takes longer than `limit`. The work goes on then, and is nobody's.
private func within<Value: Sendable>(
  _ limit: Duration, else value: Value, _ work: @escaping @Sendable () async -> Value
) async -> Value {
  let answer = OneAnswer<Value>()
  Task { answer.give(await work()) }
  // Not timed by the gates' thread, which may be what hangs.
  return await answer.first(within: limit, else: value)
}

extension StationCounters {
  /// Takes what was counted of the control service.
  fileprivate mutating func take(_ control: ControlCounters?) {
    guard let control else { return }
    kioskRequests = []
    for (name, requests) in control.requests.sorted(by: { $0.key < $1.key }) {
      let faults = requests.faults ?? [:]
      let answered = requests.count &- min(requests.count, faults.values.reduce(0, &+))
      kioskRequests.append(StationCounters.Calls(name: name, result: "ok", count: answered))
      kioskRequests += faults.sorted { $0.key < $1.key }
        .map { StationCounters.Calls(name: name, result: $0, count: $1) }
    }
    kioskActivations = [StationCounters.Calls(name: "activation", result: "done", count: control.activations)]
    kioskActivations += control.refusals.sorted { $0.key < $1.key }
      .map { StationCounters.Calls(name: "activation", result: $0, count: $1) }
    kioskChanges = control.changes
  }
}
