import Expectations
import FleetBook
import ScanModel
import Testing

@testable import JetStreamClaims

/// Whether servers may be relied on, by what they and their stream tell.
@Suite struct JudgementTests {
  private let settings: JetStreamSettings

  init() throws {
    settings = JetStreamSettings(
      servers: (1...3).map { .init(host: "gate\($0)", port: 4_222) }, authority: "", credential: try #require(NKey()),
      name: "north", bucket: "summer", mark: "0123456789abcdef0123456789abcdef", replicas: 3)
  }

  private func message(_ text: String) -> NATSMessage { NATSMessage(status: "", data: [UInt8](text.utf8)) }

  private func server(_ number: Int, data: String = #"{"config":{"sync_always":true}}"#) -> NATSMessage {
    message(#"{"server":{"name":"gate\#(number)","id":"ID\#(number)","ver":"2.10.27"},"data":\#(data)}"#)
  }

  private let disabled = #"{"disabled":true,"config":{"max_memory":0,"max_storage":0}}"#

  /// What is judged by a station that is connected to the first.
  private func judge(_ servers: [NATSMessage], leader: Int) -> ClaimFault? {
    let config = StreamRules(settings: settings).made(bytes: 100_000_000)
    let stream = message(#"{"config":\#(config),"cluster":{"leader":"gate\#(leader)"}}"#)
    return Judgement(settings: settings, server: settings.servers[0], ownID: "ID1", refusal: nil)
      .fault(.answered(servers), StreamAnswer(.answered([stream])))
  }

  @Test func threeThatAreWell() {
    expectEqual(judge([server(1), server(2), server(3)], leader: 3), nil)
  }

  /// nats-server leaves JetStream by itself where its disk is full: the two others go on, and so do all stations.
  @Test(arguments: 1...3) func oneWhoseDiskIsFull(_ full: Int) {
    expectEqual(
      judge(
        (1...3).map { server($0, data: $0 == full ? disabled : #"{"config":{"sync_always":true}}"#) },
        leader: full % 3 + 1),
      nil)
  }

  @Test func noneHasStreams() {
    guard case .otherVersion = judge((1...3).map { server($0, data: disabled) }, leader: 1) else {
      return expect(false, "servers without streams are taken")
    }
  }

  /// Those who may have some may not be there.
  @Test func theOneThatIsThereHasNone() {
    expectEqual(judge([server(1, data: disabled)], leader: 2), .noQuorum)
  }

  @Test func oneThatAcknowledgesBeforeItSyncs() {
    guard case .otherVersion = judge([server(1), server(2, data: #"{"config":{}}"#), server(3)], leader: 1) else {
      return expect(false, "a server is taken that acknowledges before it syncs")
    }
  }
}
