import ArgumentParser
import FleetBook
import FleetSetUp

/// `scangate fleet rotate`: what is exchanged while gates work.
struct FleetRotateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rotate", abstract: "Exchange certificates and keys of a fleet, step by step, while its gates work.",
    discussion: """
      Each exchange begins with a state in which old and new both hold, and says what is to be done with the files. Once that is done \
      everywhere, scangate fleet rotate next goes on, until the old one is refused. One exchange at a time.
      """,
    subcommands: [Certificates.self, Credential.self, Administrator.self, Event.self, Next.self])

  /// `scangate fleet rotate certificates`
  struct Certificates: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "certificates",
      abstract: "The servers' certificates, and the authority that signs them. They hold for two years.")

    @OptionGroup var folder: FleetFolderArgument

    func run() throws { try folder.rotate(.certificates) }
  }

  /// `scangate fleet rotate credential`
  struct Credential: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "credential", abstract: "The key by which servers take one station.",
      discussion: """
        By what it signs its claims it does not change while the fleet has it: what it has written would be believed no more. Where \
        somebody else may have it: scangate fleet revoke
        """)

    @Argument(help: ArgumentHelp("The station.", valueName: "station"))
    var station: StationID

    @OptionGroup var folder: FleetFolderArgument

    func run() throws { try folder.rotate(.credential(station)) }
  }

  /// `scangate fleet rotate administrator`
  struct Administrator: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "administrator", abstract: "The key by which books are opened and closed.")

    @OptionGroup var folder: FleetFolderArgument

    func run() throws { try folder.rotate(.administrator) }
  }

  /// `scangate fleet rotate event`
  struct Event: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "event", abstract: "Another event: a book of its own, and another fleet key for it.",
      discussion: """
        Between two events, not during one: a ticket that is good at both would open once by each book. The fleet's key changes with \
        the event and not otherwise, for by it stations name a ticket to each other.
        """)

    @Argument(help: ArgumentHelp("The event's name: \(FleetLayout.nameRule).", valueName: "name"))
    var name: String

    @OptionGroup var folder: FleetFolderArgument

    func run() throws { try folder.rotate(.event(name)) }
  }

  /// `scangate fleet rotate next`
  struct Next: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "next", abstract: "Go on with an exchange, once all that it asked for is done.")

    @OptionGroup var folder: FleetFolderArgument

    func run() throws { try folder.rotate(.next) }
  }
}

/// `scangate fleet add`
struct FleetAddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "add", abstract: "Add a station to a fleet.")

  @Argument(help: ArgumentHelp("Its name: \(FleetLayout.nameRule).", valueName: "station"))
  var station: StationID

  @OptionGroup var folder: FleetFolderArgument

  func run() throws { try folder.rotate(.add(station)) }
}

/// `scangate fleet revoke`
struct FleetRevokeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Have no server take a station any more: it was stolen, or is no longer used.",
    discussion: "What it has written still counts: whom it let in was let in.")

  @Argument(help: ArgumentHelp("The station.", valueName: "station"))
  var station: StationID

  @OptionGroup var folder: FleetFolderArgument

  func run() throws { try folder.rotate(.revoke(station)) }
}
