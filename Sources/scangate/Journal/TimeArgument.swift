import ArgumentParser
import WireText
import Glibc
import ScanModel

/// A time as somebody types it, in the machine's own zone unless it names another.
struct TimeArgument: Equatable {
  /// The time; of a date its first moment.
  let beginning: WallTime
  /// The time; of a date the first moment of the next.
  let end: WallTime

  /// Reads `2026-11-21`, `2026-11-21T18:00`, `2026-11-21T18:00:30`, `18:00`, `-2h`, and times with a zone as JSON and CSV
  /// have them.
  /// - Throws: `ValidationError` with the forms that there are.
  init(_ text: String, now: WallTime = SystemTime().wall()) throws {
    guard let found = Self.read(text, now: now) else {
      throw ValidationError("It is no time: write 2026-11-21, 2026-11-21T18:00, 18:00 (today), -2h, -30min or -3d.")
    }
    self = found
  }

  private init(_ beginning: WallTime, _ end: WallTime? = nil) {
    self.beginning = beginning
    self.end = end ?? beginning
  }

  private static func read(_ text: String, now: WallTime) -> TimeArgument? {
    guard text.utf8.count <= 40 else { return nil }
    if let time = CivilTime.timestamp(text) { return TimeArgument(time) }
    if text.hasPrefix("-") { return distance(text.dropFirst()).map { TimeArgument(now - $0) } }
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let day = numbers(parts[0], "-", [4, 2, 2]), let clock = clock(parts[1]) else { return nil }
      return LocalTime.time(day: day, clock: clock).map { TimeArgument($0) }
    }
    if let clock = clock(parts[0]) {
      guard let today = LocalTime.parts(now) else { return nil }
      let day = [Int(today.tm_year) + 1_900, Int(today.tm_mon) + 1, Int(today.tm_mday)]
      return LocalTime.time(day: day, clock: clock).map { TimeArgument($0) }
    }
    guard let day = numbers(parts[0], "-", [4, 2, 2]), let beginning = LocalTime.time(day: day, clock: [0, 0, 0]),
      let end = LocalTime.time(day: day, clock: [24, 0, 0])
    else { return nil }
    return TimeArgument(beginning, end)
  }

  private static func clock(_ text: Substring) -> [Int]? {
    guard let clock = numbers(text, ":", [2, 2]).map({ $0 + [0] }) ?? numbers(text, ":", [2, 2, 2]),
      clock[0] < 24, clock[1] < 60, clock[2] < 60
    else { return nil }
    return clock
  }

  /// `2h`, `30min`, `3d` or `90s`.
  private static func distance(_ text: Substring) -> Duration? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard (1...7).contains(digits.count), let count = Int64(digits) else { return nil }
    let units: [Substring: Int64] = ["s": 1, "min": 60, "h": 3_600, "d": 86_400]
    return units[text.dropFirst(digits.count)].map { .seconds(count * $0) }
  }

  /// Numbers of so many digits each, with `separator` between them.
  private static func numbers(_ text: Substring, _ separator: Character, _ widths: [Int]) -> [Int]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    guard parts.count == widths.count else { return nil }
    var found: [Int] = []
    for (part, width) in zip(parts, widths) {
      guard part.utf8.count == width, part.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(part)
      else { return nil }
      found.append(number)
    }
    return found
  }
}

/// Civil time in the machine's own zone.
enum LocalTime {
  /// The parts of a time; `nil` beyond what the system's calendar knows.
  static func parts(_ time: WallTime) -> tm? {
    var seconds = time_t(time.seconds)
    var parts = tm()
    tzset()
    return localtime_r(&seconds, &parts) == nil ? nil : parts
  }

  /// The time of a day and a clock; `nil` where there is no such day. One that the zone leaves out is the one as much later.
  static func time(day: [Int], clock: [Int]) -> WallTime? {
    guard day.count == 3, clock.count == 3, (1...12).contains(day[1]), (1...31).contains(day[2]) else { return nil }
    func parts(_ hours: Int) -> tm {
      var parts = tm()
      parts.tm_year = Int32(clamping: day[0] - 1_900)
      parts.tm_mon = Int32(clamping: day[1] - 1)
      parts.tm_mday = Int32(clamping: day[2])
      parts.tm_hour = Int32(clamping: hours)
      parts.tm_min = Int32(clamping: clock[1])
      parts.tm_sec = Int32(clamping: clock[2])
      parts.tm_isdst = -1
      return parts
    }
    // The system takes the 30th of February for a day in March.
    var noon = parts(12)
    _ = mktime(&noon)
    guard noon.tm_mday == Int32(clamping: day[2]) else { return nil }
    var wanted = parts(clock[0])
    return WallTime(seconds: Int64(mktime(&wanted)))
  }

  /// `2026-11-21 18:00:03`, with a question mark where the clock was not trusted.
  static func text(_ time: JournalTime) -> String { text(time.wall) + (time.isTrusted ? "" : "?") }

  /// `2026-11-21 18:00:03`, with milliseconds where they matter.
  static func text(_ time: WallTime, milliseconds: Bool = false) -> String {
    guard let parts = parts(time) else { return "a time beyond all calendars" }
    func digits(_ value: some BinaryInteger, _ width: Int = 2) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    var text =
      "\(digits(Int(parts.tm_year) + 1_900, 4))-\(digits(parts.tm_mon + 1))-\(digits(parts.tm_mday)) "
      + "\(digits(parts.tm_hour)):\(digits(parts.tm_min)):\(digits(parts.tm_sec))"
    if milliseconds { text += ".\(digits((time.nanoseconds &- time.seconds &* 1_000_000_000) / 1_000_000, 3))" }
    return text
  }
}
