internal import ScanModel

/// What a station asks of a key before somebody passes.
package struct ClaimDemand: Hashable, Sendable {
  /// How a ticket or a sale admits.
  package enum Rule: Hashable, Sendable {
    /// So often, by what this station was told; as often as the fleet was told where it is `nil`, and once where neither was.
    case quantity(UInt32?)
    /// So often at most, by what this station was told; whether it does its ticket system shows, which is asked on each claim. Of that the
    /// fleet is not told.
    case atMost(UInt32)
    /// As often as it is shown, and not twice in an interval, by the leader's clock.
    case interval(Duration)
  }

  /// Where.
  package var key: ClaimKey
  /// How it admits, as the station was told.
  package var rule: Rule

  package init(_ key: ClaimKey, _ rule: Rule) {
    self.key = key
    self.rule = rule
  }
}

extension ClaimDemand.Rule {
  /// How often it admits by that; `nil` where nobody has told.
  var told: UInt32? {
    switch self {
    case .quantity(let told): told
    case .atMost(let most): most
    case .interval: nil
    }
  }
}

/// A call of the store.
package struct ClaimCall: Hashable, Sendable {
  /// What is asked.
  package enum Kind: Hashable, Sendable {
    /// Write on the condition that the key's last revision is this one; `.none` where there may be none.
    case write(Claim, at: ClaimRevision)
    /// Ask the leader.
    case read
  }

  /// Where.
  package var key: ClaimKey
  /// What.
  package var kind: Kind
  /// How long to wait before it.
  package var after: Duration

  package init(_ key: ClaimKey, _ kind: Kind, after: Duration = .zero) {
    self.key = key
    self.kind = kind
    self.after = after
  }
}

/// What a call came to.
package enum ClaimAnswer: Hashable, Sendable {
  /// It was written, and has this revision.
  case written(ClaimRevision)
  /// It was read.
  case found(ClaimReading)
  /// It failed.
  case failed(ClaimFault)
}

/// Puts one entry on one key, or finds out why that may not be.
///
///     ┌▶ write ── written ─────────────────────────────────────────▶ held
///     │    │ ╲─ lost ──▶ the same write again                          ▲
///     │    └── wrong revision ──▶ read ── our entry is there ──────────┤
///     │                            │  ╲── the revision that we wrote at, or an older one: the same again
///     └──── another revision, and room ◀┘ ╲── another revision, and no room ──▶ stopped
///
/// A write that was lost is never given up for dead by a read that does not show it: it is made, or it is dead once the key has a later
/// revision without it. Until then `floats` says where it may still come.
struct ClaimWriting: Hashable, Sendable {
  /// What to do next.
  enum Step: Hashable, Sendable {
    case call(ClaimCall)
    /// The entry is there.
    case held
    /// It is not there, nor on its way; or `floats` says where it may yet come.
    case stopped(Stop)
  }

  /// Why there is no entry.
  enum Stop: Hashable, Sendable {
    case used(by: ClaimEntry)
    case tooSoon(after: ClaimEntry)
    case busy(with: ClaimEntry)
    case interrupted(ClaimEntry)
    case unusable(ClaimFlaw)
    case crowded
    case failed(ClaimFault)
  }

  /// What the ticket system has told may be more than was known when it began.
  var demand: ClaimDemand
  let entry: ClaimEntry
  /// Scans of this station that ended without a word on them: this one takes their place.
  let repeats: Set<ScanID>
  /// Whether those asked a ticket system that may have recorded an admission.
  let redeems: Bool
  let policy: ClaimPolicy

  /// The revision at which a write of this entry was or may still be made, as far as its answer tells; `nil` where none may.
  private var floats: ClaimRevision?
  /// The revision at which a write of this entry is being made.
  private var outstanding: ClaimRevision?
  /// Whether the entry is on the key.
  private(set) var isHeld = false
  /// The revision with which it came, where its answer told.
  private var heldAt: ClaimRevision?
  /// What was written last.
  private var write: Write?
  /// The entry that is being marked as cut off.
  private var marked: ClaimEntry?

  private struct Write: Hashable, Sendable {
    var claim: Claim
    var revision: ClaimRevision
  }

  init(_ demand: ClaimDemand, _ entry: ClaimEntry, repeats: Set<ScanID>, redeems: Bool, policy: ClaimPolicy) {
    self.redeems = redeems
    self.demand = demand
    self.entry = entry
    self.repeats = repeats
    self.policy = policy
  }

  /// The first call. Most tickets were never presented: what nobody knows better of is written at once.
  mutating func begin(knowing hint: KnownClaim?) -> ClaimCall {
    guard let hint else { return put(Claim(), at: .none) }
    if case .room(let claim) = judge(hint, cutOff: []) { return put(claim, at: hint.revision) }
    return read()
  }

  /// Where a write of this entry may still be made, if nobody waits for answers any more.
  var mayCome: ClaimRevision? { floats ?? outstanding }

  /// - Parameter cutOff: the scans whose claims this station has watched unchanged for long enough.
  mutating func take(_ answer: ClaimAnswer, cutOff: Set<ScanID>) -> Step {
    if let outstanding, case .failed(let fault) = answer, fault.mayBeWritten || fault == .wrongRevision {
      // Also of one that says no: where the network doubles a message, the other one may have been taken.
      floats = outstanding
    }
    outstanding = nil
    switch answer {
    case .written(let revision):
      if let marked { return .stopped(.interrupted(marked)) }
      floats = nil
      isHeld = true
      heldAt = revision
      // When that was, by the leader's clock, only reading tells.
      if case .interval = demand.rule { return .call(read()) }
      return .held
    case .failed(let fault): return take(fault)
    case .found(let reading): return take(reading, cutOff)
    }
  }

