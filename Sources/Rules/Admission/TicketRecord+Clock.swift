import ScanModel

/// Whose a record is, where the ticket system's clocks may contradict one another.
extension TicketRecord {
  /// For how long a ticket that was refused by a wrong clock is judged again by the right one.
  private static let judgedAgainFor: Duration = .seconds(6 * 3_600)

  /// Whose the record is, and by which clocks it would be this attempt's. A ticket's first record tells something of the clocks.
  /// - Parameters:
  ///   - wasUnused: a look-up right before the request has shown the ticket unused.
  ///   - isTelling: whether the request only tells of an admission.
  mutating func source(
    of redemption: Redemption, _ span: ClosedRange<MonotonicTime>, date: WallTime?, wall: WallTime, wasUnused: Bool,
    isTelling: Bool = false, _ policy: AttemptPolicy, _ book: inout SaleBook
  ) -> (RecordSource, JudgedOffsets) {
    let isDated = date != nil
    let source = RecordSource(
      redemption, span, date: date, wall: wall, open: open, offset: book.clock.offset(isDated: isDated), policy)
    // One that was shown before would have been made by the attempt that was shown it, or by this one, if it is older.
    let shown = open.first { $0.standing == .ahead(entryID: redemption.entryID) }
    let asked =
      shown.map { shown in
        let sent = Swift.min(shown.sentAt, span.lowerBound)
        return sent...Swift.max(sent, shown.endedAt)
      } ?? span
    let clock = ServerClock(span: span, date: date, wall: wall, wallMargin: policy.wallMargin)
    let offsets = FreshOffsets(of: redemption.scannedAt, within: asked, clock)
    let placed = open.filter { !$0.isUnplaced }
    let lost = placed.map { attempt in
      FreshOffsets(of: redemption.scannedAt, within: attempt.mayHaveMade(before: span.upperBound, policy), clock)
    }
    if isTelling, policy.isShared, source == .elsewhere {
      // Two stations that were alone tell of the same ticket: that says nothing of clocks.
    } else if wasUnused || entries.isEmpty && open.isEmpty {
      book.clock.saw(
        key, entryID: redemption.entryID, offsets, isProven: wasUnused, isDated: isDated, at: span.upperBound,
        wall: wall)
    } else if source == .elsewhere, let first = shown?.offsets, !first.overlaps(offsets) {
      book.clock.wasMoved(offsets, at: span.upperBound)
    } else if shown != nil, source != .ahead {
      book.clock.isNoLongerAhead(at: span.upperBound)
    }
    let judged = JudgedOffsets(asked: offsets, lost: lost, lostSince: placed.map(\.lock.wall).min())
    return (wasUnused ? .thisAttempt : source, judged)
  }

  /// Whether the ticket system has shown a record on which nobody was admitted yet: asking again spends nothing.
  var hasRecordToAskFor: Bool {
    open.contains { if case .ahead = $0.standing { true } else { false } }
      || entries.values.contains { $0.origin == .ours && !$0.isClaimed }
  }

  /// Whose a record is that looks old cannot be told: an alarm while the clocks contradict one another, else a case for staff alone.
  func unclear(_ book: SaleBook) -> AttemptDecision {
    decision(.undecided(book.clock.isContradicted ? .clockWrong : .interrupted), note: .recordBehind)
  }

  /// Judges again a ticket that counted as used elsewhere by a clock that is doubted, or was corrected, since. Somebody may be in
  /// on it without the ticket system's word.
  /// - Returns: that staff decide, where nothing has proven yet whose the record is.
  mutating func rejudge(wall: WallTime, _ book: SaleBook) -> AttemptDecision? {
    guard admitted < quantity else { return nil }
    var isUnclear = false
    for (entryID, entry) in entries where entry.origin == .elsewhere {
      let age = wall - entry.shownTo.wall
      guard let offsets = entry.offsets, (.zero - Self.judgedAgainFor...Self.judgedAgainFor).contains(age) else {
        continue
      }
      guard book.clock.accepts(offsets.asked) || offsets.lost.contains(where: book.clock.acceptsLost) else {
        // A lost request is of the clocks as they were then, whenever its record is shown.
        let lostSince = offsets.lostSince ?? entry.shownTo.wall
        isUnclear =
          isUnclear || book.clock.suspects(offsets.asked, judgedAt: entry.shownTo.wall)
          || offsets.lost.contains { book.clock.suspectsLost($0, judgedAt: lostSince) }
        continue
      }
      // As after a lost answer of our own: the ticket system is asked, and shows the record again.
      entries[entryID] = KnownEntry(
        origin: .ours, isClaimed: false, claimUntil: nil, isBarred: entry.isBarred, shownTo: entry.shownTo)
      isUsedElsewhere = false
      if admitted == 0 { firstUse = nil }
      if kind == .entry { kind = .unknown }
    }
    return isUnclear ? unclear(book) : nil
  }
}
