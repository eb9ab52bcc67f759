import ArgumentParser
import Gateway
import Journal
import ScanModel

/// `scangate journal verify`
struct JournalVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Look through the whole journal for damage; exit 1 where there is any.",
    discussion: "It needs no key, and the service may run. A journal of 1 GB takes minutes on an SD card.")

  /// Of how many faults are told.
  private static let most = 20

  @OptionGroup var journal: JournalArgument

  func run() throws {
    let path = journal.path
    let shown = TerminalText.clean(path)
    let progress = ProgressLine("Looking through the journal")
    defer { progress.end() }
    let (reader, found) = try journal.telling { () throws -> (Journal.Reader?, [String]) in
      do throws(JournalFault) {
        return (try Journal.Reader(path: path, key: nil), try Journal.verify(path))
      } catch {
        guard error.kind == .damaged else { throw error }
        return (nil, [error.description])
      }
    }
    var problems = found
    if let reader {
      do throws(JournalFault) {
        for line in try facts(reader) { Terminal.out(line) }
      } catch {
        guard !problems.isEmpty || error.kind == .damaged else { throw failure(error.description) }
        if problems.isEmpty { problems = [error.description] }
      }
    }
    guard !problems.isEmpty else { return Terminal.out("\(shown) is sound.") }
    Terminal.error("\(shown) is damaged.")
    for problem in problems.prefix(Self.most) { Terminal.error("  \(TerminalText.clean(problem, limit: 300))") }
    if problems.count > Self.most { Terminal.error("  and \(problems.count - Self.most) more") }
    if let tables = try? reader?.damagedTables(), !tables.isEmpty {
      Terminal.error("Damaged tables: \(tables.map { TerminalText.clean($0) }.joined(separator: ", ")).")
    }
    Terminal.error(
      """
      What to do: check the disk or card, and replace it soon. Start the service again: it sets a damaged file aside,
      takes over what its ledgers remember, and begins another; gates then admit only whom the ticket system vouches for,
      until: scangate journal accept. What can be had of the scans: sqlite3 FILE .recover, with the file that was set aside.
      """)
    throw ExitCode.failure
  }

  /// What the journal has, in words.
  private func facts(_ reader: Journal.Reader) throws(JournalFault) -> [String] {
    let counts = try reader.counts()
    let standing = try reader.standing()
    var lines = ["Scans           \(counts.scans)"]
    if let first = standing.first, let last = standing.last {
      lines[0] += ", from \(LocalTime.text(first)) to \(LocalTime.text(last))"
    }
    lines.append("Requests        \(counts.attempts), of which \(counts.openAttempts) are not concluded")
    lines.append("Remembered      \(counts.remembered) keys of the ledgers")
    lines.append("Size            \(Self.megabytes(counts.bytes)) MB, without its log")
    lines.append("Schema          version \(standing.version)")
    if let started = standing.started {
      lines.append("Starts          \(counts.sessions), the last \(LocalTime.text(started))")
      let stop = standing.stopped.map { LocalTime.text($0) + ", as it should" }
      lines.append(
        "Last stop       \(stop ?? "not noted: it runs, or it was killed or the power went")")
    }
    return lines
  }

  private static func megabytes(_ bytes: Int) -> String {
    let tenths = bytes / 100_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
