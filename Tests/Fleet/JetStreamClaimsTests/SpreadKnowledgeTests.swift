import Expectations
import FleetBook
import FleetLists
import LibCrypto
import LinuxIO
import ScanModel
import Sealing
import Synchronization
import Testing

@testable import JetStreamClaims

/// What a ticket system tells besides its tickets goes over a real server, by the rights that stations have for lists.
@Suite struct SpreadKnowledgeTests {
  /// What one end has taken, and said.
  private final class End: Sendable {
    let taken = Mutex<[[UInt8]]>([])
    let words = Mutex<[String]>([])
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
    let known = try #require(signing.publicKey)
    let fleet = try #require(FleetKey(bytes: [UInt8](repeating: 3, count: FleetKey.length)))
    let told = Array("Hall A at eight".utf8) + (0..<50_000).map { UInt8(truncatingIfNeeded: $0) }

    func spreader(_ name: String, _ end: End) throws -> KnowledgeSpreader {
      let isOffice = name == office.description
      let knowledge = KnowledgeSpreader.Knowledge(
        system: TicketSystemID("venue"), name: fleet.name(ofKnowledgeOf: "eventschedule https://venue.example"),
        gives: isOffice, takes: !isOffice,
        shared: SharedKnowledge(
          what: "list of events",
          give: { $0 == nil ? SharedKnowledge.Told(at: SystemTime().now(), age: .seconds(60)) { told } : nil },
          wants: { $0 < .seconds(3_600) },
          take: { bytes, age, now in
            end.taken.withLock { $0.append(bytes) }
            expect(age >= .seconds(60) && age < .seconds(120), "\(age)")
            // One machine: its clock is the server's.
            expect(now - SystemTime().wall() < .seconds(30) && SystemTime().wall() - now < .seconds(30))
            return nil
          }))
      return KnowledgeSpreader(
        ListSpreader.Settings(
          station: try #require(StationID(name)),
          seal: ListSeal(
            fleet: "summer", key: fleet, signing: isOffice ? signing : Ed25519.PrivateKey(), stations: [office: known]),
          key: SealKey.random().key, from: [office]),
        store: store.lists, knowledge: { [knowledge] },
        clock: { JournalTime(wall: SystemTime().wall(), monotonic: SystemTime().now(), isTrusted: true) },
        tell: { _, words in end.words.withLock { $0.append(words) } })
    }

    let (giver, taker) = (End(), End())
    let (giving, taking) = (try spreader("station", giver), try spreader("north", taker))
    await giving.look()
    expectEqual(giver.words.withLock { $0 }, ["The list of events of venue is given to the fleet."])
    await taking.look()
    expectEqual(taker.taken.withLock { $0 }, [told])
    for number in 1...3 {
      let stored = try ClaimAnswer.message(
        await administrator.link.ask(
          NATSRequest(
            subject: "$JS.API.STREAM.MSG.GET.LISTS_\(NATSServers.bucket)", data: Array("{\"seq\":\(number)}".utf8)),
          until: soon()), administrator.link.settings
      ).get()
      expect(try #require(stored).subject.hasPrefix("LISTS.summer.station."))
      expect(!String(decoding: stored?.value ?? [], as: UTF8.self).contains("Hall A"))
    }
    await administrator.stop()
    await store.stop()
  }
}
