package import FleetBook
package import LibCrypto
internal import WireCoding

/// Seals what a station tells of its lists, so that no server reads it, and proves whose it is.
///
/// A value is: version, the text sealed by the fleet's key for lists (AES-256-GCM), and the station's signature (Ed25519). Both are bound to the
/// fleet and to the place: no value can be moved to another piece, another list, another station or another fleet.
package struct ListSeal: Sendable {
  /// Why a value is not believed.
  package enum Fault: Error, Equatable, Sendable {
    /// A later version of the program wrote it.
    case laterVersion
    /// It is not what the station signed, or was sealed by another fleet's key; what it is instead.
    case unproven
    /// It says what cannot be.
    case garbage(String)
  }

  /// The version that is written and read.
  package static let version: UInt8 = 1
  /// The longest value in bytes.
  package static let longest = 49_152

  private let fleet: String
  private let key: SymmetricKey
  private let signing: Ed25519.PrivateKey
  private let stations: [StationID: Ed25519.PublicKey]

  /// - Parameters:
  ///   - fleet: its name and that of its event.
  ///   - key: the fleet's.
  ///   - signing: by what this station signs.
  ///   - stations: whose lists are read, with what they sign by.
  package init(
    fleet: String, key: FleetKey, signing: Ed25519.PrivateKey, stations: [StationID: Ed25519.PublicKey]
  ) {
    self.fleet = fleet
    self.key = key.lists
    self.signing = signing
    self.stations = stations
  }

  /// The value of a text in its place; `nil` where it is too long, or libcrypto has no memory.
  package func seal(_ text: [UInt8], in place: ListPlace) -> [UInt8]? {
    let binding = binding(place)
    guard let sealed = AES.GCM.seal(text, using: key, authenticating: binding),
      let signature = signing.signature(for: binding + sealed)
    else { return nil }
    let value = [Self.version] + sealed + signature
    return value.count <= Self.longest ? value : nil
  }

  /// The text of a value, whoever wrote it.
  package func open(_ value: [UInt8], in place: ListPlace) throws(Fault) -> [UInt8] {
    guard let version = value.first, value.count <= Self.longest else { throw .garbage("it is empty, or too long") }
    guard version <= Self.version else { throw .laterVersion }
    guard version == Self.version, value.count > 1 + Ed25519.signatureLength else { throw .garbage("it is too short") }
    let binding = binding(place)
    let sealed = Array(value.dropFirst().dropLast(Ed25519.signatureLength))
    guard let signer = stations[place.station],
      signer.isValidSignature(Array(value.suffix(Ed25519.signatureLength)), for: binding + sealed),
      let text = AES.GCM.open(sealed, using: key, authenticating: binding)
    else { throw .unproven }
    return text
  }

  /// The same of a manifest.
  package func seal(_ manifest: ListManifest, in place: ListPlace) -> [UInt8]? { seal(manifest.bytes, in: place) }

  package func manifest(_ value: [UInt8], in place: ListPlace) throws(Fault) -> ListManifest {
    let text = try open(value, in: place)
    do throws(WireError) { return try ListManifest(text) } catch { throw .garbage(error.description) }
  }

  private func binding(_ place: ListPlace) -> [UInt8] {
    var writer = WireWriter()
    writer.put("scangate fleet list")
    writer.put(Self.version)
    writer.put(fleet)
    writer.put(place.description)
    return writer.bytes
  }
}
