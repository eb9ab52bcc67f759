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
    let systems =
      try system.map { [try TicketsCommand.system($0, in: configuration.file, state).0] }
      ?? TicketsCommand.configuration(configuration.file, state).configuration.ticketSystems
    var key: StationKey?
    var obstacle: String?
    do throws(SealFault) {
      key = try state.keys.open(making: false)
    } catch {
      obstacle = error.description
    }
    var isGood = true
    for system in systems {
      let place = TicketListPlace(of: system, in: state.folder)
      var line = JSONText([
        JournalField("ticket_system", .text(system.id.name)), JournalField("file", .text(place.path)),
      ])
      do throws(TicketListFault) {
        guard try place.isPresent() else {
          line.add("present", false)
          tell(line, "There is no list for \(system.id): \(place.path)")
          continue
        }
        line.add("present", true)
        guard let key else { throw TicketListFault(obstacle ?? "There is no key in \(state.folder).") }
        let summary = try TicketListReader(place, key: key.key).summary()
        let age = SystemTime().wall() - summary.state.asOf
        let isOld = age > system.list.maxAge
        if isOld {
          isGood = false
          line.add("problem", Self.tooOld)
        }
        tell(json(line, summary), words(place, summary, key.place) + (isOld ? " \(Self.tooOld)" : ""))
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

  private func json(_ line: JSONText, _ summary: TicketListReader.Summary) -> JSONText {
    var line = line
    line.add("tickets", Int64(clamping: summary.state.count))
    for status in ListedTicket.Status.allCases {
      line.add(status.rawValue, Int64(clamping: summary.counts[status] ?? 0))
    }
    line.add("as_of", summary.state.asOf.iso8601)
    line.add("imported", summary.imported.iso8601)
    line.add("age_seconds", (SystemTime().wall() - summary.state.asOf).milliseconds / 1_000)
    line.add("code_bits", Int64(clamping: summary.guessability.bits))
    line.add("codes_can_be_guessed", !summary.guessability.isEnough)
    return line
  }

  private func words(
    _ place: TicketListPlace, _ summary: TicketListReader.Summary, _ key: StationKey.Place
  ) -> String {
    let warning = key == .credential ? nil : TicketListText.warning(summary.guessability)
    return "\(place.system): \(summary.state.count) tickets (\(TicketListText.counts(summary.counts))), true as of "
      + "\(LocalTime.text(summary.state.asOf)) (\((SystemTime().wall() - summary.state.asOf).asAge) ago), in \(place.path); this station's key fits."
      + (warning.map { " \($0)" } ?? "")
  }
}
