internal import ScanConfiguration
internal import LinuxIO
internal import ScanModel
internal import ScanPipeline
internal import SignalOutputs

/// The outputs of one gate, made of its configuration; nothing is opened before they are started.
/// - Parameter onChange: told when an output fails or works again; on the outputs' thread.
func outputs(
  of gate: GateConfiguration, loop: DeviceLoop, log: @escaping @Sendable (String) -> Void,
  onChange: @escaping @Sendable (OutputName) -> Void
) throws(SetupError) -> GateOutputs {
  var kinds: [OutputName: OutputKind] = [:]
  var timing = RelayTiming.standard
  var devices: [SignalOutputs.OutputConfiguration] = []
  for output in gate.outputs {
    let name = OutputName(output.name)
    let kind: OutputKind
    switch output.role {
    case .relay(let pulse, let gap, _):
      kind = .relay
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
  let id = gate.id
  do {
    return try GateOutputs(
      gate: id, outputs: kinds, timing: timing, patterns: try patterns(of: gate, outputs: kinds),
      driver: DeviceOutputDriver(outputs: devices) { log("Gate \(id): \($0)") }, loop: loop,
      onFault: { output, error in
        log("Gate \(id), output \(output): \(error.description)")
        onChange(output)
      },
      onRecovery: { output in
        log("Gate \(id), output \(output) works again.")
        onChange(output)
      })
  } catch let error as SetupError {
    throw error
  } catch {
    throw SetupError("Gate \(id): \(error).")
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

/// What the gate's relay goes to when nobody commands it; `nil` where it has no relay.
func safeState(of gate: GateConfiguration) -> SafeState? {
  for case .relay(_, _, let fail) in gate.outputs.map(\.role) { return SafeState(rawValue: fail.rawValue) ?? .secure }
  return nil
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
