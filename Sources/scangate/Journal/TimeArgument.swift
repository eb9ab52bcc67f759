import ArgumentParser
import LinuxIO
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
    if let time = WallTime(iso8601: text) { return TimeArgument(time) }
    if text.hasPrefix("-") { return distance(text.dropFirst()).map { TimeArgument(now - $0) } }
    let parts = text.split(separator: "T", omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let day = numbers(parts[0], "-", [4, 2, 2]), let clock = clock(parts[1]) else { return nil }
      return LocalTime.time(day: day, clock: clock).map { TimeArgument($0) }
    }
    if let clock = clock(parts[0]) {
      let today = LocalTime.parts(now).day
      let day = [Int(today.year), Int(today.month), Int(today.day)]
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
  private static let zone = ZoneRules.machine()

  /// The day of a time, and the second of that day.
  static func parts(_ time: WallTime) -> (day: CivilDay, second: Int64) {
    CivilDay.split(time.seconds + zone.offset(at: time.seconds))
  }

  /// The time of a day and a clock; `nil` where there is no such day. One that the zone leaves out is the one as much later.
  static func time(day: [Int], clock: [Int], in zone: ZoneRules = Self.zone) -> WallTime? {
    guard clock.count == 3, let day = CivilDay(day) else { return nil }
    let local = day.number * 86_400 + Int64(clock[0] * 3_600 + clock[1] * 60 + clock[2])
    return WallTime(seconds: zone.time(local: local, leaping: .asMuchLater))
  }

  /// `2026-11-21 18:00:03`, with a question mark where the clock was not trusted.
  static func text(_ time: JournalTime) -> String { text(time.wall) + (time.isTrusted ? "" : "?") }

  /// `2026-11-21 18:00:03`, with milliseconds where they matter.
  static func text(_ time: WallTime, milliseconds: Bool = false) -> String {
    let (day, second) = parts(time)
    return "\(day) \(CivilDay.clock(second))" + (milliseconds ? ".\(String(time.milliseconds, digits: 3))" : "")
  }
}

/// Civil time in zones by their names, from the system's own zone files; each is read once.
final class ZoneClock {
  private let usual: String?
  private var known: [String: ZoneRules?] = [:]

  /// - Parameter usual: the zone where none is named; `nil` for the machine's.
  init(usual: String?) { self.usual = usual }

  /// The time of a day and a clock in a zone; `nil` where there is no such day or zone.
  func time(zone: String?, day: [Int], clock: [Int]) -> WallTime? {
    guard let wanted = zone ?? usual else { return LocalTime.time(day: day, clock: clock) }
    let rules = known[wanted] ?? ZoneRules.named(wanted)
    known[wanted] = .some(rules)
    return rules.flatMap { LocalTime.time(day: day, clock: clock, in: $0) }
  }
}
