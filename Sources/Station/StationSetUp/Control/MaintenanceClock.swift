internal import Glibc
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
  package init() { self.init(folder: "/usr/share/zoneinfo", own: nil) }

  init(folder: String, own: ZoneRules?) {
    self.folder = folder
    self.own = own ?? Self.read("/etc/localtime") ?? .utc
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
      if let known = self.rules(of: zone) {
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
    let local = now + rules.offset(at: now)
    let today = local >= 0 ? local / 86_400 : -((-local + 86_399) / 86_400)
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
    // 1970 began on a Thursday.
    case .weekly(let weekday): return (day % 7 + 11) % 7 == Int64(weekday)
    case .monthly(let wanted):
      let civil = CivilDay.civil(day)
      return civil.day == min(Int64(wanted), CivilDay.days(in: civil.month, of: civil.year))
    }
  }

  private func rules(of zone: String) -> ZoneRules? {
    let isPlain = zone.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/_+-".utf8.contains(byte)
    }
    guard isPlain, (1...64).contains(zone.utf8.count), !zone.hasPrefix("/") else { return nil }
    if zone == "UTC" { return .utc }
    return Self.read("\(folder)/\(zone)")
  }

  private static func read(_ path: String) -> ZoneRules? {
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = Glibc.read(file.number, &bytes, bytes.count)
      guard count > 0 else { return nil }
      return ZoneRules(Array(bytes.prefix(count)))
    } catch {
      return nil
    }
  }
}
