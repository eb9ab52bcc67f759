import WireText
import ArgumentParser
import Gateway
import Journal
import ScanModel

/// `scangate journal show`
struct JournalShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show everything on one scan, with the requests that were sent for it.",
    discussion: "The id of a request finds the scan that it served: first_used_request leads to who was admitted first."
  )

  /// Of how many scans that begin alike are told.
  private static let most = 20

  @OptionGroup var journal: JournalArgument

  @Argument(help: ArgumentHelp("The id of the scan, or of a request; at least its first 6 digits.", valueName: "id"))
  var id: String

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    let digits = id.utf8
    guard (6...32).contains(digits.count), digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
      throw ValidationError("An id has 32 hexadecimal digits; give at least the first 6.")
    }
  }

  func run() throws {
    let reader = try journal.open()
    try journal.telling {
      let found = try reader.scans(beginningWith: id, limit: Self.most + 1)
      guard let scan = found.first else {
        throw failure(
          "No scan or request in \(journal.path) begins with \(id). scangate journal list shows the scans that there are."
        )
      }
      guard found.count == 1 else {
        Terminal.error("scangate: Several scans begin with \(id); give more digits:")
        for other in found.prefix(Self.most) {
          let row = try reader.scan(other)
          Terminal.error("  \(other)\(row.map { "  " + JournalText.line($0) } ?? "")")
        }
        if found.count > Self.most { Terminal.error("  and more") }
        throw Exit.unavailable
      }
      let row = try reader.scan(scan)
      let attempts = try reader.attempts(of: scan)
      guard json else { return JournalText.lines(scan, row, attempts).forEach(Terminal.out) }
      var line = row.map { JSONText($0.fields()) } ?? JSONText([JournalField("id", .text("\(scan)"))])
      if let row { line.add("holder", row.holder) }
      line.add("attempts", objects: attempts.map { $0.json.text })
      Terminal.out(line.text)
    }
  }
}
