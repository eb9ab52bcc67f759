import ArgumentParser

/// `scangate journal`: what happened at the gates, beside the running service and without it. The journal is never changed.
struct JournalCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "journal", abstract: "Look into the journal: what happened at the gates.",
    discussion: """
      The journal is only read; the service may run. Codes and names open with the station's key alone: without it \
      everything else is shown.
      """,
    subcommands: [
      JournalListCommand.self, JournalShowCommand.self, JournalConflictsCommand.self, JournalFloodsCommand.self,
      JournalExportCommand.self, JournalVerifyCommand.self, JournalAcceptCommand.self,
    ])
}
