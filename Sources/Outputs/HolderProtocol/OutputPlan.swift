package import ScanModel
package import Signalling

/// What the holder is to hold: everything that it needs to drive the gates' outputs by itself.
package struct OutputPlan: Hashable, Sendable {
  /// One gate's part.
  package struct Gate: Hashable, Sendable {
    /// The gate.
    package var id: GateID
    /// Its outputs.
    package var outputs: [OutputConfiguration]
    /// Its inputs.
    package var inputs: [InputConfiguration]
    /// Its relay's times; means nothing without a relay.
    package var timing: RelayTiming
    /// What its relay is while nobody commands it.
    package var safeState: SafeState
    /// What lamps and buzzers do.
    package var patterns: SignalPatterns

    package init(
      id: GateID, outputs: [OutputConfiguration], inputs: [InputConfiguration] = [], timing: RelayTiming = .standard,
      safeState: SafeState = .secure, patterns: SignalPatterns
    ) {
      self.id = id
      self.outputs = outputs
      self.inputs = inputs
      self.timing = timing
      self.safeState = safeState
      self.patterns = patterns
    }
  }

  /// The gates, in a fixed order.
  package var gates: [Gate]

  package init(gates: [Gate]) { self.gates = gates }

  /// The GPIO lines that its outputs drive.
  package var outputLines: Set<GPIOLineConfiguration> {
    Set(
      gates.flatMap(\.outputs).compactMap { output in if case .gpio(let line) = output.target { line } else { nil } })
  }

  /// What is wrong with the plan, in words; `nil` when it can be carried out. Tells nothing of whether devices are there.
  package var problem: String? {
    if gates.count > HolderLimits.maximumGates {
      return "there are \(gates.count) gates; the output holder takes \(HolderLimits.maximumGates)"
    }
    var seen: Set<GateID> = []
    var targets: Set<OutputTarget> = []
    for gate in gates {
      if !seen.insert(gate.id).inserted { return "there are two gates \(gate.id)" }
      if let problem = gate.problem { return "gate \(gate.id): \(problem)" }
      for output in gate.outputs where !targets.insert(output.target).inserted {
        return "gate \(gate.id), output \(output.name): something else drives \(output.target) already"
      }
    }
    return nil
  }
}

extension OutputPlan.Gate {
  var problem: String? {
    if let problem = Self.problem(ofName: id.name) { return problem }
    if max(outputs.count, inputs.count) > HolderLimits.maximumOutputs {
      return "more than \(HolderLimits.maximumOutputs) outputs or inputs"
    }
    if outputs.count(where: { $0.kind == .relay }) > 1 { return "a gate has one relay at most" }
    var names: Set<String> = []
    for output in outputs {
      let name = output.name.name
      if let problem = Self.problem(ofName: name) ?? output.problem { return "output \(name): \(problem)" }
      if !names.insert(name).inserted { return "there are two outputs \(name)" }
    }
    names = []
    for input in inputs {
      let name = input.name.name
      if let problem = Self.problem(ofName: name) ?? input.problem { return "input \(name): \(problem)" }
      if !names.insert(name).inserted { return "there are two inputs \(name)" }
    }
    return nil
  }

  private static func problem(ofName name: String) -> String? {
    if name.isEmpty { return "a name is empty" }
    if name.utf8.count > HolderLimits.maximumName { return "a name is longer than \(HolderLimits.maximumName) bytes" }
    return nil
  }
}
