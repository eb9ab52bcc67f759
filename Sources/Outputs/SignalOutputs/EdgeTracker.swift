/// Makes levels of a line's edge events. Pure.
///
/// The kernel numbers a line's events. It keeps only some of them: where nobody reads for long, the oldest are dropped,
/// and the numbers leap. What came in between is not known then, so the level is asked for anew.
struct EdgeTracker {
  /// What follows from an event.
  enum Outcome: Equatable {
    /// Nothing: the level was known.
    case same
    /// The level is another one now.
    case changed(Bool)
    /// Events were lost; the level must be read, once all that are there were taken, and told by `level`.
    case lost
  }

  private var sequence: UInt32?
  private(set) var isActive: Bool

  /// Makes the tracker of a line whose level was just read.
  init(isActive: Bool) { self.isActive = isActive }

  /// An event with the kernel's number for it, and the level after it.
  mutating func event(sequence next: UInt32, isActive level: Bool) -> Outcome {
    defer { sequence = next }
    // The first event of a request has the number 1. Numbers wrap around.
    guard next == (sequence ?? 0) &+ 1 else { return .lost }
    return self.level(level) ? .changed(level) : .same
  }

  /// The level was read. Returns whether it is another one than before.
  mutating func level(_ level: Bool) -> Bool { exchange(&isActive, with: level) != level }
}
