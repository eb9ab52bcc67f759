import FleetBook
import FleetSetUp
import JetStreamClaims
import LibCrypto
import LinuxIO
import ScanConfiguration
import ScanModel
import Sealing
import Service
import TicketSystemKit

/// A fleet as somebody looks at it: whoever administers, by its folder, or one of its stations, by what it has.
struct FleetView {
  /// How the servers are asked.
  var settings: JetStreamSettings
  /// Its name; `nil` where a station looks, which knows the event's alone.
  var fleet: String?
  /// The event.
  var event: String
  /// Who looks, where that is a station.
  var viewer: StationID?
  var nodes: [FleetNode]?
  /// The stations, and by what each is believed.
  var keys: [StationID: Ed25519.PublicKey]
  /// Whose orders for all stations are believed.
  var administrators: [Ed25519.PublicKey]
  var revoked: Set<StationID> = []
  /// When they were.
  var revokedAt: [StationID: WallTime] = [:]
  /// The exchange that is under way, as far as that is known.
  var rotation: String?

  /// - Parameter folder: the fleet's; `nil` for this station's fleet.
  static func open(_ folder: String?, _ configuration: ConfigurationArgument, _ state: StateArgument) throws -> Self {
    if let folder { return try opened(folder) }
    let station = try ConfigurationArgument.load(configuration.file, checkingFiles: false, warns: false)
    guard let fleet = station.fleet else {
      throw failure(
        "\(configuration.file) has no fleet: name the fleet's folder, or the configuration of one of its stations.",
        Exit.configuration)
    }
    do throws(SetupError) {
      let member = try FleetMember(
        fleet, station: station.name, credentials: CredentialStore(keys: state.keys).resolver)
      return FleetView(
        settings: member.settings, event: fleet.name, viewer: member.id, keys: fleet.stations,
        administrators: fleet.administrators)
    } catch { throw failure(error.description, Exit.data) }
  }

  private static func opened(_ path: String) throws -> Self {
    var argument = FleetFolderArgument()
    argument.folder = path
    let (place, layout) = try argument.read()
    return FleetView(
      settings: try spoken { () throws(FleetFault) in try place.settings(layout) }, fleet: layout.name,
      event: layout.event, nodes: layout.nodes,
      keys: Dictionary(layout.stations.map { ($0.name, $0.signs) }) { first, _ in first },
      administrators: layout.administratorKeys, revoked: Set(layout.stations.filter(\.isRevoked).map(\.name)),
      revokedAt: Dictionary(
        layout.stations.compactMap { station in station.revokedAt.map { (station.name, WallTime(seconds: $0)) } }
      ) { first, _ in first }, rotation: layout.rotation?.words)
  }

  /// What reads claims. By what it would write nobody believes it.
  var seal: ClaimSeal? {
    (viewer ?? keys.keys.first).map {
      ClaimSeal(fleet: event, station: $0, key: Ed25519.PrivateKey(), stations: keys)
    }
  }

  /// What there is to tell.
  func status(_ facts: FleetFacts, _ now: WallTime) -> FleetStatus {
    var status = FleetStatus(
      facts: facts, nodes: nodes ?? FleetStatus.nodes(of: facts, servers: settings.servers), stations: Array(keys.keys),
      now: now)
    status.revoked = revoked
    status.revokedAt = revokedAt
    status.viewer = viewer
    let orders = FleetOrderSeal(event: event, administrators: administrators)
    status.order = facts.bucket?.order.map { orders.open($0) }
    return status
  }
}
