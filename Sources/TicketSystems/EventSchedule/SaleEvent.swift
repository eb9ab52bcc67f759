internal import LinuxIO
internal import WireText
internal import ScanModel
internal import TicketTransport

/// An event as the server describes it. Decoded leniently: what cannot be read is missing.
struct SaleEvent: Sendable, Equatable {
  /// Its name, made fit for staff.
  var name: String?
  /// Where it is, likewise.
  var place: String?
  /// When it begins: where it recurs, the first time.
  var starts: WallTime?
  /// How long it takes; `nil` where that is not told.
  var duration: Duration?
  /// The name of its time zone, not checked.
  var zone: String?

  /// Nothing is known but what it is called.
  init(name: String? = nil) { self.name = name }

  /// Reads an event; `nil` if the value is no object.
  /// - Parameter secrets: what its texts must not show.
  init?(_ value: JSONValue?, hiding secrets: [Redaction]) {
    guard let value, case .object = value else { return nil }
    func text(_ value: JSONValue?) -> String? { value?.string.flatMap { StaffText.clean($0, hiding: secrets) } }
    name = text(value["name"])
    place = text(value["venue"]?["name"])
    starts = Self.time(value["starts_at"])
    if let starts, let ends = Self.time(value["ends_at"]) {
      duration = ends - starts
    } else if let hours = value["duration"]?.integer, (0...10_000).contains(hours) {
      duration = .seconds(hours * 3_600)
    }
    zone = value["timezone"]?.string
  }

  /// ISO 8601, or the same of UTC without saying so.
  private static func time(_ value: JSONValue?) -> WallTime? {
    value?.string.flatMap { WallTime(iso8601: $0) ?? WallTime(iso8601: $0 + "Z") }
  }

  /// When it begins next, as far as it is not over: an event that began on an earlier day and is admitted to all the same recurs, and
  /// is at the same time of its zone today.
  /// - Returns: `nil` where that is not told, or it has begun.
  func begins(after now: WallTime, in zone: ZoneRules) -> WallTime? {
    guard let starts else { return nil }
    if now < starts { return starts }
    if let duration, now < starts + duration { return nil }
    let (first, second) = CivilDay.split(starts.seconds + zone.offset(at: starts.seconds))
    let today = CivilDay.split(now.seconds + zone.offset(at: now.seconds)).day
    guard today != first else { return nil }
    let again = WallTime(seconds: zone.time(local: today.number * 86_400 + second))
    return now < again ? again : nil
  }

  /// What staff tell somebody who is at the wrong gate, or too early: what it is, where and when; `nil` where nothing is known.
  func words(at time: WallTime?, in zone: ZoneRules) -> String? {
    let when = (time ?? starts).map { time in
      let (day, second) = CivilDay.split(time.seconds + zone.offset(at: time.seconds))
      return "\(day) \(CivilDay.clock(second).prefix(5))"
    }
    let parts = [name.map { "“\($0)”" }, place, when].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
