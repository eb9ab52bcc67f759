package import FleetBook
package import JetStreamClaims
internal import LibCrypto
internal import LinuxIO
package import ScanConfiguration
package import ScanModel
package import TicketSystemKit

/// What this station is to its fleet, as its files have it. Nobody is asked.
package struct FleetMember: Sendable {
  /// Who it is.
  package let id: StationID
  /// By what servers take it, and others believe it.
  package let credential: FleetCredential
  /// How the servers are asked.
  package let settings: JetStreamSettings

  /// The longest file of certificates in bytes.
  private static let longestAuthority = 1_048_576

  /// Reads credential and certificates.
  /// - Throws: why the station cannot be one of its fleet, and what to do.
  package init(
    _ fleet: FleetConfiguration, station: String, credentials: CredentialResolver
  ) throws(SetupError) {
    let name = fleet.credential.name
    guard let id = StationID(station) else {
      throw SetupError("station.name: \(station) cannot be the name of a station of a fleet.")
    }
    guard let credential = FleetCredential(try credentials(name)) else {
      throw SetupError(
        "\(fleet.credential.position): the credential \(name) is not what a station is to its fleet. Make one with: scangate fleet key"
      )
    }
    guard credential.signing.publicKey == fleet.stations[id] else {
      throw SetupError(
        "\(fleet.credential.position): the credential \(name) has another key than fleet.stations tells of \(station). Write there what scangate fleet key has told with it, at all stations."
      )
    }
    let authority: String
    do throws(SystemError) {
      let bytes = try SmallFile.read(fleet.ca.path, limit: Self.longestAuthority)
      authority = String(decoding: bytes, as: UTF8.self)
    } catch {
      throw SetupError("\(fleet.ca.position): \(fleet.ca.path) cannot be read (\(error.words)).")
    }
    self.id = id
    self.credential = credential
    settings = JetStreamSettings(
      servers: FleetServer.order(fleet.servers, of: station), authority: authority, credential: credential.user,
      name: station,
      bucket: fleet.name, mark: credential.key.mark, replicas: fleet.copies)
  }
}
