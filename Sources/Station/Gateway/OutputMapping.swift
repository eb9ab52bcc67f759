internal import HolderProtocol
internal import ScanConfiguration
internal import LinuxIO
internal import ScanModel
internal import SignalOutputs
internal import TicketSystemKit

/// What a gate's outputs and inputs are, made of its configuration.
/// - Throws: what is wrong with them.
func plan(of gate: GateConfiguration) throws(SetupError) -> OutputPlan.Gate {
  var kinds: [OutputName: OutputKind] = [:]
  var timing = RelayTiming.standard
  var safeState = SafeState.secure
  var devices: [SignalOutputs.OutputConfiguration] = []
  for output in gate.outputs {
    let name = OutputName(output.name)
    let kind: OutputKind
    switch output.role {
    case .relay(let pulse, let gap, let fail):
      kind = .relay
      safeState = SafeState(rawValue: fail.rawValue) ?? .secure
      do {
        timing = try RelayTiming(pulse: pulse, gap: gap)
      } catch {
        throw SetupError("Gate \(gate.id), output \(name): \(error.description).")
      }
    case .buzzer: kind = .buzzer
    case .lamp: kind = .lamp
    }
    kinds[name] = kind
    devices.append(SignalOutputs.OutputConfiguration(name: name, kind: kind, target: target(output.target)))
  }
  return OutputPlan.Gate(
    id: gate.id, outputs: devices, inputs: inputs(of: gate), timing: timing, safeState: safeState,
    patterns: try patterns(of: gate, outputs: kinds))
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

/// The inputs of one gate, made of its configuration.
func inputs(of gate: GateConfiguration) -> [SignalOutputs.InputConfiguration] {
  gate.inputs.map { input in
    SignalOutputs.InputConfiguration(
      name: InputName(input.name), line: line(input.line), debounce: input.debounce,
      use: InputUse(rawValue: input.use.rawValue) ?? .log)
  }
}

private func target(_ target: ScanConfiguration.OutputConfiguration.Target) -> OutputTarget {
  switch target {
  case .led(let name): .led(name)
  case .gpio(let gpio): .gpio(line(gpio))
  case .pwm(let pwm):
    .pwm(
      PWMConfiguration(
        chip: pwm.chip, channel: UInt32(clamping: pwm.channel), frequency: UInt32(clamping: pwm.frequency)))
  case .sound(let device):
    .sound(SoundConfiguration(device: device.name, frequency: UInt32(clamping: device.frequency)))
  }
}

private func line(_ line: ScanConfiguration.GPIOLine) -> GPIOLineConfiguration {
  let selector: GPIOLineConfiguration.Selector =
    switch line.line {
    case .name(let name): .name(name)
    case .offset(let offset): .offset(UInt32(clamping: offset))
    }
  return GPIOLineConfiguration(
    chip: line.chip, line: selector, isActiveLow: line.activeLow,
    bias: GPIOLineConfiguration.Bias(rawValue: line.bias.rawValue) ?? .asIs,
    drive: GPIOLineConfiguration.Drive(rawValue: line.drive.rawValue) ?? .pushPull)
}
