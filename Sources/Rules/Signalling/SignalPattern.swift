package import ScanModel

/// What one lamp or buzzer does: on all the time, or on, off, on… for a list of durations, some times over or endlessly.
package struct OutputPattern: Hashable, Sendable {
  /// The shortest and the longest step.
  package static let stepRange: ClosedRange<Duration> = .milliseconds(20) ... .seconds(60)
  /// The most steps of a pattern.
  package static let maximumSteps = 64
  /// The most times that a pattern is repeated, unless endlessly.
  package static let maximumRepeats = 1_000

  /// On, and on for good.
  package static let steady = OutputPattern(checkedSteps: [], repeats: nil)

  /// The durations: on, off, on…; empty means steadily on.
  package let steps: [Duration]
  /// How often the steps are played; `nil` means endlessly.
  package let repeats: Int?

  /// Whether the pattern never ends of itself.
  package var isEndless: Bool { repeats == nil }

  /// Makes a pattern that alternates.
  /// - Parameters:
  ///   - steps: durations, the first of them on; at least one. What is repeated needs an even number of them, or its last
  ///     "on" would melt into the next first one.
  ///   - repeats: how often they are played; `nil` means endlessly.
  /// - Throws: `SignalError` when a number or a duration is out of range.
  package init(steps: [Duration], repeats: Int? = 1) throws(SignalError) {
    guard (1...Self.maximumSteps).contains(steps.count) else {
      throw SignalError("a pattern has \(steps.count) steps; it needs 1 to \(Self.maximumSteps)")
    }
    if let step = steps.first(where: { !Self.stepRange.contains($0) }) {
      throw SignalError("a step of \(step) is out of range: it lasts from 20 ms to 60 s")
    }
    if let repeats, !(1...Self.maximumRepeats).contains(repeats) {
      throw SignalError("a pattern is played 1 to \(Self.maximumRepeats) times, not \(repeats) times")
    }
    guard repeats == 1 || steps.count.isMultiple(of: 2) else {
      throw SignalError(
        "a pattern that is repeated needs an even number of steps: on, off, on, off; it has \(steps.count)")
    }
    self.init(checkedSteps: steps, repeats: repeats)
  }

  /// Makes a pattern of durations known to be in range.
  init(checkedSteps steps: [Duration], repeats: Int?) {
    self.steps = steps
    self.repeats = repeats
  }

  /// Makes a pattern that is on once.
  /// - Throws: `SignalError` when the duration is out of range.
  package static func on(for duration: Duration) throws(SignalError) -> OutputPattern {
    try OutputPattern(steps: [duration])
  }

  /// Makes a pattern that blinks (or beeps) `times` times; endlessly where `times` is `nil`.
  /// - Throws: `SignalError` when a number or a duration is out of range.
  package static func blink(on: Duration, off: Duration, times: Int? = nil) throws(SignalError) -> OutputPattern {
    try OutputPattern(steps: [on, off], repeats: times)
  }
}

/// What the lamps and buzzers of a gate do for one signal. Every output that is not named is off.
package struct SignalPattern: Hashable, Sendable {
  /// What each named output does. A relay that is named here is not driven: only pulses drive it.
  package var outputs: [OutputName: OutputPattern]

  package init(_ outputs: [OutputName: OutputPattern] = [:]) { self.outputs = outputs }

  /// Everything off.
  package static let off = SignalPattern()
}
