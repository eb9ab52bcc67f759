internal import LinuxIO
package import ScanModel

/// Tells whether a maintenance window of a control service holds.
package struct MaintenanceClock: Sendable {
  /// Whether one holds.
  package struct Reading: Sendable, Equatable {
    /// Until when one holds; `nil` where none does.
    package var until: WallTime?
    /// What is not as the service wants it, for the operator; `nil` where all is.
    package var words: String?
  }

  private let folder: String
  private let own: ZoneRules

  /// Knows the machine's own zone, as it is when this is made.
  package init() { self.init(folder: ZoneRules.folder, own: .machine()) }

  init(folder: String, own: ZoneRules) {
    self.folder = folder
    self.own = own
  }

  /// Whether a window holds at a time.
  /// - Parameters:
  ///   - zone: the zone in which the window is meant (IANA); `nil` for the machine's own.
  ///   - isTrusted: whether the clock is synchronised: by one that is not, no gate is taken out of service.
  package func read(
    _ window: ControlConfiguration.MaintenanceWindow, in zone: String?, at time: WallTime, isTrusted: Bool
  ) -> Reading {
    guard isTrusted else {
      return Reading(
        words: "The maintenance window is not kept: this machine's clock is not synchronised. See timedatectl.")
    }
    var rules = own
    var words: String?
    if let zone {
      if let known = ZoneRules.named(zone, in: folder) {
        rules = known
      } else {
        words = "The time zone \(TerminalText.clean(zone, limit: 64)) is not known here: this machine's own is taken."
      }
    }
    return Reading(until: Self.end(of: window, at: time, rules), words: words)
  }

  /// When the window ends that holds at a time; `nil` where none does. It begins by the civil clock and lasts real minutes: a
  /// night with a change of clocks makes it neither longer nor shorter.
  static func end(
    of window: ControlConfiguration.MaintenanceWindow, at time: WallTime, _ rules: ZoneRules
  ) -> WallTime? {
    let now = time.seconds
    let minute = Int64(min(max(window.minute, 0), 1_439))
    let length = Int64(min(max(window.minutes, 1), 1_440)) * 60
    let today = CivilDay.split(now + rules.offset(at: now)).day.number
    // One of the day before may last until now, and a change of clocks may move a day's beginning over midnight.
    for day in (today - 2)...(today + 1) where isOn(window.day, day) {
      let start = rules.time(local: day * 86_400 + minute * 60)
      if start <= now && now < start + length { return WallTime(seconds: start + length) }
    }
    return nil
  }

  private static func isOn(_ wanted: ControlConfiguration.MaintenanceWindow.Day, _ day: Int64) -> Bool {
    switch wanted {
    case .daily: return true
    case .weekly(let weekday): return CivilDay.weekday(of: day) == Int64(weekday)
    case .monthly(let wanted):
      let civil = CivilDay(number: day)
      return civil.day == min(Int64(wanted), CivilDay.days(in: civil.month, of: civil.year))
    }
  }
}
