import LinuxIO
import ScanModel

/// How pages write times: in the machine's zone, and with the day where that is not today.
struct PageTime: Sendable {
  /// The time at which it is written.
  var now: WallTime
  var zone = PageTime.machine

  private static let machine = ZoneRules.machine()

  /// `19:42`, or `2026-11-21 19:42` of another day.
  func short(_ time: WallTime) -> String {
    let (day, second) = parts(time)
    let clock = String(CivilDay.clock(second).dropLast(3))
    return day == parts(now).day ? clock : "\(day) \(clock)"
  }

  /// `19:42:07`.
  var clock: String { CivilDay.clock(parts(now).second) }

  private func parts(_ time: WallTime) -> (day: CivilDay, second: Int64) {
    CivilDay.split(time.seconds + zone.offset(at: time.seconds))
  }
}
