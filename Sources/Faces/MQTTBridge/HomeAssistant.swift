internal import ScanModel
package import StationProtocol
internal import WireText

/// What Home Assistant is told so that it shows a station by itself (MQTT discovery). Pure.
///
/// One device for the station, one entity for each thing that is so or not, or counts. Their identities are made of prefix, station and
/// the names in the configuration, so that they are the same after every restart, and whatever becomes of the words that people read.
package enum HomeAssistant {
  /// Where Home Assistant looks, unless somebody has changed that there.
  package static let prefix = "homeassistant"

  /// Where all of a station's entities are told.
  package static func filter(_ topics: BridgeTopics) -> String { "\(prefix)/+/\(topics.node)/+/config" }

  /// Whether something is told there of this station.
  package static func isOurs(_ topic: String, _ topics: BridgeTopics) -> Bool {
    let parts = topic.split(separator: "/", omittingEmptySubsequences: false)
    return parts.count == 5 && parts[0] == prefix && parts[2] == topics.node && parts[4] == "config"
  }

  /// The entities, by the topics where they are told.
  /// - Parameter orders: what may be ordered.
  package static func entities(
    _ station: StationSnapshot, name: String, _ topics: BridgeTopics, orders: Set<OrderKind>
  ) -> [String: String] {
    let maker = EntityMaker(topics: topics, device: device(station, name, topics))
    var told: [String: String] = [:]
    func add(_ entity: Entity) { told[maker.topic(entity)] = maker.text(entity) }
    add(
      Entity(
        .binarySensor, id: "service", name: "Service", topic: topics.service, value: "{{ value }}", on: "online",
        off: "offline", kind: "connectivity", isOfBridge: true))
    add(.truth("journal", "Journal", topics.station, "value_json.journal == 'failing'", kind: "problem"))
    add(.truth("clock", "Clock", topics.station, "not value_json.clock_trusted", kind: "problem"))
    add(.count("owed", "Owed to ticket systems", topics.outbox, "value_json.owed", isTotal: false))
    add(.count("conflicts", "Conflicts", topics.outbox, "value_json.conflicts", isTotal: false))
    for gate in StatePayloads.parts(station.gates, { $0.id.name }) {
      let (gate, topic) = (gate.id.name, topics.gate(gate.id.name))
      let id = "gate_\(gate)"
      add(
        .truth(
          "\(id)_problem", "Gate \(gate)", topic,
          "value_json.state == 'fault' or value_json.output_fault is not none", kind: "problem"))
      add(.text("\(id)_state", "Gate \(gate) state", topic, "value_json.state"))
      add(.count("\(id)_passed", "Gate \(gate) passed", topic, "value_json.passed", isTotal: true))
      for (key, word) in [("admit", "admitted"), ("refuse", "refused"), ("undecided", "undecided")] {
        add(.count("\(id)_\(key)", "Gate \(gate) \(word)", topic, "value_json.\(key)", isTotal: true))
      }
      if orders.contains(.maintenance) {
        var entity = Entity(
          .switch, id: "\(id)_maintenance", name: "Gate \(gate) maintenance", topic: topic,
          value: "{{ 'ON' if value_json.maintenance_ordered else 'OFF' }}", on: "ON", off: "OFF")
        entity.command = Command(
          topic: topics.command(.maintenance),
          template:
            #"{"id":"\#(number)","at":\#(now),"gate":"\#(gate)","on":{{ 'true' if value == 'ON' else 'false' }}}"#)
        add(entity)
      }
    }
    for reader in StatePayloads.parts(station.readers, { $0.id.name }) {
      add(
        .truth(
          "reader_\(reader.id.name)", "Reader \(reader.id.name)", topics.reader(reader.id.name),
          "value_json.state == 'reading'", kind: "connectivity"))
    }
    for system in StatePayloads.parts(station.ticketSystems, { $0.id.name }) {
      let (system, topic) = (system.id.name, topics.ticketSystem(system.id.name))
      add(
        .truth(
          "system_\(system)", "Ticket system \(system)", topic,
          "value_json.offline is none and value_json.fault is none", kind: "connectivity"))
      add(.count("system_\(system)_owed", "Owed to \(system)", topic, "value_json.owed", isTotal: false))
    }
    if orders.contains(.listRefresh) {
      var entity = Entity(.button, id: "list_refresh", name: "Fetch lists", topic: nil, value: "", on: "", off: "")
      entity.command = Command(
        topic: topics.command(.listRefresh), template: #"{"id":"\#(number)","at":\#(now)}"#)
      add(entity)
    }
    return told
  }

  /// Another number for each command: the time, and chance for two of one moment.
  private static let number = "{{ now().timestamp() }}-{{ range(1000000000) | random }}"
  private static let now = "{{ now().timestamp() }}"

  private static func device(_ station: StationSnapshot, _ name: String, _ topics: BridgeTopics) -> String {
    var device = JSONText()
    device.add("identifiers", texts: ["scangate_\(topics.node)"])
    device.add("name", TerminalText.clean(name, limit: 64))
    device.add("manufacturer", "scangate")
    device.add("model", "scanner gateway")
    device.add("sw_version", TerminalText.clean(station.version, limit: 64))
    return device.text
  }
}

/// How an entity is commanded.
private struct Command {
  var topic: String
  var template: String
}

/// One thing that Home Assistant shows.
private struct Entity {
  enum Component: String {
    case binarySensor = "binary_sensor"
    case sensor
    case `switch`
    case button
  }

  var component: Component
  var id: String
  var name: String
  /// Where its state is told; a button has none.
  var topic: String?
  var value: String
  var on: String
  var off: String
  var kind: String?
  var stateClass: String?
  /// Whether it is known without the station's service.
  var isOfBridge: Bool
  var command: Command?

  init(
    _ component: Component, id: String, name: String, topic: String?, value: String, on: String, off: String,
    kind: String? = nil, stateClass: String? = nil, isOfBridge: Bool = false
  ) {
    self.component = component
    self.id = id
    self.name = name
    self.topic = topic
    self.value = value
    self.on = on
    self.off = off
    self.kind = kind
    self.stateClass = stateClass
    self.isOfBridge = isOfBridge
  }

  static func truth(_ id: String, _ name: String, _ topic: String, _ holds: String, kind: String) -> Self {
    Self(
      .binarySensor, id: id, name: name, topic: topic, value: "{{ 'ON' if \(holds) else 'OFF' }}", on: "ON", off: "OFF",
      kind: kind)
  }

  /// - Parameter isTotal: whether it only grows, but for a restart.
  static func count(_ id: String, _ name: String, _ topic: String, _ value: String, isTotal: Bool) -> Self {
    Self(
      .sensor, id: id, name: name, topic: topic, value: "{{ \(value) }}", on: "", off: "",
      stateClass: isTotal ? "total_increasing" : "measurement")
  }

  static func text(_ id: String, _ name: String, _ topic: String, _ value: String) -> Self {
    Self(.sensor, id: id, name: name, topic: topic, value: "{{ \(value) }}", on: "", off: "")
  }
}

/// Writes entities of one station.
private struct EntityMaker {
  let topics: BridgeTopics
  let device: String

  func topic(_ entity: Entity) -> String {
    "\(HomeAssistant.prefix)/\(entity.component.rawValue)/\(topics.node)/\(entity.id)/config"
  }

  func text(_ entity: Entity) -> String {
    var line = JSONText()
    line.add("unique_id", "scangate_\(topics.node)_\(entity.id)")
    line.add("object_id", "\(topics.node)_\(entity.id)")
    line.add("name", entity.name)
    if let kind = entity.kind { line.add("device_class", kind) }
    if let stateClass = entity.stateClass { line.add("state_class", stateClass) }
    if let topic = entity.topic {
      line.add("state_topic", topic)
      line.add("value_template", entity.value)
    }
    switch entity.component {
    case .binarySensor:
      line.add("payload_on", entity.on)
      line.add("payload_off", entity.off)
    case .switch:
      line.add("payload_on", entity.on)
      line.add("payload_off", entity.off)
      line.add("state_on", entity.on)
      line.add("state_off", entity.off)
      line.add("optimistic", false)
    case .sensor, .button: break
    }
    if let command = entity.command {
      line.add("command_topic", command.topic)
      line.add("command_template", command.template)
      line.add("qos", 1)
      line.add("retain", false)
    }
    line.add(
      "availability", objects: [available(topics.availability)] + (entity.isOfBridge ? [] : [available(topics.service)])
    )
    line.add("availability_mode", "all")
    line.add("device", object: device)
    return line.text
  }

  private func available(_ topic: String) -> String {
    var line = JSONText()
    line.add("topic", topic)
    return line.text
  }
}
