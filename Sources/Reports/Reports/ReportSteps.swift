package import ScanModel

/// How long the steps are in which a report tells time.
package enum ReportStep: Sendable, Equatable, CaseIterable {
  case fiveMinutes, quarterHour, hour, day, week, month, year

  /// The step for a report of such a length: so many that one page shows them.
  package static func fitting(_ length: Duration) -> ReportStep {
    let hours = length.milliseconds / 3_600_000
    return switch hours {
    case ..<13: .fiveMinutes
    case ..<37: .quarterHour
    case ..<(5 * 24): .hour
    case ..<(100 * 24): .day
    case ..<(900 * 24): .week
    case ..<(12 * 366 * 24): .month
    default: .year
    }
  }

  /// Seconds, where a step is always as long.
  private var seconds: Int64? {
    switch self {
    case .fiveMinutes: 300
    case .quarterHour: 900
    case .hour: 3_600
    default: nil
    }
  }

  /// Whether it is a day or longer.
  package var isOfDays: Bool { seconds == nil }

  /// When the step of a time begins. Where the clock is put back, an hour that comes twice is two steps.
  package func beginning(of time: WallTime, by clock: ReportClock) -> WallTime {
    if let seconds {
      let offset = clock.offset(at: time)
      let local = saturatingSum(time.seconds, offset)
      return WallTime(seconds: saturatingDifference(local - (local % seconds + seconds) % seconds, offset))
    }
    return clock.beginning(of: first(clock.civil(time).day))
  }

  /// When the next step begins after one that begins then.
  package func next(after beginning: WallTime, by clock: ReportClock) -> WallTime {
    if let seconds {
      // After a change of the clock it begins where the new civil time has it.
      return max(
        self.beginning(of: beginning + .seconds(seconds), by: clock), beginning + .seconds(min(seconds, 300)))
    }
    let day = clock.civil(beginning).day
    let next: Int64 =
      switch self {
      case .week: first(day) + 7
      case .month: first(day) + CivilDay.days(in: day.month, of: day.year)
      case .year: CivilDay.first(of: 1, in: day.year + 1)
      default: day.number + 1
      }
    return clock.beginning(of: next)
  }

  /// The number of the first day of a day's step; weeks begin on Monday.
  private func first(_ day: CivilDay) -> Int64 {
    switch self {
    case .week: day.number - (day.weekday + 6) % 7
    case .month: CivilDay.first(of: day.month, in: day.year)
    case .year: CivilDay.first(of: 1, in: day.year)
    default: day.number
    }
  }
}
