import ArgumentParser
import FleetBook
import FleetSetUp
import ScanModel

/// `scangate fleet init`
struct FleetInitCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "init", abstract: "Make a fleet: the files of its servers, and a credential for each station.",
    discussion: """
      Writes a new folder: for each server the configuration of nats-server, a certificate with its key and what Debian's unit lacks; \
      for each station what makes it one of the fleet. Nothing is overwritten, and no key is printed. One server serves; of three one \
      may be lost.
      """)

  @Argument(help: ArgumentHelp("The new folder.", valueName: "folder"), completion: .directory)
  var folder: String

  @Option(help: ArgumentHelp("The fleet's name: \(FleetLayout.nameRule).", valueName: "name"))
  var name = "fleet"

  @Option(
    help: ArgumentHelp(
      "The machines that servers run on, as all stations reach them: gate1,gate2,gate3, or gate1=10.0.0.11,…",
      valueName: "names"))
  var nodes: NodeList

  @Option(help: ArgumentHelp("The stations' names. Without it one on each server's machine.", valueName: "names"))
  var stations: StationNames?

  @Option(
    help: ArgumentHelp("The first event, by which its book is called. Without it as the fleet.", valueName: "name"))
  var event: String?

  @Option(help: ArgumentHelp("Where stations connect to; 4222.", valueName: "port"))
  var port: UInt16?

  @Option(help: ArgumentHelp("Where servers connect to each other; 6222.", valueName: "port"))
  var routePort: UInt16?

  @Option(
    help: ArgumentHelp("What an event's book may take on each server's disk, in MB; 500.", valueName: "MB"))
  var room: Int64?

  func run() throws {
    var wish = FleetWish(name: name, nodes: nodes.nodes)
    wish.event = event
    wish.stations = stations?.names
    wish.port = port
    wish.routePort = routePort
    // Beyond what can be, it is refused in words.
    wish.room = room.map { $0.multipliedReportingOverflow(by: 1_000_000) }.map { $0.overflow ? -1 : $0.partialValue }
    let place = FleetFolder(folder)
    let change = try spoken { () throws(FleetFault) in
      let change = try FleetChange.making(wish, at: SystemTime().wall())
      try place.make(change)
      return change
    }
    let layout = change.layout
    Terminal.out(
      "The fleet \(layout.name) is in \(TerminalText.clean(place.path)): \(counted(layout.nodes.count, "server")), "
        + "\(counted(layout.stations.count, "station")). Now:")
    var argument = FleetFolderArgument()
    argument.folder = folder
    argument.say(change.steps)
  }

  private func counted(_ count: Int, _ what: String) -> String { "\(count) \(what)\(count == 1 ? "" : "s")" }
}

/// `gate1,gate2=10.0.0.12`
struct NodeList: ExpressibleByArgument {
  let nodes: [FleetNode]

  init?(argument: String) {
    let words = argument.split(separator: ",", omittingEmptySubsequences: false)
    nodes = words.compactMap(FleetNode.init)
    guard nodes.count == words.count else { return nil }
  }
}

/// `north,south`
struct StationNames: ExpressibleByArgument {
  let names: [StationID]

  init?(argument: String) {
    let words = argument.split(separator: ",", omittingEmptySubsequences: false)
    names = words.compactMap { StationID(String($0)) }
    guard names.count == words.count else { return nil }
  }
}
