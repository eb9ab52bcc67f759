package import ScanModel

/// What every `SignalOutput` must do, whoever drives its relay. Ask it of outputs that work, with a relay at rest.
package enum SignalOutputConformance {
  /// Tries the outputs of a gate; returns what is wrong, in words, and nothing when all is right.
  /// - Parameters:
  ///   - pulse: how long its relay is driven.
  ///   - gap: how long it rests between two pulses, at least.
  package static func problems(
    of output: any SignalOutput, pulse: Duration, gap: Duration, time: any TimeSource
  ) async -> [String] {
    var problems: [String] = []
    if let fault = output.admissionFault { problems.append("it has a fault: \(fault)") }
    let asked = time.now()
    async let first = output.admit(isProvisional: false)
    async let second = output.admit(isProvisional: true)
    // Signals pre-empt each other, and no pulse.
    let signals: [Signal] = [
      .busy, .refuse(.unpaid), .provisional, .undecided(.unreachable), .idle, .offline, .outOfService, .setUp(.armed),
      .setUp(.working), .setUp(.done), .setUp(.refused(.wrong)), .idle,
    ]
    for signal in signals { output.play(signal) }
    var pulses: [(start: MonotonicTime, end: MonotonicTime)] = []
    for outcome in await [first, second] {
      if case .started(let start, let end) = outcome {
        pulses.append((start, end))
      } else {
        problems.append("an admission was not carried out: \(outcome)")
      }
    }
    pulses.sort { $0.start < $1.start }
    for one in pulses {
      if one.start < asked { problems.append("a pulse began before it was asked for") }
      if one.end - one.start != pulse { problems.append("a pulse lasts \(one.end - one.start) instead of \(pulse)") }
    }
    for (one, next) in zip(pulses, pulses.dropFirst()) where next.start - one.end < gap {
      problems.append("the relay rested \(next.start - one.end) instead of \(gap)")
    }
    if let fault = output.admissionFault { problems.append("it has a fault after two pulses: \(fault)") }
    return problems
  }

  /// Tries outputs that do not work: whose relay is broken, or that were stopped.
  package static func problemsOfBroken(_ output: any SignalOutput) async -> [String] {
    var problems: [String] = []
    guard let fault = output.admissionFault else { return ["it does not say that it cannot admit"] }
    if fault.isEmpty { problems.append("it does not say why it cannot admit") }
    output.play(.refuse(.unpaid))
    for isProvisional in [false, true] {
      switch await output.admit(isProvisional: isProvisional) {
      case .failed(let words): if words.isEmpty { problems.append("an admission failed without words") }
      case .started, .noRelay, .unanswered: problems.append("an admission did not fail")
      }
    }
    return problems
  }
}
