public import ScanConfiguration
internal import LinuxIO
public import ScanModel
internal import ScanPipeline
internal import SignalOutputs
internal import Synchronization
internal import WedgeReader

/// A station with everything that its configuration names: its life is `run`.
public struct ConfiguredStation: Sendable {
  private let station: Station
  private let outputs: [(gate: GateOutputs, loop: DeviceLoop)]
  private let connections: [TicketSystemConnection]

  /// Puts a station together. Reads key files and compiles keymaps; opens no device and connects nowhere.
  /// - Parameter log: takes lines for the operator; from any thread, and at once.
  /// - Throws: the first thing that keeps it from working.
  public init(
    _ configuration: StationConfiguration, events: any EventSink, time: any TimeSource = SystemTime(),
    log: @escaping @Sendable (String) -> Void
  ) throws(SetupError) {
    var connections: [TicketSystemID: TicketSystemConnection] = [:]
    var ledgers: [TicketSystemID: LedgerKeeper] = [:]
    for system in configuration.ticketSystems {
      connections[system.id] = try TicketSystemRegistry.connect(system, time: time)
      let limits = configuration.gates.filter { $0.ticketSystem == system.id }.map(\.floodLimit)
      ledgers[system.id] = LedgerKeeper(floodLimit: limits.max() ?? 20, time: time, events: events)
    }
    var gates: [StationGate] = []
    var all: [(gate: GateOutputs, loop: DeviceLoop)] = []
    for gate in configuration.gates {
      guard let connection = connections[gate.ticketSystem], let ledger = ledgers[gate.ticketSystem] else {
        throw SetupError("Gate \(gate.id): there is no ticket system \(gate.ticketSystem).")
      }
      // A thread for each gate: a slow board at one of them lengthens no pulse at another.
      let loop: DeviceLoop
      do {
        loop = try DeviceLoop(name: "out \(gate.id)")
      } catch {
        throw SetupError(
          "Gate \(gate.id): its outputs' thread cannot be started (\(error.words)). Free memory or threads.")
      }
      let watch = OutputWatch()
      let outputs = try Gateway.outputs(of: gate, loop: loop, log: log) { _ in watch.changed() }
      all.append((outputs, loop))
      let controller = GateController(
        settings: try GateSettings(gate), system: connection.face(gate.ticket), ledger: ledger,
        signals: GateSignalOutput(outputs), events: events, time: time)
      watch.controller.withLock { $0 = controller }
      gates.append(StationGate(controller: controller, readers: gate.readers))
    }
    var sources: [any ReadSource] = []
    let wedges = configuration.wedges
    if !wedges.isEmpty {
      do {
        sources.append(try WedgeSource(wedges))
      } catch {
        throw SetupError(error.description)
      }
    }
    outputs = all
    self.connections = Array(connections.values)
    station = Station(gates: gates, sources: sources, events: events, time: time)
  }

  /// Opens the outputs, serves until `ended` returns, and leaves every relay off.
  /// - Throws: where a technology of readers cannot start at all.
  public func run(until ended: @escaping @Sendable () async -> Void) async throws {
    for output in outputs { await output.gate.start() }
    let result: Result<Void, any Error>
    do {
      result = .success(try await station.run(until: ended))
    } catch {
      result = .failure(error)
    }
    for output in outputs {
      await output.gate.stop()
      output.loop.stop()
    }
    for connection in connections { await connection.close() }
    try result.get()
  }
}

/// Leads a change of a gate's outputs to the gate, which is made after them.
private final class OutputWatch: Sendable {
  let controller = Mutex<GateController?>(nil)
  func changed() { controller.withLock { $0 }?.outputsChanged() }
}

/// The outputs of one gate alone, to try its signals without readers or a ticket system.
public struct SignalTrial: Sendable {
  /// Whether the gate has a relay to pulse.
  public let hasRelay: Bool
  private let faults = Faults()
  private let outputs: GateOutputs
  private let signals: GateSignalOutput
  private let loop: DeviceLoop

  /// Makes the trial; nothing is opened before `start`.
  /// - Throws: where the gate's outputs are wrong.
  public init(_ gate: GateConfiguration, log: @escaping @Sendable (String) -> Void) throws(SetupError) {
    do {
      loop = try DeviceLoop(name: "outputs")
    } catch {
      throw SetupError("The outputs' thread cannot be started (\(error.words)).")
    }
    hasRelay = gate.outputs.contains { if case .relay = $0.role { true } else { false } }
    outputs = try Gateway.outputs(of: gate, loop: loop, log: log) { [faults] output in
      faults.names.withLock { _ = $0.insert(output.name) }
    }
    signals = GateSignalOutput(outputs)
  }

  /// The outputs that failed at least once, by name.
  public var brokenOutputs: [String] { faults.names.withLock { $0.sorted() } }

  private final class Faults: Sendable {
    let names = Mutex<Set<String>>([])
  }

  /// Opens the outputs, all off.
  public func start() async { await outputs.start() }

  /// Plays a signal; `admit` pulses the relay.
  /// - Throws: what kept the relay from pulsing.
  public func play(_ signal: Signal) async throws(SetupError) {
    guard signal == .admit else { return signals.play(signal) }
    switch await signals.admit() {
    case .started, .noRelay: break
    case .failed(let words), .unanswered(let words): throw SetupError(words)
    }
  }

  /// Lets a running pulse end and leaves everything off.
  public func stop() async {
    await outputs.stop()
    loop.stop()
  }
}

extension GateSettings {
  /// A gate's settings, as its configuration gives them.
  /// - Throws: where its pattern of codes is wrong.
  public init(_ gate: GateConfiguration) throws(SetupError) {
    var pattern: CodePattern?
    if let text = gate.accept.pattern {
      do {
        pattern = try CodePattern(text)
      } catch {
        throw SetupError("Gate \(gate.id), accept.pattern, \(error.description).")
      }
    }
    let alphabet: AcceptFilter.Alphabet =
      switch gate.accept.alphabet {
      case .printable: .printable
      case .alphanumeric: .alphanumeric
      case .digits: .digits
      }
    var gap = Duration.zero
    for output in gate.outputs { if case .relay(_, let passage) = output.role { gap = passage } }
    let lengths = min(gate.accept.minLength, gate.accept.maxLength)...gate.accept.maxLength
    self.init(
      gate: gate.id, accept: AcceptFilter(length: lengths, alphabet: alphabet, pattern: pattern),
      deadline: gate.deadline, holdOff: gate.holdOff, queue: gate.queue, stale: gate.stale, gap: gap,
      floodLimit: gate.floodLimit)
  }
}
