import Expectations
import FleetBook
import Gateway
import JetStreamClaims
import LibCrypto
import ScanConfiguration
import ScanModel
import Service
import Testing
import TicketSystemKit

@testable import Doctor

/// Whether a station can be one of its fleet.
@Suite struct FleetLookTests {
  private let place: Place
  private let credential: FleetCredential

  init() throws {
    place = try Place()
    credential = try #require(FleetCredential.make(fleet: [UInt8](repeating: 7, count: FleetKey.length)))
  }

  private func station(
    _ key: Ed25519.PublicKey? = nil, alone: String = "refuse", certificates: Bool = true
  ) throws -> StationConfiguration {
    let text = StationKeyText.text(try key ?? #require(credential.signing.publicKey))
    let now = SystemTime().wall().nanoseconds / 1_000_000_000
    let authority = try #require(SelfSignedCertificate(for: ["fleet.example"], holds: now..<(now + 3_600)))
    let ca =
      certificates
      ? try place.put("/ca.pem", String(decoding: authority.certificate, as: UTF8.self)) : place.path + "/none.pem"
    return try place.station(
      """
      \(Place.yaml)
      fleet:
        name: summer
        servers: ["tls://127.0.0.1:9", "tls://127.0.0.1:7", "tls://127.0.0.1:5"]
        credential: fleet
        ca: \(ca)
        stations: { door: "\(text)" }
        alone: \(alone)
      """)
  }

  private func resolver(_ text: String?) -> CredentialResolver {
    CredentialResolver { name throws(SetupError) in
      guard let text else { throw SetupError("no credential \(name)") }
      return text
    }
  }

  @Test func aStationThatFitsHasNoFlaw() throws {
    expect(FleetCheck.flaw(of: try station(), credentials: resolver(credential.toBeSealed)) == nil)
    expect(FleetCheck.flaw(of: try place.station(), credentials: resolver(nil)) == nil)
  }

  @Test func whatDoesNotFitIsToldBeforeAnybodyIsAsked() async throws {
    let another = try #require(Ed25519.PrivateKey().publicKey)
    for (configuration, text, words) in [
      (try station(), "not-a-credential", "is not what a station is to its fleet"),
      (try station(another), credential.toBeSealed, "another key than fleet.stations tells of door"),
      (try station(certificates: false), credential.toBeSealed, "cannot be read"),
      (try station(), nil, "no credential fleet"),
    ] {
      let flaw = FleetCheck.flaw(of: configuration, credentials: resolver(text)) ?? ""
      expect(flaw.contains(words), "\(flaw)")
      let found = await FleetCheck.findings(on: configuration, credentials: resolver(text))
      expectEqual(found, [.init(kind: .fault, line: "fleet: \(flaw)")])
      // A secret that was mistyped is not repeated.
      expect(!flaw.contains("not-a-credential"))
    }
  }

  @Test func aStationWithoutAFleetIsAskedNothing() async throws {
    expectEqual(await FleetCheck.findings(on: try place.station(), credentials: resolver(nil)), [])
  }

  @Test func serversThatDoNotAnswerAreNamed() async throws {
    let found = await FleetCheck.findings(
      on: try station(), credentials: resolver(credential.toBeSealed), patience: .milliseconds(300))
    expectEqual(found.map(\.kind), [.away])
    for port in [9, 7, 5] { expect(found.first?.line.contains("127.0.0.1:\(port)") == true, "\(found)") }
  }

  @Test func certificatesThatAreNoneAreTold() async throws {
    let configuration = try station()
    try place.put("/ca.pem", "no certificate\n")
    let found = await FleetCheck.findings(
      on: configuration, credentials: resolver(credential.toBeSealed), patience: .seconds(20))
    expectEqual(found.map(\.kind), [.fault])
    expect(found.first?.line.contains("TLS with 127.0.0.1:") == true, "\(found)")
  }

  private func facts(_ servers: [String], _ fault: ClaimFault? = nil) -> FleetFacts {
    var facts = FleetFacts()
    facts.servers = servers.map { FleetFacts.Server(name: $0, version: "2.10.27") }
    facts.fault = fault
    if fault == nil {
      facts.bucket = FleetFacts.Bucket(
        replicas: 3, isClosed: false, keys: 12, bytes: 1, most: 2, last: ClaimRevision(30))
    }
    return facts
  }

  @Test func whatServersTellIsJudged() throws {
    let fleet = try #require(try station().fleet)
    let all = FleetCheck.judge(facts(["gate1", "gate2", "gate3"]), fleet)
    expectEqual(all.map(\.kind), [.good])
    expect(all.first?.line.contains("summer, with 12 tickets") == true, "\(all)")
    let two = FleetCheck.judge(facts(["gate1", "gate2"]), fleet)
    expectEqual(two.map(\.kind), [.good, .doubt])
    expect(two.last?.line.contains("2 of 3 servers answer") == true, "\(two)")
    let one = FleetCheck.judge(facts(["gate1"], .noQuorum), fleet)
    expectEqual(one.map(\.kind), [.away])
    expect(one.first?.line.contains("No majority") == true && one.first?.line.contains("gate1") == true, "\(one)")
    let old = FleetCheck.judge(facts(["gate1"], .otherVersion("gate1 is nats-server 2.9.10.")), fleet)
    expectEqual(old, [.init(kind: .fault, line: "fleet: gate1 is nats-server 2.9.10.")])
  }

  @Test func clocksNamesAndCertificatesAreJudged() throws {
    let fleet = try #require(try station().fleet)
    var off = facts(["gate1", "gate2", "gate3"])
    off.clockAhead = .seconds(5)
    off.servers[1].clockAhead = .seconds(-60)
    let clocks = FleetCheck.judge(off, fleet)
    expectEqual(clocks.map(\.kind), [.good, .doubt, .doubt])
    expect(clocks[1].line.contains("This machine's clock is 5.0 s ahead of the leader's"), "\(clocks)")
    expect(clocks[2].line.contains("The clock of the server gate2 is 60 s behind the leader's"), "\(clocks)")
    let now = WallTime(seconds: 1_800_000_000)
    let certificates = [
      FleetCertificate(owner: "the server gate1", ends: now), .init(owner: "another", ends: now + .seconds(9_000_000)),
    ]
    expectEqual(FleetCheck.judge(certificates, at: now).map(\.kind), [.doubt])
    func word(_ name: String, scope: UInt64) throws -> (StationID, KnownWord) {
      let id = try #require(StationID(name))
      let word = StationWord(program: "1", systems: [.init(address: 1, scope: scope)], zone: .init(january: 0, july: 0))
      return (id, KnownWord(station: id, word: word, revision: ClaimRevision(1), time: now))
    }
    let same = try Dictionary(uniqueKeysWithValues: [word("north", scope: 1), word("south", scope: 1)])
    expectEqual(FleetCheck.judge(same), [])
    let other = try Dictionary(uniqueKeysWithValues: [word("north", scope: 1), word("south", scope: 2)])
    expectEqual(FleetCheck.judge(other).map(\.kind), [.doubt])
  }

  @Test(arguments: [("refuse", Finding.Severity.fault), ("trust", .warning)])
  func serversThatAreAwayShutGatesWhereTheFileSaysSo(alone: String, severity: Finding.Severity) throws {
    let judge = FleetJudge(fleet: try #require(try station(alone: alone).fleet), file: "station.yaml")
    let away = judge.judge(.init(kind: .away, line: "fleet: None answers."))
    expectEqual(away.severity, severity)
    expectEqual(away.place, "fleet")
    expect(away.words.hasPrefix("None answers."), "\(away.words)")
    // What somebody has to mend is no outage, whatever is done in one.
    expectEqual(judge.judge(.init(kind: .fault, line: "fleet: It is old.")).severity, .fault)
    expectEqual(judge.judge(.init(kind: .doubt, line: "fleet: One is away.")).severity, .warning)
    expectEqual(judge.judge(.init(kind: .good, line: "fleet: All is well.")).severity, .good)
  }
}
