import ArgumentParser
import StationProtocol

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
struct OutboxHoldCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold", abstract: "Stop the sending, until scangate outbox retry.",
    discussion: """
      The service that runs stops at once, and its next start does not begin. Gates go on as they are. While no service runs, \
      nothing is sent anyway.
      """)

  @OptionGroup var order: OrderArguments

  func run() async throws {
    tell(
      try await order.perform("outbox hold", .outboxHold(isOn: true)),
      otherwise: "Nothing is told to ticket systems, until: scangate outbox retry")
  }
}

/// `scangate outbox retry`
struct OutboxRetryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retry", abstract: "Send everything, also what ended without being told.",
    discussion: """
      Ends scangate outbox hold. What was too late is sent all the same, and what is unsettled once more: the ticket system \
      takes the time at which it is told for that of the admission. The service has to run.
      """)

  @OptionGroup var order: OrderArguments

  func run() async throws {
    tell(
      try await order.perform("outbox retry", .outboxRetry),
      otherwise: "Everything that is owed is told as soon as the ticket system answers: scangate outbox status")
  }
}
