package import ArgumentParser

/// `scangate membership`: what a membership office does from a terminal.
package struct MembershipCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "membership",
    abstract: "The membership office at a subscription service: receipts, subscriptions, links, and passes.",
    discussion: "See docs/memberships.md.",
    subcommands: [
      VerifyReceiptCommand.self, AddReceiptCommand.self, ListSubscriptionsCommand.self, ShowSubscriptionCommand.self,
      ReceiptCommand.self, RefreshSubscriptionCommand.self, LinkCommand.self, UnlinkCommand.self, ExplainCommand.self,
      PassCommand.self,
    ])

  package init() {}
}
