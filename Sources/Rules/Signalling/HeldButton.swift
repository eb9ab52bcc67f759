package import ScanModel

/// A button that acts when it is held: `setUpButton`. Pure; levels and time go in.
///
///     up ──active──▶ held ──3 s──▶ fired
///      ▲               │             │
///      └───inactive────┴─────────────┘
///
/// It fires once for each press. One that is active when it is first seen was not pressed: a button that sticks, or a line
/// without its pull-up, does nothing until it was let go.
package struct HeldButton: Sendable {
  /// How long it is held until it acts.
  package static let hold = Duration.seconds(3)

  private enum State: Sendable {
    /// Not seen, or active since before it was seen.
    case unknown
    case up
    case held(since: MonotonicTime)
    case fired
  }

  private let inputs: Set<InputName>
  private var states: [InputName: State] = [:]

  /// Makes the buttons of a gate with these inputs: those whose use is `setUpButton`.
  package init(_ uses: [InputName: InputUse]) { inputs = Set(uses.filter { $0.value == .setUpButton }.keys) }

  /// When `advance` has something to do; `nil` while no button is held. May be past.
  package var deadline: MonotonicTime? {
    states.values.compactMap { if case .held(let since) = $0 { since + Self.hold } else { nil } }.min()
  }

  /// The level of an input was told, changed or not.
  /// - Parameter now: since when the input has it.
  /// - Returns: whether a button acts: it was held long enough, though nobody has called `advance` in time.
  package mutating func level(of input: InputName, isActive: Bool, at now: MonotonicTime) -> Bool {
    guard inputs.contains(input) else { return false }
    switch (states[input] ?? .unknown, isActive) {
    case (.up, true): states[input] = .held(since: now)
    case (.held(let since), _) where now >= since + Self.hold:
      states[input] = isActive ? .fired : .up
      return true
    case (_, false): states[input] = .up
    case (.unknown, true), (.held, true), (.fired, true): break
    }
    return false
  }

  /// Does what is due at `now`.
  /// - Returns: whether a button acts.
  package mutating func advance(to now: MonotonicTime) -> Bool {
    var acts = false
    for (input, state) in states {
      guard case .held(let since) = state, now >= since + Self.hold else { continue }
      states[input] = .fired
      acts = true
    }
    return acts
  }

  /// The input failed: its next level is the first one again.
  package mutating func lost(_ input: InputName) { states[input] = nil }
}
