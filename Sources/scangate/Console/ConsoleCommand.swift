import ArgumentParser
import Console
import Glibc
import LinuxIO
import ScanConfiguration
import TicketSystemKit

/// `scangate console`: the station as machines see it.
struct ConsoleCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console", abstract: "Show this station to machines over HTTP: health, metrics, events, orders.",
    discussion:
      "A process of its own, which the unit scangate-console.service runs. docs/operations.md tells how to set it up.",
    subcommands: [
      ConsoleRunCommand.self, ConsoleFingerprintCommand.self, ConsoleTokenCommand.self, ConsoleUserCommand.self,
      ConsoleDeviceCommand.self,
    ],
    defaultSubcommand: ConsoleRunCommand.self)
}

/// Where the console finds what the file says of it, its secrets, and where it keeps its certificate.
struct ConsolePlace: ParsableArguments {
  /// The folder of an installed console.
  static let usualState = "/var/lib/scangate-console"

  @Option(
    name: [.customLong("config"), .customShort("c")],
    help: ArgumentHelp("The configuration.", valueName: "file"), completion: .file(extensions: ["yaml", "yml"]))
  var file: String?

  @Option(
    help: ArgumentHelp(
      "The folder with its tokens, certificate and key. Without it what the service manager hands over, or /etc/scangate/console.",
      valueName: "folder"), completion: .directory)
  var credentials: String?

  @Option(
    help: ArgumentHelp(
      "The folder in which it keeps the certificate that it makes. Without it that of the service.", valueName: "folder"
    ),
    completion: .directory)
  var state: String?

  @OptionGroup var accessFiles: AccessArgument

  /// Its secrets.
  var secrets: ConsoleSecrets {
    if let credentials { return ConsoleSecrets(folder: credentials) }
    return StateArgument.variable("CREDENTIALS_DIRECTORY").map { ConsoleSecrets(credentials: $0) } ?? ConsoleSecrets()
  }

  /// Where its certificate is kept.
  var stateFolder: String {
    state ?? StateArgument.variable("STATE_DIRECTORY")?.split(separator: ":").first.map(String.init) ?? Self.usualState
  }

  /// What the station's file says.
  /// - Throws: `Exit.configuration` after printing the errors.
  func configuration() throws -> StationConfiguration {
    // The service manager's copy; a process that can read nothing else has it alone.
    let handed = StateArgument.variable("CREDENTIALS_DIRECTORY").map { "\($0)/scangate.yaml" }
    let path = file ?? handed.flatMap { access($0, R_OK) == 0 ? $0 : nil } ?? ConfigurationArgument.usual
    // Errors name the file that staff mend.
    let name = path == handed ? ConfigurationArgument.usual : path
    do throws(ConfigurationErrors) {
      return try ConfigurationFile.load(path: path, called: name, options: ConfigurationArgument.options).configuration
    } catch {
      for error in error.errors { Terminal.error(error.description, .error) }
      throw Exit.configuration
    }
  }

  /// What this machine is called; `nil` where it has no name of its own.
  var machine: String? {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return nil }
    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return text.isEmpty || text == "localhost" || text == "(none)" ? nil : text
  }
}

extension ConsoleFault: SpokenFault {}
