package import ArgumentParser
internal import TicketSystemKit

/// `scangate membership`: what a membership office does from a terminal.
package struct MembershipCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "membership", abstract: "Make and revoke passes for subscriptions.",
    discussion: "See docs/memberships.md.", subcommands: [PassCommand.self])

  package init() {}
}

/// Exit statuses, as all commands have them (sysexits.h).
enum Status {
  static let usage: Int32 = 64
  static let data: Int32 = 65
  static let unavailable: Int32 = 69
  static let output: Int32 = 74
}
