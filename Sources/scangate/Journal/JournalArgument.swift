import ArgumentParser
import Gateway
import Journal
import ScanModel
import Sealing

/// Which journal is looked into.
struct JournalArgument: ParsableArguments {
  @OptionGroup var state: StateArgument

  @Option(
    help: ArgumentHelp(
      "The journal, where it is not in the state folder: a copy, or one that was set aside.", valueName: "file"),
    completion: .file())
  var file: String?

  /// The journal's file: as given, or in the state folder.
  var path: String { file ?? "\(state.folder)/journal.sqlite" }

  /// Opens the journal with the station's key; says where that key cannot be had.
  func open() throws -> Journal.Reader {
    var key: SealKey?
    var obstacle: String?
    do throws(SealFault) {
      key = try state.keys.open(making: false).key
    } catch {
      obstacle = error.description
    }
    return try telling { () throws(JournalFault) in
      let reader = try Journal.Reader(path: path, key: key)
      if key != nil, try !reader.opensSealed() {
        obstacle = "\(path) was sealed with another key than the one in \(state.folder)."
      }
      if let obstacle {
        Terminal.error("scangate: Codes and names are not shown. \(TerminalText.clean(obstacle, limit: 1_000))")
      }
      return reader
    }
  }

  /// Calls `body`, and puts into words why the journal cannot be read.
  func telling<Value>(_ body: () throws -> Value) throws -> Value {
    do {
      return try body()
    } catch let fault as JournalFault {
      var words = fault.description
      if fault.kind == .damaged { words += " See what is left of it: scangate journal verify" }
      if fault.kind == .unavailable, file == nil, let hint = state.hint { words += " \(hint)" }
      throw failure(words, fault.kind == .damaged ? .failure : Exit.unavailable)
    }
  }
}

/// Which scans are told.
struct JournalFilterArgument: ParsableArguments {
  /// A verdict by its name.
  enum Kind: String, ExpressibleByArgument, CaseIterable {
    case admit, refuse, undecided
  }

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only those since then: 2026-11-21, 2026-11-21T18:00, 18:00 (today), -2h, -30min, -3d.", valueName: "time"),
    transform: { try TimeArgument($0).beginning })
  var from: WallTime?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only those before then; a date means the end of that day.", valueName: "time"),
    transform: { try TimeArgument($0).end })
  var until: WallTime?

  @Option(help: ArgumentHelp("Only those of one gate.", valueName: "name"))
  var gate: String?

  @Option(help: ArgumentHelp("Only those of one verdict.", valueName: "verdict"))
  var verdict: Kind?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only those of one code, in every spelling that the ticket system may take for it, or of its last characters; - asks for it.",
      valueName: "code"))
  var code: String?

  func validate() throws {
    if let from, let until, from >= until {
      throw ValidationError("--from is not before --until: nothing lies between.")
    }
  }

  /// The filter for the newest `limit` scans, or all.
  /// - Parameter reader: the journal, which must open codes where they are looked for.
  func filter(of reader: Journal.Reader, limit: Int? = nil) throws -> Journal.Reader.Filter {
    var filter = Journal.Reader.Filter(
      from: from, until: until, gate: gate.map { GateID($0) }, verdict: verdict?.rawValue, limit: limit)
    guard let code else { return filter }
    guard try reader.opensSealed() else {
      throw failure("Codes lie sealed in the journal, and are found with the station's key alone.")
    }
    let wanted = try CodeArgument(code)
    filter.code = { wanted.matches($0) }
    return filter
  }
}
