package import LinuxIO
package import ScanModel

/// Civil time in a report's zone.
package struct ReportClock: Sendable {
  private let zone: ZoneRules

  /// - Parameter zone: whose civil time is told.
  package init(zone: ZoneRules) { self.zone = zone }

  /// The seconds east of UTC at a time.
  package func offset(at time: WallTime) -> Int64 { zone.offset(at: time.seconds) }

  /// Such as `+02:00`.
  package func offsetText(at time: WallTime) -> String {
    let offset = offset(at: time)
    let minutes = abs(offset) / 60
    return (offset < 0 ? "-" : "+") + "\(Self.two(minutes / 60)):\(Self.two(minutes % 60))"
  }

  /// Such as `2026-10-25 02:30:00`.
  package func plain(_ time: WallTime) -> String {
    let (day, second) = civil(time)
    return "\(day) \(CivilDay.clock(second))"
  }

  /// Such as `2026-10-25 02:30:00`; with its offset on a day on which the clock is put forward or back, and a question mark where
  /// the machine's clock was not trusted.
  package func text(_ time: WallTime, isTrusted: Bool = true) -> String {
    plain(time) + (isOfChange(time) ? " \(offsetText(at: time))" : "") + (isTrusted ? "" : "?")
  }

  /// Whether the clock is put forward or back on the day of a time.
  package func isOfChange(_ time: WallTime) -> Bool {
    let (day, _) = civil(time)
    let first = zone.time(local: day.number * 86_400)
    let last = zone.time(local: (day.number + 1) * 86_400)
    return last - first != 86_400 || zone.offset(at: first) != zone.offset(at: last)
  }

  /// The day of a time, and the second of that day.
  package func civil(_ time: WallTime) -> (day: CivilDay, second: Int64) {
    CivilDay.split(saturatingSum(time.seconds, offset(at: time)))
  }

  /// When a day begins.
  func beginning(of day: Int64) -> WallTime { WallTime(seconds: zone.time(local: day * 86_400)) }

  private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
