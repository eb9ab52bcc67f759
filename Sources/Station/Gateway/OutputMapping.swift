internal import HolderProtocol
internal import ScanConfiguration
internal import LinuxIO
internal import ScanModel
internal import SignalOutputs

/// What a gate's outputs and inputs are, made of its configuration.
/// - Throws: what is wrong with them.
func plan(of gate: GateConfiguration) throws(SetupError) -> OutputPlan.Gate {
  let relay = gate.relay ?? RelayConfiguration()
  return OutputPlan.Gate(
    id: gate.id, outputs: gate.outputs, inputs: gate.inputs, timing: relay.timing, safeState: relay.safeState,
    patterns: try patterns(of: gate))
}

/// The outputs of one gate, driven by this process; nothing is opened before they are started.
/// - Parameters:
///   - onFault: told when an output fails; on the outputs' thread.
///   - onChange: told when an output fails or works again; likewise.
func ownOutputs(
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
