package import StationSetUp
internal import CameraReader
internal import DecodeClient
internal import LinuxIO
package import ScanConfiguration
package import ScanModel
internal import SerialReader
internal import SignalOutputs
internal import Signalling
internal import Synchronization
package import TicketSystemKit
internal import WedgeReader

/// A station with everything that its configuration names: its life is `run`.
package struct ConfiguredStation: Sendable {
  private let station: Station
  /// Whoever reads cameras; `nil` where there are none.
  private let cameras: CameraSource?
  private let outputs: any StationOutputs
  private let log: OperatorLines
  private let connections: [TicketSystemConnection]
  private let directory: GateDirectory
  /// What each gate asks, by servers.
  private let faces: [String: [GateID: any TicketSystem]]
  /// The ticket systems themselves, by servers.
  private let systems: [String: [any TicketSystem]]
  private let memory: StationMemory
  /// What ticket systems share with other stations.
  private let shared: [StationMemory.Sharing]
  private let setUp: StationSetUp?
  /// Who keeps lists current.
  private let refreshers: [ListRefresher]
  /// Who tells of passages elsewhere.
  private let mirrors: StationMirrors
  /// How long the disk is awaited at the end to take how far they are: gates of a reload wait behind it, too.
  private static let lastWrite = Duration.seconds(1)
  /// How long an answer that nobody waits for is awaited at the end: gates of a reload wait behind it.
  private static let lastAnswer = Duration.milliseconds(500)
  private let events: any EventSink
  private let time: any TimeSource
  /// The gates as who sets the station up sees them.
  private let seats: [GateID: GateRegistry.Seat]

  /// Puts a station together. Reads keys and compiles keymaps; opens no device and connects nowhere. To be run once,
  /// or to be discarded.
  /// - Parameters:
  ///   - outputs: who drives the outputs.
  ///   - credentials: where keys are that the configuration names.
  ///   - memory: what an earlier station of this process has left.
  ///   - setUp: who sets the station up by scans and speaks with its control service; `nil` where nobody does.
  ///   - log: takes lines for the operator; from any thread, and at once.
  /// - Throws: the first thing that keeps it from working.
  package static func make(
    _ configuration: StationConfiguration, outputs place: OutputPlace, credentials: CredentialResolver,
    memory: StationMemory, setUp: StationSetUp? = nil, events: any EventSink, time: any TimeSource = SystemTime(),
    log: @escaping OperatorLines
  ) async throws(SetupError) -> ConfiguredStation {
    let directory = GateDirectory()
    // Gates of the station before this one decide on the cooperative threads meanwhile: a disk, or the lock of a command that was
    // stopped, must not hold one of them.
    let (connections, made) = await SystemThread.run("station") {
      () -> ([TicketSystemConnection], Result<ConfiguredStation, SetupError>) in
      var connections: [TicketSystemConnection] = []
      do throws(SetupError) {
        for system in configuration.ticketSystems {
          connections.append(try system.connect(list: memory.list(of: system), credentials: credentials, time: time))
        }
        let station = try ConfiguredStation(
          configuration, place, connections: connections, directory: directory, memory: memory, setUp: setUp,
          events: events, time: time, log: log)
        return (connections, .success(station))
      } catch {
        return (connections, .failure(error))
      }
    }
    do throws(SetupError) {
      let station = try made.get()
      await memory.takeUp(asking: station.systems.compactMapValues(\.last), at: station.faces)
      return station
    } catch {
      // Gates that were made know their outputs by it, and the outputs' threads end with who holds them.
      directory.clear()
      for connection in connections { await connection.close() }
      throw error
    }
  }

  private init(
    _ configuration: StationConfiguration, _ place: OutputPlace, connections: [TicketSystemConnection],
    directory: GateDirectory, memory: StationMemory, setUp: StationSetUp?, events: any EventSink, time: any TimeSource,
    log: @escaping OperatorLines
  ) throws(SetupError) {
    self.connections = connections
    self.memory = memory
    self.events = events
    self.time = time
    var systems: [String: [any TicketSystem]] = [:]
    for (system, connection) in zip(configuration.ticketSystems, connections) {
      systems[system.address, default: []].append(
        PunctualTicketSystem(connection.face(nil), time: time, loop: memory.loop))
    }
    self.systems = systems
    shared = zip(configuration.ticketSystems, connections).compactMap { system, connection in
      connection.shares.map { StationMemory.Sharing(system: system.id, server: system.address, knowledge: $0) }
    }
    self.setUp = setUp
    self.directory = directory
    self.log = log
    outputs = try place.outputs(
      of: configuration, command: memory.command,
      events: OutputEvents(
        log: log, changed: { directory[$0]?.controller.outputsChanged() },
        input: { gate, input, isActive in
          if let isActive {
            directory[gate]?.inputs.level(of: input, isActive: isActive)
          } else {
            directory[gate]?.inputs.lost(input)
          }
        }))
    var gates: [StationGate] = []
    var faces: [String: [GateID: any TicketSystem]] = [:]
    var seats: [GateID: GateRegistry.Seat] = [:]
    for gate in configuration.gates {
      guard let system = configuration.ticketSystems.first(where: { $0.id == gate.ticketSystem }),
        let connection = connections.first(where: { $0.id == gate.ticketSystem })
      else {
        throw SetupError("Gate \(gate.id): there is no ticket system \(gate.ticketSystem).")
      }
      let limits = configuration.gates.filter { $0.ticketSystem == gate.ticketSystem }.map(\.floodLimit)
      // A flood must leave the better part of the budget: where it is spent, a gate's policy may open.
      let most = system.budget.map { max(1, $0 / 3) } ?? .max
      let ledger = try memory.ledger(
        of: system, floodLimit: min(limits.max() ?? gate.floodLimit, most), time: time, events: events)
      let face = PunctualTicketSystem(connection.face(gate.ticket), time: time, loop: memory.loop)
      faces[system.address, default: [:]][gate.id] = face
      let controller = GateController(
        settings: GateSettings(gate, list: system.list), system: face, ledger: ledger,
        signals: outputs.signals(of: gate.id), events: events, time: time,
        watch: { setUp?.registry.note($0, $1) })
      directory[gate.id] = GateDirectory.Entry(
        controller: controller,
        inputs: InputWatch(
          gate, events: events, time: time, onMaintenance: { controller.setMaintenance($0) },
          onSetUpButton: { setUp?.buttonHeld() }))
      seats[gate.id] = GateRegistry.Seat(controller: controller, system: gate.ticketSystem, readers: gate.readers)
      gates.append(StationGate(controller: controller, readers: gate.readers))
    }
    self.faces = faces
    self.seats = seats
    refreshers = zip(configuration.ticketSystems, connections).compactMap { system, connection in
      memory.refresher(of: system, connection, events: events)
    }
    mirrors = memory.mirrors(of: configuration, connections, events: events)
    let sources = try sources(of: configuration)
    cameras = sources.lazy.compactMap { $0 as? CameraSource }.first
    station = Station(
      gates: gates, sources: sources, events: events, time: time, endsInAHurry: true,
      divert: { setUp?.takes($0) ?? false })
  }

  /// Opens the outputs, serves until `ended` returns, and leaves every relay off.
  /// - Parameter ready: called when readers are watched and gates decide.
  /// - Throws: where a technology of readers cannot start at all.
  package func run(
    ready: @escaping @Sendable () -> Void = {}, until ended: @escaping @Sendable () async -> Void
  ) async throws {
    setUp?.registry.attach(seats)
    defer { setUp?.registry.detach(seats) }
    await outputs.start()
    // Before the gates: none is ready before its ticket system was asked.
    await memory.check(systems)
    let refreshing =
      refreshers.map { refresher in Task { await refresher.run() } } + connections.compactMap { upkeep(of: $0) }
    let mirroring = mirrors.start()
    memory.share(shared)
    let result: Result<Void, any Error>
    do {
      result = .success(
        try await station.run {
          ready()
          await ended()
          // What is under way may be answered while the gates end.
          mirroring.cancel()
        })
    } catch {
      result = .failure(error)
    }
    // Before its connections end: what they bring then is no fault of the list.
    for task in refreshing { task.cancel() }
    memory.share([])
    mirroring.cancel()
    await outputs.stop()
    await mirroring.end(within: Self.lastAnswer)
    await discard()
    // Whoever follows takes up where they end, or where the disk has them.
    if await !mirroring.end(within: Self.lastWrite) {
      mirroring.giveUp()
      log(
        .problem,
        "The disk does not take down how far ticket systems were told of passages (mirror), and is not waited for: of what was just "
          + "being told nobody knows whether it is in their logs. Look whether the disk of the state folder is full, slow or failing."
      )
    }
    try result.get()
  }

  /// Lets a ticket system look after its files, and tells what becomes of them.
  private func upkeep(of connection: TicketSystemConnection) -> Task<Void, Never>? {
    connection.upkeep.map { upkeep in
      Task { [events, time] in
        await upkeep { news in
          let (state, words): (ListEvent.State, String) =
            switch news {
            case .alarm(let words): (.fileRefused, words)
            case .notice(let words): (.fileTaken, words)
            }
          events.emit(.list(ListEvent(system: connection.id, state: state, detail: words, at: time.wall())))
        }
      }
    }
  }

  /// A gate; `nil` where there is none of that name, or none any more.
  func gate(_ id: GateID) -> GateController? { directory[id]?.controller }

  /// The next picture of a reader's camera; `nil` where there are no cameras.
  func look(at reader: ReaderID) async throws(CameraLookFault) -> CameraLook? { try await cameras?.look(at: reader) }

  /// Whether somebody has passed a gate since a moment, as far as its sensors tell.
  func passage(at gate: GateID, since moment: MonotonicTime) -> PassageSensor.Passage {
    directory[gate]?.inputs.passage(since: moment) ?? .unknown
  }

  /// Has lists on board fetched now: that of one ticket system, or all.
  /// - Returns: of which ticket systems.
  func refreshLists(of system: TicketSystemID?) -> [TicketSystemID] {
    refreshers.filter { system == nil || $0.id == system }.filter { $0.refreshNow() }.map(\.id)
  }

  /// The host that a ticket system is asked at; `nil` where there is none.
  func host(of system: TicketSystemID) -> String? { face(of: system)?.whereabouts?.host }

  /// How a ticket system's connection is; `nil` where there is none.
  func look(at system: TicketSystemID) -> ConnectionLook? { connections.first { $0.id == system }?.look() }

  /// A ticket system as no gate in particular asks it.
  func face(of system: TicketSystemID) -> (any TicketSystem)? { connections.first { $0.id == system }?.face(nil) }

  /// Lets go of what a station that is never run holds.
  package func discard() async {
    directory.clear()
    for connection in connections { await connection.close() }
  }

  /// Returns once every reader, every gate and the outputs have answered a heartbeat: while one is stuck, it does not.
  package func heartbeat() async {
    await station.heartbeat()
    await outputs.heartbeat()
  }
}

/// The sources of a station's readers, a technology each.
private func sources(of configuration: StationConfiguration) throws(SetupError) -> [any ReadSource] {
  var sources: [any ReadSource] = []
  let (wedges, serials, cameras) = (configuration.wedges, configuration.serials, configuration.cameras)
  do throws(DeviceError) {
    if !wedges.isEmpty { sources.append(try WedgeSource(wedges)) }
    if !serials.isEmpty { sources.append(try SerialSource(serials)) }
    if !cameras.isEmpty {
      sources.append(try CameraSource(cameras, makeDecoder: fencedDecoders(program: DecodeProgram.path)))
    }
  } catch {
    throw SetupError(error.description)
  }
  return sources
}

/// Finds the gates, which are made after the outputs that tell them something. To be cleared at the end: gates and outputs
/// know one another through it.
private final class GateDirectory: Sendable {
  struct Entry: Sendable {
    var controller: GateController
    var inputs: InputWatch
  }

  private let gates = Mutex<[GateID: Entry]>([:])
  func clear() { gates.withLock { $0.removeAll() } }

  subscript(gate: GateID) -> Entry? {
    get { gates.withLock { $0[gate] } }
    set { gates.withLock { $0[gate] = newValue } }
  }
}
