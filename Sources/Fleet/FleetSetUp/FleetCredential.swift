internal import CodeSigning
package import FleetBook
package import JetStreamClaims
package import LibCrypto
internal import ScanModel

/// What makes a machine one station of a fleet: the key by which servers take it, the key by which it signs its claims, and the fleet's key for
/// one event. One line without blanks, to be sealed like the key of a ticket system.
///
/// Two keys, for a server has a station sign what the server has drawn: by the same key it could be made to sign a claim.
package struct FleetCredential: Sendable, Unshown {
  private static let head = "scangate-fleet-1"

  /// The fleet's name.
  package let fleet: String
  /// The event, and so the bucket.
  package let event: String
  /// Which station.
  package let station: StationID
  /// By what servers take it.
  package let connection: NKey
  /// By what it signs.
  package let signing: Ed25519.PrivateKey
  /// The fleet's key for the event: its bytes, which nobody shows.
  private let bytes: [UInt8]

  init(
    fleet: String, event: String, station: StationID, connection: NKey, signing: Ed25519.PrivateKey, key: [UInt8]
  ) {
    self.fleet = fleet
    self.event = event
    self.station = station
    self.connection = connection
    self.signing = signing
    bytes = key
  }

  /// By what stations name tickets to each other; `nil` of no credential that was read or made.
  package var key: FleetKey? { FleetKey(bytes: bytes) }

  /// Reads what `toBeSealed` has written.
  /// - Returns: `nil` where it is none, or a part of one.
  package init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 6, parts[0] == Self.head, StationID(parts[1]) != nil, StationID(parts[2]) != nil,
      let station = StationID(parts[3]), let connection = NKey(seed: parts[4]), let bytes = Base64.bytes(parts[5]),
      bytes.count == 2 * 32 + Self.checkLength,
      let signing = Ed25519.PrivateKey(rawRepresentation: Array(bytes[0..<32]))
    else { return nil }
    self.init(
      fleet: parts[1], event: parts[2], station: station, connection: connection, signing: signing,
      key: Array(bytes[32..<64]))
    guard text == toBeSealed else { return nil }
  }

  /// The credential itself, for a file that its owner alone reads, or to be sealed; for nothing else.
  package var toBeSealed: String {
    let beginning = [Self.head, fleet, event, station.description, connection.toBeSealed].joined(separator: ":") + ":"
    let keys = signing.rawRepresentation + bytes
    // What was pasted by half, or put together of two, is told.
    let check = SHA256.hash(data: [UInt8](beginning.utf8) + keys).prefix(Self.checkLength)
    return beginning + Base64.text(keys + check)
  }

  private static let checkLength = 4

  /// The same station with another key for its servers.
  func with(connection: NKey) -> Self {
    Self(fleet: fleet, event: event, station: station, connection: connection, signing: signing, key: bytes)
  }

  /// The same station for another event.
  func with(event: String, key: [UInt8]) -> Self {
    Self(fleet: fleet, event: event, station: station, connection: connection, signing: signing, key: key)
  }

  package var description: String { "a fleet's credential" }
}

/// What makes whoever has it administer a fleet's servers: makes and closes books.
package enum FleetAdministrator {
  private static let head = "scangate-fleet-administrator-1:"

  /// One line, for a file that its owner alone reads.
  static func text(_ key: NKey) -> String { head + key.toBeSealed }

  /// Reads it; `nil` where it is none.
  static func key(_ text: String) -> NKey? {
    text.hasPrefix(head) ? NKey(seed: String(text.dropFirst(head.count))) : nil
  }
}

/// The fleet's key in its file.
enum FleetKeyText {
  private static let head = "scangate-fleet-key-1 "

  static func text(_ bytes: [UInt8]) -> String { head + Base64.text(bytes) }

  static func bytes(_ text: String) -> [UInt8]? {
    guard text.hasPrefix(head), let bytes = Base64.bytes(String(text.dropFirst(head.count))),
      bytes.count == FleetKey.length
    else { return nil }
    return bytes
  }

  /// A new one, of the system's random source.
  static func made() -> [UInt8] { SymmetricKey(size: .bits256).withUnsafeBytes { [UInt8]($0) } }
}
