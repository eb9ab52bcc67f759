package import ScanModel

/// How long the other end has been silent, counted only while this end listened.
///
/// A machine that stands still (starved, swapping, a guest whose host has no time) stops both ends. Whoever goes on first would
/// take the other for gone, which has had no time to speak: so each look counts one heartbeat at most, and after a standstill
/// the other end has the rest of its time.
package struct Silence: Sendable {
  /// When the other end was last heard.
  package private(set) var since: MonotonicTime
  private var looked: MonotonicTime
  private var counted: Duration = .zero

  /// Begins with an end that is heard now.
  package init(since now: MonotonicTime) {
    since = now
    looked = now
  }

  /// The other end was heard.
  package mutating func broken(at now: MonotonicTime) { self = Silence(since: now) }

  /// Looks whether it lasts too long; to be asked every `HolderLimits.heartbeat`, after all was read that has come.
  package mutating func isTooLong(at now: MonotonicTime) -> Bool {
    counted += min(now - looked, HolderLimits.heartbeat)
    looked = now
    return counted >= HolderLimits.silence
  }
}
