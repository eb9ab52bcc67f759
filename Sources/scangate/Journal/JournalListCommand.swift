import WireText
import ArgumentParser
import Journal
import ScanConfiguration
import ScanModel

/// `scangate journal list`
struct JournalListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List scans, the newest last.",
    discussion: """
      A question mark behind a time says that the machine's clock was not trusted then. The first eight digits of a scan's \
      id are what scangate journal show takes.
      """)

  @OptionGroup var journal: JournalArgument
  @OptionGroup var filter: JournalFilterArgument

  @Option(help: ArgumentHelp("At most so many: the newest.", valueName: "number"))
  var limit = 100

  @Flag(help: "Print a line of JSON for each.")
  var json = false

  @OptionGroup var configuration: ConfigurationArgument

  func validate() throws { guard limit > 0 else { throw ValidationError("--limit takes a number from 1.") } }

  func run() throws {
    let reader = try journal.open()
    var isEmpty = true
    let wanted = try journal.telling { try filter.filter(of: reader, limit: limit) }
    let progress = ProgressLine("Looking through the journal")
    defer { progress.end() }
    try journal.telling {
      let outbox = json ? try reader.outboxByScan() : [:]
      try reader.scans(matching: wanted) { row in
        isEmpty = false
        Terminal.out(json ? JSONText(row.fields(outbox: outbox)).text : JournalText.line(row))
      }
    }
    guard !json else { return }
    if isEmpty { try tellOfNone(reader) }
    // What was only counted has no code.
    guard wanted.code == nil else { return }
    let floods = try journal.telling { try reader.floods(matching: wanted) }
    if !floods.isEmpty {
      let count = floods.reduce(0) { $0 &+ $1.flood.refused &+ $1.flood.undecided }
      Terminal.error("\(count) more were too many to be written down one by one: scangate journal floods")
    }
  }

  /// Says that there is none, and of a gate that nobody knows that it is none.
  private func tellOfNone(_ reader: Journal.Reader) throws {
    let gates = try journal.telling { try reader.gates().map(\.name) }
    guard let gate = filter.gate, !gates.contains(gate), !isConfigured(gate) else {
      return Terminal.error("No scan is like that in \(TerminalText.clean(journal.path)).")
    }
    let known = gates.isEmpty ? "none" : gates.joined(separator: ", ")
    Terminal.error(
      TerminalText.clean("No scan is of a gate called \(gate); gates in the journal: \(known).", limit: 2_000))
  }

  private func isConfigured(_ gate: String) -> Bool {
    let reading = ConfigurationArgument.read(configuration.file, checkingFiles: false)
    return reading.configuration?.gates.contains { $0.id.name == gate } ?? false
  }
}

/// `scangate journal conflicts`
struct JournalConflictsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conflicts",
    abstract: "List what is unsettled: requests of which no answer tells, and admissions that were not confirmed.",
    discussion: """
      The ticket system may have recorded an admission on each of the requests. A later answer to the same ticket settles \
      one; one that the end of the machine cut off is settled by nobody but staff. Of the admissions that were given without \
      the ticket system's word, those are listed that it contradicts, and those that it was not told of in time.
      """)

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
    let (unsettled, conflicts) = try journal.telling {
      (try reader.unsettled(since: since, now: now), try reader.outbox(.conflicts, since: since))
    }
    for one in unsettled {
      if json {
        var line = one.attempt.json
        line.add("state", one.reason.rawValue)
        Terminal.out(line.text)
      } else {
        Terminal.out(JournalText.line(one))
      }
    }
    for one in conflicts { Terminal.out(json ? JSONText(one.fields()).text : OutboxText.line(one)) }
    guard !json else { return }
    if unsettled.isEmpty, conflicts.isEmpty {
      return Terminal.out("Nothing is unsettled since \(LocalTime.text(since)).")
    }
    Terminal.out("\(unsettled.count) requests unsettled; \(OutboxText.count(conflicts)).")
  }
}

/// `scangate journal floods`
struct JournalFloodsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "floods", abstract: "List scans that were counted only: they came faster than anybody presents codes.",
    discussion: """
      Nobody was asked for them, and nobody was admitted on them. A scanner that brings so many is broken, or somebody plays \
      with it.
      """)

  @OptionGroup var journal: JournalArgument

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Since then; all at first. As in scangate journal list.", valueName: "time"),
    transform: { try TimeArgument($0).beginning })
  var from: WallTime?

  @Flag(help: "Print a line of JSON for each.")
  var json = false

  func run() throws {
    let reader = try journal.open()
    let floods = try journal.telling { try reader.floods(matching: Journal.Reader.Filter(from: from)) }
    for flood in floods { Terminal.out(json ? JSONText(flood.fields).text : JournalText.line(flood)) }
    if floods.isEmpty, !json { Terminal.error("No scans were only counted.") }
  }
}
