internal import HolderProtocol
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
internal import SignalOutputs

/// The outputs of all gates of a station: our own, or those of the output holder.
protocol StationOutputs: Sendable {
  /// The face of a gate's outputs; every gate of the configuration has one.
  func signals(of gate: GateID) -> any SignalOutput
  /// Opens them. What cannot be opened is told, not thrown.
  func start() async
  /// Lets running pulses end and lets go.
  func stop() async
  /// Returns once their loops have answered.
  func heartbeat() async
}

/// How much a line for the operator matters.
package enum LineKind: Sendable {
  /// Something is not in order.
  case problem
  /// Worth knowing.
  case note
}

/// Takes lines for the operator; from any thread, and returns at once.
package typealias OperatorLines = @Sendable (LineKind, String) -> Void

/// What a station's outputs and inputs tell; called on their thread, and to return at once.
struct OutputEvents: Sendable {
  /// A line for the operator.
  var log: OperatorLines
  /// A gate can be opened again, or cannot any more.
  var changed: @Sendable (GateID) -> Void
  /// A device of a gate fails: `output relay` or `input door`. It was logged.
  var fault: @Sendable (GateID, _ device: String) -> Void = { _, _ in }
  /// An input's level, at the start and whenever it changes; `nil` when it can no longer be read.
  var input: @Sendable (GateID, InputName, Bool?) -> Void
}

/// Who drives the outputs of a station.
package enum OutputPlace: Sendable, Equatable {
  /// This process. When it dies, lines go where their wiring pulls them.
  case own
  /// The output holder that listens at this socket; see `docs/holder.md`.
  case holder(path: String)

  func outputs(
    of configuration: StationConfiguration, command: OutputCommand, events: OutputEvents
  ) throws(SetupError) -> any StationOutputs {
    switch self {
    case .own: try OwnOutputs(configuration, events: events)
    case .holder(let path): try HeldStationOutputs(configuration, path: path, command: command, events: events)
    }
  }
}

/// Outputs that this process drives itself.
struct OwnOutputs: StationOutputs {
  private struct Gate {
    var outputs: GateOutputs
    var signals: GateSignalOutput
    var inputs: GateInputs
    var thread: Thread
  }

  /// A gate's thread. It ends with who holds it: a station that cannot be put together stops no outputs.
  private final class Thread: Sendable {
    let loop: DeviceLoop
    init(of gate: GateID) throws(SystemError) { loop = try DeviceLoop(name: "out \(gate)") }
    deinit { loop.stop() }
  }

  private var gates: [GateID: Gate] = [:]

  /// Makes the outputs of all gates; nothing is opened before `start`.
  /// - Throws: where a gate's outputs are wrong.
  init(_ configuration: StationConfiguration, events: OutputEvents) throws(SetupError) {
    for gate in configuration.gates {
      // A thread for each gate: a slow board at one of them lengthens no pulse at another.
      let thread: Thread
      do {
        thread = try Thread(of: gate.id)
      } catch {
        throw SetupError(
          "Gate \(gate.id): its outputs' thread cannot be started (\(error.words)). Free memory or threads.")
      }
      let id = gate.id
      let plan = try Gateway.plan(of: gate)
      let outputs = try ownOutputs(
        plan, loop: thread.loop, log: events.log, onFault: { events.fault(id, "output \($0)") },
        onChange: { events.changed(id) })
      let inputs = GateInputs(
        gate: id, inputs: plan.inputs, loop: thread.loop,
        onChange: { input, isActive, _ in events.input(id, input, isActive) },
        onFault: { input, error in
          events.log(.problem, "Gate \(id): \(error.description)")
          events.input(id, input, nil)
        },
        onRecovery: { input in events.log(.note, "Gate \(id), input \(input) works again.") })
      gates[id] = Gate(outputs: outputs, signals: GateSignalOutput(outputs), inputs: inputs, thread: thread)
    }
  }

  func signals(of gate: GateID) -> any SignalOutput { gates[gate]?.signals ?? NoOutputs(gate: gate) }

  func start() async {
    for gate in gates.values {
      await gate.outputs.start()
      await gate.inputs.start()
    }
  }

  func stop() async {
    for gate in gates.values {
      await gate.inputs.stop()
      await gate.outputs.stop()
      gate.thread.loop.stop()
    }
  }

  func heartbeat() async { for gate in gates.values { await gate.outputs.heartbeat() } }
}

/// The face of a gate that has no outputs at all: it never opens.
struct NoOutputs: SignalOutput {
  let gate: GateID
  var admissionFault: String? { "gate \(gate): its outputs are not running. Start the service." }
  func play(_ signal: Signal) {}
  func admit(isProvisional: Bool) async -> PulseOutcome { .failed(admissionFault ?? "") }
}

/// The outputs of one gate, driven by this process; nothing is opened before they are started.
/// - Parameters:
///   - onFault: told when an output fails; on the outputs' thread.
///   - onChange: told when an output fails or works again; likewise.
private func ownOutputs(
  _ plan: OutputPlan.Gate, loop: DeviceLoop, log: @escaping OperatorLines,
  onFault: @escaping @Sendable (OutputName) -> Void, onChange: @escaping @Sendable () -> Void
) throws(SetupError) -> GateOutputs {
  let id = plan.id
  do {
    return try GateOutputs(
      gate: id, outputs: Dictionary(plan.outputs.map { ($0.name, $0.kind) }) { _, last in last }, timing: plan.timing,
      patterns: plan.patterns, driver: DeviceOutputDriver(outputs: plan.outputs) { log(.note, "Gate \(id): \($0)") },
      loop: loop,
      onFault: { output, error in
        log(.problem, "Gate \(id): \(error.description)")
        onFault(output)
        onChange()
      },
      onRecovery: { output in
        log(.note, "Gate \(id), output \(output) works again.")
        onChange()
      })
  } catch {
    throw SetupError("Gate \(id): \(error.description).")
  }
}
