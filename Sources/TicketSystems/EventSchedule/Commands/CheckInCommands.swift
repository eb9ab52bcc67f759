internal import ArgumentParser
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// `scangate eventschedule checkins`
struct CheckInsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "checkins", abstract: "List, follow and add check-ins.",
    discussion: "They are a log of names: they admit nobody, and no ticket is used by them.",
    subcommands: [ListCheckInsCommand.self, FollowCheckInsCommand.self, AddCheckInCommand.self])
}

/// `checkins list`
struct ListCheckInsCommand: DeskCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the check-ins of an event.")

  @Option(help: ArgumentHelp("The event.", valueName: "id"), transform: DeskID.read) var event: String
  @OptionGroup var desk: DeskArguments

  func run(at desk: Desk) async throws {
    try await desk.printList("/checkins", [("event_id", Desk.queried(event))], as: DeskCheckIn.self)
  }
}

/// `checkins follow`
struct FollowCheckInsCommand: DeskCommand {
  static let configuration = CommandConfiguration(
    commandName: "follow", abstract: "Print the check-ins of an event as they come; end with Ctrl-C.",
    discussion: "A server that cannot be asked for a while is asked again; one that refuses ends it.")

  @Option(help: ArgumentHelp("The event.", valueName: "id"), transform: DeskID.read) var event: String
  @Option(help: ArgumentHelp("How often is asked, in seconds.", valueName: "1 to 3600")) var interval = 15
  @OptionGroup var desk: DeskArguments

  func validate() throws {
    guard (1...3_600).contains(interval) else { throw ValidationError("--interval wants 1 to 3600.") }
  }

  func run(at desk: Desk) async throws {
    var seen: Set<String> = []
    var table = DeskTable(heads: DeskCheckIn.heads)
    var isAway = false
    while true {
      do throws(DeskFault) {
        var fresh: [DeskCheckIn] = []
        try await desk.client.list("/checkins", [("event_id", Desk.queried(event))]) { elements in
          fresh += elements.compactMap { DeskCheckIn($0, hiding: desk.client.secrets) }.filter {
            seen.insert($0.id).inserted
          }
          return true
        }
        isAway = false
        // Servers tell the newest first.
        fresh.sort { ($0.at ?? WallTime(nanoseconds: .min)) < ($1.at ?? WallTime(nanoseconds: .min)) }
        if desk.isJSON {
          for one in fresh { desk.out(one.told.shown(hiding: desk.client.secrets)) }
        } else {
          for line in table.lines(fresh.map { $0.cells(desk.clocks) }) { desk.out(line) }
        }
      } catch {
        guard case .unavailable(let words) = error else { throw error }
        if !isAway { desk.tell("\(words) It is asked again.") }
        isAway = true
      }
      try await Task.sleep(for: .seconds(interval))
    }
  }
}

/// `checkins add`
struct AddCheckInCommand: DeskCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Add a check-in to the log of an event; it admits nobody.")

  @Option(help: ArgumentHelp("The event.", valueName: "id"), transform: DeskID.read) var event: String
  @Option(help: "Whose it is.") var name: String
  @Option(help: "Their address.") var email: String?
  @Option(help: "Notes.") var notes: String?
  @Option(help: ArgumentHelp("What it is, where the server tells them apart.", valueName: "checkin|checkout"))
  var action: String?
  @OptionGroup var data: DataArgument
  @OptionGroup var desk: DeskArguments

  func validate() throws {
    guard action.map({ ["checkin", "checkout"].contains($0) }) ?? true else {
      throw ValidationError("--action is checkin or checkout.")
    }
  }

  func run(at desk: Desk) async throws {
    var members = try data.members(
      ["attendee_name": name, "attendee_email": email, "notes": notes, "action": action], desk)
    members["event_id"] = Desk.sent(event)
    let way = DeskWay(method: .post, path: "/checkins", body: .object(members))
    let (document, _) = try await desk.change([way], look: "checkins list --event \(event)")
    desk.done(document, "The check-in\(Desk.idWords(document)) is in the log.")
  }
}