  private mutating func take(_ fault: ClaimFault) -> Step {
    switch fault {
    case .wrongRevision: return .call(read())
    case .lostAnswer:
      // Nothing hangs on whether somebody else's claim is marked.
      if let marked { return .stopped(.interrupted(marked)) }
      fallthrough
    case .noQuorum:
      // Where a connection is over, or a leader cannot lead, each answer is there at once: unpaused, hundreds would be asked a second.
      guard !isHeld, marked == nil, let write else { return .call(read(after: policy.pause)) }
      return .call(put(write.claim, at: write.revision, after: policy.pause))
    case .deleted: return .stopped(.unusable(.deleted))
    case .full, .otherVersion, .refused: return .stopped(.failed(fault))
    }
  }

  private mutating func take(_ reading: ClaimReading, _ cutOff: Set<ScanID>) -> Step {
    guard let revision = reading.revision else {
      guard case .unusable(let flaw) = reading else { return .call(read()) }
      // What may float was to replace something that is no more.
      return .stopped(.unusable(flaw))
    }
    marked = nil
    if case .known(let known) = reading, let found = known.claim.entry(of: entry.scan) {
      floats = nil
      isHeld = true
      // Whoever took it over has waited far longer than we may.
      guard found.state == .claimed else { return .stopped(.interrupted(found)) }
      return judgeTime(of: found, known)
    }
    if isHeld {
      // A leader that was replaced tells of what was; nobody else takes it away.
      if let heldAt, revision >= heldAt { return .stopped(.failed(.wrongRevision)) }
      return .call(read(after: policy.pause))
    }
    if let floats {
      // A leader that was replaced tells of what was.
      if revision < floats { return .call(read(after: policy.pause)) }
      if revision == floats, let write {
        return .call(put(write.claim, at: write.revision, after: policy.pause))
      }
      self.floats = nil
    }
    guard case .known(let known) = reading else { return .call(put(Claim(), at: .none)) }
    switch judge(known, cutOff: cutOff) {
    case .room(let claim): return .call(put(claim, at: revision))
    case .stop(let stop): return .stopped(stop)
    case .mark(let claim, let entry):
      marked = entry
      return .call(ClaimCall(demand.key, .write(claim, at: revision)))
    }
  }

  /// Whether the interval is over, by the leader's clock alone.
  private func judgeTime(of own: ClaimEntry, _ known: KnownClaim) -> Step {
    guard case .interval(let interval) = demand.rule else { return .held }
    let now = own.at ?? known.time
    let last = known.claim.entries.last { other in
      other.scan != own.scan && now - other.time(in: known.time) < interval
    }
    guard let last else { return .held }
    return .stopped(last.isSettled ? .tooSoon(after: last) : .interrupted(last))
  }

  private mutating func put(_ claim: Claim, at revision: ClaimRevision, after pause: Duration = .zero) -> ClaimCall {
    var claim = claim
    if claim.entry(of: entry.scan) == nil {
      if case .quantity(let told?) = demand.rule { claim.quantity = told }
      // There is place in a new one, and `judge` has made it in others.
      _ = claim.append(entry)
    }
    write = Write(claim: claim, revision: revision)
    outstanding = revision
    return ClaimCall(demand.key, .write(claim, at: revision), after: pause)
  }

  private mutating func read(after pause: Duration = .zero) -> ClaimCall {
    if floats == nil { write = nil }
    return ClaimCall(demand.key, .read, after: pause)
  }

  // MARK: Judging

  private enum Judgement {
    case room(Claim)
    case stop(Stop)
    /// Marked first: it has stood for too long.
    case mark(Claim, ClaimEntry)
  }

  private func judge(_ known: KnownClaim, cutOff: Set<ScanID>) -> Judgement {
    var claim = known.claim.dated(known.time)
    if case .interval = demand.rule { claim.forgetSpaced() }
    let own = claim.entries.firstIndex {
      repeats.contains($0.scan) && $0.station == entry.station && !$0.isSettled
    }
    switch demand.rule {
    case .quantity, .atMost:
      if case .quantity(let told?) = demand.rule { claim.quantity = told }
      let allowance = claim.allowance(told: demand.rule.told)
      // Its own place is one only as long as it is not beyond those that there are: it may have been taken alone.
      if claim.occupied - (own == nil ? 0 : 1) < allowance { return placed(claim, own) }
      let admitted = claim.entries.filter { $0.state == .admitted }
      if admitted.count >= allowance, let first = admitted.first { return .stop(.used(by: first)) }
    case .interval:
      if own != nil || !claim.entries.contains(where: { $0.state == .claimed }) { return placed(claim, own) }
    }
    if let open = claim.entries.first(where: { $0.state == .claimed }) {
      guard let place = claim.entries.firstIndex(where: { $0.state == .claimed && cutOff.contains($0.scan) }) else {
        return .stop(.busy(with: open))
      }
      claim.entries[place].state = .interrupted
      return .mark(claim, claim.entries[place])
    }
    if let cut = claim.entries.first(where: { $0.state == .interrupted }) { return .stop(.interrupted(cut)) }
    guard let first = claim.entries.first(where: { $0.isInside }) else { return .stop(.crowded) }
    return .stop(.used(by: first))
  }

  /// The claim with our entry: in the place of an earlier one of this station, or at the end.
  private func placed(_ claim: Claim, _ place: Int?) -> Judgement {
    var claim = claim
    var entry = entry
    guard let place else { return claim.append(entry) ? .room(claim) : .stop(.crowded) }
    // What the earlier request did is not known, whatever comes of this one. Its time is this one's: now somebody may pass.
    entry.mayHaveRedeemed = redeems || claim.entries[place].mayHaveRedeemed
    claim.entries[place] = entry
    return .room(claim)
  }
}
