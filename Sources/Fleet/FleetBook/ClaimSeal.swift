package import LibCrypto
internal import ScanModel
package import WireCoding

/// Writes claims as one station, and reads those of all stations of a fleet.
///
/// A value is: its book's format, the revision that it replaces, the station that wrote it, what it says, and that station's signature
/// (Ed25519) over all of it, the fleet's name and the key. So none can be moved to another key, to another place of the order or to another fleet.
package struct ClaimSeal: Sendable {
  /// The longest value in bytes.
  package static let longest = 40_960
  /// The longest name of a gate in bytes.
  package static let longestGate = 64

  let fleet: String
  /// Who writes.
  package let station: StationID
  let key: Ed25519.PrivateKey
  let stations: [StationID: Ed25519.PublicKey]

  /// Whom it believes.
  package var names: [StationID] { stations.keys.sorted { $0.description < $1.description } }

  /// - Parameters:
  ///   - fleet: its name and that of its event.
  ///   - station: who writes.
  ///   - key: by what it signs.
  ///   - stations: whom it believes: all of the fleet, itself as well.
  package init(
    fleet: String, station: StationID, key: Ed25519.PrivateKey, stations: [StationID: Ed25519.PublicKey]
  ) {
    self.fleet = fleet
    self.station = station
    self.key = key
    self.stations = stations
  }

  /// The bytes of a claim that is to replace a revision; `nil` where it has more than a value may hold, or libcrypto has no memory.
  /// - Parameter format: the book's.
  package func seal(
    _ claim: Claim, for place: ClaimKey, replacing revision: ClaimRevision, in format: BookFormat = .newest
  ) -> [UInt8]? {
    guard claim.entries.count <= Claim.most,
      claim.entries.allSatisfy({ $0.gate.name.utf8.count <= Self.longestGate })
    else { return nil }
    var writer = WireWriter()
    writer.put(format.rawValue)
    writer.put(revision.number)
    writer.put(station.description)
    claim.put(into: &writer)
    guard let signature = key.signature(for: signed(writer.bytes[...], place)) else { return nil }
    let bytes = writer.bytes + signature
    return bytes.count <= Self.longest ? bytes : nil
  }

  /// What a stored value says; whoever wrote it, it ends nothing.
  package func open(_ stored: StoredClaim) -> ClaimReading {
    guard let version = stored.value.first else { return .unusable(.garbage("a claim of no bytes")) }
    guard stored.value.count <= Self.longest else {
      return .unusable(.garbage("\(stored.value.count) bytes are more than a claim has"))
    }
    guard version <= BookFormat.newest.rawValue else { return .unusable(.laterVersion(version)) }
    guard BookFormat(rawValue: version) != nil, stored.value.count > Ed25519.signatureLength else {
      return .unusable(.garbage("it is too short for a claim, or of format \(version)"))
    }
    let body = stored.value.dropLast(Ed25519.signatureLength)
    var reader = WireReader(body)
    do throws(WireError) {
      _ = try reader.take(UInt8.self)
      let replaced = ClaimRevision(try reader.take())
      let name = try reader.takeText(limit: StationID.longest)
      guard let station = StationID(name), let key = stations[station] else { return .unusable(.stranger(name)) }
      guard replaced == stored.replaced, replaced < stored.revision,
        key.isValidSignature(Array(stored.value.suffix(Ed25519.signatureLength)), for: signed(body, stored.key))
      else { return .unusable(.signature(of: station)) }
      let claim = try Claim(&reader)
      try reader.end()
      return .known(KnownClaim(claim: claim, revision: stored.revision, time: stored.time))
    } catch { return .unusable(.garbage(error.description)) }
  }

  private func signed(_ body: some Collection<UInt8>, _ place: ClaimKey) -> [UInt8] {
    var writer = WireWriter()
    writer.put("scangate claim")
    writer.put(fleet)
    writer.put(place.description)
    return writer.bytes + body
  }
}

extension Claim {
  fileprivate func put(into writer: inout WireWriter) {
    writer.putOptional(quantity) { $0.put($1) }
    writer.put(folded)
    writer.putList(entries) { writer, entry in entry.put(into: &writer) }
  }

  fileprivate init(_ reader: inout WireReader) throws(WireError) {
    self.init()
    quantity = try reader.takeOptional { reader throws(WireError) in try reader.take(UInt32.self) }
    folded = try reader.take()
    entries = try reader.takeList(limit: Self.most) { reader throws(WireError) in try ClaimEntry(&reader) }
    guard Set(entries.map(\.scan)).count == entries.count else { throw WireError("a scan has two entries") }
  }
}

extension ClaimEntry {
  private static let redeemed: UInt8 = 1
  private static let provisional: UInt8 = 2

  /// Puts it into a value, or into a station's journal.
  package func put(into writer: inout WireWriter) {
    for byte in scan.bytes { writer.put(byte) }
    writer.put(station.description)
    writer.put(gate.name, limit: ClaimSeal.longestGate)
    switch state {
    case .claimed: writer.put(1 as UInt8)
    case .interrupted: writer.put(2 as UInt8)
    case .admitted: writer.put(3 as UInt8)
    case .left(let exit):
      writer.put(4 as UInt8)
      for byte in exit.bytes { writer.put(byte) }
    }
    writer.put((mayHaveRedeemed ? Self.redeemed : 0) | (isProvisional ? Self.provisional : 0))
    writer.putOptional(at) { $0.put($1.nanoseconds) }
    writer.putOptional(saidAt) { $0.put($1.nanoseconds) }
  }

  /// Takes it from there.
  package init(_ reader: inout WireReader) throws(WireError) {
    let scan = try Self.scan(&reader)
    guard let station = StationID(try reader.takeText(limit: StationID.longest)) else {
      throw WireError("an entry's station is no name")
    }
    self.init(scan: scan, station: station, gate: GateID(try reader.takeText(limit: ClaimSeal.longestGate)))
    state =
      switch try reader.take(UInt8.self) {
      case 1: .claimed
      case 2: .interrupted
      case 3: .admitted
      case 4: .left(by: try Self.scan(&reader))
      case let other: throw WireError("\(other) is no state of an entry")
      }
    let flags: UInt8 = try reader.take()
    guard flags & ~(Self.redeemed | Self.provisional) == 0 else { throw WireError("\(flags) are no flags of an entry") }
    mayHaveRedeemed = flags & Self.redeemed != 0
    isProvisional = flags & Self.provisional != 0
    at = try Self.time(&reader)
    saidAt = try Self.time(&reader)
  }

  private static func scan(_ reader: inout WireReader) throws(WireError) -> ScanID {
    var bytes: [UInt8] = []
    for _ in 0..<16 { bytes.append(try reader.take()) }
    guard let scan = ScanID(bytes: bytes) else { throw WireError("an entry has no scan") }
    return scan
  }

  private static func time(_ reader: inout WireReader) throws(WireError) -> WallTime? {
    try reader.takeOptional { reader throws(WireError) in WallTime(nanoseconds: try reader.take()) }
  }
}
