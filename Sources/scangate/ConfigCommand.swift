import ArgumentParser
import Gateway
import ScanConfiguration
import ScanModel
import WedgeReader

/// `scangate config`: the configuration, without the service.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Look after the configuration.", subcommands: [Check.self])

  /// `scangate config check`
  struct Check: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Tell every error of a configuration at once, with line and column; exit 78 when there are any.")

    @Argument(help: "The configuration.", completion: .file(extensions: ["yaml", "yml"]))
    var file: String

    func run() throws {
      let configuration = try ConfigurationArgument.load(file)
      // Keymaps are checked by compiling them, as the service will.
      let problems = WedgeConfiguration.problems(in: configuration.wedges)
      for problem in problems { Terminal.error("\(file): \(TerminalText.clean(problem.description))") }
      guard problems.isEmpty else { throw Exit.configuration }
      Terminal.out(
        "\(TerminalText.clean(file)): good (\(configuration.gates.count) gates, \(configuration.readers.count) readers)"
      )
    }
  }
}
