internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireCoding

/// What a station gives others of a server's events: what they are called, where and when they are, and what types of tickets are called.
/// No sales, no numbers, nobody's names. Pure.
///
/// A server tells all events of its organiser, those of years ago as well, for they may recur. Given is what there is room for: those that begin
/// within the next days, those that have begun, the latest first, and then what is to come. Who finds one missing knows nothing of it, and lets
/// nobody in for it.
struct GivenEvents: Sendable, Equatable {
  /// The version that is written and read.
  static let version: UInt8 = 1
  /// Those that begin later are no day's of which what is given speaks: it says nothing after a day.
  private static let ahead = Duration.seconds(3 * 86_400)
  /// So many bytes of events, of names of types, and of types are given: together less than `SharedKnowledge.mostBytes`.
  private static let (eventRoom, nameRoom, typeRoom) = (159_744, 49_152, 49_152)
  fileprivate static let (mostEvents, mostTexts, mostTypes) = (10_000, 10_000, 10_000)
  /// The longest identifier, zone and other text in bytes: `StaffText` passes no longer one on.
  fileprivate static let (longestID, longestZone, longestText) = (255, 64, 4 * StaffText.longest)
  /// When events begin, and how long they take: what is not within is no time of an event.
  private static let times = WallTime(seconds: 0)...WallTime(seconds: 7_258_118_400)
  private static let longestEvent = Duration.seconds(10_000 * 3_600)

  private(set) var events: [EventID: SaleEvent] = [:]
  private(set) var types: [EventID: String] = [:]
  private(set) var names: Set<String> = []

  /// Chooses what is given of a listing.
  init(_ listing: EventListing, at now: WallTime) {
    let ordered = listing.events.map { (id: $0.key, event: $0.value, place: Self.place(of: $0.value, at: now)) }
      .sorted { $0.place == $1.place ? $0.id.text < $1.id.text : $0.place < $1.place }
    var room = Self.eventRoom
    var texts: Set<String> = []
    for (id, event, _) in ordered where events.count < Self.mostEvents {
      guard let event = Self.fit(event), let size = Self.size(id) else { continue }
      room -= size + 28 + (event.venue.flatMap { Self.size($0) } ?? 0) + (event.name?.utf8.count ?? 0)
      for text in [event.place, event.zone].compactMap(\.self) where texts.insert(text).inserted {
        room -= 2 + text.utf8.count
      }
      guard room >= 0, texts.count <= Self.mostTexts else { break }
      events[id] = event
    }
    room = Self.nameRoom
    for name in listing.names.sorted() where name.utf8.count <= Self.longestText {
      room -= 2 + name.utf8.count
      guard room >= 0, names.count < Self.mostTexts else { break }
      names.insert(name)
    }
    room = Self.typeRoom
    for (id, name) in listing.types.sorted(by: { $0.key.text < $1.key.text }) where names.contains(name) {
      guard let size = Self.size(id) else { continue }
      room -= size + 2
      guard room >= 0, types.count < Self.mostTypes else { break }
      types[id] = name
    }
  }

  /// Which events come before which: what began is before all that is not to be today's yet.
  private static func place(of event: SaleEvent, at now: WallTime) -> (isLater: Int, away: Duration) {
    guard let starts = event.starts, starts < now || starts >= now + ahead else { return (0, .zero) }
    return starts < now ? (0, now - starts) : (1, starts - now)
  }

  /// An event as it is given; `nil` where no reader would take it. What is no zone is UTC with it and without, and how long it takes may be
  /// unknown.
  private static func fit(_ event: SaleEvent) -> SaleEvent? {
    var event = event
    if let duration = event.duration, !(.zero...longestEvent).contains(duration) { event.duration = nil }
    if let zone = event.zone, !isZone(zone) { event.zone = nil }
    return mayBe(event) ? event : nil
  }

  /// Whether all that an event says may be so.
  fileprivate static func mayBe(_ event: SaleEvent) -> Bool {
    event.starts.map { times.contains($0) } ?? true
      && event.duration.map { (.zero...longestEvent).contains($0) } ?? true
      && event.venue.map { size($0) != nil } ?? true
      && event.zone.map { isZone($0) } ?? true
  }

  private static func isZone(_ text: String) -> Bool { text.utf8.count <= longestZone && StaffText.clean(text) == text }

  /// How many bytes an identifier takes; `nil` where it is too long.
  private static func size(_ id: EventID) -> Int? {
    switch id.form {
    case .number: 9
    case .bytes(let bytes): bytes.count <= longestID ? 3 + bytes.count : nil
    }
  }

  // MARK: Bytes

