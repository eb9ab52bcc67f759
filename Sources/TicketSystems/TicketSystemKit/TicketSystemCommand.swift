package import ScanModel

/// A command of a ticket system: it stands in the system's folder, comes to the program by the registry, and leaves to the program
/// what is the same for all commands.
package protocol TicketSystemCommand: SendableMetatype {
  /// Does what was asked for.
  /// - Throws: an exit status that has been explained, or a fault in words.
  mutating func run(in program: any CommandHost) async throws
}

/// What the program does for commands that stand elsewhere.
package protocol CommandHost: Sendable {
  /// A configured ticket system.
  /// - Parameters:
  ///   - name: as the file names it; `nil` for the only one of its type.
  ///   - type: the word after `type:`.
  ///   - configuration: the file; `nil` for the usual one.
  ///   - state: the state folder; `nil` for the usual one.
  /// - Throws: an exit that has told why there is none.
  func ticketSystem(
    _ name: String?, of type: String, configuration: String?, state: String?
  ) throws -> HostedTicketSystem

  /// Finds the station's credentials.
  /// - Parameter state: as above.
  func credentials(state: String?) -> CredentialResolver

  /// The journal of the station whose state folder that is; `nil` where none works there.
  /// - Parameter state: as above.
  func journal(state: String?) -> String?

  /// Draws a code, or the address of a page, as a QR code.
  /// - Parameters:
  ///   - code: any text; digits, capital letters, blanks and `$%*+-./:` make the smallest picture.
  ///   - picture: a new file for it, whose ending says how it is written; `nil` for none.
  ///   - isShown: whether it is printed as well.
  /// - Throws: an exit that has told why it is not drawn.
  func draw(_ code: String, picture: String?, isShown: Bool) throws

  /// What keeps keys and records.
  var keys: any KeyHost { get }

  /// A line to standard output. What comes from outside is cleaned before.
  func out(_ line: String)

  /// A line to standard error, likewise.
  func tell(_ line: String)

  /// Returns where somebody types yes.
  /// - Parameters:
  ///   - words: what `--yes` is for where nobody is here: "delete …".
  ///   - refusal: what is told where it is not wanted.
  /// - Throws: an exit that has told that it is not.
  func confirm(_ question: String, to words: String, otherwise refusal: String) throws

  /// Tells an error.
  /// - Returns: the exit with this status, to be thrown.
  func failure(_ words: String, _ status: Int32) -> any Error
}

/// A configured ticket system, for its own commands.
package struct HostedTicketSystem: Sendable {
  /// Its name.
  package let id: TicketSystemID
  /// What its section has read.
  package let settings: any Sendable
  /// Finds the keys that it names.
  package let credentials: CredentialResolver
  /// Opens its list on board; `nil` where there is none. Throws why it cannot be read.
  package let list: @Sendable () throws(TicketListFault) -> (any TicketList)?

  package init(
    id: TicketSystemID, settings: any Sendable, credentials: CredentialResolver,
    list: @escaping @Sendable () throws(TicketListFault) -> (any TicketList)? = { () throws(TicketListFault) in nil }
  ) {
    self.id = id
    self.settings = settings
    self.credentials = credentials
    self.list = list
  }
}
