import ScanModel

/// Whose a record of the ticket system is that we see for the first time: judged by the server's clock alone.
enum RecordSource {
  /// Made by this request.
  case thisAttempt
  /// Made by an earlier request of ours, whose answer we did not get.
  case earlierAttempt
  /// Made by somebody else, or before we first asked.
  case elsewhere
  /// Dated later than the server's own clock.
  case ahead
  /// Not by this request; perhaps by one of ours from before the machine started.
  case unknown

  /// - Parameters:
  ///   - span: of this request, from sending to answer.
  ///   - open: attempts of ours on the same code that may have made it.
  ///   - offset: how far the clock that dates records is ahead of the one that makes `date`.
  init(
    _ redemption: Redemption, _ span: ClosedRange<MonotonicTime>, date: WallTime?, wall: WallTime,
    open: [OpenAttempt], offset: Duration, _ policy: AttemptPolicy
  ) {
    let clock = ServerClock(span: span, date: date, wall: wall, wallMargin: policy.wallMargin, offset: offset)
    // A record that was shown before was there before, however fresh it looks by a clock that was put right since.
    let shown = open.first { $0.standing == .ahead(entryID: redemption.entryID) }
    let latest = clock.latestRecord(at: shown?.endedAt ?? span.upperBound) + policy.recordAhead
    if redemption.scannedAt > latest {
      self = .ahead
      return
    }
    let made = redemption.scannedAt
    if let shown {
      // A late answer is of a request from before the one that was shown it first.
      if made >= clock.earliestRecord(at: min(shown.sentAt, span.lowerBound)) {
        self = .earlierAttempt
        return
      }
    } else if made >= clock.earliestRecord(at: span.lowerBound) {
      self = .thisAttempt
      return
    }
    let isOurs = open.contains { attempt in
      if attempt.isUnplaced { return false }
      let ours = attempt.mayHaveMade(before: span.upperBound, policy)
      return made >= clock.earliestRecord(at: ours.lowerBound) && made <= clock.latestRecord(at: ours.upperBound)
    }
    if isOurs {
      self = .earlierAttempt
    } else {
      self = open.contains(where: \.isUnplaced) ? .unknown : .elsewhere
    }
  }
}
