import ArgumentParser
import Glibc
import LinuxIO
import ScanModel
import Sealing
import TicketSystemKit
import VenueServer

/// The command line: everything that a person does with scangate begins here.
@main
struct Scangate: AsyncParsableCommand {
  static let version = "0.1.0"

  static let configuration = CommandConfiguration(
    commandName: "scangate",
    abstract:
      "The service behind the scanner at a gate: reads codes, asks a ticket system, opens for the right person.",
    discussion: "To see it work on this machine, with no devices: scangate demo",
    version: version,
    subcommands: [
      SetupCommand.self, SetupPageCommand.self, RunCommand.self, MQTTCommand.self, StatusCommand.self,
      WatchCommand.self, OpenCommand.self,
      AnnulCommand.self,
      MaintenanceCommand.self, PresentCommand.self, SearchCommand.self, ConsoleCommand.self, DoctorCommand.self,
      DemoCommand.self,
      DevicesCommand.self,
      CameraCommand.self,
      ConfigCommand.self,
      CredentialCommand.self,
      JournalCommand.self, ReportCommand.self, OrdersCommand.self, OutboxCommand.self, TicketsCommand.self,
      SignalCommand.self,
      DecodeCommand.self,
      KioskCommand.self, EnrolCodeCommand.self, EnrolmentCommand.self, FactoryResetCommand.self, FleetCommand.self,
      VenueCommand.self,
      VersionCommand.self,
    ] + TicketSystemRegistry.commands
  )

  static func main() async {
    do {
      var command = try parseAsRoot(CommandLineWords.joined(Array(CommandLine.arguments.dropFirst())))
      if var command = command as? any TicketSystemCommand {
        try await command.run(in: ProgramHost())
      } else if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
    } catch let fault as any SpokenFault {
      exit(withError: failure(fault.description))
    } catch {
      // What a service ends with is told as an error to the journal that reads it.
      if SystemJournal.isRead, !exitCode(for: error).isSuccess {
        let words = fullMessage(for: error)
        if !words.isEmpty { Terminal.error(words, .error) }
        Glibc.exit(exitCode(for: error).rawValue)
      }
      exit(withError: error)
    }
  }
}

/// What goes wrong beneath the commands, in words for whoever has called one; it ends with `Exit.unavailable`.
protocol SpokenFault: Error, CustomStringConvertible {}

extension DeviceError: SpokenFault {}
extension JournalFault: SpokenFault {}
extension SealFault: SpokenFault {}
extension SetupError: SpokenFault {}
extension VenueError: SpokenFault {}

/// Exit codes beyond success (sysexits.h, as systemd names them too).
enum Exit {
  /// The configuration is wrong, or something else that only somebody can change: the service is not started again by itself.
  static let configuration = ExitCode(78)
  /// The command line asks for what cannot be done.
  static let usage = ExitCode(64)
  /// What was put in cannot be used.
  static let data = ExitCode(65)
  /// A device or address that is needed cannot be had.
  static let unavailable = ExitCode(69)
  /// What was asked for cannot be written.
  static let output = ExitCode(74)
}

/// The words of a command line, before they are taken apart.
enum CommandLineWords {
  /// An option's value that begins with a dash and a digit is written behind an equals sign: `--from -2h` becomes
  /// `--from=-2h`. For the parser `-2h` would be an option, and a cry for help where anything else is wrong.
  static func joined(_ words: [String]) -> [String] {
    var joined: [String] = []
    for (index, word) in words.enumerated() {
      if word == "--" { return joined + words[index...] }
      if word.first == "-", word.dropFirst().first?.isASCIIDigit == true, let option = joined.last, isLong(option) {
        joined[joined.count - 1] = "\(option)=\(word)"
      } else {
        joined.append(word)
      }
    }
    return joined
  }

  private static func isLong(_ word: String) -> Bool { word.hasPrefix("--") && !word.contains("=") }
}

extension Character { fileprivate var isASCIIDigit: Bool { isASCII && isNumber } }
