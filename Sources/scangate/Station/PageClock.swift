import LinuxIO
import ScanModel

/// How a page writes times: in a zone, and with the day where that is not today.
struct PageClock: Sendable {
  /// The time at which the page is made.
  var now: WallTime
  /// The zone, that of the machine where nothing else is said.
  var zone = PageClock.machine

  private static let machine = ZoneRules.machine()

  /// `19:42`, or `2026-11-21 19:42` of another day.
  func short(_ time: WallTime) -> String {
    let (day, second) = parts(time)
    let clock = String(CivilDay.clock(second).dropLast(3))
    return day == parts(now).day ? clock : "\(day) \(clock)"
  }

  /// `19:42:07`.
  func clock(_ time: WallTime) -> String { CivilDay.clock(parts(time).second) }

  /// `2026-11-21 19:42:07`.
  func full(_ time: WallTime) -> String { "\(parts(time).day) \(clock(time))" }

  /// How long ago it was; never negative.
  func age(of time: WallTime) -> Duration { max(.zero, now - time) }

  private func parts(_ time: WallTime) -> (day: CivilDay, second: Int64) {
    CivilDay.split(time.seconds + zone.offset(at: time.seconds))
  }
}
