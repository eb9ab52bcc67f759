package import ScanModel

/// What a station does with one presentation, from its claim to the open gate. Pure: time is an argument, effects are results.
///
///     claiming ──▶ noting ──▶ redeeming ──▶ claiming (what the answer told) ──▶ concluding ──▶ opening ──▶ ended
///        │ no room      ╲      │ refused        │ no room                          │ too late    │ not opened
///        ▼               ╲     ▼                ▼                                  ▼             ▼
///      ended: nothing is left, or a debt says what is: released is only what has surely redeemed nothing
///
/// The intent is durable before a ticket system is asked, the conclusion before a gate opens. A station opens for `ClaimPolicy.ownFor` after it has
/// sent its first claim, by its own clock, and never later.
package struct ClaimAttempt: Hashable, Sendable {
  /// What has happened.
  package enum Event: Hashable, Sendable {
    /// A call was answered.
    case answered(UInt32, ClaimAnswer)
    /// This intent is durable.
    case noted(ClaimIntent)
    /// Nobody waits any longer for the fleet.
    case timeIsUp
    /// Whether the station may admit alone.
    case alone(AloneWord)
    /// The ticket system admits, or there is none to ask; with what it told of the ticket and of its sale.
    case redeemed([ClaimDemand])
    /// The ticket system does not admit; whether it has surely recorded nothing.
    case refused(surelyNothing: Bool)
    /// What it did is not known.
    case unanswered
    /// The conclusion is durable.
    case concluded
    /// The gate has opened.
    case opened
    /// It has not, and will not; or the conclusion could not be made durable, and it may not.
    case notOpened
  }

  /// What to do.
  package enum Effect: Hashable, Sendable {
    /// Ask the store; the answer names the number. Answers to earlier ones are of no use any more.
    case call(UInt32, ClaimCall)
    /// Make this durable, then say `noted` of it.
    case note(ClaimIntent)
    /// Find out whether the station may admit alone, then say `alone`.
    case askAlone
    /// Ask the ticket system.
    case redeem
    /// Make this durable, then say `concluded`.
    case conclude(ClaimConclusion)
    /// Write this down, with nobody waiting: nobody is admitted. It takes the place of an earlier conclusion.
    case close(ClaimConclusion)
    /// Open the gate, but not after this time by this machine's clock: look at it when the relay moves.
    case open(until: BootTime)
    /// It is over.
    case end(ClaimVerdict, owed: [ClaimDebt])
  }

  private enum Phase: Hashable, Sendable {
    case claiming(Int)
    case askingAlone
    case noting
    case redeeming
    case concluding
    case opening
    case ended
  }

  private let scan: ScanID
  private let station: StationID
  private let gate: GateID
  private let repeats: Set<ScanID>
  private let redeems: Bool
  private let policy: ClaimPolicy
  private var phase = Phase.claiming(0)
  private var claims: [ClaimWriting]
  private var number: UInt32 = 0
  private var sentAt: BootTime?
  private var isNoted = false
  /// Whether the ticket system was asked, and may have recorded something.
  private var mayHaveRedeemed = false
  /// Whether it has said that it admits.
  private var isVouchedFor = false
  private var aloneSince: WallTime?
  private var isAlone = false

  /// - Parameters:
  ///   - demands: the ticket, and the sale where it is known; at least one.
  ///   - repeats: earlier scans of this station on this ticket of which it does not know what they did.
  ///   - redeems: whether a ticket system that records admissions is asked.
  package init(
    _ scan: ScanID, at gate: GateID, of station: StationID, _ demands: [ClaimDemand], repeats: Set<ScanID> = [],
    redeems: Bool, policy: ClaimPolicy = ClaimPolicy()
  ) {
    self.scan = scan
    self.gate = gate
    self.station = station
    self.repeats = repeats
    self.redeems = redeems
    self.policy = policy
    claims = []
    claims = demands.map(writing)
  }

  private func writing(_ demand: ClaimDemand) -> ClaimWriting {
    ClaimWriting(
      demand, ClaimEntry(scan: scan, station: station, gate: gate), repeats: repeats, redeems: redeems, policy: policy)
  }

  /// Begins.
  /// - Parameters:
  ///   - hint: what a watch has told of the ticket's key last.
  ///   - isAway: whether the fleet is known not to answer: then nobody waits for it.
  package mutating func begin(at time: BootTime, wall: WallTime, knowing hint: KnownClaim?, isAway: Bool) -> [Effect] {
    sentAt = time
    if isAway {
      phase = .askingAlone
      return [.askAlone]
    }
    guard !claims.isEmpty else { return stop(.failed(.refused("a ticket without a key"))) }
    return [.note(intent), call(claims[0].begin(knowing: hint))]
  }

  /// Whether it is over.
  package var isEnded: Bool { phase == .ended }

  /// - Parameters:
  ///   - time: now, by `CLOCK_BOOTTIME`.
  ///   - wall: now, by the station's clock: for what it does alone.
  ///   - cutOff: what `SeenClaims` says of the claim that was read.
  package mutating func handle(
    _ event: Event, at time: BootTime, wall: WallTime, cutOff: Set<ScanID> = []
  ) -> [Effect] {
    switch (event, phase) {
    case (.answered(let number, let answer), .claiming(let place)):
      guard number == self.number, claims.indices.contains(place) else { return [] }
      return take(claims[place].take(answer, cutOff: cutOff), place, at: time)
    case (.timeIsUp, .claiming):
      phase = .askingAlone
      return [.askAlone]
    case (.timeIsUp, .noting): return stop(.late)
    case (.alone(let word), .askingAlone): return goAlone(word, wall: wall, at: time)
    case (.noted(let noted), _):
      // That of a station which goes on alone is another one.
      guard noted == intent else { return [] }
      isNoted = true
      return phase == .noting ? ask(at: time) : []
    case (.redeemed(let demands), .redeeming):
      isVouchedFor = true
      let first = claims.count
      for demand in demands {
        if let place = claims.firstIndex(where: { $0.demand.key == demand.key }) {
          claims[place].demand = demand
        } else {
          claims.append(writing(demand))
        }
      }
      return isAlone ? conclude(at: time) : claim(from: first, at: time)
    case (.refused(let surelyNothing), .redeeming):
      mayHaveRedeemed = !surelyNothing
      return stop(.refused)
    case (.unanswered, .redeeming): return stop(.unanswered)
    case (.concluded, .concluding):
      guard let end = owned(at: time) else { return stop(.late) }
      phase = .opening
      return [.open(until: end)]
    case (.opened, .opening):
      phase = .ended
      return [.end(.admit(isProvisional: isAlone), owed: debts(.admitted))]
    // Nor where the conclusion is not durable in time: should it be later, the next one takes its place.
    case (.notOpened, .opening), (.notOpened, .concluding): return stop(.late)
    default: return []
    }
  }

  /// Until when it opens; `nil` where that is past.
  private func owned(at time: BootTime) -> BootTime? {
    guard let sentAt, time >= sentAt, time - sentAt <= policy.ownFor else { return nil }
    return sentAt + policy.ownFor
  }

  private var intent: ClaimIntent {
    ClaimIntent(
      scan: scan, gate: gate, keys: claims.map(\.demand.key), redeems: redeems, repeats: repeats, aloneSince: aloneSince
    )
  }

  private mutating func call(_ call: ClaimCall) -> Effect {
    number &+= 1
    return .call(number, call)
  }

  // MARK: The way

  private mutating func take(_ step: ClaimWriting.Step, _ place: Int, at time: BootTime) -> [Effect] {
    switch step {
    case .call(let next): return [call(next)]
    case .held: return claim(from: place + 1, at: time)
    case .stopped(let why): return stop(ClaimVerdict(why))
    }
  }

  private mutating func claim(from place: Int, at time: BootTime) -> [Effect] {
    if claims.indices.contains(place) {
      phase = .claiming(place)
      return [call(claims[place].begin(knowing: nil))]
    }
    if isVouchedFor { return conclude(at: time) }
    phase = .noting
    return isNoted ? ask(at: time) : []
  }

  private mutating func ask(at time: BootTime) -> [Effect] {
    // Who cannot open any more redeems nothing.
    guard owned(at: time) != nil else { return stop(.late) }
    phase = .redeeming
    mayHaveRedeemed = redeems
    return [.redeem]
  }

  private mutating func conclude(at time: BootTime) -> [Effect] {
    guard owned(at: time) != nil else { return stop(.late) }
    phase = .concluding
    return [.conclude(ClaimConclusion(scan: scan, isAdmission: true, debts: debts(.admitted)))]
  }

  private mutating func goAlone(_ word: AloneWord, wall: WallTime, at time: BootTime) -> [Effect] {
    guard word == .mayAdmit else { return stop(.alone(word)) }
    isAlone = true
    aloneSince = wall
    if isVouchedFor { return conclude(at: time) }
    phase = .noting
    isNoted = false
    return [.note(intent)]
  }

  private mutating func stop(_ verdict: ClaimVerdict) -> [Effect] {
    phase = .ended
    let owed = debts(mayHaveRedeemed ? .interrupted : .released)
    return [.close(ClaimConclusion(scan: scan, isAdmission: false, debts: owed)), .end(verdict, owed: owed)]
  }

  private func debts(_ goal: ClaimDebt.Goal) -> [ClaimDebt] {
    claims.compactMap { claim in
      let isThere = claim.isHeld || claim.mayCome != nil
      // Where nothing was written nothing is to be taken back.
      guard isThere || goal == .admitted || (goal == .interrupted && isAlone) else { return nil }
      var entry = claim.entry
      entry.isProvisional = isAlone
      entry.saidAt = aloneSince
      return ClaimDebt(claim.demand.key, entry, goal, rule: claim.demand.rule)
    }
  }
}

