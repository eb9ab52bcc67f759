import StationSetUp
import ArgumentParser
import ScanConfiguration
import ScanModel
import Sealing
import TicketLists
import TicketSystemKit

/// `scangate tickets`: the list on board, by which a gate can decide while the ticket system cannot be asked.
struct TicketsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tickets", abstract: "Bring a list of tickets on board, for when the ticket system cannot be asked.",
    discussion: """
      The list holds no readable code and no readable name: codes are found by digests that only this station can make, and holders and \
      seats are kept where list.details says so, sealed. A running service takes a new list with the next scan.
      """,
    subcommands: [TicketsImportCommand.self, TicketsStatusCommand.self])

  /// The configuration, with what set-up codes have brought.
  static func configuration(_ file: String, _ state: StateArgument) throws -> EnrolmentBook.Completed {
    let configuration = try ConfigurationArgument.load(file, checkingFiles: false)
    let completed = EnrolmentBook(keys: state.keys).complete(configuration)
    for problem in completed.problems.values.sorted() { Terminal.error(TerminalText.clean(problem, limit: 1_000)) }
    return completed
  }

  /// A configured ticket system, and who knows its key.
  static func system(
    _ name: String, in file: String, _ state: StateArgument
  ) throws -> (TicketSystemConfiguration, CredentialResolver, StationConfiguration) {
    let completed = try configuration(file, state)
    let configuration = completed.configuration
    guard let system = configuration.ticketSystems.first(where: { $0.id.name == name }) else {
      let known = configuration.ticketSystems.map(\.id.name).joined(separator: ", ")
      throw failure("\(file) names no ticket system \(name); it has \(known).", Exit.usage)
    }
    return (system, completed.resolver(else: CredentialStore(keys: state.keys).resolver), configuration)
  }
}

/// What both commands say in the same words.
enum TicketListText {
  /// `980 valid, 12 used, 3 refunded`
  static func counts(_ counts: [ListedTicket.Status: Int]) -> String {
    ListedTicket.Status.allCases.compactMap { status in
      counts[status].map { "\($0) \(status.rawValue)" }
    }.joined(separator: ", ")
  }

  /// How far an import is.
  static func step(_ step: TicketImport.Step) -> String {
    switch step {
    case .reading(let percent): "Reading: \(percent) %"
    case .told(let count): "Asking: \(count) tickets"
    case .sorting: "Sorting …"
    case .writing(let count, let all): "Writing: \(count) of \(all) tickets"
    }
  }

  /// Says how a file was read, where that may surprise.
  static func tell(_ encoding: TextEncoding, ignored: [String]) {
    if encoding != .utf8 { Terminal.error("The file was read as \(encoding.rawValue).") }
    if !ignored.isEmpty {
      let words = "Columns that were not looked at: \(ignored.joined(separator: ", "))"
      Terminal.error(TerminalText.clean(words, limit: 1_000))
    }
  }

  /// What it means that codes can be guessed; `nil` where they cannot.
  static func warning(_ guessability: Guessability) -> String? {
    if guessability.isEnough { return nil }
    return
      "These codes can be guessed: \(guessability.looks), about \(guessability.bits) bits each. Whoever has this machine's disk "
      + "and the station's key finds them all by trying. Bind the key to a TPM or an outside medium (docs/security.md), or have "
      + "longer, random codes printed."
  }
}
