internal import ArgumentParser
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// What can be said of an event by options.
struct EventOptions: ParsableArguments {
  @Option(help: "The name.") var name: String?
  @Option(
    help: ArgumentHelp("When it starts, by the clocks of its zone: 2026-12-01T20:00.", valueName: "time"))
  var startsAt: String?
  @Option(help: ArgumentHelp("When it ends, likewise.", valueName: "time")) var endsAt: String?
  @Option(help: ArgumentHelp("How long it takes, in hours.", valueName: "hours")) var duration: String?
  @Option(help: ArgumentHelp("Its zone, such as Europe/Berlin.", valueName: "zone")) var timezone: String?
  @Option(help: ArgumentHelp("Its venue.", valueName: "id")) var venue: String?
  @Option(help: "A description.") var description: String?
  @OptionGroup var data: DataArgument

  func members(_ desk: Desk) throws -> [String: JSONValue] {
    var members = try data.members(
      [
        "name": name, "starts_at": startsAt, "ends_at": endsAt, "timezone": timezone, "venue_id": venue,
        "description": description,
      ], desk)
    if let duration {
      guard let hours = Double(duration), hours.isFinite, hours >= 0, let value = try? JSONValue(Array(duration.utf8))
      else { throw desk.failure("--duration is a number of hours.", DeskExit.usage) }
      members["duration"] = value
    }
    return members
  }
}

/// `events update ID`
struct UpdateEventCommand: DeskCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change an event: what is not named stays as it is.",
    discussion: UpdateArguments.discussion
      + " Ticket types in --data are the whole list: one that is missing there is deleted, after asking.")

  @Argument(help: "Its id, as events list tells it.", transform: DeskID.read) var id: String
  @OptionGroup var options: EventOptions
  @OptionGroup var update: UpdateArguments
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    try await update.run(.events, id, changes: try options.members(desk), as: DeskEvent.self, desk)
  }
}

/// `events create`
struct CreateEventCommand: DeskCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make an event.",
    discussion: """
      Some servers make events below a schedule alone: it is that of the venue, or named by --subdomain. Whatever else an event has is \
      said by --data.
      """)

  @OptionGroup var options: EventOptions
  @Option(help: ArgumentHelp("The schedule that it belongs to.", valueName: "name"), transform: DeskID.read)
  var subdomain: String?
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    var members = try options.members(desk)
    guard members["name"] != nil, let start = members["starts_at"]?.string else {
      throw desk.failure("An event has a --name and --starts-at, or both in --data.", DeskExit.usage)
    }
    let zone = members["timezone"]?.string.flatMap { ZoneRules.named($0) } ?? desk.zone
    guard let clocks = zone ?? (WallTime(iso8601: start) == nil ? nil : .utc) else {
      throw desk.failure("Name the event's zone by --timezone.", DeskExit.usage)
    }
    guard let begins = DeskTime.typed(start, in: clocks) else {
      throw desk.failure("That is no time: write 2026-12-01T20:00.", DeskExit.usage)
    }
    for name in ["starts_at", "ends_at"] {
      guard let text = members[name]?.string, let time = DeskTime.typed(text, in: clocks) else { continue }
      members[name] = .string(time.iso8601Seconds)
    }
    if members["timezone"] == nil, let name = self.desk.zone { members["timezone"] = .string(name) }
    let document = try await create(members, clocks: zone, desk)
    let made = DeskClient.single(document)
    desk.done(document, "The event\(Desk.idWords(document)) is there.")
    if let told = DeskTime.told(made?["starts_at"]), told != begins {
      throw desk.failure(
        "The server tells that it starts at \(told.iso8601Seconds), not at \(begins.iso8601Seconds). Change it by: "
          + "scangate eventschedule events update\(Desk.idWords(document)) --starts-at \(begins.iso8601Seconds)",
        DeskExit.refused)
    }
  }

  private func create(
    _ members: [String: JSONValue], clocks: ZoneRules?, _ desk: Desk
  ) async throws -> JSONValue {
    let look = "events list"
    let first = DeskWay(method: .post, path: "/events", body: .object(members))
    let lacking: String
    do {
      return try await desk.change([first], look: look).document
    } catch DeskFault.noWay(let words) {
      lacking = words
    }
    // Its length in hours, times by the clocks of its zone, and its venue as events name it.
    var members = members
    let venue = members["venue_id"]?.identifier
    guard let subdomain = try await subdomain(venue, desk) else {
      throw desk.failure(
        "Nothing was made. \(lacking) It makes events below a schedule: name it by --subdomain.", DeskExit.usage)
    }
    // Where a schedule's clocks are told, all its events go by them.
    let clocks = try await desk.client.scheduleZone(subdomain).flatMap { ZoneRules.named($0) } ?? clocks
    if members["duration"] == nil, let start = DeskTime.told(members["starts_at"]),
      let end = DeskTime.told(members["ends_at"])
    {
      members["duration"] = DeskTime.hours(from: start, to: end)
    }
    for name in ["starts_at", "ends_at"] {
      guard let time = DeskTime.told(members[name]) else { continue }
      guard let clocks else {
        throw desk.failure("Nothing was made. Name the event's zone by --timezone.", DeskExit.usage)
      }
      members[name] = .string(DeskTime.clocks(time, in: clocks))
    }
    if let venue { members["venue_id"] = .string(PublicID.encoded(venue)) }
    let second = DeskWay(
      method: .post, path: "/events/\(PercentCoding.encode(subdomain))", body: .object(members), note: lacking)
    return try await desk.change([second], look: look).document
  }

  /// The schedule that was named, or the venue's own.
  private func subdomain(_ venue: String?, _ desk: Desk) async throws -> String? {
    if let subdomain { return subdomain }
    guard let venue, let number = PublicID.number(venue) else { return nil }
    let told = try await desk.client.show(.venues, String(number))
    return DeskProfile(told, hiding: [])?.subdomain
  }
}
