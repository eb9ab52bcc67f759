import ArgumentParser
import Gateway
import Journal
import ScanModel

/// `scangate journal list`
struct JournalListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List scans, the newest last.",
    discussion: """
      A question mark behind a time says that the machine's clock was not trusted then. The first eight digits of a scan's \
      id are what scangate journal show takes.
      """, helpNames: JournalFilterArgument.helpNames)

  @OptionGroup var journal: JournalArgument
  @OptionGroup var filter: JournalFilterArgument

  @Option(help: ArgumentHelp("At most so many: the newest.", valueName: "number"))
  var limit = 100

  @Flag(help: "Print a line of JSON for each.")
  var json = false

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit takes a number from 1.") }
  }

  func run() throws {
    let reader = try journal.open()
    var isEmpty = true
    try journal.telling {
      try reader.scans(matching: filter.filter(limit: limit)) { row in
        isEmpty = false
        Terminal.out(json ? JSONLine(row.fields).finished() : JournalText.line(row))
      }
    }
    if isEmpty, !json { Terminal.error("No scan is like that in \(TerminalText.clean(journal.path)).") }
  }
}

/// `scangate journal conflicts`
struct JournalConflictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts", abstract: "List what is unsettled: requests of which no answer tells.",
    discussion: """
      The ticket system may have recorded an admission on each of them. A later answer to the same ticket settles one; one \
      that the end of the machine cut off is settled by nobody but staff.
      """, helpNames: JournalFilterArgument.helpNames)

  @OptionGroup var journal: JournalArgument

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Since then; a day at first. As in scangate journal list.", valueName: "time"),
    transform: { try TimeArgument($0).beginning })
  var from: WallTime?

  @Flag(help: "Print a line of JSON for each.")
  var json = false

  func run() throws {
    let now = SystemTime().wall()
    let reader = try journal.open()
    let since = from ?? now - .seconds(86_400)
    let unsettled = try journal.telling { try reader.unsettled(since: since, now: now) }
    for one in unsettled {
      if json {
        var line = one.attempt.json
        line.add("state", one.reason.rawValue)
        Terminal.out(line.finished())
      } else {
        Terminal.out(JournalText.line(one))
      }
    }
    if unsettled.isEmpty, !json { Terminal.out("Nothing is unsettled since \(LocalTime.text(since)).") }
  }
}
