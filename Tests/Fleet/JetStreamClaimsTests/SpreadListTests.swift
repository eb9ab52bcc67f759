import Expectations
import FleetBook
import FleetLists
import Glibc
import LibCrypto
import LinuxIO
import ScanModel
import Sealing
import Synchronization
import Testing
import TicketLists

@testable import JetStreamClaims

/// A list that goes over a real server, from one station to another.
@Suite struct SpreadListTests {
  private static let server = "eventschedule https://venue.example"

  /// One end: a folder, a key, a list.
  private final class Station: Sendable {
    let folder: String
    let list: StoredTicketList
    let spreader: ListSpreader
    let problems: Problems

    final class Problems: Sendable {
      private let told = Mutex<[String]>([])
      func add(_ words: String) { told.withLock { $0.append(words) } }
      var all: [String] { told.withLock { $0 } }
    }

    init(
      _ name: String, office: StationID, signing: Ed25519.PrivateKey, _ known: Ed25519.PublicKey?,
      _ store: JetStreamListStore
    ) throws {
      var template = Array("/tmp/spread-XXXXXX".utf8CString)
      folder = try #require(mkdtemp(&template).map { String(cString: $0) })
      let fleet = try #require(FleetKey(bytes: [UInt8](repeating: 3, count: FleetKey.length)))
      let place = TicketListPlace(state: folder, system: TicketSystemID("venue"), server: SpreadListTests.server)
      let isOffice = name == office.description
      let sharing = ListSharing(
        names: ListNames { fleet.name(ofListed: $0.bytes, of: SpreadListTests.server) }, gives: isOffice,
        origin: isOffice ? nil : ListOrigin(fleet: "summer"))
      let key = SealKey.random().key
      let (list, problems) = (try StoredTicketList(place, key: key, sharing: sharing), Problems())
      let given = ListSpreader.List(
        system: place.system, place: place, name: fleet.name(ofListOf: SpreadListTests.server, scope: [0]),
        sharing: sharing, list: list)
      (self.list, self.problems) = (list, problems)
      spreader = ListSpreader(
        ListSpreader.Settings(
          station: try #require(StationID(name)),
          seal: ListSeal(fleet: "summer", key: fleet, signing: signing, stations: known.map { [office: $0] } ?? [:]),
          key: key, from: [office]),
        store: store, lists: { [given] },
        clock: { JournalTime(wall: SystemTime().wall(), monotonic: SystemTime().now(), isTrusted: true) },
        tell: { if $0 { problems.add($1) } })
    }

    deinit {
      for name in ["tickets-venue.sqlite", "tickets-venue.fleet.sqlite"] {
        for ending in ["", ".new"] { unlink("\(folder)/\(name)\(ending)") }
      }
      rmdir(folder)
    }
  }

  @Test func overAServer() async throws {
    let servers = try await NATSServers(1)
    try await servers.makeBucket()
    let administrator = try JetStreamClaimStore(servers.administration())
    administrator.start()
    try await administrator.makeListRoom(bytes: 10_000_000, until: soon(30))
    let store = try await servers.store()
    // Servers of tests know one station, by this name.
    let office = try #require(StationID("station"))
    let signing = Ed25519.PrivateKey()
    let giver = try Station("station", office: office, signing: signing, signing.publicKey, store.lists)
    let taker = try Station("north", office: office, signing: Ed25519.PrivateKey(), signing.publicKey, store.lists)
    let secret = "k7f2q9w5x1c8v6b4n2m0lkjhgfdsaqwe"
    let new = try await giver.list.replacement(of: nil, asOf: SystemTime().wall()) { _ in nil }
    let codes = [secret] + (0..<3_000).map { "code-\($0)" }
    try await new.add(codes.map { ToldTicket(code: $0, isWholeSale: true, status: .valid) })
    _ = try await new.finish(mayShrink: true)
    await giver.spreader.look()
    expectEqual(giver.problems.all, [])

    // A server whose administrator changes a piece changes nothing at a gate.
    await administrator.becomesReady()
    let link = administrator.link
    let listed = ClaimAnswer.message(
      await link.ask(
        NATSRequest(
          subject: "$JS.API.STREAM.MSG.GET.LISTS_\(NATSServers.bucket)", data: Array("{\"seq\":2}".utf8)),
        until: soon()), link.settings)
    let piece = try #require(try listed.get())
    expect(piece.subject.hasPrefix("LISTS.summer.station."))
    var spoiled = piece.value
    spoiled[40] ^= 1
    _ = await link.ask(NATSRequest(subject: piece.subject, data: spoiled), until: soon())
    await taker.spreader.look()
    expect(try await taker.list.find(Code(secret)) == nil)
    expectEqual(taker.problems.all.count, 1)
    expect(taker.problems.all.first?.contains("is not what it has signed") == true)

    _ = await link.ask(NATSRequest(subject: piece.subject, data: piece.value), until: soon())
    await taker.spreader.look()
    expectEqual(try await taker.list.find(Code(secret))?.ticket?.status, .valid)
    expectEqual(try await taker.list.state()?.count, codes.count)
    // Nothing of it on the server's disk tells a code.
    for number in 1...3 {
      let wish = Array("{\"seq\":\(number)}".utf8)
      let stored = try ClaimAnswer.message(
        await link.ask(
          NATSRequest(subject: "$JS.API.STREAM.MSG.GET.LISTS_\(NATSServers.bucket)", data: wish), until: soon()),
        link.settings
      ).get()
      let text = String(decoding: stored?.value ?? [], as: UTF8.self)
      expect(!text.contains("code-") && !text.contains(secret.prefix(8)))
    }
    await administrator.stop()
    await store.stop()
  }
}

extension JetStreamClaimStore {
  /// Waits until calls can be made.
  fileprivate func becomesReady() async {
    for await state in states where state == .ready { return }
  }
}
