import ArgumentParser
import Glibc
import ScanConfiguration
import ScanModel
import Sealing
import Service
import StationSetUp
import TicketLists
import TicketSystemKit

/// What the program does for the commands of ticket systems.
struct ProgramHost: CommandHost {
  func ticketSystem(
    _ name: String?, of type: String, configuration: String?, state: String?
  ) throws -> HostedTicketSystem {
    let file = configuration ?? ConfigurationArgument.usual
    let argument = Self.state(state)
    let station = try ConfigurationArgument.load(file, checkingFiles: false, warns: false)
    let completed = EnrolmentBook(keys: argument.keys).complete(station)
    let systems = completed.configuration.ticketSystems.filter { $0.type.name == type }
    let named = systems.map(\.id.name).joined(separator: ", ")
    guard let system = name.map({ name in systems.first { $0.id.name == name } }) ?? systems.first else {
      throw scangate.failure(
        "\(file) names no ticket system \(name.map { "\($0) " } ?? "")of type \(type)"
          + (systems.isEmpty ? "." : "; it has \(named)."), Exit.usage)
    }
    guard name != nil || systems.count == 1 else {
      throw scangate.failure("\(file) names several: say which by --system (\(named)).", Exit.usage)
    }
    guard !system.isUnenrolled else {
      let why = completed.missing[system.id] ?? "Its ticket system \(system.id) is not enrolled."
      throw scangate.failure(why, Exit.configuration)
    }
    return HostedTicketSystem(
      id: system.id, settings: system.settings,
      credentials: completed.resolver(else: CredentialStore(keys: argument.keys).resolver),
      list: {
        [keys = argument.keys, place = TicketListPlace(of: system, in: argument.folder)] () throws(TicketListFault) in
        guard try place.isPresent() else { return nil }
        let key: SealKey
        do throws(SealFault) {
          key = try keys.open(making: false).key
        } catch {
          throw TicketListFault(error.description)
        }
        return try StoredTicketList(place, key: key)
      })
  }

  func credentials(state: String?) -> CredentialResolver { CredentialStore(keys: Self.state(state).keys).resolver }

  func journal(state: String?) -> String? {
    let path = Self.state(state).folder + "/journal.sqlite"
    return access(path, F_OK) == 0 ? path : nil
  }

  func draw(_ code: String, picture: String?, isShown: Bool) throws {
    if let picture { try CodePicture.check(picture) }
    let drawn = try CodePicture(code)
    if let picture { try drawn.save(to: picture) }
    if isShown { drawn.show() }
  }

  func out(_ line: String) { Terminal.out(line) }

  func tell(_ line: String) { Terminal.error(line) }

  func confirm(_ question: String, to words: String, otherwise refusal: String) throws {
    try Terminal.confirm(question, to: words, otherwise: refusal)
  }

  func failure(_ words: String, _ status: Int32) -> any Error { scangate.failure(words, ExitCode(status)) }

  static func state(_ folder: String?) -> StateArgument {
    var argument = StateArgument()
    argument.state = folder
    return argument
  }
}
