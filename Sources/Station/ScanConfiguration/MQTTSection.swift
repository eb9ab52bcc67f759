package import StationProtocol
package import TicketSystemKit

/// How home automation sees the station: `mqtt`. Only the station's own file has it.
package struct MQTTConfiguration: Sendable, Equatable {
  /// Where the broker is.
  package var broker: BrokerAddress
  /// Certificates to trust instead of the system's. The bridge reads the file, and nobody else.
  package var caFile: String?
  /// What all topics begin with.
  package var prefix = MQTTSection.usualPrefix
  /// Who the bridge is to the broker; `nil` where the broker asks nobody.
  package var user: String?
  /// The file in `/etc/scangate/mqtt` that has the user's password.
  package var credential: MQTTCredential?
  /// Whether Home Assistant is told what there is.
  package var homeAssistant = false
  /// What may be ordered over MQTT: `maintenance` and `listRefresh` at the most.
  package var orders: Set<OrderKind> = []

  package init(broker: BrokerAddress) { self.broker = broker }
}

/// A file in `/etc/scangate/mqtt`, by its name alone: the service manager hands it to the bridge. No credential of the station.
package struct MQTTCredential: Sendable, Hashable {
  /// The file's name.
  package let name: String
  /// Where the configuration names it.
  package let position: SourcePosition

  package init(name: String, position: SourcePosition) {
    self.name = name
    self.position = position
  }
}

enum MQTTSection {
  static let key = "mqtt"
  static let usualPrefix = "scangate"
  /// Who the bridge is where the file gives a password and no name.
  static let usualUser = "scangate"
  /// What can be ordered over MQTT, whatever a file says.
  static let possible: [OrderKind] = [.maintenance, .listRefresh]

  private static let broker = SchemaKey.required(
    "broker", .brokerAddress,
    "The broker: `mqtts://HOST`, with TLS (port 8883; the word before the host can be left out), or `mqtt://HOST`, without (port 1883)."
  )
  private static let caFile = SchemaKey<String>.optional(
    "caFile", .bridgePath(example: "/etc/scangate/broker-ca.pem"),
    "Certificates in PEM. When given, only these are trusted for the broker, not the system's. The user `scangate-mqtt` has to be able to read it."
  )
  private static let allowPlain = SchemaKey.key(
    "allowPlainMQTT", .boolean, default: false,
    "Lets `mqtt://` go elsewhere than to loopback: the password and everything that is told or ordered is then readable in the network, and can be changed."
  )
  private static let prefix = SchemaKey.key(
    "prefix", .topicPrefix, default: usualPrefix, "What all topics begin with: `PREFIX/STATION/…`.")
  private static let user = SchemaKey<String>.optional(
    "user", .text(upTo: 128, example: usualUser),
    "Who the bridge is to the broker; `\(usualUser)` where there is a `credential`.")
  private static let credential = SchemaKey<MQTTCredential>.optional(
    "credential", .mqttCredential(example: "broker-password"),
    "The file that has the password, alone on one line. Only root reads that folder; systemd hands it to the bridge.")
  private static let homeAssistant = SchemaKey.key(
    "homeAssistant", .boolean, default: false, "Tells Home Assistant what there is, so that it shows it by itself.")
  private static let orders = SchemaKey.key(
    "orders",
    .list(of: .choice(of: possible) { $0.rawValue }, count: 0...possible.count, noun: "orders"), default: [],
    "What may be ordered over MQTT. Nothing else ever can.")

  private static let inlineSecret =
    "put the password into a file in /etc/scangate/mqtt that only root reads, and write credential: NAME"

  static let schema = SectionSchema(
    key, broker, caFile, allowPlain, prefix, user, credential, homeAssistant, orders,
    refused: ["password": inlineSecret, "secret": inlineSecret, "token": inlineSecret, "key": inlineSecret])

