internal import FleetBook
internal import FleetLists
internal import Gateway
internal import JetStreamClaims
package import ScanConfiguration
package import ScanModel
package import TicketLists
package import TicketSystemKit

/// What a station's lists of tickets are to its fleet: what they are called there, and whether they are given or taken.
package struct SharedLists: Sendable {
  /// One list.
  package struct Shared: Sendable {
    /// The station's own.
    package var place: TicketListPlace
    /// What the fleet calls it.
    package var name: [UInt8]
    package var sharing: ListSharing
    /// What came over the fleet.
    package var taken: TicketListPlace? {
      sharing.origin.map {
        TicketListPlace(state: place.state, system: place.system, server: place.server, origin: $0)
      }
    }
  }

  private let fleet: String
  /// Who is believed: what came while others were is none.
  private let from: String
  private let key: FleetKey
  private let gives: Bool
  private let takes: Bool

  /// - Returns: `nil` where the configuration spreads none.
  init?(_ fleet: FleetConfiguration, station: String, key: FleetKey) {
    guard !fleet.listsFrom.isEmpty else { return nil }
    self.fleet = fleet.name
    from = fleet.listsFrom.map(\.description).sorted().joined(separator: ",")
    self.key = key
    gives = fleet.listsFrom.contains { $0.description == station }
    takes = fleet.takesLists(station)
  }

  /// The same for a command.
  /// - Throws: why the station's credential cannot be had.
  package static func of(
    _ configuration: StationConfiguration, _ credentials: CredentialResolver
  ) throws(SetupError) -> SharedLists? {
    guard let fleet = configuration.fleet, !fleet.listsFrom.isEmpty else { return nil }
    let member = try FleetMember(fleet, station: configuration.name, credentials: credentials)
    return SharedLists(fleet, station: configuration.name, key: member.credential.key)
  }

  /// A ticket system's list in a state folder.
  package func shared(_ system: TicketSystemConfiguration, in folder: String) -> Shared {
    let (key, server) = (key, system.address)
    let name = key.name(ofListOf: server, scope: system.scope.bytes)
    let text = name.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    return Shared(
      place: TicketListPlace(of: system, in: folder), name: name,
      sharing: ListSharing(
        names: ListNames { key.name(ofListed: $0.bytes, of: server) }, gives: gives,
        origin: takes ? ListOrigin(fleet: "\(fleet) \(text) from \(from)") : nil))
  }

  /// What a ticket system tells besides its tickets, as it is spread: by whom lists are given, and to whom.
  func knowledge(_ sharing: StationMemory.Sharing) -> KnowledgeSpreader.Knowledge {
    KnowledgeSpreader.Knowledge(
      system: sharing.system, name: key.name(ofKnowledgeOf: sharing.server), gives: gives, takes: takes,
      shared: sharing.knowledge)
  }
}

extension TicketScope {
  /// What tells it from every other one.
  fileprivate var bytes: [UInt8] {
    func number(_ duration: Duration) -> [UInt8] {
      withUnsafeBytes(of: duration.saturatedNanoseconds.bigEndian) { [UInt8]($0) }
    }
    return switch self {
    case .once: [0]
    case .perDay(let begins): [1] + number(begins)
    case .perEvent(let name): [2] + Array(name.utf8)
    case .every(let duration): [3] + number(duration)
    case .untilExit: [4]
    }
  }
}
