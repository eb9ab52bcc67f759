package import ArgumentParser
internal import TicketSystemKit

/// `scangate eventschedule`: what a technician and an organiser do at an event server from a terminal.
package struct EventScheduleCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "eventschedule",
    abstract: "Connect an event server; an organiser's desk: events, venues, talent, tickets and check-ins.",
    discussion: """
      Each command of the desk asks the ticket system of the configuration, or another server by --server and --key. Servers differ in \
      how something is asked for: what a server does not have is asked in the other way, and which way it was is told. Nothing that \
      changes something is sent twice: where the answer is lost, the command says what to look at and ends with 76. See \
      docs/eventschedule.md.
      """,
    subcommands: connect + desk)

  /// Servers, their keys and their look.
  private static let connect: [any ParsableCommand.Type] = [
    ConnectCommand.self, InstancesCommand.self, VerifyCommand.self, KeyCommand.self, ForgetCommand.self,
    BrandingCommand.self,
  ]

  private static let desk: [any ParsableCommand.Type] = [
    EventsCommand.self, VenuesCommand.self, TalentCommand.self, SaleTicketsCommand.self, CheckInsCommand.self,
  ]

  package init() {}
}

/// A command of the desk.
protocol DeskCommand: AsyncParsableCommand, TicketSystemCommand {
  /// Where it works, and how it prints.
  var desk: DeskArguments { get }

  /// Does what was asked for.
  func run(at desk: Desk) async throws
}

extension DeskCommand {
  func run(in program: any CommandHost) async throws { try await desk.run(self, in: program) }
}
