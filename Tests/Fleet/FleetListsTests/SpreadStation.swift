import Expectations
import FleetBook
import Glibc
import LibCrypto
import LinuxIO
import ScanModel
import Sealing
import Synchronization
import Testing
import TicketLists

@testable import FleetLists

/// A fleet of stations that spread a list, each with a folder and a key of its own.
struct SpreadFleet {
  static let server = "eventschedule https://venue.example"
  let key: FleetKey
  let signing: [StationID: Ed25519.PrivateKey]

  init(_ names: [String]) throws {
    key = try #require(FleetKey(bytes: [UInt8](repeating: 3, count: FleetKey.length)))
    var signing: [StationID: Ed25519.PrivateKey] = [:]
    for name in names { signing[try #require(StationID(name))] = Ed25519.PrivateKey() }
    self.signing = signing
  }

  var name: [UInt8] { key.name(ofListOf: Self.server, scope: [0]) }

  func id(_ name: String) throws -> StationID { try #require(StationID(name)) }

  func seal(_ station: String, believing: [String], fleet: String = "summer", key: FleetKey? = nil) throws -> ListSeal {
    var known: [StationID: Ed25519.PublicKey] = [:]
    for name in believing { known[try id(name)] = signing[try id(name)]?.publicKey }
    return ListSeal(
      fleet: fleet, key: key ?? self.key, signing: try #require(signing[try id(station)]), stations: known)
  }
}

final class SpreadStation: Sendable {
  let folder: String
  let key = SealKey.random().key
  let list: StoredTicketList
  let spreader: ListSpreader
  private let words: SpreadWords

  init(
    _ name: String, _ fleet: SpreadFleet, from: [String], store: any ListStore, isTrusted: Bool = true
  ) throws {
    var template = Array("/tmp/spread-XXXXXX".utf8CString)
    folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    let (fleetKey, listName) = (fleet.key, fleet.name)
    let names = ListNames { fleetKey.name(ofListed: $0.bytes, of: SpreadFleet.server) }
    let place = TicketListPlace(state: folder, system: TicketSystemID("venue"), server: SpreadFleet.server)
    let sharing = ListSharing(
      names: names, gives: from.contains(name),
      origin: from.contains { $0 != name } ? ListOrigin(fleet: "summer") : nil)
    let list = try StoredTicketList(place, key: key, sharing: sharing)
    self.list = list
    let words = SpreadWords()
    self.words = words
    var settings = ListSpreader.Settings(
      station: try fleet.id(name), seal: try fleet.seal(name, believing: from), key: key, from: try from.map(fleet.id))
    settings.rest = .zero
    spreader = ListSpreader(
      settings, store: store,
      lists: {
        [ListSpreader.List(system: TicketSystemID("venue"), place: place, name: listName, sharing: sharing, list: list)]
      },
      clock: {
        JournalTime(wall: SystemTime().wall(), monotonic: SystemTime().now(), isTrusted: isTrusted)
      }, tell: { words.add($0, $1) })
  }

  deinit {
    for name in ["tickets-venue.sqlite", "tickets-venue.fleet.sqlite"] {
      for ending in ["", ".new"] { unlink("\(folder)/\(name)\(ending)") }
    }
    rmdir(folder)
  }

  /// What was told as a problem.
  var problems: [String] { words.problems }

  /// Fetches the list.
  func fetch(_ tickets: [(code: String, status: ListedTicket.Status)], ago: Duration = .zero) async throws {
    let new = try await list.replacement(of: nil, asOf: SystemTime().wall() - ago) { _ in nil }
    try await new.add(tickets.map { ToldTicket(code: $0.code, isWholeSale: true, status: $0.status) })
    _ = try await new.finish(mayShrink: true)
  }

  func status(_ code: String) async throws -> ListedTicket.Status? {
    try await list.find(Code(code))?.ticket?.status
  }
}

/// What a spreader has told.
final class SpreadWords: Sendable {
  private let told = Mutex<[(Bool, String)]>([])

  func add(_ isProblem: Bool, _ words: String) { told.withLock { $0.append((isProblem, words)) } }
  var problems: [String] { told.withLock { $0.filter(\.0).map(\.1) } }
}
