package import ScanModel

/// What a station does without its fleet.
package enum AlonePolicy: Hashable, Sendable {
  /// How far it goes: so many people, for so long since it was last heard of.
  package struct Bounds: Hashable, Sendable {
    package var people: Int
    package var time: Duration
    package init(people: Int, time: Duration) {
      self.people = people
      self.time = time
    }
  }

  /// Nobody passes.
  case refuse
  /// Whom the list on board names.
  case list(Bounds)
  /// Whose code looks right and was not seen here.
  case trust(Bounds)
}

/// Whether a station that is alone may admit.
package enum AloneWord: Hashable, Sendable {
  /// It may, provisionally.
  case mayAdmit
  /// The policy lets nobody in.
  case refuses
  /// The list on board does not name the ticket, or is too old.
  case isNotListed
  /// As many as may be were let in.
  case people
  /// It has been alone for longer than may be.
  case time
}

/// Counts what a station does alone.
package struct AloneBook: Hashable, Sendable {
  private let policy: AlonePolicy
  /// Since when it is alone; `nil` where it is not.
  package private(set) var since: BootTime?
  /// So many were let in since then, and are not told yet.
  package private(set) var admitted: Int

  /// - Parameters:
  ///   - admitted: how many admissions an earlier process has left to be told.
  ///   - since: since when that one was alone, where it was in this start of the machine. After another start the time is counted anew.
  package init(_ policy: AlonePolicy, admitted: Int = 0, since: BootTime? = nil) {
    self.policy = policy
    self.admitted = max(0, admitted)
    self.since = since
  }

  /// The fleet could not be asked.
  package mutating func alone(at time: BootTime) { since = since ?? time }

  /// The fleet answers.
  package mutating func together() { since = nil }

  /// Whether one more may be let in.
  /// - Parameter isListed: whether a list on board that may be believed admits the ticket.
  package func word(isListed: Bool, at time: BootTime) -> AloneWord {
    let bounds: AlonePolicy.Bounds
    switch policy {
    case .refuse: return .refuses
    case .list(let own):
      guard isListed else { return .isNotListed }
      bounds = own
    case .trust(let own): bounds = own
    }
    if admitted >= bounds.people { return .people }
    if let since, time - since >= bounds.time { return .time }
    return .mayAdmit
  }

  /// Somebody was let in.
  package mutating func admit() { admitted = admitted == .max ? .max : admitted + 1 }

  /// The fleet was told of one of them, or nobody came in after all.
  package mutating func told() { admitted = max(0, admitted - 1) }
}

/// The claims of others that a station has seen, and since when each has been as it is; to be asked of what was read of the leader.
package struct SeenClaims: Hashable, Sendable {
  /// So many it keeps; of more the oldest is forgotten, and watched anew when it is seen again.
  package static let most = 1_024

  private struct Seen: Hashable, Sendable {
    var scan: ScanID
    var since: BootTime
  }

  private var seen: [Seen] = []

  package init() {}

  /// Takes note of a claim that was read.
  /// - Returns: the scans in it that have been claimed for as long as `limit` of this station's time.
  package mutating func see(_ claim: Claim, at time: BootTime, limit: Duration) -> Set<ScanID> {
    var past: Set<ScanID> = []
    for entry in claim.entries where entry.state == .claimed {
      if let known = seen.first(where: { $0.scan == entry.scan }) {
        if time - known.since >= limit { past.insert(entry.scan) }
      } else {
        if seen.count >= Self.most { seen.removeFirst() }
        seen.append(Seen(scan: entry.scan, since: time))
      }
    }
    // What is decided needs no watching.
    let decided = Set(claim.entries.lazy.filter { $0.state != .claimed }.map(\.scan))
    if !decided.isEmpty { seen.removeAll { decided.contains($0.scan) } }
    return past
  }
}
