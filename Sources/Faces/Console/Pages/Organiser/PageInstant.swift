import LinuxIO
import ScanModel

/// Times as browsers' forms write them: `2026-11-27T19:42`, in the machine's zone. Pure.
enum PageInstant {
  /// The text of a time.
  static func local(_ time: WallTime, _ clock: PageTime) -> String {
    let (day, second) = CivilDay.split(time.seconds + clock.zone.offset(at: time.seconds))
    return "\(day)T\(CivilDay.clock(second).prefix(5))"
  }

  /// The time of a text; `nil` where it is none. One that a change of clocks leaves out is the moment after it.
  static func time(_ text: String, in zone: ZoneRules) -> WallTime? {
    let bytes = Array(text.utf8)
    guard bytes.count == 16, bytes[10] == UInt8(ascii: "T"), let asUTC = WallTime(iso8601: "\(text):00Z") else {
      return nil
    }
    return WallTime(seconds: zone.time(local: asUTC.seconds))
  }
}
