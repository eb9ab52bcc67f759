import Expectations
import FleetBook
import ScanModel
import Testing

@testable import JetStreamClaims

/// What servers and leader tell of a fleet's book, read.
@Suite struct FleetFactsTests {
  private func message(_ text: String, status: String = "") -> NATSMessage {
    NATSMessage(status: status, data: [UInt8](text.utf8))
  }

  private func server(
    _ name: String, version: String = "2.10.27", syncs: Bool = true, used: Int = 5_000,
    time: String = "2027-01-15T08:00:00.25Z"
  ) -> NATSMessage {
    message(
      """
      {"server":{"name":"\(name)","id":"ID\(name)","ver":"\(version)","jetstream":true,"time":"\(time)"},
       "data":{"server_id":"ID\(name)","memory":0,"storage":\(used),"streams":1,
               "config":{"max_memory":16000000,"max_storage":600000000\(syncs ? ",\"sync_always\":true" : "")}}}
      """)
  }

  private let stream = """
    {"type":"io.nats.jetstream.api.v1.stream_info_response","config":{"name":"KV_summer","num_replicas":3,"max_bytes":500000000},
     "state":{"messages":3100,"num_subjects":1204,"bytes":1100000,"first_seq":3,"last_seq":4000,"consumer_count":2},
     "cluster":{"name":"summer","leader":"gate1","replicas":[
       {"name":"gate3","current":false,"offline":true,"active":200000000000,"lag":40},
       {"name":"gate2","current":true,"active":300000000}]}}
    """

  @Test func whatThreeServersTell() {
    // One is away, so that the time for all answers is over: what came is taken.
    let facts = FleetFacts(
      servers: .lost([server("gate2"), server("gate1", used: 7_000), message("", status: "503"), message("junk")]),
      stream: .answered([message(stream)]))
    expectEqual(facts.servers.map(\.name), ["gate1", "gate2"])
    expectEqual(
      facts.servers.first, .init(name: "gate1", version: "2.10.27", disk: (used: 7_000, most: 600_000_000)))
    expectEqual(facts.leader, "gate1")
    expectEqual(
      facts.followers,
      [
        .init(name: "gate2", isCurrent: true, isOffline: false, lag: 0, silence: .milliseconds(300)),
        .init(name: "gate3", isCurrent: false, isOffline: true, lag: 40, silence: .seconds(200)),
      ])
    expectEqual(
      facts.bucket,
      .init(
        replicas: 3, isClosed: false, keys: 1_204, bytes: 1_100_000, most: 500_000_000, last: ClaimRevision(4_000)))
  }

  @Test func aServerThatMayNotBeReliedOnIsTold() {
    let old = FleetFacts(servers: .answered([server("gate1", version: "2.9.10")]), stream: .lost([]))
    expect(old.servers.first?.isRelied == false && old.servers.first?.syncsAlways == true)
    let lazy = FleetFacts(servers: .answered([server("gate1", syncs: false)]), stream: .lost([]))
    expect(lazy.servers.first?.isRelied == true && lazy.servers.first?.syncsAlways == false)
  }

  /// One server leads itself, and names no leader.
  @Test func oneServerAlone() {
    let alone = "{\"config\":{\"num_replicas\":1,\"sealed\":true},\"state\":{\"last_seq\":7}}"
    let facts = FleetFacts(servers: .lost([server("office")]), stream: .answered([message(alone)]))
    expectEqual(facts.leader, "office")
    expectEqual(
      facts.bucket,
      .init(replicas: 1, isClosed: true, keys: 0, bytes: 0, most: -1, last: ClaimRevision(7)))
  }

  /// Their clocks are compared with the leader's, by which claims are dated; what the time between question and answers explains is no fault.
  @Test func clocksThatAreOffAreTold() {
    func facts(_ ahead: Int64 = 0, took: Double = 0.5) -> FleetFacts {
      let sent = WallTime(seconds: 1_800_000_000 + ahead)
      return FleetFacts(
        servers: .lost([
          server("gate1"), server("gate2", time: "2027-01-15T08:00:05.5Z"),
          server("gate3", time: "2027-01-15T07:59:58Z"),
        ]), stream: .answered([message(stream)]), asked: (sent, sent + .milliseconds(took * 1_000)))
    }
    expectEqual(facts().clockAhead, nil)
    expectEqual(facts().servers.map(\.clockAhead), [nil, .milliseconds(5_250), nil])
    expectEqual(facts(10).clockAhead, .milliseconds(9_750))
    expectEqual(facts(-10).clockAhead, .milliseconds(-9_750))
    expectEqual(facts(took: 6).servers.map(\.clockAhead), [nil, nil, nil])
  }

  /// What stations say of themselves is no claim.
  @Test func wordsAreNotCountedAsClaims() {
    let text = stream.replacing(
      "\"num_subjects\":1204", with: "\"num_subjects\":1204,\"subjects\":{\"$KV.summer.w.00\":1,\"$KV.summer.w.01\":1}")
    expectEqual(FleetFacts(servers: .unsent, stream: .answered([message(text)])).bucket?.keys, 1_202)
  }

  @Test func whatIsNoAnswerTellsNothing() {
    let none = FleetFacts()
    for stream in [
      PendingCalls.Outcome.unsent, .lost([]), .answered([]), .answered([message("", status: "503")]),
      .answered([message("junk")]), .answered([message("{\"error\":{\"err_code\":10059}}")]),
      .answered([message("{\"config\":3}")]), .answered([message("[]")]), .answered([NATSMessage(data: nil)]),
    ] {
      expectEqual(FleetFacts(servers: .unsent, stream: stream), none)
    }
    let wild = """
      {"config":{"num_replicas":-3,"max_bytes":"x"},"state":{"last_seq":-1,"num_subjects":[]},
       "cluster":{"leader":3,"replicas":[{"name":"a","active":-5,"lag":-9},{},7]}}
      """
    let facts = FleetFacts(servers: .unsent, stream: .answered([message(wild)]))
    expectEqual(facts.followers, [.init(name: "a", isCurrent: false, isOffline: false, lag: 0, silence: .zero)])
    expect(facts.leader == nil && facts.bucket?.last == ClaimRevision.none)
  }

  @Test func anEventThatFollowsAnotherMayBeWrittenBeside() {
    var configuration = JetStreamServerConfiguration(
      fleet: "summer", name: "gate1", listen: .init(host: "0.0.0.0", port: 4_222), certificate: "c", key: "k",
      authority: "a", folder: "f", disk: 1, bucket: "fair-2027")
    configuration.stations = [.init(name: "north", key: "UNORTH")]
    expect(!configuration.text.contains("fair-2026"))
    configuration.buckets.append("fair-2026")
    for event in ["fair-2026", "fair-2027"] {
      expect(
        configuration.text.contains("\"$KV.\(event).t.*\"") && configuration.text.contains("MSG.GET.KV_\(event)\""))
    }
  }
}
