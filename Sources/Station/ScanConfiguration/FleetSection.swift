package import FleetBook
package import LibCrypto
package import TicketSystemKit

/// The stations that share a book: `fleet`.
package struct FleetConfiguration: Sendable, Equatable {
  /// The fleet's name, and that of its bucket at the servers.
  package var name: String
  /// Its servers, in the order in which they are tried; where a station begins follows from its name.
  package var servers: [FleetServer]
  /// The credential that `scangate fleet key` has made.
  package var credential: CredentialReference
  /// The certificates that those of the servers are signed by.
  package var ca: FileReference
  /// Who is believed, by name: all stations of the fleet.
  package var stations: [StationID: Ed25519.PublicKey]
  /// Whose orders for the whole fleet count; nobody's where it is empty.
  package var administrators: [Ed25519.PublicKey]
  /// What is done while the fleet cannot be asked.
  package var alone: AlonePolicy
  /// Whose lists of tickets all others take; those stations give them.
  package var listsFrom: [StationID]
  /// Where the stations stand.
  private let position: SourcePosition

  /// On how many servers each claim lies.
  package var copies: Int { servers.count < 3 ? 1 : 3 }

  init(
    name: String, servers: [FleetServer], credential: CredentialReference, ca: FileReference,
    stations: [StationID: Ed25519.PublicKey], administrators: [Ed25519.PublicKey], alone: AlonePolicy,
    listsFrom: [StationID], position: SourcePosition
  ) {
    self.name = name
    self.servers = servers
    self.credential = credential
    self.ca = ca
    self.stations = stations
    self.administrators = administrators
    self.alone = alone
    self.listsFrom = listsFrom
    self.position = position
  }

  /// Where it stands in the file is none of it.
  package static func == (a: Self, b: Self) -> Bool {
    a.name == b.name && a.servers == b.servers && a.credential.name == b.credential.name && a.ca.path == b.ca.path
      && a.stations == b.stations && a.administrators == b.administrators && a.alone == b.alone
      && a.listsFrom == b.listsFrom
  }

  /// Whether nobody passes while the fleet cannot be asked.
  package var refusesAlone: Bool { alone == .refuse }

  /// Whether a station takes lists of tickets from others.
  package func takesLists(_ station: String) -> Bool { listsFrom.contains { $0.description != station } }

  /// Whether this station is one of the fleet.
  func check(station: String, _ findings: Findings) {
    for giver in listsFrom where stations[giver] == nil {
      findings.error(
        at: position, "fleet.listsFrom names \(quoted(giver.description)), which is none of fleet.stations",
        "write a station's name, or remove it")
    }
    guard let id = StationID(station) else {
      return findings.error(
        at: position, "station.name is \(quoted(station)), which no station of a fleet can be called",
        "write it with small letters (a to z), digits and - only")
    }
    guard stations[id] == nil else { return }
    findings.error(
      at: position, "fleet.stations does not name this station, \(quoted(station))",
      "add \(station): and the public key that scangate fleet key has told")
  }
}

enum FleetSection {
  static let key = "fleet"
  static let credentialKey = "credential"

  /// What is done without the fleet. The raw values are the words in the file.
  private enum Alone: String, CaseIterable, Sendable {
    case refuse
    case list
    case trust
  }

  private static let usual = AlonePolicy.Bounds(people: 100, time: .seconds(900))

  private static let name = SchemaKey.required(
    "name", .name("summer"),
    "The fleet's name, the same at all its stations. What it has of tickets lies at the servers under this name: another event wants another one."
  )
  private static let servers = SchemaKey.required(
    "servers", .list(of: .fleetServer, count: 1...9, noun: "servers"),
    "The fleet's servers, `tls://HOST:PORT` each (port \(FleetServer.usualPort) where none is given). With three or more each claim lies on three, and the loss of any one stops nobody; with fewer it lies on one. Each station begins at another one of them."
  )
  private static let credential = SchemaKey<String>.required(
    credentialKey, .credential(example: "fleet"),
    "The credential that holds what this station is to its fleet: `scangate fleet key` makes it, `scangate credential set NAME` puts it in."
  )
  private static let ca = SchemaKey<String>.required(
    "ca", .path(.certificates, example: "/etc/scangate/fleet-ca.pem"),
    "Certificates in PEM: those of the servers have to be signed by one of them. No others are trusted.")
  private static let stations = SchemaKey.required(
    "stations", .stationKeys,
    "All stations of the fleet, by `station.name`, each with the public key that `scangate fleet key` has told. Nobody else is believed."
  )
  private static let administrators = SchemaKey.key(
    "administrators", .list(of: .administratorKey, count: 0...4, noun: "keys"), default: [],
    "The public keys of whoever administers the fleet: their orders for all stations at once count, and nobody else's ([maintenance](fleet.md#maintenance-for-the-whole-fleet)). `scangate fleet init` writes them. Without any this station believes no order."
  )
  private static let alone = SchemaKey.key(
    "alone", .choice(Alone.self), default: .refuse,
    "While the fleet cannot be asked: nobody passes (`refuse`), whom a list on board admits (`list`), or whom this station alone would let pass (`trust`). Who passes so is told to the fleet later, and may be one too many."
  )
  private static let people = SchemaKey.key(
    "alonePeople", .integer(1...100_000, "people", example: "100"), default: usual.people,
    "With `list` and `trust`: how many may pass whom the fleet was not told of yet.")
  private static let time = SchemaKey.key(
    "aloneFor", .duration(.seconds(60) ... .seconds(86_400), example: "15 min"), default: usual.time,
    "With `list` and `trust`: for how long since the fleet could be asked last. A restart begins it anew.")

