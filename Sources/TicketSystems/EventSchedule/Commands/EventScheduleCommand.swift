package import ArgumentParser

/// `scangate eventschedule`: what an organiser and a technician do with an event server from a terminal.
package struct EventScheduleCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "eventschedule", abstract: "Connect an event server, and see what it is.",
    discussion: "See docs/eventschedule.md.", subcommands: connect)

  /// Servers, their keys and their look.
  private static let connect: [any ParsableCommand.Type] = [
    ConnectCommand.self, InstancesCommand.self, VerifyCommand.self, KeyCommand.self, ForgetCommand.self,
    BrandingCommand.self,
  ]

  package init() {}
}
