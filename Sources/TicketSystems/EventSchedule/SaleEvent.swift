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
  /// What the server calls that.
  var venue: EventID?
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
    place = text(value["venue"]?["name"]) ?? text(value["venue_name"])
    venue = (value["venue_id"]?.identifier ?? value["venue"]?["id"]?.identifier).map { EventID($0) }
    starts = Self.time(value["starts_at"])
    if let starts, let ends = Self.time(value["ends_at"]) {
      duration = ends - starts
    } else if let hours = value["duration"]?.integer, (0...10_000).contains(hours) {
      duration = .seconds(hours * 3_600)
    }
    // No name of one is longer.
    zone = value["timezone"]?.string.flatMap { $0.utf8.count <= 64 ? $0 : nil }
  }

  /// ISO 8601, or the same of UTC without saying so.
  private static func time(_ value: JSONValue?) -> WallTime? {
    value?.string.flatMap { WallTime(iso8601: $0) ?? WallTime(iso8601: $0 + "Z") }
  }

  /// When it begins, as far as a ticket is concerned and it has not begun.
  ///
  /// An event that is sold for another day than its first one recurs, and is at the same time of its zone on that day. Where the day is
  /// not told, one that began on an earlier day and is admitted to all the same is at that time today.
  /// - Parameter sold: the day that the ticket is for, by the event's calendar. Where no day was chosen, servers take the first one as
  ///   UTC has it.
  /// - Returns: `nil` where that is not told, or it has begun.
  func begins(after now: WallTime, sold: CivilDay? = nil, in zone: ZoneRules) -> WallTime? {
    guard let starts else { return nil }
    if starts <= now, let duration, now < starts + duration { return nil }
    let (first, second) = CivilDay.split(starts.seconds + zone.offset(at: starts.seconds))
    func again(on day: CivilDay) -> WallTime? {
      let time = WallTime(seconds: zone.time(local: day.number * 86_400 + second))
      return now < time ? time : nil
    }
    if let sold, sold != first, sold != CivilDay.split(starts.seconds).day { return again(on: sold) }
    if now < starts { return starts }
    let today = CivilDay.split(now.seconds + zone.offset(at: now.seconds)).day
    return sold != nil || today == first ? nil : again(on: today)
  }

  /// What staff tell somebody who is at the wrong gate, or too early: what it is, where and when; `nil` where nothing is known.
  /// - Parameters:
  ///   - time: when it is; as it is told, where that is `nil`.
  ///   - now: what is today needs no date.
  func words(at time: WallTime?, in zone: ZoneRules, now: WallTime? = nil) -> String? {
    func local(_ time: WallTime) -> (day: CivilDay, second: Int64) {
      CivilDay.split(time.seconds + zone.offset(at: time.seconds))
    }
    let when = (time ?? starts).map { time in
      let (day, second) = local(time)
      let clock = "\(CivilDay.clock(second).prefix(5))"
      return now.map { local($0).day } == day ? clock : "\(day) \(clock)"
    }
    let parts = [name.map { "“\($0)”" }, place, when].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
