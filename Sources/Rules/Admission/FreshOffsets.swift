import ScanModel

/// By how much the clock that dates a record would have to be ahead of the one that bounds it, if the record was made while a
/// request was out: `least <= offset < most`. Negative where it would be behind.
struct FreshOffsets: Sendable, Codable, Equatable {
  let least: Duration
  let most: Duration

  /// - Parameters:
  ///   - span: of the request, from sending to answer.
  ///   - clock: what the exchange tells of the bounding clock, not moved by any offset.
  init(of record: WallTime, within span: ClosedRange<MonotonicTime>, _ clock: ServerClock) {
    least = record - clock.latestRecord(at: span.upperBound)
    // A record is of whole seconds, rounded down.
    most = WallTime(seconds: record.seconds) + .seconds(1) - clock.earliestTime(at: span.lowerBound)
  }

  init(least: Duration, most: Duration) {
    self.least = least
    self.most = most
  }

  var middle: Duration { (least + most) / 2 }

  func contains(_ offset: Duration) -> Bool { least <= offset && offset < most }

  /// Whether the record is older than the request, by a clock that is so far ahead.
  func isOlder(by offset: Duration) -> Bool { offset >= most }

  /// Whether it is later than the answer, by more than is tolerated.
  func isAhead(of offset: Duration, tolerating: Duration) -> Bool { least > offset + tolerating }

  /// Whether one offset would do for both.
  func overlaps(_ other: FreshOffsets) -> Bool { max(least, other.least) < min(most, other.most) }

  /// What all of them allow; `nil` where nothing.
  static func common(_ all: [FreshOffsets]) -> FreshOffsets? {
    guard let least = all.map(\.least).max(), let most = all.map(\.most).min(), least < most else { return nil }
    return FreshOffsets(least: least, most: most)
  }
}

/// By which clocks a record that was judged to be somebody else's would be of ours all the same.
struct JudgedOffsets: Sendable, Codable, Equatable {
  /// Made by the request that was judged.
  let asked: FreshOffsets
  /// Made by earlier requests of ours whose answers were lost.
  let lost: [FreshOffsets]
  /// When the first of these was asked, by our civil clock; not in the memory of earlier versions.
  var lostSince: WallTime?
}
