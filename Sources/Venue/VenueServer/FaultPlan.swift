/// The misbehaviours of a venue in force, with what they have drawn and counted. Pure: the same misbehaviours and the same
/// requests come to the same end.
///
/// Pauses and clocks add up. Of the other faults the first in the list that hits is the one; those after it are not counted.
package struct FaultPlan: Sendable {
  /// One misbehaviour and how far it has come.
  package struct Entry: Sendable, Equatable, CustomStringConvertible {
    /// What was asked for.
    package let misbehaviour: Misbehaviour
    /// Requests hit so far.
    package internal(set) var hits = 0

    /// Whether it has had all its hits.
    package var isOver: Bool { misbehaviour.next.map { hits >= $0 } ?? false }

    /// One line: its text, how often it has hit, and whether it is over.
    package var description: String {
      "\(misbehaviour)  (hits: \(hits)\(isOver ? ", over" : ""))"
    }
  }

  private var drawers: [SecretSource] = []
  /// The misbehaviours, first added first.
  package private(set) var entries: [Entry] = []

  /// A day with these misbehaviours; a good one with none.
  package init(_ misbehaviours: [Misbehaviour] = []) {
    for misbehaviour in misbehaviours { add(misbehaviour) }
  }

  /// Adds one behind the others.
  package mutating func add(_ misbehaviour: Misbehaviour) {
    // By its place as well: two with one seed do not hit the same requests.
    let number = misbehaviour.seed ^ (UInt64(entries.count) &* 0xD1B5_4A32_D192_ED03)
    drawers.append(SecretSource(number: number))
    entries.append(Entry(misbehaviour: misbehaviour))
  }

  /// What happens to the next request.
  mutating func manners(for kind: RequestKind) -> Manners {
    var manners = Manners()
    for index in entries.indices {
      let misbehaviour = entries[index].misbehaviour
      guard misbehaviour.scope.includes(kind), !entries[index].isOver else { continue }
      // Drawn even where another fault comes first: who is hit depends on the requests alone.
      let isDrawn = drawers[index].next() % 100 < UInt64(max(0, misbehaviour.share))
      let isHit = isDrawn && manners.add(misbehaviour.fault, &drawers[index])
      if isHit { entries[index].hits += 1 }
    }
    return manners
  }
}

extension Misbehaviour.Scope {
  /// Whether it is for such a request.
  func includes(_ kind: RequestKind) -> Bool {
    switch self {
    case .scans: kind == .scan || kind == .check || kind == .refresh
    case .checks: kind == .check
    case .refreshes: kind == .refresh
    case .kiosk: kind == .kiosk
    case .desk: kind == .other || kind == .list || kind == .signIn
    case .all: true
    case .lists: kind == .list
    case .signIns: kind == .signIn
    }
  }
}

/// What happens to one request.
struct Manners: Sendable, Equatable {
  /// Pauses in milliseconds.
  var pauseBefore = 0
  var pauseAfter = 0
  /// How far the clock is ahead, in seconds.
  var clock = 0
  /// What else goes wrong.
  var fault: Misbehaviour.Fault?

  /// Whether nothing at all goes wrong.
  var isGood: Bool { self == Manners() }

  /// Whether there was still room for the fault.
  fileprivate mutating func add(_ fault: Misbehaviour.Fault, _ drawer: inout SecretSource) -> Bool {
    switch fault {
    case .latency(let range, let moment):
      let range = range.clamped(to: 0...Misbehaviour.longestPause)
      let pause = range.lowerBound + Int(drawer.next() % UInt64(range.count))
      switch moment {
      case .before: pauseBefore = min(pauseBefore + pause, Misbehaviour.longestPause)
      case .after: pauseAfter = min(pauseAfter + pause, Misbehaviour.longestPause)
      }
    case .clock(let seconds):
      let furthest = Misbehaviour.furthestClock
      clock = min(max(clock + min(max(seconds, -furthest), furthest), -furthest), furthest)
    default:
      guard self.fault == nil else { return false }
      self.fault = fault
    }
    return true
  }
}
