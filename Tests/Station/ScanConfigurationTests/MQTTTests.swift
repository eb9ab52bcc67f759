import Expectations
import StationProtocol
import Testing
import TicketSystemKit

@testable import ScanConfiguration

/// The section `mqtt`.
@Suite struct MQTTTests {
  private func read(_ section: String) throws -> (MQTTConfiguration, [String]) {
    let reading = try ConfigurationFile.parse(text: goodFile + "mqtt: \(section)\n", file: "f", options: testOptions)
    return (try #require(reading.configuration.mqtt), reading.warnings.map(\.description))
  }

  @Test func littleIsNeeded() throws {
    let (mqtt, warnings) = try read("{ broker: broker.example.org }")
    expectEqual(mqtt, MQTTConfiguration(broker: BrokerAddress(isSecure: true, host: "broker.example.org", port: 8_883)))
    expect(mqtt.orders.isEmpty && mqtt.user == nil && mqtt.prefix == "scangate" && !mqtt.homeAssistant)
    expect(!warnings.contains { $0.contains("mqtt") }, "\(warnings)")
    let none = try ConfigurationFile.parse(text: goodFile, file: "f", options: testOptions)
    expect(none.configuration.mqtt == nil)
  }

  @Test func allOfItIsRead() throws {
    let (mqtt, _) = try read(
      """
      { broker: "mqtts://[fd00::1]:1884", caFile: /etc/scangate/missing.pem, prefix: venue/gates, user: door, \
      credential: broker-password, homeAssistant: true, orders: [listRefresh, maintenance] }
      """)
    expectEqual(mqtt.broker, BrokerAddress(isSecure: true, host: "fd00::1", port: 1_884))
    expectEqual(mqtt.broker.description, "mqtts://[fd00::1]:1884")
    expectEqual(mqtt.caFile, "/etc/scangate/missing.pem")
    expectEqual(mqtt.prefix, "venue/gates")
    expectEqual(mqtt.user, "door")
    expectEqual(mqtt.credential?.name, "broker-password")
    expectEqual(mqtt.orders, [.maintenance, .listRefresh])
  }

  /// A file of the bridge's, or a password that is not there, closes no gate.
  @Test func theGatewayNeedsNothingOfIt() throws {
    let text = goodFile + "mqtt: { broker: broker.example.org, caFile: /nowhere/ca.pem, credential: nobody }\n"
    let configuration = try ConfigurationFile.parse(text: text, file: "f", options: testOptions).configuration
    expect(!configuration.files.contains { $0.path == "/nowhere/ca.pem" })
    expect(!configuration.credentials.contains { $0.name == "nobody" })
  }

  @Test func aPasswordWithoutANameHasTheUsualOne() throws {
    try expectEqual(read("{ broker: broker.example.org, credential: pw }").0.user, "scangate")
    let (_, warnings) = try read("{ broker: broker.example.org, user: door }")
    expect(warnings.contains { $0.contains("user stands without a password") }, "\(warnings)")
  }

  @Test func plainGoesToThisMachineOrWhereSomebodySaysSo() throws {
    for host in ["localhost", "127.0.0.1", "127.1.2.3:1884", "[::1]"] {
      let (mqtt, warnings) = try read("{ broker: \"mqtt://\(host)\" }")
      expect(!mqtt.broker.isSecure && mqtt.broker.isLoopback, "\(host)")
      expect(!warnings.contains { $0.contains("MQTT") }, "\(warnings)")
    }
    for host in ["127.example.org", "127.1.2.3.4", "127.1", "10.0.0.1", "localhost.example.org"] {
      expect(!errors(in: goodFile + "mqtt: { broker: \"mqtt://\(host)\" }\n").isEmpty, "\(host)")
      let (_, warnings) = try read("{ broker: \"mqtt://\(host)\", allowPlainMQTT: true }")
      expect(warnings.contains { $0.contains("MQTT without TLS") }, "\(warnings)")
    }
    expect(!BrokerAddress(isSecure: false, host: "127..", port: 1_883).isLoopback)
  }

  @Test func whatIsNoBrokerIsRefusedAndNotRepeated() {
    for broker in [
      "mqtt://gate:hunter2@broker.example.org", "https://broker.example.org", "broker.example.org/x", "a b", "", "-a",
      "a:0",
      "a:65536", "a:1:2", "[::1", "[a]", "mqtts://", "bröker",
    ] {
      let found = errors(in: goodFile + "mqtt: { broker: \"\(broker)\" }\n")
      expectEqual(found.count, 1, "\(broker): \(found)")
      expect(!found.joined().contains("hunter2"))
    }
  }

  @Test func onlyTwoOrdersCanEverBeGiven() {
    for kind in OrderKind.allCases {
      let found = errors(in: goodFile + "mqtt: { broker: broker.example.org, orders: [\(kind.rawValue)] }\n")
      expectEqual(found.isEmpty, [.maintenance, .listRefresh].contains(kind), "\(kind): \(found)")
    }
  }
}