  /// It in bytes, at most `SharedKnowledge.mostBytes`.
  var bytes: [UInt8] {
    var writer = WireWriter()
    writer.put(Self.version)
    let texts = Set(events.values.flatMap { [$0.place, $0.zone].compactMap(\.self) }).sorted()
    let places = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($1, UInt16(clamping: $0)) })
    writer.putList(texts) { $0.put($1, limit: Self.longestText) }
    writer.putList(events.sorted { $0.key.text < $1.key.text }) { writer, entry in
      let event = entry.value
      writer.put(entry.key)
      writer.putOptional(event.venue) { $0.put($1) }
      writer.putOptional(event.starts) { $0.put($1.nanoseconds) }
      writer.putOptional(event.duration) { $0.put($1) }
      writer.putOptional(event.name) { $0.put($1, limit: Self.longestText) }
      writer.putOptional(event.place.flatMap { places[$0] }) { $0.put($1) }
      writer.putOptional(event.zone.flatMap { places[$0] }) { $0.put($1) }
    }
    let names = names.sorted()
    let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, UInt16(clamping: $0)) })
    writer.putList(names) { $0.put($1, limit: Self.longestText) }
    writer.putList(types.sorted { $0.key.text < $1.key.text }) { writer, type in
      writer.put(type.key)
      writer.put(numbers[type.value] ?? 0)
    }
    return writer.bytes
  }

  /// Reads them, whole or not at all.
  init(_ bytes: [UInt8]) throws(SharedKnowledge.Fault) {
    guard bytes.first.map({ $0 <= Self.version }) ?? true else { throw .laterVersion }
    guard bytes.count <= SharedKnowledge.mostBytes else { throw .unreadable("it is too long") }
    do throws(WireError) {
      var reader = WireReader(bytes)
      guard try reader.take() == Self.version else { throw WireError("it is of no version") }
      let texts = try reader.takeTexts()
      let told = try reader.takeList(limit: Self.mostEvents) { reader throws(WireError) in
        (try reader.takeEventID(), try reader.takeEvent(texts))
      }
      events = Dictionary(told) { $1 }
      let names = try reader.takeTexts()
      self.names = Set(names)
      let types = try reader.takeList(limit: Self.mostTypes) { reader throws(WireError) in
        (try reader.takeEventID(), try reader.takeText(of: names))
      }
      self.types = Dictionary(types) { $1 }
      try reader.end()
    } catch { throw .unreadable(error.description) }
  }
}

extension EventID {
  /// It in one of its spellings, always the same.
  fileprivate var text: String {
    switch form {
    case .number(let number): "\(number)"
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }
}

extension WireWriter {
  fileprivate mutating func put(_ id: EventID) {
    switch id.form {
    case .number(let number):
      put(1 as UInt8)
      put(number)
    case .bytes:
      put(2 as UInt8)
      put(id.text)
    }
  }
}

extension WireReader {
  fileprivate mutating func takeEventID() throws(WireError) -> EventID {
    switch try take(UInt8.self) {
    case 1:
      let number = try take(Int64.self)
      guard (1..<1_000_000_000_000_000_000).contains(number) else { throw WireError("\(number) is no event") }
      return EventID("\(number)")
    case 2:
      let id = EventID(try takeText())
      guard id.number == nil else { throw WireError("a number is spelt as a text") }
      return id
    case let other: throw WireError("\(other) is no sort of identifier")
    }
  }

  /// Texts that people may see: of a station that is believed, and made fit by it; nobody else's word is taken for that.
  fileprivate mutating func takeTexts() throws(WireError) -> [String] {
    try takeList(limit: GivenEvents.mostTexts) { reader throws(WireError) in try reader.takeStaffText() }
  }

  private mutating func takeStaffText() throws(WireError) -> String {
    let text = try takeText(limit: GivenEvents.longestText)
    guard StaffText.clean(text) == text else { throw WireError("a text is not fit for people") }
    return text
  }

  fileprivate mutating func takeText(of texts: [String]) throws(WireError) -> String {
    let index = Int(try take(UInt16.self))
    guard index < texts.count else { throw WireError("a text is missing") }
    return texts[index]
  }

  fileprivate mutating func takeEvent(_ texts: [String]) throws(WireError) -> SaleEvent {
    var event = SaleEvent()
    event.venue = try takeOptional { reader throws(WireError) in try reader.takeEventID() }
    event.starts = try takeOptional { reader throws(WireError) in WallTime(nanoseconds: try reader.take()) }
    event.duration = try takeOptional { reader throws(WireError) in try reader.takeDuration() }
    event.name = try takeOptional { reader throws(WireError) in try reader.takeStaffText() }
    event.place = try takeOptional { reader throws(WireError) in try reader.takeText(of: texts) }
    event.zone = try takeOptional { reader throws(WireError) in try reader.takeText(of: texts) }
    guard GivenEvents.mayBe(event) else { throw WireError("an event says what none does") }
    return event
  }
}
