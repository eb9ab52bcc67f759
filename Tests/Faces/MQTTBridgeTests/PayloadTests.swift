import Expectations
import ScanModel
import ScanTesting
import StationProtocol
import Testing
import WireText

@testable import Gateway
@testable import MQTTBridge

/// What is told, by topics: pure parts.
@Suite struct PayloadTests {
  private static let topics = BridgeTopics(prefix: "venue/gates", station: "door")
  private static let hostile = "\u{1B}[2J\"\\\u{202E}evil\u{2028}\n\u{0}漢字🎟️"

  private static func entities(_ station: StationSnapshot, orders: Set<OrderKind> = []) -> [String: String] {
    HomeAssistant.entities(station, name: "door", topics, orders: orders)
  }

  @Test func everyStateIsOneObjectAtATopicOfOurs() {
    var station = SeenStation.sample()
    station.gates[0].condition = .init(state: "fault", detail: Self.hostile)
    station.ticketSystems[0].fault = .init(reason: .keyRefused, detail: Self.hostile)
    for (topic, text) in StatePayloads.all(station, Self.topics) {
      expect(topic.hasPrefix("venue/gates/door/"), "\(topic)")
      expect(!topic.contains("#") && !topic.contains("+"), "\(topic)")
      guard case .object? = try? JSONValue(Array(text.utf8)) else { return expect(false, "\(topic): \(text)") }
      expect(text.unicodeScalars.allSatisfy(TerminalText.isHarmless), "\(topic): \(text)")
    }
  }

  @Test func aNameThatNoTopicCanHaveIsLeftOut() {
    var station = SeenStation.sample()
    for name in ["", "a/b", "#", "+", "../x", "é", Self.hostile, String(repeating: "a", count: 33)] {
      station.gates.append(
        .init(id: GateID(name), condition: .init(state: "ready"), ticketSystem: TicketSystemID("main")))
      station.readers.append(.init(id: ReaderID(name), condition: .init(state: "reading")))
      station.ticketSystems.append(.init(id: TicketSystemID(name), type: "x"))
    }
    expectEqual(
      Set(StatePayloads.all(station, Self.topics).keys), Set(StatePayloads.all(SeenStation.sample(), Self.topics).keys))
    expectEqual(Set(Self.entities(station).keys), Set(Self.entities(SeenStation.sample()).keys))
    station.gates = (0..<1_000).map {
      .init(id: GateID("g\($0)"), condition: .init(state: "ready"), ticketSystem: TicketSystemID("main"))
    }
    let gates = StatePayloads.all(station, Self.topics).keys.filter { $0.contains("/gates/g") }
    expectEqual(gates.count, BridgeLimits.maximumParts)
  }

  @Test func aVerdictHasNoCodeAndNoName() throws {
    for seed in 0..<UInt64(extent(landing: 300, release: 3_000)) {
      var random = SeededGenerator(seed: seed)
      // Letters that no number has, also in base 16.
      let secret = "SECRET" + String((0..<4).map { _ in "gklmnpqrtvxy".randomElement(using: &random) ?? "g" })
      let verdict: Verdict = random.chance(50) ? .admit : .refuse(.alreadyUsed)
      let event = GatewayEvent.scan(
        DecidedScan(
          scan: Scan(
            gate: GateID("north"), reader: ReaderID("left"), code: Code("code-\(secret)"),
            readAt: MonotonicTime(nanoseconds: 5)),
          verdict: verdict, readAt: WallTime(seconds: 1), decidedIn: .milliseconds(3),
          details: TicketDetails(holder: "Anna \(secret)", event: "Evening \(secret)"), admitted: 1, allowance: 2,
          decider: .server, isProvisional: random.chance(50), detail: "said \(secret)"))
      let told = try #require(VerdictPayload.of(event.jsonLine), "seed \(seed)")
      expectEqual(told.gate, "north")
      for part in [secret, String(secret.suffix(4)), "Anna", "Evening", "said"] {
        expect(!told.text.contains(part), "seed \(seed): \(told.text)")
      }
      let value = try JSONValue(Array(told.text.utf8))
      expectEqual(value["verdict"]?.string, verdict.name)
      expectEqual(value["reason"]?.string, verdict.reason)
    }
  }

