import ArgumentParser
import FleetBook
import FleetSetUp
import ScanModel

/// `scangate fleet`: several stations with one book.
struct FleetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fleet", abstract: "Make and keep a fleet: several stations that share one book.",
    discussion: """
      On one machine, which need be none of the fleet's; docs/fleet-servers.md tells it step by step:

        scangate fleet init --name summer --nodes gate1,gate2,gate3 summer-fleet

      The folder has every key of the fleet. Nothing of it is ever printed.
      """,
    subcommands: [
      FleetInitCommand.self, FleetKeyCommand.self, FleetOpenCommand.self, FleetAcceptCommand.self,
      FleetStatusCommand.self, FleetAddCommand.self, FleetRevokeCommand.self, FleetRotateCommand.self,
      FleetCloseCommand.self, FleetRemoveCommand.self, FleetInviteCommand.self, FleetJoinCommand.self,
      FleetWatchCommand.self, FleetMaintenanceCommand.self,
    ])
}

/// The folder that a fleet is kept in.
struct FleetFolderArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The fleet's folder.", valueName: "folder"), completion: .directory)
  var folder: String

  /// The fleet that is in it.
  func read() throws -> (folder: FleetFolder, layout: FleetLayout) {
    let folder = FleetFolder(folder)
    return (folder, try spoken { () throws(FleetFault) in try folder.layout() })
  }

  /// Changes the fleet that is in it, and says what is to be done.
  func rotate(_ rotation: FleetRotation) throws {
    let (folder, layout) = try read()
    let change = try spoken { () throws(FleetFault) in
      let change = try FleetChange.rotating(rotation, layout, folder.secrets(layout), at: SystemTime().wall())
      try folder.apply(change)
      return change
    }
    Terminal.out("The files in \(TerminalText.clean(folder.path)) are changed. Now:")
    say(change.steps)
  }

  /// What is to be done, a line for each step.
  func say(_ steps: [String]) {
    for (number, step) in steps.enumerated() {
      Terminal.out("  \(number + 1). \(step.replacing("FOLDER", with: TerminalText.clean(folder)))")
    }
  }
}

/// A fault of a fleet's in words, and the exit that goes with it.
func spoken<Value>(_ body: () throws(FleetFault) -> Value) throws -> Value {
  do throws(FleetFault) { return try body() } catch {
    let code =
      switch error.kind {
      case .asked: Exit.usage
      case .data: Exit.data
      case .output: Exit.output
      }
    throw failure(error.description, code)
  }
}

extension StationID: ExpressibleByArgument {
  package init?(argument: String) { self.init(argument) }
}
