import ArgumentParser
import ScanModel
import StationProtocol

/// What the commands that order something have in common.
struct OrderArguments: ParsableArguments {
  @Option(help: ArgumentHelp("Why, for the journal.", valueName: "words"))
  var why: String?

  @OptionGroup var station: StationArgument

  func validate() throws {
    if let why, why.utf8.count > StationLimits.maximumWhy {
      throw ValidationError("--why is \(why.utf8.count) bytes long; \(StationLimits.maximumWhy) are kept")
    }
  }

  /// Gives an order for a gate, and waits for what comes of it.
  /// - Parameters:
  ///   - limit: how long; whoever has given it stands there.
  ///   - action: the order, for the gate that is found.
  /// - Throws: an exit that has told why it was not done (1), that nobody knows whether it was (76), or that nobody takes it (69).
  func perform(
    _ program: String, at gate: String, within limit: Duration = .seconds(10),
    _ action: (GateID) -> StationOrder.Action
  ) async throws -> OrderOutcome {
    try await station.speaking(program) { client, snapshot in
      guard let found = snapshot.gates.first(where: { $0.id.name == gate }) else {
        let names = snapshot.gates.map(\.id.name).joined(separator: ", ")
        throw failure("There is no gate \(gate); this station has \(names).", Exit.usage)
      }
      return try await give(action(found.id), to: client, within: limit)
    }
  }

  /// Gives an order that is for no gate in particular, and waits for what comes of it; likewise.
  func perform(_ program: String, _ action: StationOrder.Action) async throws -> OrderOutcome {
    try await station.speaking(program) { client, _ in try await give(action, to: client) }
  }

  /// Gives an order to a service that has answered, and waits for what comes of it; likewise.
  func give(
    _ action: StationOrder.Action, to client: StationClient, within limit: Duration = .seconds(10)
  ) async throws -> OrderOutcome {
    let order = StationOrder(action, who: Orderer.name, why: why ?? "")
    let outcome: OrderOutcome
    do throws(StationAbsence) {
      // It is answered before: what happens to the connection from here on is waited out, for its number is done once.
      outcome = try await client.perform(order, within: limit, patience: true)
    } catch  where !error.mayBeDone {
      throw failure("Nothing was done. \(error.description)")
    } catch {
      outcome = .unknown(error.description)
    }
    switch outcome {
    case .done, .decided, .found, .picture: return outcome
    case .refused(let refusal, let words):
      throw failure("Not done (\(refusal.rawValue)). \(words)", Exit.refused)
    case .unknown(let words):
      let look = action.gate == nil ? "scangate status" : "look at the gate"
      throw failure("Nobody knows whether it was done: \(look). \(words)", Exit.unknown)
    }
  }
}

extension Exit {
  /// Somebody who was asked does not want to: nothing was changed.
  static let refused = ExitCode(1)
  /// What was asked for may have been done, or not.
  static let unknown = ExitCode(76)
}

/// Ends a command with what an order's answer says.
func tell(_ outcome: OrderOutcome, otherwise words: String) {
  Terminal.out(TerminalText.clean(outcome.words.flatMap { $0.isEmpty ? nil : $0 } ?? words, limit: 1_000))
}
