internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// What has to be sent so that one thing changes and all else stays, and whether it did. Pure.
///
/// Servers lose what is not sent with a change, read times by the clocks of the event's zone though they tell UTC, and want ticket
/// types by plain numbers: all is sent, and read back.
struct ResourceUpdate {
  /// Why nothing can be sent.
  struct Fault: Error, Equatable {
    let words: String
  }

  /// Something that is another than before.
  struct Difference: Equatable {
    let name: String
    let before: JSONValue
    let after: JSONValue
  }

  /// What is sent, whole.
  enum Form {
    /// In the document's way: times in the form in which they were told.
    case asTold
    /// In the real servers' way: times as clocks of the event's zone show them.
    case byClocks
  }

  private static let times: Set<String> = ["starts_at", "ends_at"]
  private static let typeKeys = ["id", "type", "price", "quantity", "description"]

  let resource: DeskResource
  private let former: [String: JSONValue]
  private let told: JSONValue
  private let wanted: [String: JSONValue]
  /// What of it was asked for by its name.
  private let asked: Set<String>
  /// The zone of the event's clocks; `nil` where it is not told.
  private let zone: (name: String, rules: ZoneRules)?
  /// Whether that is its schedule's, and the event has none of its own.
  private let isOfSchedule: Bool

  /// - Parameters:
  ///   - told: as the server told it last.
  ///   - changes: what is to be another, as people write it: times by the event's clocks unless they name a zone.
  ///   - clocks: whose clocks times mean that name no zone, instead of the event's.
  ///   - scheduleZone: the zone of the event's schedule, where the server goes by that and by no zone of the event's.
  init(
    _ resource: DeskResource, of told: JSONValue, changes: [String: JSONValue], clocks: ZoneRules? = nil,
    scheduleZone: String? = nil
  ) throws(Fault) {
    self.resource = resource
    self.told = told
    former = Self.canonical(told, resource)
    isOfSchedule = scheduleZone != nil
    if let scheduleZone, let named = changes["timezone"], named.string != scheduleZone {
      throw Fault(
        words:
          "The server goes by the clocks of the event's schedule, \(StaffText.clean(scheduleZone) ?? ""), whatever zone is sent: leave "
          + "--timezone out. Times of another zone are typed with --zone.")
    }
    var changes = changes
    if isOfSchedule { changes["timezone"] = nil }
    let name = (changes["timezone"] ?? former["timezone"])?.string ?? scheduleZone
    zone = try name.map { (name: String) throws(Fault) in
      guard let rules = ZoneRules.named(name) else {
        throw Fault(words: "This system knows no zone “\(StaffText.clean(name) ?? "")”: name another by --timezone.")
      }
      return (name, rules)
    }
    var wanted = former
    for (key, value) in changes where !resource.readOnly.contains(key) && !key.hasSuffix("_html") {
      switch key {
      case "starts_at", "ends_at": wanted[key] = try Self.time(value, key, clocks ?? zone?.rules)
      case "tickets": wanted[key] = Self.types(value, among: former["tickets"])
      default: wanted[key] = value
      }
    }
    try Self.fit(&wanted, changes, told)
    // Who moves an event moves its end.
    if changes["ends_at"] == nil, changes["duration"] == nil, let end = DeskTime.told(former["ends_at"]),
      let start = DeskTime.told(former["starts_at"]), let moved = DeskTime.told(wanted["starts_at"])
    {
      wanted["ends_at"] = .string((end + (moved - start)).iso8601Seconds)
    }
    self.wanted = wanted
    asked = Set(changes.keys).intersection(wanted.keys)
  }

  // MARK: Before

  /// What would be another.
  var differences: [Difference] { Self.differences(former, wanted, names: Set(former.keys).union(wanted.keys)) }

  /// The types of tickets that would be gone.
  var lostTypes: [DeskTicketType] {
    let kept = Set((wanted["tickets"]?.elements ?? []).compactMap { $0["id"]?.identifier })
    return (former["tickets"]?.elements ?? []).filter { type in
      type["id"]?.identifier.map { !kept.contains($0) } ?? !(wanted["tickets"]?.elements ?? []).contains(type)
    }.map { DeskTicketType($0, hiding: []) }
  }

  /// Whether the server loses what it does not tell: in which room of its venue an event is.
  var mayLoseRoom: Bool { told["venue"]?["rooms"]?.isVoid == false && wanted["venue_room_id"] == nil }

  /// The whole, as it is sent.
  func body(_ form: Form) throws(Fault) -> JSONValue {
    var body = wanted
    for name in Self.times {
      guard let time = DeskTime.told(wanted[name]) else { continue }
      guard form == .byClocks || DeskTime.isBare(told[name]) else { continue }
      guard let zone else {
        throw Fault(words: "The server does not tell the event's zone: name it by --timezone.")
      }
      guard DeskTime.survives(time, in: zone.rules) else {
        throw Fault(
          words:
            "\(DeskTime.shown(time, in: zone.rules)) comes twice in \(zone.name), and the server would take the first: "
            + "the event would move. Choose another time.")
      }
      body[name] = .string(DeskTime.clocks(time, in: zone.rules))
    }
    switch form {
    case .asTold:
      // Whatever else it has: it is the whole that is put in its place.
      for (name, value) in told.members where body[name] == nil {
        guard !resource.readOnly.contains(name), !name.hasSuffix("_html"), !value.isVoid else { continue }
        body[name] = value
      }
    case .byClocks:
      if let zone, !isOfSchedule { body["timezone"] = .string(zone.name) }
      if let venue = body["venue_id"]?.identifier { body["venue_id"] = .string(PublicID.encoded(venue)) }
    }
    return .object(body)
  }

  /// What brings the former one back: the data of another update.
  var undo: JSONValue { .object(former) }

