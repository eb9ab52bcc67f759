import ArgumentParser
import Gateway
import ScanConfiguration
import ScanModel
import Sealing
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

    @OptionGroup var state: StateArgument

    func run() throws {
      let configuration = try ConfigurationArgument.load(file)
      // An operator's own folder tells nothing of the service's.
      let missing = state.hint == nil ? CredentialStore(keys: state.keys).warnings(on: configuration) : []
      for warning in missing { Terminal.error("warning: \(TerminalText.clean(warning, limit: 1_000))") }
      if let path = configuration.setUp?.trust?.path {
        do throws(SetupError) {
          _ = try TrustFile.load(path)
        } catch {
          for line in error.description.split(separator: "\n") {
            Terminal.error("warning: \(TerminalText.clean(String(line), limit: 1_000))")
          }
        }
      }
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
