import ArgumentParser
import Sealing

/// `scangate outbox`: what a ticket system has still to be told.
struct OutboxCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "outbox", abstract: "Look after admissions that the ticket system has still to be told of.",
    discussion: """
      Whoever is admitted while the ticket system cannot be asked is in the outbox until it was told. The gateway tells it by \
      itself; these commands show what waits, stop the sending, and begin it again.
      """,
    subcommands: [
      OutboxStatusCommand.self, OutboxRetryCommand.self, OutboxHoldCommand.self, OutboxExportCommand.self,
    ])
}

/// `scangate outbox hold`
struct OutboxHoldCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold", abstract: "Stop the sending, until scangate outbox retry.",
    discussion: "The gateway that runs stops within moments, and the next one does not begin. Gates go on as they are.")

  @OptionGroup var state: StateArgument

  func run() throws {
    try state.ordering { orders throws(SealFault) in try orders.hold() }
    Terminal.out("Nothing is sent from the outbox any more, until: scangate outbox retry")
  }
}

/// `scangate outbox retry`
struct OutboxRetryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Send everything, also what ended without being told.",
    discussion: """
      Ends scangate outbox hold. What was too late is sent all the same, and what is unsettled once more: the ticket system \
      takes the time at which it is told for that of the admission.
      """)

  @OptionGroup var state: StateArgument

  func run() throws {
    try state.ordering { orders throws(SealFault) in try orders.retry() }
    Terminal.out(
      "The gateway sends everything as soon as it runs and the ticket system answers: scangate outbox status")
  }
}

extension StateArgument {
  /// Calls `body` with what the sender looks at, and puts into words why that cannot be had.
  func ordering<Value>(_ body: (OutboxOrders) throws(SealFault) -> Value) throws -> Value {
    do throws(SealFault) {
      return try body(OutboxOrders(state: folder))
    } catch {
      throw failure(error.description + (hint.map { " \($0)" } ?? ""))
    }
  }
}