  private static let listsFrom = SchemaKey.key(
    "listsFrom", .list(of: .fleetStation, count: 0...16, noun: "stations"), default: [],
    "Stations that give the lists of tickets which they have fetched or imported, and the lists of events that they were told; all others take them, where theirs are older or not there. Name none that others may get at: a ticket that it invents is let in."
  )

  private static let inlineSecret =
    "put it in with \"scangate credential set NAME\" and write credential: NAME"

  static let schema = SectionSchema(
    key, name, servers, credential, ca, stations, administrators, alone, people, time, listsFrom,
    refused: ["key": inlineSecret, "secret": inlineSecret, "password": inlineSecret, "token": inlineSecret])

  static func read(_ reader: SectionReader) -> FleetConfiguration? {
    let (name, servers) = (reader.read(name), reader.read(servers))
    let (credential, ca, stations) = (reader.read(credential), reader.read(ca), reader.read(stations))
    let (administrators, alone) = (reader.read(administrators), reader.read(alone))
    let (people, time, listsFrom) = (reader.read(people), reader.read(time), reader.read(listsFrom))
    if alone == .refuse {
      for key in [self.people.name, self.time.name] {
        guard let place = reader.keyPosition(of: key) else { continue }
        reader.findings.warning(
          at: place, "\(key) has no effect with alone: refuse", "write alone: list or alone: trust, or remove \(key)")
      }
    }
    guard let name, let servers, let credential, let ca, let stations, let administrators, let alone, let people,
      let time, let listsFrom
    else {
      return nil
    }
    let bounds = AlonePolicy.Bounds(people: people, time: time)
    let policy: AlonePolicy =
      switch alone {
      case .refuse: .refuse
      case .list: .list(bounds)
      case .trust: .trust(bounds)
      }
    return FleetConfiguration(
      name: name, servers: servers,
      credential: CredentialReference(name: credential, position: reader.position(of: credentialKey)),
      ca: FileReference(path: ca, role: .certificates, position: reader.position(of: self.ca.name)),
      stations: Dictionary(stations.map { ($0.id, $0.key) }, uniquingKeysWith: { first, _ in first }),
      administrators: administrators, alone: policy, listsFrom: listsFrom,
      position: reader.position(of: self.stations.name))
  }

  /// A station and its key.
  fileprivate struct Station: Sendable {
    var id: StationID
    var key: Ed25519.PublicKey
  }
}

extension ValueKind where Value == FleetServer {
  /// A server of a fleet.
  fileprivate static var fleetServer: Self {
    let example = "tls://gate1:4222"
    return Self(summary: "address of a server", example: example, show: { "tls://\($0)" }) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      let rest = text.hasPrefix("tls://") ? text.dropFirst(6) : text[...]
      if let address = HostAndPort(rest) {
        return FleetServer(host: address.host, port: address.port ?? FleetServer.usualPort)
      }
      // It may hold a password: it is not repeated.
      findings.error(
        at: node.position, "\(quoted(node.path)) is no address of a fleet's server",
        "write \(example); who the station is stands in its credential")
      return nil
    }
  }
}

extension ValueKind where Value == Ed25519.PublicKey {
  /// The public key of somebody who administers a fleet.
  fileprivate static var administratorKey: Self {
    let example = "KEY"
    return Self(summary: "public key", example: example, show: { StationKeyText.text($0) }) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      if let key = StationKeyText.key(text) { return key }
      findings.error(
        at: node.position, "\(quoted(node.path)) is no public key of an administrator, or was mistyped",
        "write what scangate fleet init has written into fleet.yaml")
      return nil
    }
  }
}

extension ValueKind where Value == StationID {
  /// A station of a fleet.
  fileprivate static var fleetStation: Self {
    Self(summary: "a station's name", example: "office", show: { $0.description }) { node, findings in
      guard let text = node.text(like: "office", findings) else { return nil }
      if let id = StationID(text) { return id }
      findings.error(
        at: node.position, "\(quoted(text)) cannot be the name of a station of a fleet",
        "a name has 1 to \(StationID.longest) small letters (a to z), digits and -")
      return nil
    }
  }
}

extension ValueKind where Value == [FleetSection.Station] {
  /// The stations, each with its key.
  fileprivate static var stationKeys: Self {
    let example = "{ gate1: KEY, gate2: KEY }"
    return Self(summary: "a public key each, by name", example: example, show: { _ in "" }) { node, findings in
      guard case .mapping(let entries) = node.content, !entries.isEmpty else {
        findings.error(at: node.label, "\(quoted(node.path)) names no station", "write \(example)")
        return nil
      }
      var stations: [FleetSection.Station] = []
      for entry in entries {
        guard let id = StationID(entry.key) else {
          findings.error(
            at: entry.position, "\(quoted(entry.key)) cannot be the name of a station of a fleet",
            "a name has 1 to \(StationID.longest) small letters (a to z), digits and -")
          continue
        }
        guard let text = entry.value.text(like: "KEY", findings) else { continue }
        guard let key = StationKeyText.key(text) else {
          findings.error(
            at: entry.value.position, "\(quoted(entry.value.path)) is no public key of a station, or was mistyped",
            "write the 70 letters that scangate fleet key has told")
          continue
        }
        stations.append(FleetSection.Station(id: id, key: key))
      }
      return stations.count == entries.count ? stations : nil
    }
  }
}
