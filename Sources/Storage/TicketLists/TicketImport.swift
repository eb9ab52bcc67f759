internal import Glibc
package import LinuxIO
package import ScanModel
package import Sealing

/// Brings a list on board: from a file of comma-separated values, or ticket by ticket from a ticket system.
package final class TicketImport {
  /// Of bad lines and contradictions so many are named; all are counted.
  package static let named = 20

  /// What a list is made of, and for which station.
  package struct Settings {
    /// Where the list lies, and of which ticket system it is.
    package var place: TicketListPlace
    /// The station's key.
    package var key: SealKey
    /// Whether nothing is kept.
    package var isTrial: Bool
    /// Whether a list is taken of which more than half is bad.
    package var isForced: Bool
    /// The ticket system's own form of a code, as at the gate.
    package var recognise: (Code) -> Code
    /// What such a code has in common with all that the ticket system may take for it, as at the gate.
    package var folding: (Code) -> TicketKey?
    /// What a date without a zone means.
    package var zone: CivilClock
    /// Whether a list may take the place of one with more than twice as many codes.
    package var mayShrink: Bool
    /// Whether nobody waits for it: it is done in bits, between which others have the processor.
    package var isUnhurried: Bool
    /// Whether holders and seats are kept, sealed.
    package var keepsDetails: Bool
    /// What codes are called in the fleet by which the list is spread; `nil` where it is not.
    package var names: ListNames?
    /// What is said of the file beside it.
    package var rules: TicketFileRules
    /// Told how far it is, often.
    package var onProgress: (Step) -> Void

    package init(
      place: TicketListPlace, key: SealKey, isTrial: Bool = false, isForced: Bool = false,
      recognise: @escaping (Code) -> Code, folding: @escaping (Code) -> TicketKey? = { _ in nil },
      zone: @escaping CivilClock, mayShrink: Bool = false, isUnhurried: Bool = false,
      keepsDetails: Bool = false, names: ListNames? = nil, rules: TicketFileRules = TicketFileRules(),
      onProgress: @escaping (Step) -> Void = { _ in }
    ) {
      self.folding = folding
      self.place = place
      self.key = key
      self.isTrial = isTrial
      self.isForced = isForced
      self.recognise = recognise
      self.zone = zone
      self.mayShrink = mayShrink
      self.isUnhurried = isUnhurried
      self.keepsDetails = keepsDetails
      self.names = names
      self.rules = rules
      self.onProgress = onProgress
    }
  }

  /// How far an import is.
  package enum Step: Sendable, Equatable {
    /// The file is read, so many hundredths of it.
    case reading(percent: Int)
    /// So many tickets were told by their ticket system.
    case told(Int)
    /// What was read is sorted.
    case sorting
    /// So many tickets of all were written.
    case writing(Int, of: Int)
  }

  /// Something to tell of a line, without its code.
  package struct Note: Sendable, Equatable {
    /// The line, from 1; of a ticket system's answers the ticket's number.
    package var line: Int
    /// What is wrong with it.
    package var words: String
  }

  /// What an import did.
  package struct Report: Sendable, Equatable {
    /// Lines that were taken.
    package var good = 0
    /// Lines that were not.
    package var bad = 0
    /// The first of these.
    package var badLines: [Note] = []
    /// Codes, each counted once.
    package var codes = 0
    /// Lines that say again what another says.
    package var repeated = 0
    /// Lines that name more seats of a booking: it admits for all of them.
    package var joined = 0
    /// Tickets that share a code with another sale's or show's, where they are added to a list: neither admits.
    package var shared = 0
    /// Lines that say something else on a code than another: the stricter counts.
    package var contradicting = 0
    /// The first of these.
    package var contradictions: [Note] = []
    /// How many codes are in which state.
    package var counts: [ListedTicket.Status: Int] = [:]
    /// How hard the codes are to guess.
    package var guessability = Guessability(bits: 0, looks: "")
    /// How the file is written; `nil` without one.
    package var encoding: TextEncoding?
    /// Columns that mean nothing here.
    package var ignored: [String] = []
    /// Why nothing was kept; `nil` where the list was.
    package var refusal: String?
    /// How many codes the list on board has, where that is why nothing was kept.
    package var shrinksFrom: Int?
  }

  let settings: Settings
  let writer: TicketListWriter
  private var dates: CivilText
  private(set) var report = Report()
  private var isDone = false
  /// Whether no ticket at all may be what was told.
  private let mayBeEmpty: Bool
  /// Whether what is good is taken however much is bad: it takes nothing away.
  var takesAnything = false

  /// Begins an import, and is the only one of that list until it ends; the list in use stays until `finish`.
  package convenience init(_ settings: Settings) throws(TicketListFault) {
    try self.init(settings, mayBeEmpty: false)
    try writer.begin()
  }

  /// Begins to take in what is imported later.
  init(_ settings: Settings, mayBeEmpty: Bool) throws(TicketListFault) {
    self.settings = settings
    self.mayBeEmpty = mayBeEmpty
    dates = CivilText(settings.zone)
    writer = try TicketListWriter(
      settings.place, key: settings.key, isTrial: settings.isTrial, isUnhurried: settings.isUnhurried,
      keepsDetails: settings.keepsDetails, names: settings.names)
  }

  deinit { if !isDone { writer.discard() } }

  /// Adds a ticket as its ticket system told it: its code is brought into the form that a gate has.
  package func add(_ told: ToldTicket) throws(TicketListFault) {
    let line = report.good + report.bad + 1
    settings.onProgress(.told(line))
    let listed: ListedCode
    do throws(BadLine) {
      listed = try dates.read(told, line: line, settings.recognise)
    } catch {
      if mayBeEmpty, let code = try? TicketLineReader.code([UInt8](told.code.utf8)[...], settings.recognise) {
        try writer.doubt(code)
      }
      return note(error, line)
    }
    try take(listed)
  }

  private func take(_ listed: ListedCode) throws(TicketListFault) {
    try writer.add(listed, folded: settings.folding(listed.code))
    report.good += 1
  }

  private func note(_ problem: BadLine, _ line: Int) {
    report.bad += 1
    if report.badLines.count < Self.named { report.badLines.append(Note(line: line, words: problem.words)) }
  }

  /// Writes the list, and puts it into its place unless it is a trial or too much is bad.
  /// - Parameters:
  ///   - asOf: when what it says was true.
  ///   - imported: now.
  package func finish(asOf: WallTime, imported: WallTime) throws(TicketListFault) -> Report {
    try finish(as: ListPart(asOf: asOf.nanoseconds, imported: imported.nanoseconds, mark: .now()), at: imported)
  }

  func finish(as own: ListPart, at now: WallTime) throws(TicketListFault) -> Report {
    defer {
      writer.discard()
      isDone = true
    }
    if report.good == 0, !takesAnything, report.bad > 0 || !mayBeEmpty {
      report.refusal = report.bad > 0 ? "No line of it is good." : "It names no ticket."
      return report
    }
    let result = try writer.write(as: own, at: now, settings.onProgress)
    report.codes = result.codes
    report.repeated = result.repeated
    report.joined = result.joined
    report.shared = result.shared
    report.contradicting = result.contradicting
    report.contradictions = result.contradictions.map {
      Note(line: $0.second, words: "it says something else on the code of line \($0.first)")
    }
    report.counts = result.counts
    report.guessability = result.guessability
    if report.bad > report.good, !settings.isForced, !takesAnything {
      report.refusal = "More than half of it is bad."
    } else if let old = countOnBoard(), result.codes * 2 < old, !settings.mayShrink {
      report.shrinksFrom = old
      report.refusal =
        "It has \(result.codes) tickets, and the list on board has \(old): more than half of those would be gone."
    } else if !settings.isTrial {
      try writer.publish()
    }
    return report
  }

  /// How many codes the list in use has; `nil` where there is none that could be believed.
  private func countOnBoard() -> Int? {
    do throws(TicketListFault) {
      guard try settings.place.isPresent() else { return nil }
      return try TicketListReader(settings.place, key: settings.key).state.count
    } catch {
      return nil
    }
  }

  /// Reads a file of comma-separated values to its end; `finish` is still to be called.
  /// - Parameters:
  ///   - file: an open regular file: it is read twice, to tell how its text is written.
  ///   - name: its name, for words.
  /// - Throws: that it cannot be read, has no header or no column of codes, that a column is not understood, or why the list
  ///   cannot be written.
  package func read(_ file: borrowing OwnedDescriptor, named name: String) throws(TicketListFault) {
    var rules = settings.rules
    rules.keepsDetails = settings.keepsDetails
    var reader = TicketFileReader(rules, recognise: settings.recognise, zone: settings.zone)
    let onProgress = settings.onProgress
    try reader.read(file, named: name, onProgress: { onProgress(.reading(percent: $0)) }) {
      (line) throws(TicketListFault) in
      switch line {
      case .good(let listed): try self.take(listed)
      case .bad(let line, let words): note(BadLine(words), line)
      }
    }
    report.encoding = reader.encoding
    report.ignored = reader.ignored
  }
}
