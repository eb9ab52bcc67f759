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
    case .relay(let pulse, let gap):
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

private func target(_ target: ScanConfiguration.OutputConfiguration.Target) -> OutputTarget {
  switch target {
  case .led(let name): return .led(name)
  case .gpio(let line):
    let selector: GPIOLineConfiguration.Selector =
      switch line.line {
      case .name(let name): .name(name)
      case .offset(let offset): .offset(UInt32(clamping: offset))
      }
    return .gpio(
      GPIOLineConfiguration(
        chip: line.chip, line: selector, isActiveLow: line.activeLow,
        bias: GPIOLineConfiguration.Bias(rawValue: line.bias.rawValue) ?? .asIs,
        drive: GPIOLineConfiguration.Drive(rawValue: line.drive.rawValue) ?? .pushPull))
  }
}
