import Reading
import Service
import StationSetUp
import ArgumentParser
import Gateway
import ScanConfiguration
import ScanModel
import Sealing
import Service
import TicketSystemKit
import WedgeReader

/// `scangate config`: the configuration, without the service.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Look after the configuration.", subcommands: [Check.self])

  /// `scangate config check`
  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "check",
      abstract: "Tell every error of a configuration at once, with line and column; exit 78 when there are any.",
      discussion: """
        With --online each ticket system, the control service, and the fleet's servers are asked by requests that redeem, activate and claim nothing, \
        and a line says what came of it: exit 78 where something must be mended before anybody is admitted, 69 where one \
        could not be asked now.
        """)

    @Argument(help: "The configuration.", completion: .file(extensions: ["yaml", "yml"]))
    var file = ConfigurationArgument.usual

    @Flag(help: "Also ask what the configuration speaks to. No service is needed.")
    var online = false

    @OptionGroup var state: StateArgument

    func run() async throws {
      let configuration = try ConfigurationArgument.load(file)
      // An operator's own folder tells nothing of the service's.
      var missing = state.hint == nil ? CredentialStore(keys: state.keys).warnings(on: configuration) : []
      if state.hint == nil {
        missing += ListNeed.all(of: configuration).compactMap { $0.problem(in: state.folder, state.keys) }
        missing += FaceFiles().problems(of: configuration, at: SystemTime().wall()).map {
          // The users' files are named in no line.
          "\($0.position.line > 0 ? $0.position.description : file): \($0.path): \($0.words) → \($0.cure)"
        }
      }
      let credentials = CredentialStore(keys: state.keys)
      // One that is not there is told above, and whose folder cannot be seen tells nothing.
      if state.hint == nil, let fleet = configuration.fleet, (try? credentials.contains(fleet.credential.name)) == true,
        let flaw = FleetCheck.flaw(of: configuration, credentials: credentials.resolver)
      {
        missing.append(flaw)
      }
      if let fleet = configuration.fleet, fleet.administrators.isEmpty {
        missing.append(
          "\(file): fleet.administrators names nobody: this station believes no order for the whole fleet (scangate fleet maintenance). Take them from the fleet.yaml that scangate fleet has written."
        )
      }
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
      if online { try await ask(configuration) }
    }

    private func fleet(
      _ configuration: StationConfiguration, _ progress: ProgressLine
    ) async -> [OnlineCheck.Finding] {
      guard configuration.fleet != nil else { return [] }
      progress.show("Asking fleet")
      return await FleetCheck.findings(on: configuration, credentials: CredentialStore(keys: state.keys).resolver)
    }

    /// Asks each ticket system, the fleet's servers and the control service, and says what came of it.
    private func ask(_ configuration: StationConfiguration) async throws {
      // The keys are those of whoever asks: a refusal for want of one is to say so.
      if let hint = state.hint, !configuration.credentials.isEmpty { Terminal.error(hint) }
      let progress = ProgressLine()
      defer { progress.end() }
      let findings =
        await OnlineCheck.findings(
          on: EnrolmentBook(keys: state.keys).complete(configuration),
          credentials: CredentialStore(keys: state.keys).resolver, onAsking: { progress.show("Asking \($0)") })
        + fleet(configuration, progress)
      for finding in findings {
        let line = TerminalText.clean(finding.line, limit: 1_000)
        switch finding.kind {
        case .good: Terminal.out(line)
        case .doubt: Terminal.error("warning: \(line)")
        case .fault, .away: Terminal.error(line)
        }
      }
      if findings.contains(where: { $0.kind == .fault }) { throw Exit.configuration }
      if findings.contains(where: { $0.kind == .away }) { throw Exit.unavailable }
    }
  }
}
