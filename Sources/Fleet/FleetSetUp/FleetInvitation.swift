internal import CodeSigning
package import FleetBook
package import JetStreamClaims
package import LibCrypto
package import ScanModel
internal import WireCoding

/// All that makes a machine one station of a fleet, as a text for one way: pasted, or typed by a scanner that reads it as a QR code.
///
/// It has the station's credential, and so it is sealed by a word that goes another way than the text, and ends soon. Nobody but who
/// has that word has made it: by it the station knows the text as well.
/// ```
///   SCANGATE-JOIN1: base32( salt ‖ AES-GCM, by scrypt of word and salt( until, station, credential, event, servers, stations, administrators, authorities ))
/// ```
package struct FleetInvitation: Sendable, Equatable {
  /// How its text begins.
  package static let prefix = "SCANGATE-JOIN1:"
  /// The longest text, in bytes: a fleet of the most stations fits.
  package static let longest = 40_000

  /// Until when it is good.
  package var until: WallTime
  /// Which station.
  package var station: StationID
  /// What that is to the fleet.
  package var credential: FleetCredential
  /// The event.
  package var event: String
  /// Where its servers are.
  package var servers: [FleetServer]
  /// Who is believed.
  package var stations: [StationID: Ed25519.PublicKey]
  /// Whose orders for the whole fleet are.
  package var administrators: [Ed25519.PublicKey]
  /// The certificates by which servers are believed, in PEM.
  package var authority: String

  package static func == (a: Self, b: Self) -> Bool {
    (a.until, a.station, a.event, a.servers, a.authority) == (b.until, b.station, b.event, b.servers, b.authority)
      && a.stations == b.stations && a.administrators == b.administrators
      && a.credential.toBeSealed == b.credential.toBeSealed
  }

  /// Why a text is none that can be taken. No part of it is told.
  package enum Fault: Error, Equatable {
    /// It is none, or was read with damage.
    case damaged
    /// It was sealed by another word, or changed.
    case word
    /// It was good until then.
    case expired(WallTime)
    /// There is no memory.
    case memory
  }

  // MARK: The word

  /// So many letters, of five bits each: who has the text alone tries 2⁵⁹ of them on average, each at the cost of 16 MB.
  private static let letters = 12
  private static let saltLength = 16
  private static let cost = Scrypt.Cost(logN: 14, blockSize: 8, parallelism: 1)

  /// A new one, as people say it: three groups of four letters and digits.
  package static func word() -> String {
    let text = Array(Base32.text(SymmetricKey(size: .bits256).withUnsafeBytes { Array($0.prefix(8)) }).prefix(letters))
    return stride(from: 0, to: letters, by: 4).map { String(text[$0..<($0 + 4)]) }.joined(separator: "-")
  }

  /// What is typed of it, however it is written; `nil` where it can be none.
  private static func plain(_ word: String) -> [UInt8]? {
    let plain = word.uppercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != 0x20 }
    return plain.count == letters ? Array(plain) : nil
  }

  private static func key(_ word: [UInt8], _ salt: [UInt8]) -> SymmetricKey? {
    guard let cost, let bytes = Scrypt.key(of: word, salt: salt, cost: cost) else { return nil }
    return SymmetricKey(data: bytes)
  }

  // MARK: The text

  /// The text, sealed by a word; `nil` where there is no memory.
  package func text(by word: String) -> String? {
    let salt = SymmetricKey(size: .bits256).withUnsafeBytes { Array($0.prefix(Self.saltLength)) }
    guard let word = Self.plain(word), let key = Self.key(word, salt),
      let sealed = AES.GCM.seal(bytes, using: key, authenticating: Array(Self.prefix.utf8))
    else { return nil }
    return Self.prefix + Base32.text(salt + sealed)
  }

  /// Reads one.
  /// - Parameters:
  ///   - word: by which it was sealed.
  ///   - now: by this machine's clock.
  package init(_ text: String, by word: String, at now: WallTime) throws(Fault) {
    let text = text.filter { !$0.isWhitespace }.uppercased()
    guard text.utf8.count <= Self.longest, text.hasPrefix(Self.prefix),
      let bytes = Base32.bytes(text.utf8.dropFirst(Self.prefix.utf8.count)), bytes.count > Self.saltLength
    else { throw .damaged }
    guard let word = Self.plain(word) else { throw .word }
    guard let key = Self.key(word, Array(bytes.prefix(Self.saltLength))) else { throw .memory }
    guard
      let plain = AES.GCM.open(
        Array(bytes.dropFirst(Self.saltLength)), using: key, authenticating: Array(Self.prefix.utf8))
    else { throw .word }
    guard let read = try? Self(plain) else { throw .damaged }
    self = read
    guard now < until else { throw .expired(until) }
  }

  private var bytes: [UInt8] {
    var writer = WireWriter()
    writer.put(until.seconds)
    writer.put(station.description)
    writer.put(bytes: Base32.bytes(credential.toBeSealed.utf8) ?? [])
    writer.put(event)
    writer.putList(servers) { writer, server in
      writer.put(server.host)
      writer.put(server.port)
    }
    writer.putList(stations.sorted { $0.key.description < $1.key.description }) { writer, station in
      writer.put(station.key.description)
      writer.put(bytes: station.value.rawRepresentation)
    }
    writer.putList(administrators) { writer, key in writer.put(bytes: key.rawRepresentation) }
    writer.putList(PEM.certificates(authority)) { writer, certificate in writer.put(bytes: certificate) }
    return writer.bytes
  }

  private init(_ bytes: [UInt8]) throws(WireError) {
    var reader = WireReader(bytes[...])
    until = WallTime(seconds: try reader.take())
    station = try Self.name(&reader)
    guard let credential = FleetCredential(Base32.text(try reader.takeBytes(limit: 256))) else {
      throw WireError("no credential")
    }
    self.credential = credential
    event = try reader.takeText()
    servers = try reader.takeList(limit: 9) { reader throws(WireError) in
      FleetServer(host: try reader.takeText(), port: try reader.take())
    }
    let stations = try reader.takeList(limit: FleetLayout.most) { reader throws(WireError) in
      (try Self.name(&reader), try Self.key(&reader))
    }
    self.stations = Dictionary(stations) { first, _ in first }
    administrators = try reader.takeList(limit: 2) { reader throws(WireError) in try Self.key(&reader) }
    let certificates = try reader.takeList(limit: 4) { reader throws(WireError) in
      try reader.takeBytes(limit: 4_096)
    }
    authority = certificates.map(PEM.text).joined()
    try reader.end()
    guard self.stations[station] == credential.signing.publicKey, !servers.isEmpty, !certificates.isEmpty,
      StationID(event) != nil
    else { throw WireError("it does not fit together") }
  }

  private static func name(_ reader: inout WireReader) throws(WireError) -> StationID {
    guard let name = StationID(try reader.takeText()) else { throw WireError("no name") }
    return name
  }

  private static func key(_ reader: inout WireReader) throws(WireError) -> Ed25519.PublicKey {
    guard let key = Ed25519.PublicKey(rawRepresentation: try reader.takeBytes(limit: 32)) else {
      throw WireError("no key")
    }
    return key
  }

  // MARK: What comes of it

  /// What the station's configuration has to say.
  package var section: String {
    FleetChange.section(
      event, servers, stations.sorted { $0.key.description < $1.key.description }.map { ($0, $1) }, administrators)
  }

  /// The one for a station.
  /// - Parameter until: when it ends.
  package static func inviting(
    _ name: StationID, _ layout: FleetLayout, _ secrets: FleetSecrets, until: WallTime
  ) throws(FleetFault) -> FleetInvitation {
    guard let station = layout.stations.first(where: { $0.name == name }) else {
      throw FleetFault(
        .asked, "The fleet \(layout.name) has no station \(name). Add it first: scangate fleet add \(name) FOLDER")
    }
    guard !station.isRevoked, let credential = secrets.stations[name] else {
      throw FleetFault(.asked, "The folder has no credential of the station \(name), or it was revoked.")
    }
    return FleetInvitation(
      until: until, station: name, credential: credential, event: layout.event, servers: layout.servers,
      stations: Dictionary(layout.stations.map { ($0.name, $0.signs) }) { first, _ in first },
      administrators: layout.administratorKeys, authority: String(decoding: secrets.believed(layout), as: UTF8.self))
  }

  init(
    until: WallTime, station: StationID, credential: FleetCredential, event: String, servers: [FleetServer],
    stations: [StationID: Ed25519.PublicKey], administrators: [Ed25519.PublicKey], authority: String
  ) {
    self.until = until
    self.station = station
    self.credential = credential
    self.event = event
    self.servers = servers
    self.stations = stations
    self.administrators = administrators
    self.authority = authority
  }
}

/// Certificates as files have them, and without what files have beside them.
private enum PEM {
  private static let begin = "-----BEGIN CERTIFICATE-----"
  private static let end = "-----END CERTIFICATE-----"

  static func certificates(_ text: String) -> [[UInt8]] {
    var certificates: [[UInt8]] = []
    var body: String?
    for line in text.split(whereSeparator: \.isNewline) {
      switch line {
      case begin: body = ""
      case end:
        if let found = body.flatMap({ Base64.bytes($0) }) { certificates.append(found) }
        body = nil
      default: body?.append(contentsOf: line)
      }
    }
    return certificates
  }

  static func text(_ certificate: [UInt8]) -> String {
    let body = Array(Base64.text(certificate))
    let lines = stride(from: 0, to: body.count, by: 64).map { String(body[$0..<min(body.count, $0 + 64)]) }
    return ([begin] + lines + [end]).joined(separator: "\n") + "\n"
  }
}
