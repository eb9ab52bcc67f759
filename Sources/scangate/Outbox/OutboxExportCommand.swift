import WireText
import ArgumentParser
import Glibc
import Journal
import LinuxIO
import ScanModel

/// `scangate outbox export`
struct OutboxExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write what was not told, and every conflict, as CSV or as lines of JSON.",
    discussion: """
      For a station that died: from its journal (--file), with --with-codes and its key, the admissions can be entered at the \
      ticket system by hand. Codes are shortened otherwise, and are gone where nothing is left to be told.
      """)

  @OptionGroup var journal: JournalArgument

  @Option(help: ArgumentHelp("csv, or json: one object a line.", valueName: "format"))
  var format = JournalExportCommand.Format.csv

  @Option(
    help: ArgumentHelp(
      "The file, made for you alone; it is replaced when all is written. Without it to standard output.",
      valueName: "file"), completion: .file())
  var output: String?

  @Flag(help: "Write whole codes. Whoever has them may have the tickets.")
  var withCodes = false

  func run() throws {
    let progress = ProgressLine("Looking through the journal")
    defer { progress.end() }
    let interruption = Interruption(progress)
    defer { interruption.end() }
    let reader = try journal.open()
    if withCodes, try !journal.telling({ try reader.opensSealed() }) {
      throw failure("Whole codes need the station's key: name its state folder with --state.")
    }
    let owed = try journal.telling { try reader.outbox(.all) }
    progress.end()
    do throws(SystemError) {
      let file = try ReplacedFile(output, mode: 0o600)
      if format == .csv { try file.write(CSVText.header(JournalOwed.columns(wholeCodes: withCodes).map(\.name))) }
      for one in owed {
        let fields = one.fields(wholeCodes: withCodes)
        try file.write(format == .csv ? CSVText.record(fields) : JSONText(fields).text + "\n")
      }
      try file.finish()
    } catch {
      let words = error.errno == EEXIST ? "it is a device, a link or a folder; name a file" : error.words
      throw failure("\(output ?? "The output") cannot be written: \(words).", Exit.output)
    }
    if withCodes {
      let place = output.map { TerminalText.clean($0) } ?? "What was written"
      Terminal.error("scangate: \(place) holds whole codes now. Keep it to yourself, and delete it after use.")
    }
  }
}
