internal import HolderClient
internal import HolderProtocol
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel

/// The outputs of a station's gates in the hands of the output holder.
struct HeldStationOutputs: StationOutputs {
  private let held: HeldOutputs
  private let plan: OutputPlan
  private let watching: HeldOutputs.Watching

  /// Makes the outputs of all gates; nothing is connected before `start`.
  /// - Throws: where a gate's outputs are wrong, or a thread cannot be started.
  init(
    _ configuration: StationConfiguration, path: String, command: OutputCommand, events: OutputEvents
  ) throws(SetupError) {
    plan = OutputPlan(gates: try configuration.gates.map { gate throws(SetupError) in try Gateway.plan(of: gate) })
    if let problem = plan.problem { throw SetupError("The outputs cannot be held: \(problem).") }
    var watching = HeldOutputs.Watching()
    watching.log = { events.log(.problem, $0) }
    watching.note = { events.log(.note, $0) }
    watching.onGateChanged = events.changed
    watching.onFault = { gate, device, words in
      events.log(.problem, "Gate \(gate): \(words)")
      events.fault(gate, device)
      if let input = device.input { events.input(gate, input, nil) }
    }
    watching.onRecovery = { gate, device in events.log(.note, "Gate \(gate), \(device) works again.") }
    watching.onInput = { gate, input, isActive, _ in events.input(gate, input, isActive) }
    self.watching = watching
    do throws(SystemError) {
      held = try command.holder(at: path, plan: plan)
    } catch {
      throw SetupError("The thread of the outputs cannot be started (\(error.words)). Free memory or threads.")
    }
  }

  func signals(of gate: GateID) -> any SignalOutput { held.output(of: gate) }

  func start() async {
    await held.hold(plan, watching: watching)
    await held.start()
    await held.settle(within: .milliseconds(300))
  }

  /// Goes on holding: the next station of this process takes over, or `OutputCommand` ends it.
  func stop() async { await held.rest() }
  func heartbeat() async { await held.heartbeat() }
}

extension String {
  /// The input that the holder means, if it means one.
  fileprivate var input: InputName? { hasPrefix("input ") ? InputName(String(dropFirst(6))) : nil }
}