/// What a fleet says to a presentation.
package enum ClaimVerdict: Hashable, Sendable {
  /// The gate opens; provisionally where the fleet could not be asked.
  case admit(isProvisional: Bool)
  /// As many as the ticket admits are in; the first of them.
  case used(by: ClaimEntry)
  /// It was admitted within the interval.
  case tooSoon(after: ClaimEntry)
  /// Another gate decides it at this moment.
  case busy(with: ClaimEntry)
  /// Whether somebody passed on it is not known: staff decide.
  case interrupted(ClaimEntry)
  /// The ticket system does not admit.
  case refused
  /// The ticket system did not answer, or what it said is no answer.
  case unanswered
  /// The fleet cannot be asked, and the station may not admit alone; why.
  case alone(AloneWord)
  /// What the fleet has of the ticket decides nothing.
  case unusable(ClaimFlaw)
  /// The ticket has more entries than a claim may have.
  case crowded
  /// The fleet's store does not take the claim.
  case failed(ClaimFault)
  /// It took so long that somebody else may hold the claim by now.
  case late

  init(_ stop: ClaimWriting.Stop) {
    self =
      switch stop {
      case .used(let entry): .used(by: entry)
      case .tooSoon(let entry): .tooSoon(after: entry)
      case .busy(let entry): .busy(with: entry)
      case .interrupted(let entry): .interrupted(entry)
      case .unusable(let flaw): .unusable(flaw)
      case .crowded: .crowded
      case .failed(let fault): .failed(fault)
      }
  }
}
