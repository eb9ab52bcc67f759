package import FleetBook
internal import JetStreamClaims
internal import LibCrypto
package import ScanModel

/// What changes in a fleet's folder, and what somebody has to do then. Pure but for new keys.
package struct FleetChange: Sendable {
  /// The fleet afterwards.
  package let layout: FleetLayout
  /// What is written, in place of what was there.
  package let files: [FleetFile]
  /// What is no more.
  package let removed: [String]
  /// What has to be done with it, in this order.
  package let steps: [String]
}

/// What a new fleet is to be.
package struct FleetWish: Sendable {
  package var name: String
  /// The first event; `nil` of one that is called as the fleet.
  package var event: String?
  package var nodes: [FleetNode]
  /// `nil` where each server's machine is a station of that name.
  package var stations: [StationID]?
  package var port: UInt16?
  package var routePort: UInt16?
  /// In bytes.
  package var room: Int64?

  package init(name: String, nodes: [FleetNode]) {
    self.name = name
    self.nodes = nodes
  }
}

extension FleetChange {
  /// Makes a fleet: all its files.
  /// - Parameter now: when; certificates hold from a day before on.
  package static func making(_ wish: FleetWish, at now: WallTime) throws(FleetFault) -> FleetChange {
    let event = wish.event ?? wish.name
    let administrator = try FleetSecrets.key()
    let names = wish.stations ?? wish.nodes.compactMap { StationID($0.name) }
    var layout = FleetLayout(
      name: wish.name, event: event, nodes: wish.nodes, stations: [], administrators: [administrator.user])
    if let port = wish.port { layout.port = port }
    if let port = wish.routePort { layout.routePort = port }
    if let room = wish.room { layout.room = room }
    let key = FleetKeyText.make()
    let bytes = try FleetSecrets.made(FleetKeyText.bytes(key))
    var credentials: [StationID: FleetCredential] = [:]
    for name in names {
      let (station, credential) = try station(name, bytes)
      layout.stations.append(station)
      credentials[name] = credential
    }
    // Before certificates are made of names that cannot be.
    try layout.check()
    let secrets = FleetSecrets(
      authorities: [1: try FleetSecrets.authority(of: wish.name, 1, at: now)], administrator: administrator, key: key,
      stations: credentials)
    var files = secrets.files(layout) + [FleetFile(FleetPath.readMe, FleetSteps.readMe(layout))]
    files +=
      try certificates(layout, secrets, at: now) + authorities(layout, secrets) + servers(layout) + sections(layout)
    return FleetChange(layout: layout, files: files, removed: [], steps: FleetSteps.made(layout))
  }

  /// A certificate and its key for each server.
  static func certificates(
    _ layout: FleetLayout, _ secrets: FleetSecrets, at now: WallTime
  ) throws(FleetFault) -> [FleetFile] {
    var files: [FleetFile] = []
    for node in layout.nodes {
      let issued = try secrets.issue(for: node, layout, at: now)
      files.append(
        FleetFile(FleetPath.server(node, FleetServerFiles.certificate), issued.certificate, FleetFile.open))
      files.append(FleetFile(FleetPath.server(node, FleetServerFiles.key), issued.privateKey, FleetFile.secret))
    }
    return files
  }

  /// The authorities that are believed, for each server and station.
  static func authorities(_ layout: FleetLayout, _ secrets: FleetSecrets) -> [FleetFile] {
    let believed = secrets.believed(layout)
    let name = FleetServerFiles.authority
    return layout.nodes.map { FleetFile(FleetPath.server($0, name), believed, FleetFile.open) }
      + layout.stations.map { FleetFile(FleetPath.station($0, FleetPath.stationAuthority), believed, FleetFile.open) }
  }

  /// What follows from the layout alone, for each server.
  static func servers(_ layout: FleetLayout) -> [FleetFile] {
    layout.nodes.flatMap { FleetServerFiles.files($0, layout) }
  }

  /// A station with keys of its own.
  static func station(
    _ name: StationID, _ fleet: [UInt8]
  ) throws(FleetFault) -> (FleetLayout.Station, FleetCredential) {
    let credential = try FleetSecrets.made(FleetCredential.make(fleet: fleet))
    let signs = try FleetSecrets.made(credential.signing.publicKey)
    return (FleetLayout.Station(name: name, signs: signs, keys: [credential.user.user]), credential)
  }

  /// What each station's configuration has to say, the same at all: its servers, and whose claims and orders are believed.
  static func sections(_ layout: FleetLayout) -> [FleetFile] {
    let text =
      "# For the configuration of each station of the fleet \(layout.name). Made by scangate fleet.\n"
      + section(
        layout.event, layout.servers, layout.stations.map { ($0.name, $0.signs) }, layout.administratorKeys)
    return layout.stations.map { FleetFile(FleetPath.station($0, FleetPath.section), text) }
  }

  /// The section itself.
  static func section(
    _ event: String, _ servers: [FleetServer], _ stations: [(name: StationID, key: Ed25519.PublicKey)],
    _ administrators: [Ed25519.PublicKey]
  ) -> String {
    """
    fleet:
      name: "\(event)"
      servers: [\(servers.map { "\"tls://\($0)\"" }.joined(separator: ", "))]
      credential: fleet
      ca: /etc/scangate/fleet-ca.pem
      stations:
    \(stations.map { "    \($0.name): \"\(StationKeyText.text($0.key))\"" }.joined(separator: "\n"))
      administrators: [\(administrators.map { "\"\(StationKeyText.text($0))\"" }.joined(separator: ", "))]
      alone: refuse

    """
  }
}