  static func read(_ reader: SectionReader) -> MQTTConfiguration? {
    let broker = reader.read(broker)
    let (caFile, plain) = (reader.read(caFile), reader.read(allowPlain))
    let (prefix, user) = (reader.read(prefix), reader.read(user))
    let (credential, homeAssistant) = (reader.read(credential), reader.read(homeAssistant))
    let orders = reader.read(orders)
    if let broker, let plain { checkPlain(broker, isAllowed: plain, reader) }
    guard let broker, plain != nil, let prefix, let homeAssistant, let orders else { return nil }
    if user != nil, credential == nil, let place = reader.keyPosition(of: "user") {
      reader.findings.warning(
        at: place, "user stands without a password", "add credential: broker-password, or remove user")
    }
    var mqtt = MQTTConfiguration(broker: broker)
    mqtt.caFile = caFile
    mqtt.prefix = prefix
    mqtt.credential = credential
    mqtt.user = user ?? (credential == nil ? nil : usualUser)
    mqtt.homeAssistant = homeAssistant
    mqtt.orders = Set(orders)
    return mqtt
  }

  private static func checkPlain(_ broker: BrokerAddress, isAllowed: Bool, _ reader: SectionReader) {
    let place = reader.position(of: "broker")
    if !broker.isSecure, !broker.isLoopback {
      let problem =
        "MQTT without TLS shows password and states to the network, and lets it order what mqtt.orders allows"
      if isAllowed {
        reader.findings.warning(at: place, problem, "write mqtts:// when you can")
      } else {
        reader.findings.error(
          at: place, problem, "write mqtts://, or set allowPlainMQTT: true where the network is your own")
      }
    } else if isAllowed, let place = reader.keyPosition(of: "allowPlainMQTT") {
      reader.findings.warning(at: place, "allowPlainMQTT has no effect with \(broker)", "remove it")
    }
    if !broker.isSecure, let caFile = reader.keyPosition(of: "caFile") {
      reader.findings.warning(at: caFile, "caFile has no effect without TLS", "write mqtts://, or remove caFile")
    }
  }
}

extension ValueKind where Value == BrokerAddress {
  /// A broker.
  fileprivate static var brokerAddress: Self {
    let example = "mqtts://broker.example.org"
    return Self(summary: "address of a broker", example: example, show: { $0.description }) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      if let address = BrokerAddress(text) { return address }
      // It may hold a password (mqtt://user:password@host): it is not repeated.
      findings.error(
        at: node.position, "\(quoted(node.path)) is no address of a broker",
        "write \(example), with :PORT behind it where it is another one; user and password have keys of their own")
      return nil
    }
  }
}

extension ValueKind where Value == MQTTCredential {
  /// A file in the folder of the bridge's secrets.
  fileprivate static func mqttCredential(example: String) -> Self {
    Self(summary: "name of a file in `/etc/scangate/mqtt`", example: example, show: { $0.name }) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      let isSecret = text.utf8.count >= 20 && !text.contains("-") && !text.contains("_")
      guard isName(text), !isSecret else {
        // Somebody may have put the password itself here: it is not repeated.
        findings.error(
          at: node.position, "\(quoted(node.path)) is no name of a file in /etc/scangate/mqtt",
          "write a name such as \(example), and put the password into the file of that name there")
        return nil
      }
      return MQTTCredential(name: text, position: node.position)
    }
  }
}

extension ValueKind where Value == String {
  /// An absolute path of a file that the bridge reads. No file of the gateway's: what becomes of it closes no gate.
  fileprivate static func bridgePath(example: String) -> Self {
    text("absolute path", example: example, expected: "write a path such as \(example)") { text in
      text.hasPrefix("/") && !text.hasSuffix("/") && text.utf8.count < 4_096
        && !text.unicodeScalars.contains { $0.value < 0x20 }
    }
  }

  /// What topics begin with.
  fileprivate static var topicPrefix: Self {
    text(
      "parts of a topic", example: "scangate",
      expected: "write 1 to 64 letters (a to z), digits, - and _, with a / between parts: venue/gates"
    ) { text in
      let parts = text.split(separator: "/", omittingEmptySubsequences: false)
      return text.utf8.count <= 64 && parts.allSatisfy { isName(String($0)) }
    }
  }
}
