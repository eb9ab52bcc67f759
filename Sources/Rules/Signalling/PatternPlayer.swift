import ScanModel

/// Plays the patterns of lamps and buzzers. Pure; knows nothing of relays.
///
///     background (idle, offline, outOfService, setUp.armed) ──play(verdict, busy)──▶ foreground ──its pattern ends──▶ background
///
/// What came of a set-up code is played as a verdict is, and `setUp.working` as `busy`.
/// A new foreground pre-empts the old one. A background signal waits for a foreground that ends of itself, and replaces
/// one that does not. Steps are counted from when they really began: a late timer makes a beep longer, it never joins two
/// beeps into one, which would be another signal.
struct PatternPlayer: Sendable {
  /// How long a verdict's endless pattern plays: the next person must not see the last one's green.
  static let verdictHold: Duration = .seconds(3)

  private struct Track: Sendable {
    let pattern: OutputPattern
    var step = 0
    var repeatsLeft: Int?
    /// When the next step is due; `nil` when steady.
    var next: MonotonicTime?
    /// When an endless track of a verdict ends.
    var end: MonotonicTime?

    var deadline: MonotonicTime? {
      guard let next, let end else { return next ?? end }
      return min(next, end)
    }
  }

  private let outputs: Set<OutputName>
  private let patterns: SignalPatterns
  private var background: Signal = .idle
  private var isForeground = false
  private var tracks: [OutputName: Track] = [:]
  /// The outputs that are to be on now.
  private(set) var lit: Set<OutputName> = []

  init(outputs: Set<OutputName>, patterns: SignalPatterns) {
    self.outputs = outputs
    self.patterns = patterns
  }

  /// When `advance` has something to do.
  var deadline: MonotonicTime? { tracks.values.compactMap(\.deadline).min() }

  /// What `start` begins with.
  mutating func setBackground(_ signal: Signal) { background = signal }

  /// Begins with the background.
  mutating func start(at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) {
    isForeground = false
    show(background, at: now, into: &effects)
  }

  /// Everything off, for good or until `start`.
  mutating func stop(into effects: inout [SignalSequencer.Effect]) {
    isForeground = false
    tracks = [:]
    light([], into: &effects)
  }

  mutating func play(_ signal: Signal, at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) {
    if signal.isBackground {
      let isKnown = background == signal && !isForeground
      background = signal
      let endsOfItself = isForeground && !tracks.values.contains { $0.repeatsLeft == nil && $0.end == nil }
      if isKnown || endsOfItself { return }
      isForeground = false
      show(background, at: now, into: &effects)
    } else {
      let wasForeground = isForeground
      isForeground = outputs.contains { patterns.pattern(for: signal).outputs[$0] != nil }
      // A signal without a pattern of its own ends what was played before it, but does not restart the background.
      guard isForeground || wasForeground else { return }
      show(isForeground ? signal : background, at: now, into: &effects)
    }
  }

  /// Does what is due at `now`.
  mutating func advance(to now: MonotonicTime, into effects: inout [SignalSequencer.Effect]) {
    var on = lit
    for (output, track) in tracks {
      guard let deadline = track.deadline, deadline <= now else { continue }
      if let next = Self.step(track, at: now) {
        tracks[output] = next
        if next.step.isMultiple(of: 2) { on.insert(output) } else { on.remove(output) }
      } else {
        tracks[output] = nil
        on.remove(output)
      }
    }
    if isForeground, tracks.isEmpty {
      isForeground = false
      show(background, at: now, into: &effects)
    } else {
      light(on, into: &effects)
    }
  }

  /// The track with its next step begun; `nil` when it is over.
  private static func step(_ track: Track, at now: MonotonicTime) -> Track? {
    if let end = track.end, end <= now { return nil }
    guard let due = track.next, due <= now else { return track }
    var track = track
    track.step += 1
    if track.step >= track.pattern.steps.count {
      track.step = 0
      if let left = track.repeatsLeft {
        if left <= 1 { return nil }
        track.repeatsLeft = left - 1
      }
    }
    track.next = now + track.pattern.steps[track.step]
    return track
  }

  private mutating func show(
    _ signal: Signal, at now: MonotonicTime, into effects: inout [SignalSequencer.Effect]
  ) {
    let isVerdict =
      switch signal {
      case .admit, .provisional, .refuse, .undecided, .setUp(.done), .setUp(.refused): true
      case .busy, .idle, .offline, .outOfService, .setUp(.armed), .setUp(.working): false
      }
    tracks = [:]
    for (output, pattern) in patterns.pattern(for: signal).outputs where outputs.contains(output) {
      tracks[output] = Track(
        pattern: pattern, repeatsLeft: pattern.repeats, next: pattern.steps.first.map { now + $0 },
        end: isVerdict && pattern.isEndless ? now + Self.verdictHold : nil)
    }
    light(Set(tracks.keys), into: &effects)
  }

  /// Switches what differs; off before on, so that two lamps are never seen together by accident.
  private mutating func light(_ on: Set<OutputName>, into effects: inout [SignalSequencer.Effect]) {
    for output in lit.subtracting(on).sorted() { effects.append(.set(output, on: false)) }
    for output in on.subtracting(lit).sorted() { effects.append(.set(output, on: true)) }
    lit = on
  }
}
