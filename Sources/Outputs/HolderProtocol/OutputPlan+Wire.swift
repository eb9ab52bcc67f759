import ScanModel
internal import Signalling
package import WireCoding

extension OutputPlan {
  /// The plan's bytes, as packets and the holder's file have them.
  package var bytes: [UInt8] {
    var writer = WireWriter()
    writer.put(self)
    return writer.bytes
  }

  /// Reads a plan; it may still have a `problem`.
  /// - Throws: where the bytes are none.
  package init(bytes: some Sequence<UInt8>) throws(WireError) {
    var reader = WireReader(bytes)
    self = try reader.takePlan()
    try reader.end()
  }
}

extension SignalPatterns {
  /// Those that every gate has, in the order of the bytes.
  fileprivate static var plain: [WritableKeyPath<SignalPatterns, SignalPattern>] {
    [\.admit, \.provisional, \.refuse, \.undecided, \.busy, \.idle, \.offline, \.outOfService]
  }
}

extension WireWriter {
  mutating func put(_ plan: OutputPlan) { putList(plan.gates) { $0.put($1) } }

  private mutating func put(_ gate: OutputPlan.Gate) {
    put(gate.id.name)
    putList(gate.outputs) { $0.put($1) }
    putList(gate.inputs) { $0.put($1) }
    put(gate.timing.pulse, gate.timing.gap, gate.safeState.rawValue)
    put(gate.patterns)
  }

  private mutating func put(_ output: OutputConfiguration) {
    put(output.name.name, output.kind.rawValue)
    switch output.target {
    case .gpio(let line):
      put(0 as UInt8)
      put(line)
    case .led(let name): put(1 as UInt8, name)
    case .pwm(let channel): put(2 as UInt8, channel.chip, channel.channel, channel.frequency)
    case .sound(let device): put(3 as UInt8, device.device, device.frequency)
    }
  }

  private mutating func put(_ line: GPIOLineConfiguration) {
    put(line.chip)
    switch line.line {
    case .name(let name): put(true, name)
    case .offset(let offset): put(false, offset)
    }
    put(line.isActiveLow, line.bias.rawValue, line.drive.rawValue)
  }

  private mutating func put(_ input: InputConfiguration) {
    put(input.name.name)
    put(input.line)
    put(input.debounce, input.use.rawValue)
  }

  private mutating func put(_ patterns: SignalPatterns) {
    for pattern in SignalPatterns.plain { put(patterns[keyPath: pattern]) }
    put(patterns.refuseReasons, by: \.rawValue)
    put(patterns.undecidedReasons, by: \.rawValue)
    put(patterns.setUp, by: \.name)
  }

  private mutating func put<Key>(_ patterns: [Key: SignalPattern], by name: (Key) -> String) {
    // Sorted: the same plan always has the same bytes.
    putList(patterns.map { (name: name($0), pattern: $1) }.sorted { $0.name < $1.name }) {
      $0.put($1.name)
      $0.put($1.pattern)
    }
  }

  private mutating func put(_ pattern: SignalPattern) {
    putList(pattern.outputs.sorted { $0.key < $1.key }) { writer, item in
      writer.put(item.key.name)
      writer.putList(item.value.steps) { $0.put($1) }
      writer.put(UInt16(clamping: item.value.repeats ?? 0))
    }
  }
}

extension WireReader {
  mutating func takePlan() throws(WireError) -> OutputPlan {
    OutputPlan(
      gates: try takeList(limit: HolderLimits.maximumGates) { (reader) throws(WireError) in try reader.takeGate() })
  }

  private mutating func takeGate() throws(WireError) -> OutputPlan.Gate {
    let id = GateID(try takeText())
    let outputs = try takeList(limit: HolderLimits.maximumOutputs) { (reader) throws(WireError) in
      try reader.takeOutput()
    }
    let inputs = try takeList(limit: HolderLimits.maximumOutputs) { (reader) throws(WireError) in
      try reader.takeInput()
    }
    let pulse = try takeDuration()
    let gap = try takeDuration()
    let timing = try Result { () throws(SignalError) in try RelayTiming(pulse: pulse, gap: gap) }
      .mapError { WireError($0.description) }.get()
    return OutputPlan.Gate(
      id: id, outputs: outputs, inputs: inputs, timing: timing, safeState: try takeWord(), patterns: try takePatterns())
  }

  private mutating func takeOutput() throws(WireError) -> OutputConfiguration {
    let name = OutputName(try takeText())
    let kind = try takeWord(OutputKind.self)
    let target: OutputTarget
    switch try take(UInt8.self) {
    case 0: target = .gpio(try takeLine())
    case 1: target = .led(try takeText())
    case 2:
      target = .pwm(PWMConfiguration(chip: try takeText(), channel: try take(), frequency: try take()))
    case 3: target = .sound(SoundConfiguration(device: try takeText(), frequency: try take()))
    default: throw WireError("an output of an unknown sort")
    }
    return OutputConfiguration(name: name, kind: kind, target: target)
  }

  private mutating func takeLine() throws(WireError) -> GPIOLineConfiguration {
    let chip = try takeText()
    let line: GPIOLineConfiguration.Selector = try takeFlag() ? .name(try takeText()) : .offset(try take())
    return GPIOLineConfiguration(
      chip: chip, line: line, isActiveLow: try takeFlag(), bias: try takeWord(), drive: try takeWord())
  }

  private mutating func takeInput() throws(WireError) -> InputConfiguration {
    InputConfiguration(
      name: InputName(try takeText()), line: try takeLine(), debounce: try takeDuration(), use: try takeWord())
  }

  private mutating func takePatterns() throws(WireError) -> SignalPatterns {
    var patterns = SignalPatterns()
    for pattern in SignalPatterns.plain { patterns[keyPath: pattern] = try takePattern() }
    patterns.refuseReasons = try takePatterns(limit: RefuseReason.allCases.count) { (reader) throws(WireError) in
      try reader.takeWord()
    }
    patterns.undecidedReasons = try takePatterns(limit: UndecidedReason.allCases.count) { (reader) throws(WireError) in
      try reader.takeWord()
    }
    patterns.setUp = try takePatterns(limit: SetUpSignal.all.count) { (reader) throws(WireError) in
      try reader.takeSetUpSignal()
    }
    return patterns
  }

  private mutating func takePatterns<Key>(
    limit: Int, by takeKey: (inout Self) throws(WireError) -> Key
  ) throws(WireError) -> [Key: SignalPattern] {
    let patterns = try takeList(limit: limit) { (reader) throws(WireError) -> (Key, SignalPattern) in
      (try takeKey(&reader), try reader.takePattern())
    }
    return Dictionary(patterns) { _, last in last }
  }

  private mutating func takePattern() throws(WireError) -> SignalPattern {
    var pattern = SignalPattern()
    let outputs = try takeList(limit: HolderLimits.maximumOutputs) {
      (reader) throws(WireError) -> (OutputName, OutputPattern) in
      let name = OutputName(try reader.takeText())
      let steps = try reader.takeList(limit: OutputPattern.maximumSteps) { (reader) throws(WireError) in
        try reader.takeDuration()
      }
      let repeats = Int(try reader.take(UInt16.self))
      if steps.isEmpty {
        guard repeats == 0 else { throw WireError("a steady pattern cannot be repeated") }
        return (name, .steady)
      }
      do throws(SignalError) {
        return (name, try OutputPattern(steps: steps, repeats: repeats == 0 ? nil : repeats))
      } catch {
        throw WireError("output \(name): \(error.description)")
      }
    }
    for (name, item) in outputs { pattern.outputs[name] = item }
    return pattern
  }
}
