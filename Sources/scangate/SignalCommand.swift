import ArgumentParser
import Gateway
import Glibc
import LinuxIO
import ScanConfiguration
import ScanModel
import StationProtocol
import UnixSignals

/// `scangate signal`: the outputs of a gate, tried by hand.
struct SignalCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "signal", abstract: "Try the outputs of a gate.", subcommands: [Test.self])

  /// `scangate signal test`
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test", abstract: "Play a gate's signals; admit and provisional pulse its relay.",
      discussion: """
        Without a signal all are played, one after another, except admit and provisional: the relay moves only when it is \
        asked for. The service must not run, for it commands the gate. Where the output holder runs \
        (/run/scangate-outputs.sock), it plays them. A reason may be added, as in refuse.unpaid; what is shown while the \
        station is set up is tried by names of its own: setUp.armed, setUp.done, setUp.wrong.
        """)

    @OptionGroup var source: ConfigurationArgument

    @Option(
      help: ArgumentHelp(
        "The socket of the output holder, which plays them. Without it the one of an installed station does, where it runs, "
          + "and this process where there is none.", valueName: "socket"), completion: .file())
    var holder: String?

    @Argument(help: "The gate's name.")
    var gate: String

    @Argument(
      help: "admit, provisional, refuse[.reason], undecided[.reason], busy, idle, offline, outOfService or setUp.step.")
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
            "\(signal) is no signal; try admit, provisional, refuse, refuse.unpaid, undecided, busy, idle, offline, "
              + "outOfService or setUp.wrong")
        }
        played = [one]
      } else {
        played = [.refuse(.notFound), .undecided(.unreachable), .busy, .outOfService, .offline, .idle]
      }
      let trial = try SignalTrial(configuration, gate: gate, outputs: .standing(holder)) {
        Terminal.error(TerminalText.clean($1, limit: 1_000))
      }
      if let first = played.first, [.admit, .provisional].contains(first), !trial.hasRelay {
        Terminal.out("\(gate.id) has no relay; lamps and sound only.")
      }
      var failures: [String] = []
      do throws(SetupError) {
        try await trial.start()
      } catch {
        failures = [error.description]
      }
      if failures.isEmpty { failures = await Self.play(played, on: trial, gate: gate.id) }
      await trial.stop()
      let broken = (failures + trial.broken.map { "The \($0) did not work." }).joined(separator: " ")
      if !broken.isEmpty { throw failure("\(gate.id): \(broken)") }
    }

    /// Plays the signals until all are played or somebody interrupts; a pulse that runs is ended by the trial's stop.
    private static func play(_ signals: [Signal], on trial: SignalTrial, gate: GateID) async -> [String] {
      let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
      return await withTaskGroup(of: [String].self) { group in
        group.addTask {
          var failures: [String] = []
          for signal in signals {
            if Task.isCancelled { break }
            Terminal.out("\(gate): \(signal.fullName)")
            do throws(SetupError) {
              try await trial.play(signal)
            } catch {
              failures.append(error.description)
            }
            try? await Task.sleep(for: signal.trialTime)
          }
          return failures
        }
        group.addTask {
          for await _ in interrupts { break }
          return []
        }
        let first = await group.next() ?? []
        group.cancelAll()
        return first
      }
    }
  }
}

extension OutputPlace {
  /// A holder that is named; else the one of an installed station, where it runs: the lines are its own.
  static func standing(_ holder: String?) -> OutputPlace {
    if let holder { return .holder(path: holder) }
    return access(usualHolder, F_OK) == 0 ? .holder(path: usualHolder) : .own
  }

  private static let usualHolder = "/run/scangate-outputs.sock"
}

extension Signal {
  /// What is said of it while it is played.
  fileprivate var fullName: String { if case .setUp(let step) = self { "setUp.\(step.name)" } else { name } }

  /// How long it is looked at: what came of a set-up code is counted, twice, and may count to eight.
  fileprivate var trialTime: Duration { if case .setUp(.refused) = self { .seconds(18) } else { .seconds(3) } }
}