  @Test func otherLinesAreNoVerdicts() {
    let bad = [
      "", "{", #"{"type":"gate","gate":"north","verdict":"admit"}"#, #"{"type":"scan","gate":"a/b","verdict":"admit"}"#,
      #"{"type":"scan","gate":7}"#, #"{"type":"scan"}"#, #"{"gate":"north","type":"scan"}"#,
      #"{"type":"scan","gate":"north""#,
    ]
    for line in bad { expect(VerdictPayload.of(line) == nil, "\(line)") }
    for seed in 0..<UInt64(extent(landing: 1_000, release: 10_000)) {
      var random = SeededGenerator(seed: seed)
      var line = Array(#"{"type":"scan","gate":"north","reader":"left","verdict":"admit","admitted":1}"#.utf8)
      for _ in 0..<3 {
        line[Int.random(in: 14..<line.count, using: &random)] = .random(in: .min ... .max, using: &random)
      }
      guard let told = VerdictPayload.of(String(decoding: line, as: UTF8.self)) else { continue }
      expect(BridgeTopics.isPart(told.gate), "seed \(seed)")
      expect((try? JSONValue(Array(told.text.utf8))) != nil, "seed \(seed)")
    }
  }

  // MARK: Home Assistant

  @Test func entitiesAreWhole() throws {
    let entities = Self.entities(SeenStation.sample(), orders: CommandDesk.possible)
    var identities: Set<String> = []
    let states = Set(StatePayloads.all(SeenStation.sample(), Self.topics).keys).union([Self.topics.service])
    for (topic, text) in entities {
      let parts = topic.split(separator: "/").map(String.init)
      expectEqual(parts.count, 5, "\(topic)")
      expect(HomeAssistant.isOurs(topic, Self.topics), "\(topic)")
      // What Home Assistant takes there.
      for part in parts[2...3] {
        expect(
          part.utf8.allSatisfy {
            $0 == 0x2D || $0 == 0x5F || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0)
              || (0x61...0x7A).contains($0)
          }, "\(topic)")
      }
      let value = try JSONValue(Array(text.utf8))
      let identity = try #require(value["unique_id"]?.string)
      expect(identities.insert(identity).inserted, "\(identity) twice")
      expectEqual(value["device"]?["identifiers"]?.array?.first?.string, "scangate_venue_gates_door")
      let places = value["availability"]?.array?.compactMap { $0["topic"]?.string } ?? []
      expect(places.contains(Self.topics.availability), "\(topic)")
      if let state = value["state_topic"]?.string { expect(states.contains(state), "\(state)") }
      expect(["binary_sensor", "sensor", "switch", "button"].contains(parts[1]), "\(topic)")
      expect(text.utf8.count < BridgeLimits.maximumPayload, "\(topic): \(text.utf8.count)")
      if let command = value["command_topic"]?.string {
        let kind = try #require(Self.topics.command(of: command).flatMap(OrderKind.init))
        expect(CommandDesk.possible.contains(kind))
        expectEqual(value["retain"], .bool(false))
        expectEqual(value["qos"]?.integer, 1)
      }
    }
    expectEqual(entities.keys.filter { $0.contains("/switch/") }.count, 1)
    expectEqual(entities.keys.filter { $0.contains("/button/") }.count, 1)
  }

  @Test func commandsAreThereOnlyWhereTheyAreAllowed() {
    for (orders, switches, buttons) in [
      (Set<OrderKind>(), 0, 0), ([.maintenance], 1, 0), ([.listRefresh], 0, 1), ([.openOnce, .present, .annul], 0, 0),
    ] {
      let entities = Self.entities(SeenStation.sample(), orders: orders)
      expectEqual(entities.keys.filter { $0.contains("/switch/") }.count, switches, "\(orders)")
      expectEqual(entities.keys.filter { $0.contains("/button/") }.count, buttons, "\(orders)")
    }
  }

  @Test func identitiesStayWhateverTheStateIs() throws {
    func identities(_ station: StationSnapshot) throws -> Set<String> {
      Set(try Self.entities(station).values.map { try #require(JSONValue(Array($0.utf8))["unique_id"]?.string) })
    }
    var changed = SeenStation.sample()
    changed.version = Self.hostile
    changed.station = "otherwise"
    changed.gates[0].condition = .init(state: "fault", detail: Self.hostile)
    changed.gates[0].isExit = true
    changed.readers[0].condition = .init(state: "parked")
    try expectEqual(identities(changed), identities(SeenStation.sample()))
  }

  /// What Home Assistant makes of its template is a command that we take.
  @Test func itsCommandsAreTaken() throws {
    let entities = Self.entities(SeenStation.sample(), orders: CommandDesk.possible)
    for (topic, text) in entities {
      let value = try JSONValue(Array(text.utf8))
      guard let template = value["command_template"]?.string, let place = value["command_topic"]?.string else {
        continue
      }
      for word in ["ON", "OFF"] {
        let payload =
          template
          .replacing("{{ now().timestamp() }}", with: "1800000000.123456")
          .replacing("{{ range(1000000000) | random }}", with: "4711")
          .replacing("{{ 'true' if value == 'ON' else 'false' }}", with: word == "ON" ? "true" : "false")
        var desk = CommandDesk(topics: Self.topics, orders: CommandDesk.possible)
        let decision = desk.take(
          BrokerMessage(place, text: payload), now: MonotonicTime(nanoseconds: 5),
          wall: WallTime(seconds: 1_800_000_001))
        guard case .perform(let command, _) = decision else {
          return expect(false, "\(topic): \(payload): \(decision)")
        }
        expectEqual(command.number, "1800000000.123456-4711")
        if topic.contains("/switch/") {
          expectEqual(command.action, .maintenance(GateID("north"), isOn: word == "ON"))
        } else {
          expectEqual(command.action, .listRefresh(nil))
        }
      }
    }
  }
}
