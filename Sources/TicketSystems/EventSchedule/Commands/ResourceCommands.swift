internal import ArgumentParser
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// Events, venues or talent, for the commands that are the same for all of them.
protocol DeskKind {
  associatedtype Record: DeskRecord
  static var resource: DeskResource { get }
}

/// Events.
enum EventKind: DeskKind {
  typealias Record = DeskEvent
  static let resource = DeskResource.events
}

/// Venues.
enum VenueKind: DeskKind {
  typealias Record = DeskProfile
  static let resource = DeskResource.venues
}

/// Talent.
enum TalentKind: DeskKind {
  typealias Record = DeskProfile
  static let resource = DeskResource.talent
}

/// `scangate eventschedule events`
struct EventsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "events", abstract: "List, show, make, change and delete events.",
    subcommands: [
      ListCommand<EventKind>.self, ShowCommand<EventKind>.self, CreateEventCommand.self, UpdateEventCommand.self,
      DeleteCommand<EventKind>.self,
    ])
}

/// `scangate eventschedule venues`
struct VenuesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "venues", abstract: "List, show, make, change and delete venues.",
    discussion: "Rooms are told with an event alone: see events show.",
    subcommands: [
      ListCommand<VenueKind>.self, ShowCommand<VenueKind>.self, CreateProfileCommand<VenueKind>.self,
      UpdateProfileCommand<VenueKind>.self, DeleteCommand<VenueKind>.self,
    ])
}

/// `scangate eventschedule talent`
struct TalentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "talent", abstract: "List, show, make, change and delete talent.",
    subcommands: [
      ListCommand<TalentKind>.self, ShowCommand<TalentKind>.self, CreateProfileCommand<TalentKind>.self,
      UpdateProfileCommand<TalentKind>.self, DeleteCommand<TalentKind>.self,
    ])
}

/// `… list`
struct ListCommand<Kind: DeskKind>: DeskCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "list", abstract: "List what the key's user owns.")
  }

  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    let query = Kind.resource.path == DeskResource.events.path ? [(name: "per_page", value: "500")] : []
    try await desk.printList("/\(Kind.resource.path)", query, as: Kind.Record.self)
  }
}

/// `… show ID`
struct ShowCommand<Kind: DeskKind>: DeskCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "show", abstract: "Show one.")
  }

  @Argument(help: "Its id, as a list tells it.", transform: DeskID.read) var id: String
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    let told = try await desk.client.show(Kind.resource, id)
    try desk.print(told, as: Kind.Record.self, zone: try await desk.client.scheduleZone(of: told))
  }
}

/// `… delete ID`
struct DeleteCommand<Kind: DeskKind>: DeskCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "delete", abstract: "Delete one, after asking: it cannot be brought back.")
  }

  @Argument(help: "Its id, as a list tells it.", transform: DeskID.read) var id: String
  @Flag(help: "Do not ask.") var yes = false
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    let one = Kind.resource.one
    // By the id that the server tells, and so that whoever is asked sees what it is.
    let told = try await desk.before { client throws(DeskFault) in try await client.show(Kind.resource, id) }
    guard let record = Kind.Record(told, hiding: desk.client.secrets) else {
      throw DeskFault.unavailable("\(desk.client.host) told something without an id.")
    }
    let name = record.cells(desk.clocks).dropFirst().filter { $0 != "-" && !$0.isEmpty }.joined(separator: ", ")
    if !yes {
      try desk.confirm(
        "Delete the \(one) \(record.id) (\(name))?", to: "delete the \(one)", otherwise: "Nothing was deleted.")
    }
    let way = DeskWay(method: .delete, path: Kind.resource.path(record.id))
    let (document, _) = try await desk.change([way], look: "\(Kind.resource.path) show \(record.id)")
    desk.done(document, "The \(one) \(record.id) (\(name)) is deleted.", id: record.id)
  }
}

/// What can be said of a venue or talent by options.
struct ProfileOptions: ParsableArguments {
  @Option(help: "The name.") var name: String?
  @Option(help: "The address for mail.") var email: String?
  @Option(help: "The address of its pages.") var website: String?
  @Option(help: "A description.") var description: String?
  @Option(help: "The city.") var city: String?
  @Option(help: "The country, by its two letters.") var country: String?
  @Option(help: ArgumentHelp("Its zone, such as Europe/Berlin.", valueName: "zone")) var timezone: String?
  @OptionGroup var data: DataArgument

  func members(_ desk: Desk) throws -> [String: JSONValue] {
    try data.members(
      [
        "name": name, "email": email, "website": website, "description": description, "city": city,
        "country_code": country, "timezone": timezone,
      ], desk)
  }
}

/// `venues|talent create`
struct CreateProfileCommand<Kind: DeskKind>: DeskCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(commandName: "create", abstract: "Make one.")
  }

  @OptionGroup var options: ProfileOptions
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    let members = try options.members(desk)
    guard members["name"] != nil else { throw desk.failure("Name it by --name or --data.", DeskExit.usage) }
    let way = DeskWay(method: .post, path: "/\(Kind.resource.path)", body: .object(members))
    let (document, _) = try await desk.change([way], look: "\(Kind.resource.path) list")
    desk.done(document, "The \(Kind.resource.one)\(Desk.idWords(document)) is there.")
  }
}

/// `venues|talent update ID`
struct UpdateProfileCommand<Kind: DeskKind>: DeskCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: "update", abstract: "Change one: what is not named stays as it is.",
      discussion: UpdateArguments.discussion)
  }

  @Argument(help: "Its id, as a list tells it.", transform: DeskID.read) var id: String
  @OptionGroup var options: ProfileOptions
  @OptionGroup var update: UpdateArguments
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    try await update.run(Kind.resource, id, changes: try options.members(desk), as: Kind.Record.self, desk)
  }
}

extension Desk {
  /// The id of something that was made, between blanks where it is told.
  static func idWords(_ document: JSONValue) -> String {
    DeskClient.single(document)?["id"]?.identifier.map { " \($0)" } ?? ""
  }
}