  // MARK: After

  /// What is not as it should be, now that the server tells this.
  func faults(in after: JSONValue) -> [Difference] {
    let now = Self.canonical(after, resource)
    // What is never told cannot be looked at: a password, a room. What else was asked for and is not told is not so.
    let visible = Set(told.members.keys).union(after.members.keys).union(asked.subtracting(resource.untold))
    var faults = Self.differences(
      wanted, now, names: Set(wanted.keys).intersection(visible.union(former.keys)).union(now.keys))
    // What is not set is not lost either.
    let volatile: Set<String> = ["category", "curator_role", "guest_url", "slug", "updated_at", "url", "venue"]
    for name in Set(told.members.keys).union(after.members.keys) {
      guard resource.readOnly.contains(name), !volatile.contains(name) else { continue }
      let (before, after) = (told[name] ?? .null, after[name] ?? .null)
      if !before.saysSame(as: after) { faults.append(Difference(name: name, before: before, after: after)) }
    }
    return faults.sorted { $0.name < $1.name }
  }

  private static func differences(
    _ one: [String: JSONValue], _ other: [String: JSONValue], names: Set<String>
  ) -> [Difference] {
    names.sorted().compactMap { name in
      let (before, after) = (one[name] ?? .null, other[name] ?? .null)
      return isSame(name, before, after) ? nil : Difference(name: name, before: before, after: after)
    }
  }

  private static func isSame(_ name: String, _ one: JSONValue, _ other: JSONValue) -> Bool {
    if name.hasSuffix("_id"), let one = one.identifier, let other = other.identifier {
      return PublicID.areSame(one, other)
    }
    guard name == "tickets" else { return one.saysSame(as: other) }
    let (types, others) = (one.elements, other.elements)
    guard types.count == others.count else { return false }
    return types.allSatisfy { type in
      others.contains { other in
        // A new type has no number before the server gives it one.
        let isSameType = type["id"] == nil || other["id"] == nil || type["id"]?.identifier == other["id"]?.identifier
        return isSameType
          && typeKeys.dropFirst().allSatisfy { (type[$0] ?? .null).saysSame(as: other[$0] ?? .null) }
      }
    }
  }

  // MARK: One form

  /// What can be set of what a server tells: texts, numbers and truths, times in UTC, ticket types by plain numbers.
  private static func canonical(_ told: JSONValue, _ resource: DeskResource) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    for (name, value) in told.members where !resource.readOnly.contains(name) && !name.hasSuffix("_html") {
      switch value {
      case .null, .array, .object: continue
      case .string where times.contains(name):
        members[name] = DeskTime.told(value).map { .string($0.iso8601Seconds) } ?? value
      default: members[name] = value
      }
    }
    if let types = told["tickets"], !types.elements.isEmpty { members["tickets"] = Self.types(types) }
    if resource.readOnly.contains("venue"), told["venue_id"] == nil, let venue = told["venue"]?["id"]?.identifier {
      members["venue_id"] = .string(venue)
    }
    if resource.readOnly.contains("category"), members["category_id"] == nil, let id = told["category"]?["id"],
      id.integer != nil
    {
      members["category_id"] = id
    }
    return members
  }

  /// - Parameter known: the types that there are: one of another number is gone, and is made anew.
  private static func types(_ value: JSONValue, among known: JSONValue? = nil) -> JSONValue {
    let numbers = known.map { known in Set(known.elements.compactMap { $0["id"]?.identifier }) }
    return .array(
      value.elements.map { type in
        var kept: [String: JSONValue] = [:]
        for key in typeKeys {
          guard let value = type[key] ?? (key == "type" ? type["name"] : nil), value != .null else { continue }
          kept[key] = value
        }
        if let id = kept["id"]?.identifier {
          let plain = PublicID.number(id).map { JSONValue.number(String($0)) } ?? .string(id)
          kept["id"] = numbers?.contains(plain.identifier ?? id) == false ? nil : plain
        }
        return .object(kept)
      })
  }

  /// Says an end as the server has it: as a time, or as a number of hours.
  private static func fit(
    _ wanted: inout [String: JSONValue], _ changes: [String: JSONValue], _ told: JSONValue
  ) throws(Fault) {
    guard let start = DeskTime.told(wanted["starts_at"]) else { return }
    let (hasEnd, hasDuration) = (told["ends_at"] != nil, told["duration"] != nil)
    if !hasEnd, hasDuration, changes["ends_at"] != nil {
      let end = DeskTime.told(wanted.removeValue(forKey: "ends_at"))
      guard changes["duration"] == nil else { return }
      guard let end, let hours = DeskTime.hours(from: start, to: end) else {
        throw Fault(words: "The event would end before it starts.")
      }
      wanted["duration"] = hours
    } else if hasEnd, !hasDuration, let duration = changes["duration"], changes["ends_at"] == nil {
      wanted["duration"] = nil
      guard let length = DeskTime.length(duration) else { throw Fault(words: "duration is no number of hours.") }
      wanted["ends_at"] = .string((start + length).iso8601Seconds)
    }
  }

  private static func time(_ value: JSONValue, _ name: String, _ zone: ZoneRules?) throws(Fault) -> JSONValue {
    guard let text = value.string else {
      guard value == .null else { throw Fault(words: "\(name) is no time: write 2026-12-01T20:00.") }
      return .null
    }
    if let time = WallTime(iso8601: text) { return .string(time.iso8601Seconds) }
    guard let zone else { throw Fault(words: "The server does not tell the event's zone: name it by --timezone.") }
    guard let time = DeskTime.typed(text, in: zone) else {
      throw Fault(words: "\(name) is no time: write 2026-12-01T20:00.")
    }
    return .string(time.iso8601Seconds)
  }
}
