import ArgumentParser
import Bookings
import Expectations
import ScanModel
import Synchronization
import Testing
import TicketSystemKit

/// A box office's terminal in this process, and what it keeps: what commands print at it, and what is typed. That the program starts
/// them, and seals what they keep, is shown elsewhere.
final class BookingTerminal: CommandHost, Sendable {
  private struct Exit: Error { let status: Int32 }
  private struct Nothing: Error {}

  /// What nothing that is printed may show.
  private let hidden: [String]
  /// What is typed where a password or a mailed token is asked for, in turn.
  private let typed: Mutex<[String]>
  /// Whether somebody types yes.
  private let saysYes: Bool
  /// What the configuration says of the only ticket system.
  private let system: (any Sendable)?
  private let lines = Mutex((output: "", errors: ""))
  /// The records that are kept, by their names.
  let records = Mutex<[String: [UInt8]]>([:])
  /// What was drawn as a QR code.
  let drawn = Mutex<[String]>([])

  init(
    typing typed: [String] = [], saysYes: Bool = false, hiding hidden: [String] = [], system: (any Sendable)? = nil
  ) {
    self.system = system
    self.typed = Mutex(typed)
    self.saysYes = saysYes
    self.hidden = hidden + typed
  }

  /// Types more.
  func type(_ texts: String...) { typed.withLock { $0 += texts } }

  /// Runs `scangate booking …`; nothing that it prints steers a terminal or shows what is secret.
  func run(_ words: [String]) async -> Program.Result {
    lines.withLock { $0 = ("", "") }
    var status: Int32 = 0
    do {
      guard var command = try BookingCommand.parseAsRoot(words) as? any TicketSystemCommand else { throw Nothing() }
      try await command.run(in: self)
    } catch let exit as Exit {
      status = exit.status
    } catch {
      status = BookingCommand.exitCode(for: error).rawValue
      tell(BookingCommand.fullMessage(for: error))
    }
    let (output, errors) = lines.withLock { $0 }
    let all = output + errors
    for secret in hidden { expect(!all.contains(secret), "\(words): \(all)") }
    let shown = all.split(separator: "\n")
    expect(shown.allSatisfy { $0.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) } }, "\(words): \(all)")
    return Program.Result(output: output, errors: errors, status: status)
  }

  // MARK: As the program does it

  func ticketSystem(_: String?, of _: String, configuration _: String?, state _: String?) throws -> HostedTicketSystem {
    guard let system else { throw failure("No file names one here.", 64) }
    return HostedTicketSystem(id: TicketSystemID("theatre"), settings: system, credentials: credentials(state: nil))
  }

  /// Every credential is the usual password.
  func credentials(state _: String?) -> CredentialResolver {
    CredentialResolver(sessions: Sessions(terminal: self)) { _ throws(SetupError) in BookingService.password }
  }

  private struct Sessions: SessionRecords {
    let terminal: BookingTerminal

    func read(_ name: String) -> [UInt8]? { terminal.records.withLock { $0[name] } }
    func keep(_ bytes: [UInt8]?, as name: String) { terminal.records.withLock { $0[name] = bytes } }
  }

  func journal(state _: String?) -> String? { nil }

  func draw(_ code: String, picture _: String?, isShown _: Bool) throws { drawn.withLock { $0.append(code) } }

  var keys: any KeyHost { Keys(terminal: self) }

  func out(_ line: String) { lines.withLock { $0.output += line + "\n" } }

  func tell(_ line: String) { lines.withLock { $0.errors += line + "\n" } }

  func confirm(_ question: String, to words: String, otherwise refusal: String) throws {
    tell(question)
    guard saysYes else { throw failure("Nobody is here to be asked: add --yes to \(words).", 64) }
  }

  func failure(_ words: String, _ status: Int32) -> any Error {
    tell("scangate: \(words)")
    return Exit(status: status)
  }

  private struct Keys: KeyHost {
    let terminal: BookingTerminal

    func pasted(asking _: String, otherwise refusal: String) throws -> String {
      guard let text = terminal.typed.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        throw terminal.failure(refusal, 130)
      }
      return text
    }

    func hasCredential(_: String, state _: String?) throws -> Bool { false }
    func keep(_: String, as _: String, state _: String?) throws { throw Nothing() }
    func forget(_: String, state _: String?) throws -> Bool { false }
    func records(state _: String?) throws -> [String] { terminal.records.withLock { $0.keys.sorted() } }
    func record(_ name: String, state _: String?) throws -> [UInt8]? { terminal.records.withLock { $0[name] } }
    func set(_ bytes: [UInt8]?, record name: String, state _: String?) throws {
      terminal.records.withLock { $0[name] = bytes }
    }
  }
}
