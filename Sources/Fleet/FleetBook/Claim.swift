package import ScanModel

/// The name of a station in its fleet: 1 to 32 letters (`a`–`z`, `0`–`9`, `-`).
package struct StationID: Hashable, Sendable, CustomStringConvertible {
  /// The longest name in bytes.
  package static let longest = 32

  /// The name.
  package let description: String

  /// Takes a name; `nil` of one that is none.
  package init?(_ name: String) {
    guard (1...Self.longest).contains(name.utf8.count),
      name.utf8.allSatisfy({ (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2d })
    else { return nil }
    description = name
  }
}

/// What a fleet knows of one ticket or sale: who holds it, who is in on it.
package struct Claim: Hashable, Sendable {
  /// So many entries it has at most: what needs more is decided by nobody.
  package static let most = 255
  /// From so many on, entries of persons who have left are counted only.
  package static let roomy = 64

  /// How often it admits, as ticket system or list told last; `nil` where neither has.
  package var quantity: UInt32?
  /// Who holds it or is in, in the order in which they came.
  package var entries: [ClaimEntry]
  /// So many persons were in and have left, and are no entry any more.
  package var folded: UInt32

  package init(quantity: UInt32? = nil, entries: [ClaimEntry] = [], folded: UInt32 = 0) {
    self.quantity = quantity
    self.entries = entries
    self.folded = folded
  }

  /// The entry of a scan.
  package func entry(of scan: ScanID) -> ClaimEntry? { entries.first { $0.scan == scan } }

  /// So many persons are in, or may be.
  package var occupied: Int { entries.count { $0.isInside } }

  /// How often it admits: as whoever asks has been told, else as the fleet has; once where nobody was.
  package func allowance(told: UInt32?) -> Int { Swift.max(1, Int(told ?? quantity ?? 1)) }

  /// The claim with the times of the revision in which its newest entries came: for whoever writes the next one.
  func dated(_ time: WallTime) -> Claim {
    var claim = self
    for place in entries.indices where entries[place].at == nil { claim.entries[place].at = time }
    return claim
  }

  /// Adds an entry; whether there was place for it.
  mutating func append(_ entry: ClaimEntry) -> Bool {
    while entries.count >= Self.roomy, let place = entries.firstIndex(where: { $0.hasLeft }) {
      entries.remove(at: place)
      folded = folded == .max ? .max : folded + 1
    }
    guard entries.count < Self.most else { return false }
    entries.append(entry)
    return true
  }

  /// Leaves out what an interval needs no more: all but the newest of those that are settled.
  mutating func forgetSpaced(keeping count: Int = 8) {
    var settled = entries.count { $0.isSettled }
    entries.removeAll { entry in
      guard entry.isSettled, settled > count else { return false }
      settled -= 1
      return true
    }
  }
}

/// One admission on a ticket or a sale, or what may become one.
package struct ClaimEntry: Hashable, Sendable {
  /// What has become of it.
  ///
  ///     claimed ──▶ admitted ──▶ left
  ///        │  ╲        ▲
  ///        ▼   ▼       │
  ///     (gone)  interrupted ──▶ (gone)
  ///
  /// Only its own station takes it away, and only where it has surely redeemed nothing and opened nothing; or staff do.
  package enum State: Hashable, Sendable {
    /// A station decides it now.
    case claimed
    /// Whether somebody passed on it its station does not know, or has not said for too long.
    case interrupted
    /// Somebody was admitted.
    case admitted
    /// They have left; by which scan.
    case left(by: ScanID)
  }

  /// The presentation that it serves; what makes one write of it the same as the next.
  package var scan: ScanID
  /// Whose it is.
  package var station: StationID
  /// At which of its gates.
  package var gate: GateID
  /// What has become of it.
  package var state: State
  /// Whether the ticket system may have recorded an admission for it, by an earlier request.
  package var mayHaveRedeemed: Bool
  /// Whether it was given without the fleet's word.
  package var isProvisional: Bool
  /// When it came, by the leader's clock; `nil` in the revision with which it came: that has the time.
  package var at: WallTime?
  /// When it was, by the station's own clock, where it was given without the fleet's word.
  package var saidAt: WallTime?

  package init(
    scan: ScanID, station: StationID, gate: GateID, state: State = .claimed, mayHaveRedeemed: Bool = false,
    isProvisional: Bool = false, at: WallTime? = nil, saidAt: WallTime? = nil
  ) {
    self.scan = scan
    self.station = station
    self.gate = gate
    self.state = state
    self.mayHaveRedeemed = mayHaveRedeemed
    self.isProvisional = isProvisional
    self.at = at
    self.saidAt = saidAt
  }

  /// Whether somebody is in on it, or may be.
  package var isInside: Bool { !hasLeft }

  /// Whether who was admitted on it has left.
  package var hasLeft: Bool { if case .left = state { true } else { false } }

  /// Whether nothing more is to be said of it but that somebody leaves.
  package var isSettled: Bool { state == .admitted || hasLeft }

  /// When it counts from: a provisional one came before it was told.
  func time(in revision: WallTime) -> WallTime {
    let told = at ?? revision
    return saidAt.map { Swift.min($0, told) } ?? told
  }
}

/// A claim as it was read.
package struct KnownClaim: Hashable, Sendable {
  /// What it says.
  package var claim: Claim
  /// Its revision: a write on it is made at that one.
  package var revision: ClaimRevision
  /// When the leader took that revision, by its clock.
  package var time: WallTime

  package init(claim: Claim, revision: ClaimRevision, time: WallTime) {
    self.claim = claim
    self.revision = revision
    self.time = time
  }
}

/// What reading a key came to.
package enum ClaimReading: Hashable, Sendable {
  /// It was never written, as far as the leader knows.
  case absent
  /// What it has.
  case known(KnownClaim)
  /// It has something that decides nothing.
  case unusable(ClaimFlaw)

  /// The revision that it was read at.
  var revision: ClaimRevision? {
    switch self {
    case .absent: ClaimRevision.none
    case .known(let known): known.revision
    case .unusable: nil
    }
  }
}

/// Why a value decides nothing.
package enum ClaimFlaw: Hashable, Sendable {
  /// It is no claim: what it lacks.
  case garbage(String)
  /// It is of a later format of ours.
  case laterVersion(UInt8)
  /// It names a station that is none of the fleet, or none any more.
  case stranger(String)
  /// It was not written by the station that it names, or for another key, or in another place of the order.
  case signature(of: StationID)
  /// The key has a delete mark.
  case deleted
}
