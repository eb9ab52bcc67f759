package import ScanModel
package import TicketSystemKit

/// A ticket system: `ticketSystems.<name>`.
package struct TicketSystemConfiguration: Sendable {
  /// The name.
  package var id: TicketSystemID
  /// What it is: `type`.
  package var type: TicketSystemType
  /// For how long "once" holds: `scope`.
  package var scope: TicketScope
  /// How the list of tickets on board is used.
  package var list: TicketListConfiguration
  /// How far the clock that dates its records is ahead of the one that its answers' `Date` shows; negative where it is behind.
  package var recordOffset: Duration
  /// What its section read; its type knows of which kind.
  package var settings: any Sendable

  /// Which server it is, of which type: what its ledger belongs to.
  package var address: String { type.address(of: id, settings) }
  /// How many requests a minute this station may send; `nil` where nothing bounds them.
  package var budget: Int? { type.budget(of: settings) }
  /// What key and address are called in the file, for words.
  package var settingNames: TicketSystemType.SettingNames? { type.settingNames(of: settings) }
  /// Whether its server and key come by a set-up code, and have not come.
  package var isUnenrolled: Bool { type.isAwaitingCode(settings) }

  /// Makes its connection. Reads its key; connects nowhere.
  /// - Parameters:
  ///   - list: its list on board, where there is a station that has one.
  ///   - credentials: where keys are that the configuration names.
  /// - Throws: what is wrong with its key, its certificate file or its address.
  package func connect(
    for use: ConnectionUse = .gates, list: ListOnBoard? = nil, credentials: CredentialResolver, time: any TimeSource
  ) throws(SetupError) -> TicketSystemConnection {
    try type.connect(id, settings, for: use, list: list, credentials: credentials, time: time)
  }

  /// The system with what a set-up code brought.
  /// - Parameter credential: the name by which its key is asked for.
  /// - Returns: `nil` where the address is none.
  package func enrolled(at url: String, credential: String) -> TicketSystemConfiguration? {
    let position = SourcePosition(file: "enrolment of \(id)", line: 1, column: 1)
    let key = CredentialReference(name: credential, position: position)
    guard let settings = type.enrolled(settings, at: url, key: key) else { return nil }
    var system = self
    system.settings = settings
    return system
  }
}
