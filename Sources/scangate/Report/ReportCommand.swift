import ArgumentParser
import Glibc
import LinuxIO
import ReportClient
import ReportProtocol
import ScanModel

/// `scangate report`
struct ReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Make a report of a time: who was admitted when and where, why others were not, and what staff did.",
    discussion: """
      The unit scangate-report makes it from the journal, without the station's key: no code is in it, and no holder's name. CSV is one \
      table for a spreadsheet, PDF pages of A4. Times are the machine's own unless --zone names others.
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("From then on: 2026-11-21, 2026-11-21T18:00, 18:00 (today), -2h, -3d.", valueName: "time"),
    transform: { try TimeArgument($0).beginning })
  var from: WallTime?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Before then; a date means the end of that day.", valueName: "time"),
    transform: { try TimeArgument($0).end })
  var until: WallTime?

  @Option(help: ArgumentHelp("Of one gate.", valueName: "name"))
  var gate: String?

  @Option(help: ArgumentHelp("Of one event, by its name or as the ticket system calls it.", valueName: "event"))
  var event: String?

  @Option(help: ArgumentHelp("Whose civil time is told, such as Europe/Berlin.", valueName: "zone"))
  var zone: String?

  @Option(
    help: ArgumentHelp(
      "The language of pages: en, de, fr or es. Else that of the console's pages in the configuration, else the terminal's.",
      valueName: "language"),
    completion: .list(ReportLanguages.names))
  var language: String?

  @Option(
    help: ArgumentHelp("Write comma-separated values to this file; - for standard output.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var csv: String?

  @Option(
    help: ArgumentHelp("Write pages to this file; - for standard output.", valueName: "file"),
    completion: .file(extensions: ["pdf"]))
  var pdf: String?

  @Option(
    help: ArgumentHelp("Where reports are made.", valueName: "path"), transform: SocketPath.resolved)
  var socket: String = ReportLimits.path

  func validate() throws {
    guard (csv == nil) != (pdf == nil) else { throw ValidationError("Write --csv FILE, or --pdf FILE.") }
    if let language, !ReportLanguages.names.contains(language) {
      throw ValidationError("--language is one of \(ReportLanguages.names.joined(separator: ", ")).")
    }
    if let from, let until, from >= until {
      throw ValidationError("--from is not before --until: nothing lies between.")
    }
  }

  func run() async throws {
    let question = ReportQuestion(
      from: from, until: until, gate: gate.map { GateID($0) }, event: event, zone: zone, form: csv == nil ? .pdf : .csv,
      language: csv == nil ? ReportLanguages.chosen(language) : nil)
    let progress = ProgressLine("Waiting for the report")
    defer { progress.end() }
    let file: ReportFile
    do throws(ReportAbsence) {
      file = try await ReportClient(path: socket, program: "scangate report").report(question) { told in
        switch told {
        case .waiting(let ahead): progress.show("Waiting: \(ahead) before this one")
        case .reading(let scans): progress.show("Reading: \(scans) scans")
        }
      }
    } catch {
      throw failure(error.description, error.kind == .fault(.question) ? Exit.usage : Exit.unavailable)
    }
    try write(file)
    progress.end()
    if !isForOutput {
      let pages = file.head.pages > 0 ? ", \(file.head.pages) pages" : ""
      Terminal.error("\(TerminalText.clean(path ?? "")): \(file.head.scans) scans\(pages).")
    }
  }

  private var path: String? { csv ?? pdf }
  private var isForOutput: Bool { path == "-" }

  private func write(_ report: ReportFile) throws {
    do throws(SystemError) {
      let file = try ReplacedFile(isForOutput ? nil : path, mode: 0o640)
      try file.write(bytes: report.bytes)
      try file.finish()
    } catch {
      let words = error.errno == EEXIST ? "it is a device, a link or a folder; name a file" : error.words
      throw failure("\(TerminalText.clean(path ?? "The output")) cannot be written: \(words).", Exit.output)
    }
  }
}
