internal import FleetBook
internal import JetStreamClaims
internal import LibCrypto
internal import ScanModel

/// What a fleet's folder keeps besides the layout. Printing, reflecting and interpolating it show no part.
package struct FleetSecrets: Sendable, Unshown {
  /// By their numbers.
  var authorities: [Int: CertificateAuthority]
  /// The newest key of whoever administers.
  var administrator: NKey
  /// The fleet's key for the event, as its file has it.
  var key: String
  /// The newest one of each station.
  var stations: [StationID: FleetCredential]

  package var description: String { "a fleet's secrets" }

  /// The files of all of it.
  func files(_ layout: FleetLayout) -> [FleetFile] {
    let authorities = self.authorities.sorted { $0.key < $1.key }.flatMap { number, authority in
      [
        FleetFile(FleetPath.authority(number), authority.certificate, FleetFile.open),
        FleetFile(FleetPath.authorityKey(number), authority.privateKey, FleetFile.secret),
      ]
    }
    return authorities + [administratorFile, keyFile] + layout.stations.compactMap(credentialFile)
  }

  var administratorFile: FleetFile {
    FleetFile(FleetPath.administrator, FleetAdministrator.text(administrator) + "\n", FleetFile.secret)
  }

  var keyFile: FleetFile { FleetFile(FleetPath.key, key + "\n", FleetFile.secret) }

  func credentialFile(_ station: FleetLayout.Station) -> FleetFile? {
    stations[station.name].map {
      FleetFile(FleetPath.station(station, FleetPath.credential), $0.toBeSealed + "\n", FleetFile.secret)
    }
  }

  /// What servers' certificates are believed by, one after the other.
  func believed(_ layout: FleetLayout) -> [UInt8] {
    layout.believed.flatMap { authorities[$0]?.certificate ?? [] }
  }

  // MARK: Making

  /// How long certificates hold, in seconds: the authority's outlives what it has signed.
  private static let authorityLife: Int64 = 10 * 366 * 86_400
  private static let serverLife: Int64 = 2 * 366 * 86_400
  /// A machine without a battery for its clock is behind when it starts.
  private static let early: Int64 = 86_400

  static func authority(of fleet: String, _ number: Int, at now: WallTime) throws(FleetFault) -> CertificateAuthority {
    let span = (now.seconds - early)..<(now.seconds + authorityLife)
    return try made(CertificateAuthority(named: "fleet \(fleet) authority \(number)", holds: span))
  }

  /// A server's certificate and its key, by the authority that the layout says.
  func issue(for node: FleetNode, _ layout: FleetLayout, at now: WallTime) throws(FleetFault)
    -> CertificateAuthority.Issued
  {
    guard let authority = authorities[layout.authority] else {
      throw FleetFault(.data, "The key of the authority \(layout.authority) is not in the folder.")
    }
    let span = (now.seconds - Self.early)..<(now.seconds + Self.serverLife)
    return try Self.made(authority.issue(for: node.names, holds: span))
  }

  /// The fleet's key for the event: its bytes.
  func keyBytes() throws(FleetFault) -> [UInt8] { try Self.made(FleetKeyText.bytes(key)) }

  static func key() throws(FleetFault) -> NKey { try made(NKey()) }

  static func made<Value>(_ value: Value?) throws(FleetFault) -> Value {
    guard let value else { throw FleetFault(.output, "No key and no certificate was made: there is no memory.") }
    return value
  }
}
