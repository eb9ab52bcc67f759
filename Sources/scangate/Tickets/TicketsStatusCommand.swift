import WireText
import Service
import StationSetUp
import ArgumentParser
import Glibc
import LinuxIO
import ScanConfiguration
import ScanModel
import Sealing
import TicketLists

/// `scangate tickets status`
struct TicketsStatusCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Tell which lists are on board, of when, and whether they can be used.")

  @Option(help: ArgumentHelp("Only that of one ticket system.", valueName: "name"))
  var system: String?

  @OptionGroup var configuration: ConfigurationArgument
  @OptionGroup var state: StateArgument

  @Flag(help: "Print a line of JSON for each.")
  var json = false

  func run() throws {
    let completed = try TicketsCommand.configuration(configuration.file, state)
    let systems =
      try system.map { [try TicketsCommand.system($0, in: configuration.file, state).0] }
      ?? completed.configuration.ticketSystems
    let shared = try? SharedLists.of(
      completed.configuration, completed.resolver(else: CredentialStore(keys: state.keys).resolver))
    var key: StationKey?
    var obstacle: String?
    do throws(SealFault) {
      key = try state.keys.open(making: false)
    } catch {
      obstacle = error.description
    }
    var isGood = true
    let lists = systems.flatMap { system in
      let own = TicketListPlace(of: system, in: state.folder)
      let taken = shared?.shared(system, in: state.folder).taken
      return ([own] + [taken].compactMap(\.self)).map { (system, $0) }
    }
    for (system, place) in lists {
      var line = JSONText([
        JournalField("ticket_system", .text(system.id.name)), JournalField("file", .text(place.path)),
      ])
      if place.origin != nil { line.add("over_fleet", true) }
      do throws(TicketListFault) {
        guard try place.isPresent() else {
          line.add("present", false)
          let what =
            place.origin == nil ? "There is no list for \(system.id)" : "No list for \(system.id) came over the fleet"
          tell(line, "\(what): \(place.path)")
          continue
        }
        line.add("present", true)
        guard let key else { throw TicketListFault(obstacle ?? "There is no key in \(state.folder).") }
        let summary = try TicketListReader(place, key: key.key).summary()
        let maxAge = system.list.maxAge
        let isOld = age(summary.state.told.asOf) > maxAge
        if isOld {
          isGood = false
          line.add("problem", Self.tooOld)
        }
        tell(
          json(line, summary, maxAge), words(place, summary, maxAge, key.place) + (isOld ? " \(Self.tooOld)" : ""))
      } catch {
        isGood = false
        line.add("problem", error.description)
        tell(line, error.description)
      }
    }
    if let hint = state.hint, !json { Terminal.error(hint) }
    if !isGood { throw Exit.unavailable }
  }

  /// What a list is told that is whole and of no use.
  private static let tooOld = "It is older than list.maxAge allows: no gate admits by it. Import a newer one."

  private func tell(_ line: JSONText, _ words: String) {
    Terminal.out(json ? line.text : TerminalText.clean(words, limit: 2_000))
  }

  private func age(_ asOf: WallTime) -> Duration { SystemTime().wall() - asOf }

  private func json(_ line: JSONText, _ summary: TicketListReader.Summary, _ maxAge: Duration) -> JSONText {
    var line = line
    line.add("tickets", Int64(clamping: summary.state.count))
    for status in ListedTicket.Status.allCases {
      // Most lists have none.
      if status == .unconfirmed, summary.counts[status] == nil { continue }
      line.add(status.rawValue, Int64(clamping: summary.counts[status] ?? 0))
    }
    line.add("as_of", summary.state.told.asOf.iso8601)
    line.add("imported", summary.imported.iso8601)
    line.add("age_seconds", age(summary.state.told.asOf).milliseconds / 1_000)
    line.add("code_bits", Int64(clamping: summary.guessability.bits))
    line.add("codes_can_be_guessed", !summary.guessability.isEnough)
    guard summary.completeAsOf != summary.state.told.asOf else { return line }
    line.add("complete_as_of", summary.completeAsOf?.iso8601)
    line.add(
      "older",
      objects: summary.older.map { part in
        var object = JSONText()
        object.add("as_of", part.asOf.iso8601)
        object.add("age_seconds", age(part.asOf).milliseconds / 1_000)
        object.add("tickets", Int64(clamping: part.count))
        object.add("too_old", age(part.asOf) > maxAge)
        return object.text
      })
    return line
  }

  private func words(
    _ place: TicketListPlace, _ summary: TicketListReader.Summary, _ maxAge: Duration, _ key: StationKey.Place
  ) -> String {
    let parts = summary.older.map { part in
      " \(part.count) of them are true as of \(LocalTime.text(part.asOf)) only (\(age(part.asOf).asAge) ago)"
        + (age(part.asOf) > maxAge ? ": no gate admits by those." : ".")
    }
    let warning = key == .credential ? nil : TicketListText.warning(summary.guessability)
    let whence = place.origin == nil ? "" : ", over the fleet"
    return
      "\(place.system)\(whence): \(summary.state.count) tickets (\(TicketListText.counts(summary.counts))), true as of "
      + "\(LocalTime.text(summary.state.told.asOf)) (\(age(summary.state.told.asOf).asAge) ago), in \(place.path); this station's key fits."
      + parts.joined() + (warning.map { " \($0)" } ?? "")
  }
}
