import ArgumentParser
import Gateway
import LinuxIO
import Logging
import ScanConfiguration
import ScanModel

/// `scangate signal`: the outputs of a gate, tried by hand.
struct SignalCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signal", abstract: "Try the outputs of a gate.", subcommands: [Test.self])

  /// `scangate signal test`
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Play a gate's signals; admit pulses its relay.",
      discussion: """
        Without a signal all are played, one after another, except admit: the relay moves only when it is asked for. The \
        service must not run, for it holds the lines. A reason may be added, as in refuse.unpaid.
        """)

    @OptionGroup var source: ConfigurationArgument

    @Argument(help: "The gate's name.")
    var gate: String

    @Argument(help: "admit, refuse[.reason], undecided[.reason], busy, idle or outOfService.")
    var signal: String?

    func run() async throws {
      let configuration = try ConfigurationArgument.load(source.file, checkingFiles: false)
      guard let gate = configuration.gates.first(where: { $0.id.name == gate }) else {
        let names = configuration.gates.map(\.id.name).joined(separator: ", ")
        throw ValidationError("there is no gate \(gate); \(source.file) has \(names)")
      }
      let played: [Signal]
      if let signal {
        guard let one = Signal(text: signal) else {
          throw ValidationError(
            "\(signal) is no signal; try admit, refuse, refuse.unpaid, undecided, busy, idle or outOfService")
        }
        played = [one]
      } else {
        played = [.refuse(.notFound), .undecided(.unreachable), .busy, .outOfService, .idle]
      }
      let logger = Logger(label: "scangate", factory: { StreamLogHandler.standardError(label: $0) })
      let trial: SignalTrial
      do throws(SetupError) {
        trial = try SignalTrial(gate) { logger.error("\(TerminalText.clean($0, limit: 1_000))") }
      } catch {
        throw failure(error.description)
      }
      await trial.start()
      for signal in played {
        Terminal.out("\(gate.id): \(signal.name)")
        do throws(SetupError) {
          try await trial.play(signal)
        } catch {
          await trial.stop()
          throw failure(error.description)
        }
        try await Task.sleep(for: .seconds(3))
      }
      await trial.stop()
    }
  }
}

extension Signal {
  /// A signal by the name that configuration and documentation give it; without a reason, a usual one.
  init?(text: String) {
    let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
    switch (parts.first, parts.dropFirst().first) {
    case ("admit", nil): self = .admit
    case ("busy", nil): self = .busy
    case ("idle", nil): self = .idle
    case ("outOfService", nil): self = .outOfService
    case ("refuse", let reason):
      guard let reason = RefuseReason(rawValue: reason ?? RefuseReason.notFound.rawValue) else { return nil }
      self = .refuse(reason)
    case ("undecided", let reason):
      guard let reason = UndecidedReason(rawValue: reason ?? UndecidedReason.unreachable.rawValue) else { return nil }
      self = .undecided(reason)
    default: return nil
    }
  }
}
