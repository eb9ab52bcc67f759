import ArgumentParser
import EventSchedule
import ScanModel
import Synchronization
import TicketSystemKit

/// A terminal at which nobody sits, in this process: what commands of the desk print at it. That the program starts them is shown elsewhere.
final class DeskTerminal: CommandHost, Sendable {
  private struct Exit: Error { let status: Int32 }
  private struct Nothing: Error {}

  private let key: String
  private let lines = Mutex((output: "", errors: ""))

  private init(key: String) { self.key = key }

  /// Runs `scangate eventschedule …`.
  /// - Parameter key: what every credential holds.
  static func run(_ words: [String], key: String) async -> Program.Result {
    let terminal = DeskTerminal(key: key)
    var status: Int32 = 0
    do {
      guard var command = try EventScheduleCommand.parseAsRoot(words) as? any TicketSystemCommand else {
        throw Nothing()
      }
      try await command.run(in: terminal)
    } catch let exit as Exit {
      status = exit.status
    } catch {
      status = EventScheduleCommand.exitCode(for: error).rawValue
      terminal.tell(EventScheduleCommand.fullMessage(for: error))
    }
    let (output, errors) = terminal.lines.withLock { $0 }
    return Program.Result(output: output, errors: errors, status: status)
  }

  // MARK: As the program does it

  func ticketSystem(_: String?, of _: String, configuration _: String?, state _: String?) throws -> HostedTicketSystem {
    throw Nothing()
  }

  func credentials(state _: String?) -> CredentialResolver { CredentialResolver { [key] _ in key } }

  func journal(state _: String?) -> String? { nil }

  func draw(_: String, picture _: String?, isShown _: Bool) throws { throw Nothing() }

  var keys: any KeyHost { NoKeys() }

  func out(_ line: String) { lines.withLock { $0.output += line + "\n" } }

  func tell(_ line: String) { lines.withLock { $0.errors += line + "\n" } }

  func confirm(_ question: String, to words: String, otherwise refusal: String) throws {
    throw failure("Nobody is here to be asked: add --yes to \(words).", 64)
  }

  func failure(_ words: String, _ status: Int32) -> any Error {
    tell("scangate: \(words)")
    return Exit(status: status)
  }

  /// The desk keeps none.
  private struct NoKeys: KeyHost {
    func pasted(asking _: String, otherwise _: String) throws -> String { throw Nothing() }
    func hasCredential(_: String, state _: String?) throws -> Bool { throw Nothing() }
    func keep(_: String, as _: String, state _: String?) throws { throw Nothing() }
    func forget(_: String, state _: String?) throws -> Bool { throw Nothing() }
    func records(state _: String?) throws -> [String] { throw Nothing() }
    func record(_: String, state _: String?) throws -> [UInt8]? { throw Nothing() }
    func set(_: [UInt8]?, record _: String, state _: String?) throws { throw Nothing() }
  }
}
