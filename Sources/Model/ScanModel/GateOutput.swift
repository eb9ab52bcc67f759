/// The name of one of a gate's outputs, as the configuration gives it, such as `green` or `relay`.
package struct OutputName: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
  /// The name.
  package let name: String
  /// Makes the name of the output called `name`.
  package init(_ name: String) { self.name = name }
  package init(stringLiteral value: String) { name = value }
  package static func < (a: Self, b: Self) -> Bool { a.name < b.name }
  package var description: String { name }
}

/// What an output is for. The raw values are the words in configuration and events.
package enum OutputKind: String, Sendable, CaseIterable {
  /// Opens the gate; driven by pulses only, never by a pattern. A gate has one at most.
  case relay
  /// Light.
  case lamp
  /// Sound.
  case buzzer
}

/// How long a relay pulse lasts, and how long the next admission waits after it.
package struct RelayTiming: Hashable, Sendable {
  /// The shortest and the longest pulse that can be configured. A relay needs some 10 ms to move; no person needs a gate
  /// held open longer than the upper bound, and a mistaken unit must not hold it open all day.
  package static let pulseRange: ClosedRange<Duration> = .milliseconds(20) ... .seconds(10)
  /// The shortest and the longest passage gap that can be configured.
  package static let gapRange: ClosedRange<Duration> = .zero ... .seconds(10)
  /// 500 ms of pulse, 500 ms of gap.
  package static let standard = RelayTiming(checkedPulse: .milliseconds(500), gap: .milliseconds(500))

  /// How long the relay is driven.
  package let pulse: Duration
  /// How long the relay rests between two pulses, at least.
  package let gap: Duration

  /// Makes a timing.
  /// - Throws: `SignalError` when a duration is out of its range.
  package init(pulse: Duration, gap: Duration) throws(SignalError) {
    guard Self.pulseRange.contains(pulse) else {
      throw SignalError("a relay pulse of \(pulse) is out of range: it lasts from 20 ms to 10 s")
    }
    guard Self.gapRange.contains(gap) else {
      throw SignalError("a passage gap of \(gap) is out of range: it lasts from 0 to 10 s")
    }
    self.init(checkedPulse: pulse, gap: gap)
  }

  private init(checkedPulse pulse: Duration, gap: Duration) {
    self.pulse = pulse
    self.gap = gap
  }
}

/// What a relay goes to when nobody commands it. The raw values are the words in configuration and events.
package enum SafeState: String, Hashable, Sendable, CaseIterable {
  /// Fail-secure: not commanded is locked, the relay is off.
  case secure
  /// Fail-safe: not commanded is released, the relay is on.
  case safe
}

/// A gate's relay: how long it is driven, and what it goes to when nobody commands it.
package struct RelayConfiguration: Hashable, Sendable {
  /// How long it is driven, and how long it rests.
  package var timing: RelayTiming
  /// What it goes to when nobody commands it.
  package var safeState: SafeState

  package init(timing: RelayTiming = .standard, safeState: SafeState = .secure) {
    self.timing = timing
    self.safeState = safeState
  }
}

/// Outputs, a timing or a pattern that cannot be; says what is wrong and what would be right.
package struct SignalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The words.
  package let description: String
  package init(_ description: String) { self.description = description }
}
