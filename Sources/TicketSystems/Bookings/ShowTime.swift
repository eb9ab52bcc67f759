internal import LinuxIO
internal import ScanModel

/// When a show begins, at its venue: the service tells date and time without a zone, and lists the moment that this is.
///
/// A time that a clock change skips or doubles has two readings. Lists keep the earlier one, which tells the other by the change that
/// follows it; what begins within the hour before a skipped one has the later reading, too, for a list cannot tell the two apart.
struct ShowTime: Sendable, Equatable {
  /// Since when an evening is a new one, after midnight.
  static let night: Int64 = 5 * 3_600
  /// No clock is put by more.
  private static let longestChange: Int64 = 3 * 3_600

  /// The earlier reading.
  let begins: WallTime
  /// The later one; the same where there is one alone.
  let latest: WallTime
  /// The day that its evening belongs to: what begins before five in the morning is of the evening before.
  let evening: CivilDay

  /// The show that begins at a moment.
  init(_ begins: WallTime, in zone: ZoneRules) {
    self.begins = begins
    let before = zone.offset(at: begins.seconds)
    let change = abs(zone.offset(at: saturatingSum(begins.seconds, Self.longestChange)) - before)
    let isDouble = change > 0 && zone.offset(at: saturatingSum(begins.seconds, change)) != before
    latest = isDouble ? begins + .seconds(change) : begins
    evening = Self.evening(of: begins, in: zone)
  }

  /// The earlier reading of a civil time.
  /// - Parameter second: of the day, below 86,400.
  static func moment(of day: CivilDay, second: Int64, in zone: ZoneRules) -> WallTime {
    let local = day.number * 86_400 + second
    let offsets = [zone.offset(at: local - 86_400), zone.offset(at: local + 86_400)]
    let readings = [local - (offsets.max() ?? 0), local - (offsets.min() ?? 0)]
    // Where the change skips it, clocks show it at neither.
    let shown = readings.first { $0 + zone.offset(at: $0) == local }
    return WallTime(seconds: shown ?? readings[0])
  }

  /// A day at the venue, from its beginning to the next one's.
  static func span(of day: CivilDay, in zone: ZoneRules) -> Range<WallTime> {
    let beginning = WallTime(seconds: zone.time(local: day.number * 86_400))
    return beginning..<max(WallTime(seconds: zone.time(local: (day.number + 1) * 86_400)), beginning)
  }

  /// The day that a moment's evening belongs to.
  static func evening(of time: WallTime, in zone: ZoneRules) -> CivilDay {
    CivilDay.split(saturatingDifference(saturatingSum(time.seconds, zone.offset(at: time.seconds)), night)).day
  }

  /// A moment as people at the venue write it: `19:30`, with the date where that is asked for.
  static func words(_ time: WallTime, in zone: ZoneRules, withDate: Bool = false) -> String {
    let (day, second) = CivilDay.split(saturatingSum(time.seconds, zone.offset(at: time.seconds)))
    let clock = String(CivilDay.clock(second).dropLast(3))
    return withDate ? "\(day) \(clock)" : clock
  }
}
