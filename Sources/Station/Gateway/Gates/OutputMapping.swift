internal import HolderProtocol
internal import ScanConfiguration
internal import ScanModel
internal import Signalling

/// What a gate's outputs and inputs are, made of its configuration.
/// - Throws: what is wrong with them.
func plan(of gate: GateConfiguration) throws(SetupError) -> OutputPlan.Gate {
  let relay = gate.relay ?? RelayConfiguration()
  return OutputPlan.Gate(
    id: gate.id, outputs: gate.outputs, inputs: gate.inputs, timing: relay.timing, safeState: relay.safeState,
    patterns: try patterns(of: gate))
}

/// The patterns of a gate: the built-in ones for the outputs it has, and in their place what its configuration gives. An
/// output that a given pattern leaves out is off.
func patterns(of gate: GateConfiguration) throws(SetupError) -> SignalPatterns {
  let kinds = Dictionary(gate.outputs.map { ($0.name, $0.kind) }) { _, last in last }
  var patterns = SignalPatterns.standard(for: kinds)
  for (signal, settings) in gate.signals {
    var pattern = SignalPattern()
    for (output, setting) in settings {
      do {
        pattern.outputs[OutputName(output)] = try outputPattern(setting)
      } catch {
        throw SetupError("Gate \(gate.id), signal \(signal.key), output \(output): \(error.description).")
      }
    }
    switch signal {
    case .admit: patterns.admit = pattern
    case .provisional: patterns.provisional = pattern
    case .refuse(nil): patterns.refuse = pattern
    case .refuse(.some(let reason)): patterns.refuseReasons[reason] = pattern
    case .undecided(nil): patterns.undecided = pattern
    case .undecided(.some(let reason)): patterns.undecidedReasons[reason] = pattern
    case .busy: patterns.busy = pattern
    case .idle: patterns.idle = pattern
    case .offline: patterns.offline = pattern
    case .outOfService: patterns.outOfService = pattern
    case .setUp(let step): patterns.setUp[step] = pattern
    }
  }
  return patterns
}

private func outputPattern(_ setting: SignalSetting) throws(SignalError) -> OutputPattern? {
  switch setting {
  case .on: return .steady
  case .off: return nil
  case .steps(let steps): return try OutputPattern(steps: steps)
  case .blink(let on, let off, let total):
    let period = on + off
    let times = total.map { Int(max(1, ($0 / period).rounded(.up))) }
    return try OutputPattern.blink(on: on, off: off, times: times)
  }
}
