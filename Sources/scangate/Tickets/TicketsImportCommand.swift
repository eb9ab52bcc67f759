import Service
import ArgumentParser
import Gateway
import Glibc
import LinuxIO
import ScanConfiguration
import ScanModel
import Sealing
import TicketLists
import TicketSystemKit

/// `scangate tickets import`
struct TicketsImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Take a list of tickets on board; it replaces the one before.",
    discussion: """
      FILE has comma-separated values (or semicolons, or tabs) with a first line that names the columns: code, and where there \
      are status, date, valid_from, valid_until, quantity, sale, event. docs/tickets.md has them all. What a line is not taken \
      for is told by its number, never by its code. Headers and states in English, German, French and Spanish are understood; what \
      else a column means is said with --column quantity=Anzahl.

      With --from-system the ticket system itself is asked for all that it has sold, within a quarter of its rate budget: do \
      that while no gate is busy. Not every system tells it; some tell each user's tickets alone, and want --user for each of them.
      """)

  @Argument(help: ArgumentHelp("The file.", valueName: "file"), completion: .file(extensions: ["csv", "txt", "tsv"]))
  var file: String?

  @Option(help: ArgumentHelp("The ticket system that sold them, as the configuration names it.", valueName: "name"))
  var system: String?

  @Option(help: ArgumentHelp("Ask this ticket system instead of reading a file.", valueName: "name"))
  var fromSystem: String?

  @Option(
    name: .customLong("user"),
    help: ArgumentHelp(
      "With --from-system: whose tickets, where the ticket system tells each user's own alone; may be given again.",
      valueName: "account"))
  var users: [String] = []

  @OptionGroup var reading: TicketFileArgument
  @OptionGroup var configuration: ConfigurationArgument
  @OptionGroup var state: StateArgument

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "When the list was true; without it, when the file was last written. As in scangate journal list.",
      valueName: "time"),
    transform: { try TimeArgument($0).beginning })
  var asOf: WallTime?

  @Option(help: ArgumentHelp("What dates mean that name no zone; without it this machine's.", valueName: "zone"))
  var zone: String?

  @Flag(help: "Tell what would be taken, and keep nothing.")
  var dryRun = false

  @Flag(help: "Take what is good of a list of which more than half is bad.")
  var force = false

  @Flag(help: "Take a list that has less than half of the tickets of the one on board.")
  var yes = false

  func validate() throws {
    if let fromSystem {
      guard file == nil, asOf == nil, system == nil || system == fromSystem else {
        throw ValidationError("--from-system takes no file, no --system and no --as-of.")
      }
      guard reading.isEmpty else {
        throw ValidationError("--column, --status and --dates are of a file: --from-system takes none of them.")
      }
    } else {
      guard file != nil else { throw ValidationError("Name the file, or the ticket system by --from-system.") }
      guard system != nil else { throw ValidationError("Name the ticket system by --system: a list belongs to one.") }
    }
    guard users.isEmpty || fromSystem != nil else {
      throw ValidationError("--user is of --from-system: a file says itself whose tickets it has.")
    }
    // It is not repeated: it may be something else that was pasted.
    let isNamed = users.allSatisfy { user in
      (1...256).contains(user.utf8.count) && user.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
    guard isNamed else {
      throw ValidationError("--user is no account's id: write it as the ticket system does.")
    }
    if let zone, ZoneRules.named(zone) == nil {
      throw ValidationError("--zone is none that this system knows: write a name such as Europe/Berlin.")
    }
    if let asOf, asOf > SystemTime().wall() { throw ValidationError("--as-of is a time to come.") }
  }

  func run() async throws {
    guard let name = fromSystem ?? system else { return }
    let (system, credentials, whole) = try TicketsCommand.system(name, in: configuration.file, state)
    let names = names(of: system, whole, credentials)
    let zones = ZoneClock(usual: zone)
    let now = SystemTime().wall()
    let progress = ProgressLine()
    defer { progress.end() }
    let interruption = Interruption(progress, saying: ImportStop.words)
    defer { interruption.end() }
    let report: TicketImport.Report
    let key: StationKey.Place?
    var trueAsOf = now
    if let file {
      // Opened before the right to read it is given up.
      let opened = try TicketFile.open(file)
      trueAsOf = min(asOf ?? opened.written, now)
      let settings: TicketImport.Settings
      (settings, key) = try self.settings(for: system, zones, names, progress)
      report = try told { () throws(TicketListFault) in
        let work = try TicketImport(settings)
        try work.read(opened.descriptor, named: file)
        return try work.finish(asOf: trueAsOf, imported: now)
      }
    } else {
      let connection: TicketSystemConnection
      do {
        connection = try system.connect(for: .list, credentials: credentials, time: SystemTime())
      } catch {
        throw failure("Nothing was imported. \(error.description)", Exit.configuration)
      }
      let settings: TicketImport.Settings
      (settings, key) = try self.settings(for: system, zones, names, progress)
      do throws(TicketListFault) {
        report = try await fetch(connection, settings, now)
        await connection.close()
      } catch {
        await connection.close()
        throw Self.failed(error)
      }
    }
    progress.end()
    try tell(report, system: name, asOf: trueAsOf, key: key)
  }

  private func fetch(
    _ connection: TicketSystemConnection, _ settings: TicketImport.Settings, _ now: WallTime
  ) async throws(TicketListFault) -> TicketImport.Report {
    let rosters = try rosters(of: connection)
    let work = try TicketImport(settings)
    for (user, roster) in rosters {
      var number = 1
      var count = 0
      while true {
        let page = try await roster.page(number)
        for ticket in page.tickets { try work.add(ticket) }
        count += page.tickets.count
        guard page.hasMore else { break }
        number += 1
      }
      if let user, count == 0 {
        Terminal.error(TerminalText.clean("\(connection.id) tells no ticket of \(Code(user).shortened) (--user)."))
      }
    }
    // True since the first page was asked for: what was sold meanwhile may be missing.
    return try work.finish(asOf: now, imported: SystemTime().wall())
  }

  /// What the ticket system tells: all at once, or one user's after the other.
  private func rosters(
    of connection: TicketSystemConnection
  ) throws(TicketListFault) -> [(user: String?, roster: any TicketRoster)] {
    guard let roster = connection.roster else {
      throw TicketListFault("\(connection.id) does not tell what it has sold: import a file.")
    }
    if users.isEmpty { return [(nil, roster)] }
    var rosters: [(user: String?, roster: any TicketRoster)] = []
    for user in users {
      guard let own = try roster.of(user: user) else {
        throw TicketListFault("\(connection.id) tells all its tickets, and no single user's: leave out --user.")
      }
      rosters.append((user, own))
    }
    return rosters
  }

  // MARK: Preparing

  /// What codes are called in the fleet, where this station gives it its lists.
  private func names(
    of system: TicketSystemConfiguration, _ configuration: StationConfiguration, _ credentials: CredentialResolver
  ) -> ListNames? {
    do throws(SetupError) {
      guard let lists = try SharedLists.of(configuration, credentials) else { return nil }
      let sharing = lists.shared(system, in: state.folder).sharing
      return sharing.gives ? sharing.names : nil
    } catch {
      Terminal.error(
        TerminalText.clean("The list is not given to the fleet. \(error.description)", limit: 1_000))
      return nil
    }
  }

  /// Takes the station's key, and then gives up root's rights.
  private func settings(
    for system: TicketSystemConfiguration, _ zones: ZoneClock, _ names: ListNames?, _ progress: ProgressLine
  ) throws -> (TicketImport.Settings, StationKey.Place?) {
    let (key, kept) = try stationKey()
    try becomeOwner()
    let settings = TicketImport.Settings(
      place: TicketListPlace(of: system, in: state.folder), key: key, isTrial: dryRun, isForced: force,
      recognise: { system.type.listed(system.type.recognise($0)) }, folding: system.type.foldedKey,
      zone: { zones.time(zone: $0, day: $1, clock: $2) }, mayShrink: yes, keepsDetails: system.list.keepsDetails,
      names: names,
      rules: reading.rules(),
      onProgress: { progress.show(TicketListText.step($0)) })
    return (settings, kept)
  }

  /// The station's key; for a trial where nothing was ever kept, any.
  private func stationKey() throws -> (SealKey, StationKey.Place?) {
    if !dryRun { state.prepare() }
    do throws(SealFault) {
      let station = try state.keys.open(making: !dryRun)
      for notice in station.notices { Terminal.error(TerminalText.clean(notice, limit: 1_000)) }
      return (station.key, station.place)
    } catch {
      if dryRun, error.kind == .absent { return (SealKey.random().key, nil) }
      throw failure(error.description)
    }
  }

  /// Lets root work as the state folder's owner from here on: what it writes is the service's, and nobody who may write there
  /// can lead root elsewhere.
  private func becomeOwner() throws {
    var status = stat()
    guard geteuid() == 0, stat(state.folder, &status) == 0, status.st_uid != 0 else { return }
    guard setegid(status.st_gid) == 0, seteuid(status.st_uid) == 0 else {
      throw failure(
        "The user of \(state.folder) cannot be taken on: \(SystemError(errno: errno, call: "seteuid").words).")
    }
  }

  private func told<Value>(_ body: () throws(TicketListFault) -> Value) throws -> Value {
    return try Result { () throws(TicketListFault) in try body() }.mapError { Self.failed($0) }.get()
  }

  private static func failed(_ fault: TicketListFault) -> ExitCode { notImported(fault) }

  // MARK: Telling

  private func tell(
    _ report: TicketImport.Report, system: String, asOf: WallTime, key: StationKey.Place?
  ) throws {
    func note(_ words: String) { Terminal.error(TerminalText.clean(words, limit: 1_000)) }
    if let encoding = report.encoding { TicketListText.tell(encoding, ignored: report.ignored) }
    for line in report.badLines { note("line \(line.line): \(line.words)") }
    if report.bad > 0 {
      note("\(report.bad) of \(report.good + report.bad) \(file == nil ? "tickets" : "lines") were not taken.")
    }
    for line in report.contradictions { note("line \(line.line): \(line.words); the stricter counts") }
    if report.contradicting > report.contradictions.count {
      note("\(report.contradicting) lines say something else on a code than a line before; the stricter counts.")
    }
    if let refusal = report.refusal {
      let hint =
        switch report.shrinksFrom {
        case _? where report.good > 0: " If that is meant, take it with --yes."
        case nil where report.good > 0: " Look at the lines above; --force takes the good ones."
        default: ""
        }
      throw failure("Nothing was imported. \(refusal)\(hint)", Exit.data)
    }
    let again = report.repeated > 0 ? " (\(report.repeated) lines said one again)" : ""
    let seats = report.joined > 0 ? " (\(report.joined) lines named more seats of a booking)" : ""
    let whether = dryRun ? "would be on board" : "are on board"
    Terminal.out(
      "\(report.codes) tickets of \(system) \(whether)\(again)\(seats): \(TicketListText.counts(report.counts)).")
    let whose = self.asOf == nil && file != nil ? " (when the file was last written; --as-of sets another time)" : ""
    Terminal.out("True as of \(LocalTime.text(asOf))\(whose).")
    if key != .credential, let warning = TicketListText.warning(report.guessability) { note(warning) }
    if let hint = state.hint, !dryRun { Terminal.error(hint) }
  }
}
