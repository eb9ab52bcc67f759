import StationSetUp
import ArgumentParser
import Glibc
import ScanModel
import Sealing

/// `scangate enrolment`: what ticket systems have given this station for set-up codes.
struct EnrolmentCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrolment", abstract: "Show or forget what ticket systems gave this station for set-up codes.",
    subcommands: [List.self, Forget.self])

  /// `scangate enrolment list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show which ticket systems are enrolled, where, and since when; never a key.")

    @OptionGroup var state: StateArgument

    func run() throws {
      let entries = try EnrolmentBook(keys: state.keys).list()
      if entries.isEmpty { Terminal.out("No ticket system is enrolled in \(TerminalText.clean(state.folder)).") }
      for entry in entries {
        Terminal.out(
          TerminalText.clean(
            "\(entry.system)  \(entry.url)  as gate \(entry.gate)  since \(entry.at.iso8601)", limit: 1_000))
      }
      if let hint = state.hint { Terminal.error(hint) }
    }
  }

  /// `scangate enrolment forget`
  struct Forget: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget",
      abstract: "Forget an enrolment: the station awaits a new set-up code after its next start.",
      discussion: "The key that it gave stays good at the ticket system: withdraw it there.")

    @Argument(help: "The ticket system, as the configuration names it.")
    var system: String

    @OptionGroup var state: StateArgument

    func run() throws {
      let id = TicketSystemID(system)
      guard try EnrolmentBook(keys: state.keys).forget(id) else {
        throw failure("\(system) is not enrolled in \(state.folder). See: scangate enrolment list")
      }
      Terminal.out(
        "The enrolment of \(system) is forgotten. Restart the service to have it await a new set-up code: systemctl restart scangate"
      )
    }
  }
}
