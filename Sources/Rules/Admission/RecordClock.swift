package import ScanModel

/// How far the clock that dates a ticket system's records is ahead of the one that its answers' `Date` shows, as far as the
/// records themselves tell: an application and the machine in front of it may disagree.
///
/// A record that lies before its request was made by somebody else; unless a clock is wrong. No single one tells which:
///
///                  three of the last eight new tickets used at one distance, two used a moment ago, or a record of the future
///     trusted ───────────────────────────────────────────────────────────────────────────────────────▶ doubted
///      ▲   │ an offset was learnt, and nothing                                                          │ each ticket is
///      │   ▼ has confirmed it for ten minutes                                                           │ looked up first
///      │  unconfirmed ── the next proven record ──┐     five proven records at one distance:            │
///      └──────────────────────────────────────────┴──── that is the offset now ◀────────────────────────┘
///
/// A record is *proven* fresh where a look-up, which redeems nothing, has shown the ticket unused right before the request. Only
/// such records move the offset. Five tickets used elsewhere, whose copies come in the same rhythm, look like a wrong clock too;
/// by them the sixth copy would pass.
///
/// The offset moves what counts as fresh and widens nothing. It is the least that all five allow: a greater one could refuse a
/// fresh ticket.
///
/// Clocks that are a second apart spare most tickets and hit some. So a ticket used less than five seconds before it comes is
/// suspicious by itself: the second one raises the doubt, and none of them is refused when it comes again.
package struct RecordClock: Sendable {
  /// Why no record's time can be believed.
  package enum Doubt: Sendable, Equatable {
    /// The offset was learnt before a restart, or long ago.
    case unconfirmed
    /// A record is later than the answer that shows it, by so much.
    case ahead(Duration)
    /// Tickets never seen before come back as used, again and again, all by about so much too early.
    case behind(Duration)

    /// Whether the ticket system's clocks have contradicted one another.
    package var isContradiction: Bool { self != .unconfirmed }
  }

  private struct Seen: Sendable {
    let ticket: TicketKey
    let entryID: String
    let offsets: FreshOffsets

    /// Whether both tell of one ticket: a server that overlooks case shows one record for many codes.
    func isOfTicket(of other: Seen) -> Bool { ticket == other.ticket || entryID == other.entryID }
  }

  /// So many records of new tickets are looked back upon.
  private static let mostRecent = 8
  /// So many of them, used at one distance, are no accident.
  private static let suspicious = 3
  /// A ticket that was used so short a time ago, at another station, is a rare thing.
  private static let near: Duration = .seconds(5)
  /// So many of these are no accident.
  private static let suspiciousNear = 2
  /// So many distances are remembered at which tickets came back as used.
  private static let mostSuspected = 16
  /// So many proven records tell the offset.
  private static let enough = 5
  /// How long a learnt offset holds with nothing that confirms it.
  private static let confirmedFor: Duration = .seconds(600)
  /// After what times a ticket may be asked for although nothing can be proven: else nobody would learn that the clocks were put
  /// right, or never were wrong. From the first to the last it doubles.
  private static let probesAfter: ClosedRange<Duration> = .seconds(15) ... .seconds(300)
  /// How far our own clock may move against the monotonic one before it counts as set.
  private static let slewing: Duration = .seconds(2)

  /// The offset that it begins with.
  package let configured: Duration
  /// How far the records' clock is ahead of the one that bounds them.
  package private(set) var offset: Duration
  /// Why no record's time can be believed; `nil` where it can.
  package private(set) var doubt: Doubt?

  private let tolerated: Duration
  private var recent: [Seen] = []
  private var proven: [Seen] = []
  /// The last that missed by a moment.
  private var missed: [FreshOffsets] = []
  /// At what distances tickets came back as used; to outlive the process.
  package private(set) var suspicions: [RecordSuspicion] = []
  /// Whether answers have a `Date`, else our own clock stands in for it; `nil` before the first one.
  private var datedness: Bool?
  /// Our own clock against the monotonic one, when it last stood in.
  private var ownClock: Duration?
  private var confirmedAt = MonotonicTime(nanoseconds: .min)
  private var probedAt = MonotonicTime(nanoseconds: .min)
  private var probesAfter = Self.probesAfter.lowerBound
  private var probe: TicketKey?

  /// Makes a clock that is trusted.
  /// - Parameters:
  ///   - configured: how far the clock that dates records is known to be ahead of `Date`; negative where it is behind.
  ///   - tolerated: how much later than its answer a record may be without a contradiction.
  package init(configured: Duration = .zero, tolerated: Duration = .seconds(5)) {
    self.configured = configured
    self.tolerated = tolerated
    offset = configured
  }

  /// The clock by another configured offset. Nothing is learnt by it yet; whom the former may have refused wrongly is not forgotten.
  package func configured(anew offset: Duration, tolerated: Duration, wall: WallTime) -> RecordClock {
    var clock = RecordClock(configured: offset, tolerated: tolerated)
    clock.suspicions = suspicions
    clock.settleSuspicions(at: wall)
    return clock
  }

  /// The offset that was learnt from `Date`, and is to outlive the process; `nil` where none was.
  package var learnt: Duration? { isDated && offset != configured ? offset : nil }

  /// Takes what an earlier process has learnt, to be confirmed by the next proven record.
  package mutating func recall(learnt: Duration) {
    guard offset == configured, doubt == nil else { return }
    offset = learnt
    doubt = .unconfirmed
  }

  /// Takes the distances at which tickets came back as used to an earlier process.
  package mutating func recall(_ suspicions: [RecordSuspicion]) {
    if self.suspicions.isEmpty { self.suspicions = suspicions.suffix(Self.mostSuspected) }
  }

  /// Whether the ticket system's clocks have contradicted one another, and nothing has settled it.
  package var isContradicted: Bool { doubt?.isContradiction == true }

  /// Whether a ticket must be looked up before it may be asked for.
  package mutating func wantsProof(at time: MonotonicTime, wall: WallTime) -> Bool {
    noticeOwnClock(at: time, wall: wall)
    if doubt == nil, offset != base, time - confirmedAt > Self.confirmedFor { doubt = .unconfirmed }
    return doubt != nil
  }

  /// Whether this ticket may be asked for although nothing is proven: it admits nobody, and shows whether the clocks were put right.
  package mutating func mayProbe(_ ticket: TicketKey, at time: MonotonicTime) -> Bool {
    guard isContradicted else { return true }
    guard time - probedAt >= probesAfter else { return false }
    probedAt = time
    probesAfter = min(probesAfter * 2, Self.probesAfter.upperBound)
    probe = ticket
    return true
  }

  // MARK: What records tell

  /// The offset by which an answer is judged.
  func offset(isDated: Bool) -> Duration { isDated == self.isDated ? offset : isDated ? configured : .zero }

  /// Takes the first record that was shown of a ticket.
  mutating func saw(
    _ ticket: TicketKey, entryID: String, _ offsets: FreshOffsets, isProven: Bool, isDated: Bool,
    at time: MonotonicTime,
    wall: WallTime
  ) {
    if isDated != self.isDated {
      // The first answer is no news of what an earlier process has suspected.
      if datedness != nil { settleSuspicions(at: wall) }
      begin(anewWith: isDated ? configured : .zero)
    }
    datedness = isDated
    ownClock = isDated ? nil : wall.distance(from: time)
    let seen = Seen(ticket: ticket, entryID: entryID, offsets: offsets)
    if isProven { prove(seen, at: time, wall: wall) } else { take(seen, at: time) }
  }

  /// A record that was of the future is so no longer: the clocks were set, or the offset that was learnt explains it.
  mutating func isNoLongerAhead(at time: MonotonicTime) { if case .ahead = doubt { trust(at: time) } }

  /// One record of one request is at two distances, and older than the request by the later one: the clocks were moved between.
  /// Where nothing was learnt they were put right; else what was learnt may be void.
  mutating func wasMoved(_ offsets: FreshOffsets, at time: MonotonicTime) {
    guard offset != base else { return isNoLongerAhead(at: time) }
    suspect(at: [offsets])
    begin(doubt: .behind(offset - offsets.middle), at: time)
  }

  /// Whether a record is fresh by what is known now.
  func accepts(_ offsets: FreshOffsets) -> Bool { doubt == nil && fits(offsets) }

  /// Whether a record is of an earlier request, with no tolerance for what is later: there its time ends.
  func acceptsLost(_ offsets: FreshOffsets) -> Bool { doubt == nil && offsets.contains(offset) }

  /// Whether it may be all the same: it may be later by a moment, too.
  func suspectsLost(_ offsets: FreshOffsets, judgedAt time: WallTime) -> Bool {
    suspects(offsets, judgedAt: time) || offsets.least > offset && offsets.least - offset < Self.near
  }

  /// Whether a ticket that was judged used elsewhere may be a clock's fault all the same: nothing has proven the contrary.
  func suspects(_ offsets: FreshOffsets, judgedAt time: WallTime) -> Bool {
    isContradicted || doubt != nil && fits(offsets) || misses(offsets)
      || suspicions.contains { $0.covers(offsets, judgedAt: time) }
  }

  private func fits(_ offsets: FreshOffsets) -> Bool {
    !offsets.isOlder(by: offset) && !offsets.isAhead(of: offset, tolerating: tolerated)
  }

  /// Whether a record is older by a moment only.
  func misses(_ offsets: FreshOffsets) -> Bool { offsets.isOlder(by: offset) && offset - offsets.most < Self.near }

  private mutating func take(_ seen: Seen, at time: MonotonicTime) {
    guard !recent.contains(where: { $0.isOfTicket(of: seen) }) else { return }
    recent.append(seen)
    if recent.count > Self.mostRecent { recent.removeFirst() }
    if seen.offsets.isAhead(of: offset, tolerating: tolerated) {
      if !suspects(seen.offsets) { suspect(at: [seen.offsets]) }
      begin(doubt: .ahead(seen.offsets.least - offset), at: time)
    } else if !seen.offsets.isOlder(by: offset) {
      if !isContradicted || seen.ticket == probe { trust(at: time) }
    } else {
      suspect(seen, at: time)
    }
  }

  private mutating func suspect(_ seen: Seen, at time: MonotonicTime) {
    let isMiss = misses(seen.offsets)
    if isMiss { missed = Array((missed + [seen.offsets]).suffix(Self.mostRecent)) }
    let isKnown = suspects(seen.offsets)
    guard isKnown || isMiss && missed.count >= Self.suspiciousNear || isAgainAndAgain(seen) else { return }
    if !isKnown {
      suspect(at: isMiss ? missed.suffix(Self.suspiciousNear) : [seen.offsets])
    }
    begin(doubt: .behind(offset - seen.offsets.middle), at: time)
  }

  private mutating func suspect(at distances: [FreshOffsets]) {
    suspicions = (suspicions + distances.map { RecordSuspicion($0) }).suffix(Self.mostSuspected)
  }

  /// Whether new tickets come back as used at the distance of this one.
  private func isAgainAndAgain(_ seen: Seen) -> Bool {
    let older = recent.filter { $0.offsets.isOlder(by: offset) }
    return older.contains { candidate in
      let distance = candidate.offsets.least
      return seen.offsets.contains(distance) && older.count { $0.offsets.contains(distance) } >= Self.suspicious
    }
  }

  /// Whether that distance is suspected, and nothing has told more since.
  private func suspects(_ offsets: FreshOffsets) -> Bool {
    suspicions.contains { $0.until == nil && $0.offsets.overlaps(offsets) }
  }

  /// What was judged until now is suspected as ever; what will be is not.
  /// - Parameter learnt: what stays suspected: an offset that was learnt there may be forgotten, and then it looks so again.
  private mutating func settleSuspicions(at wall: WallTime, except learnt: FreshOffsets? = nil) {
    suspicions += missed.map { RecordSuspicion($0) }
    for index in suspicions.indices where suspicions[index].until == nil {
      if let learnt, suspicions[index].offsets.overlaps(learnt) { continue }
      suspicions[index].until = wall
    }
    suspicions = suspicions.suffix(Self.mostSuspected)
    missed = []
  }

  private mutating func prove(_ seen: Seen, at time: MonotonicTime, wall: WallTime) {
    proven.removeAll { $0.isOfTicket(of: seen) }
    proven.append(seen)
    if proven.count > Self.enough { proven.removeFirst() }
    if doubt == .unconfirmed, fits(seen.offsets) { return trust(at: time) }
    guard proven.count == Self.enough, let common = FreshOffsets.common(proven.map(\.offsets)) else { return }
    if !common.contains(offset) || suspects(common) { offset = common.least }
    settleSuspicions(at: wall, except: offset == base ? nil : common)
    trust(at: time)
  }

  private mutating func trust(at time: MonotonicTime) {
    confirmedAt = time
    guard doubt != nil else { return }
    doubt = nil
    recent = []
    proven = []
  }

  private mutating func begin(doubt new: Doubt, at time: MonotonicTime) {
    if !isContradicted {
      proven = []
      probedAt = time
      probesAfter = Self.probesAfter.lowerBound
    }
    doubt = new
  }

  // MARK: Which clock

  /// The offset without anything learnt: a configured one is between the records and `Date`.
  private var base: Duration { isDated ? configured : .zero }

  private var isDated: Bool { datedness ?? true }

  private mutating func begin(anewWith offset: Duration) {
    self.offset = offset
    (recent, proven) = ([], [])
  }

  /// Where our own clock stands in for `Date`, what was learnt by it is void once it is set; and a doubt of it may be cured.
  private mutating func noticeOwnClock(at time: MonotonicTime, wall: WallTime) {
    guard !isDated, let ownClock else { return }
    let moved = wall.distance(from: time) - ownClock
    guard moved > Self.slewing || moved < .zero - Self.slewing else { return }
    self.ownClock = nil
    guard offset != .zero || doubt != nil else { return }
    begin(anewWith: .zero)
    settleSuspicions(at: wall)
    doubt = .unconfirmed
  }
}

extension WallTime {
  /// Civil time minus monotonic time: it changes only where somebody sets the clock.
  fileprivate func distance(from time: MonotonicTime) -> Duration { self - WallTime(nanoseconds: time.nanoseconds) }
}
