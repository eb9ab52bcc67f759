internal import LinuxIO
internal import ScanModel
internal import WireText

/// Times as servers tell them and as people type them.
enum DeskTime {
  /// The time that a server tells: with a zone, or bare, which is UTC.
  static func told(_ value: JSONValue?) -> WallTime? {
    guard let text = value?.string, text.utf8.count <= 40 else { return nil }
    return WallTime(iso8601: text) ?? bare(text)
  }

  /// Whether it is told without a zone.
  static func isBare(_ value: JSONValue?) -> Bool {
    value?.string.map { WallTime(iso8601: $0) == nil && bare($0) != nil } ?? false
  }

  /// The time that somebody types: `2026-12-01T20:00`, by the clocks of a zone unless it names one itself.
  static func typed(_ text: String, in zone: ZoneRules) -> WallTime? {
    if let time = WallTime(iso8601: text) { return time }
    return bare(text).map { WallTime(seconds: zone.time(local: $0.seconds, leaping: .asMuchLater)) }
  }

  /// What clocks show, as people read it: `2026-12-01 20:00`.
  static func shown(_ time: WallTime, in zone: ZoneRules) -> String { String(clocks(time, in: zone).dropLast(3)) }

  /// What clocks show, as servers take it: `2026-12-01 20:00:00`.
  static func clocks(_ time: WallTime, in zone: ZoneRules) -> String {
    let (day, second) = CivilDay.split(time.seconds + zone.offset(at: time.seconds))
    return "\(day) \(CivilDay.clock(second))"
  }

  /// Whether a server that reads what clocks show gets the same time: not the second of two hours of the same name.
  static func survives(_ time: WallTime, in zone: ZoneRules) -> Bool {
    zone.time(local: time.seconds + zone.offset(at: time.seconds), leaping: .asMuchLater) == time.seconds
  }

  /// How long a number of hours is, as a server tells it; to a month.
  static func length(_ value: JSONValue) -> Duration? {
    let text: String
    switch value {
    case .number(let number), .string(let number): text = number
    default: return nil
    }
    guard let hours = Double(text), (0...744).contains(hours) else { return nil }
    return .seconds(Int64((hours * 3_600).rounded()))
  }

  /// The hours from a time to another, as servers take them; `nil` where that is not later.
  static func hours(from start: WallTime, to end: WallTime) -> JSONValue? {
    let seconds = end.seconds - start.seconds
    guard seconds > 0 else { return nil }
    return .number(seconds % 3_600 == 0 ? "\(seconds / 3_600)" : "\(Double(seconds) / 3_600)")
  }

  /// A date and a clock without a zone, as if it were UTC.
  private static func bare(_ text: String) -> WallTime? {
    guard (16...30).contains(text.utf8.count) else { return nil }
    return WallTime(iso8601: text.utf8.count == 16 ? text + ":00Z" : text + "Z")
  }
}

/// By whose clocks times are shown: those that were asked for, else those of the zone that a server tells, else the machine's. Each
/// zone is read once.
final class DeskClocks {
  /// More names of zones than there are.
  private static let most = 1_000
  private let asked: ZoneRules?
  private var known: [String: ZoneRules?] = [:]
  private var machine: ZoneRules?

  /// - Parameter asked: the zone that somebody asked for.
  init(_ asked: ZoneRules? = nil) { self.asked = asked }

  /// The clocks, and the zone's name where it is the told one.
  func clocks(_ told: String? = nil) -> (rules: ZoneRules, name: String?) {
    if let asked { return (asked, nil) }
    if let told, let rules = named(told) { return (rules, told) }
    let rules = machine ?? .machine()
    machine = rules
    return (rules, nil)
  }

  private func named(_ zone: String) -> ZoneRules? {
    if let rules = known[zone] { return rules }
    let rules = ZoneRules.named(zone)
    if known.count < Self.most { known[zone] = .some(rules) }
    return rules
  }
}
