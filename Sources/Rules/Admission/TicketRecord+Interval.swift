import ScanModel

/// An admission after which the same ticket is refused for an interval.
struct SpacedAdmission: Sendable, Codable, Equatable {
  /// When it was, by the clock of its own boot; `nil` in a later one.
  var at: MonotonicTime?
  /// Where and when.
  var use: FirstUse
  /// Whether the civil clock could be believed then.
  var isTrusted: Bool
  /// Whether somebody was admitted; else the machine ended while it was decided.
  var isSure = true

  /// The admission as it is known in a later boot.
  var afterReboot: SpacedAdmission {
    var admission = self
    admission.at = nil
    return admission
  }

  /// Whether it was at least so long ago; `nil` where no clock tells. The machine has been running for as long as its clock says.
  func isPast(_ interval: Duration, at time: MonotonicTime, wall: WallTime, isTrusted: Bool) -> Bool? {
    if let at { return time - at >= interval }
    if time - MonotonicTime(nanoseconds: 0) >= interval { return true }
    return self.isTrusted && isTrusted && wall >= use.at ? wall - use.at >= interval : nil
  }
}

/// Tickets that admit as often as they are shown, and not twice in an interval (`AttemptPolicy.interval`).
extension TicketRecord {
  /// Whether it is such a ticket. What a ticket system has a record of is used by that record.
  var isSpaced: Bool { interval != nil && kind != .entry && kind != .sale && entries.isEmpty }

  /// The answer without a request to a ticket, in any spelling, that has admitted somebody within the interval, or may have.
  func tooSoon(at time: MonotonicTime, wall: WallTime, isTrusted: Bool, _ book: SaleBook) -> AttemptDecision? {
    guard let interval, isSpaced else { return nil }
    func judge(_ admission: SpacedAdmission?, _ note: AttemptDecision.Note?) -> AttemptDecision? {
      guard let admission else { return nil }
      let isPast = admission.isPast(interval, at: time, wall: wall, isTrusted: isTrusted)
      if isPast == true { return nil }
      guard admission.isSure else { return interruption() }
      var decision = decision(isPast == nil ? .undecided(.clockWrong) : .refuse(.tooSoon), note: note)
      decision.firstUse = admission.use
      return decision
    }
    if let own = judge(spaced, nil) { return own }
    return otherSpellings(book).lazy.compactMap { judge($0.spaced, .otherCode) }.first
  }

  /// Notes who was admitted.
  mutating func space(
    _ decision: AttemptDecision, at time: MonotonicTime, wall: WallTime, isTrusted: Bool, _ lock: AttemptLock
  ) {
    guard interval != nil, decision.verdict == .admit else { return }
    spaced = SpacedAdmission(
      at: time, use: FirstUse(gate: lock.gate, at: wall, request: lock.attempt), isTrusted: isTrusted)
  }
}
