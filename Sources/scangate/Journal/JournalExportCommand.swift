import WireText
import ArgumentParser
import Glibc
import Journal
import LinuxIO
import ScanModel

/// `scangate journal export`
struct JournalExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write all scans as CSV or as lines of JSON, oldest first.",
    discussion: """
      Codes are shortened unless --codes is given; holders' names are never written. CSV is safe for spreadsheets: what \
      would be taken for a formula has an apostrophe before it.
      """)

  /// The form of the file.
  enum Format: String, ExpressibleByArgument, CaseIterable {
    case csv, json
  }

  @OptionGroup var journal: JournalArgument
  @OptionGroup var filter: JournalFilterArgument

  @Option(help: ArgumentHelp("csv, or json: one object a line.", valueName: "format"))
  var format: Format

  @Option(
    help: ArgumentHelp(
      "The file; it is replaced when all is written. Without it to standard output.", valueName: "file"),
    completion: .file())
  var output: String?

  @Flag(help: "Write whole codes. Whoever has them may have the tickets: the file is made for you alone.")
  var codes = false

  func run() throws {
    let reader = try journal.open()
    let wanted = try journal.telling { try filter.filter(of: reader) }
    // Where the scans themselves go to the terminal, nothing stands between them.
    let progress = ProgressLine("Looking through the journal", isShown: output != nil || isatty(STDOUT_FILENO) == 0)
    defer { progress.end() }
    let interruption = Interruption(progress)
    defer { interruption.end() }
    do {
      let file = try ReplacedFile(output, mode: codes ? 0o600 : 0o666)
      try journal.telling {
        let columns = JournalRow.columns(wholeCodes: codes, outbox: try reader.outboxByScan())
        if format == .csv { try file.write(CSVText.header(columns.map(\.name))) }
        var count = 0
        try reader.scans(matching: wanted) { row in
          count += 1
          progress.show("Writing: \(count) scans")
          let fields = columns.map { JournalField($0.name, $0.value(row)) }
          try file.write(format == .csv ? CSVText.record(fields) : JSONText(fields).text + "\n")
        }
      }
      try file.finish()
    } catch let error as SystemError {
      let words = error.errno == EEXIST ? "it is a device, a link or a folder; name a file" : error.words
      throw failure("\(output ?? "The output") cannot be written: \(words).", Exit.output)
    }
    if codes, try journal.telling({ try reader.opensSealed() }) {
      let place = output.map { TerminalText.clean($0) } ?? "What was written"
      Terminal.error("scangate: \(place) holds whole codes now. Keep it to yourself, and delete it after use.")
    }
  }
}
