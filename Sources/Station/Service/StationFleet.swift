internal import FleetBook
internal import FleetKeeping
internal import JetStreamClaims
internal import LibCrypto
internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
internal import TicketSystemKit

/// What a station has of its fleet while it serves: the connection to the servers, and who keeps its claims. Where the configuration has no
/// fleet there is none of this, and the client library of NATS is never loaded.
struct StationFleet: Sendable {
  let keeper: ClaimKeeper
  private let store: JetStreamClaimStore

  /// The longest file of certificates in bytes.
  private static let longestAuthority = 1_048_576

  /// Reads credential and certificates, and begins to connect.
  /// - Throws: why the station cannot be one of its fleet, and what to do.
  static func open(
    _ fleet: FleetConfiguration, station: String, credentials: CredentialResolver, book: any AttemptBook,
    memory: ClaimKeeper.Memory, loop: DeviceLoop, time: any TimeSource
  ) throws(SetupError) -> StationFleet {
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
      let bytes = try SmallFile.read(fleet.ca.path, limit: longestAuthority)
      authority = String(decoding: bytes, as: UTF8.self)
    } catch {
      throw SetupError("\(fleet.ca.position): \(fleet.ca.path) cannot be read (\(error.words)).")
    }
    let store: JetStreamClaimStore
    do throws(SystemError) {
      store = try JetStreamClaimStore(
        JetStreamSettings(
          servers: fleet.servers, authority: authority, credential: credential.user, name: station,
          bucket: fleet.name, mark: credential.key.mark, replicas: fleet.copies),
        marks: JournalBookMarks(book, fleet: fleet.name), time: time)
    } catch { throw SetupError("fleet: no thread can be had for its servers (\(error.words)).") }
    let seal = ClaimSeal(fleet: fleet.name, station: id, key: credential.signing, stations: fleet.stations)
    let keeper = ClaimKeeper(
      ClaimKeeper.Settings(
        fleet: fleet.name, station: id, key: credential.key, seal: seal, alone: fleet.alone),
      store: store, book: book, memory: memory, loop: loop, time: time)
    store.start()
    return StationFleet(keeper: keeper, store: store)
  }

  /// Ends the connection.
  func close() async { await store.stop() }
}
