import Expectations
import ScanModel
import ScanTesting
import StationProtocol
import Testing

@testable import MQTTBridge

/// What can be an order: pure parts, by examples and by chance.
@Suite struct CommandTests {
  private static let topics = BridgeTopics(prefix: "scangate", station: "door")
  private static let wall = WallTime(seconds: 1_800_000_000)
  private static let now = MonotonicTime(nanoseconds: 1_000_000_000_000)

  private static func desk(_ orders: Set<OrderKind> = [.maintenance, .listRefresh]) -> CommandDesk {
    CommandDesk(topics: topics, orders: orders)
  }

  private static func maintenance(
    id: String = "a-1", at: String = "1800000000", gate: String = "north", isOn: Bool = true
  ) -> BrokerMessage {
    BrokerMessage(
      topics.command(.maintenance), text: #"{"id":"\#(id)","at":\#(at),"gate":"\#(gate)","on":\#(isOn)}"#)
  }

  private static func refusal(_ decision: CommandDesk.Decision) -> CommandDesk.Refusal? {
    if case .refused(let refusal, _, _) = decision { refusal } else { nil }
  }

  @Test func anOrderIsTakenOnce() {
    var desk = Self.desk()
    guard case .perform(let command, let order) = desk.take(Self.maintenance(), now: Self.now, wall: Self.wall) else {
      return expect(false, "it is refused")
    }
    expectEqual(order.action, .maintenance(GateID("north"), isOn: true))
    expectEqual(order.who, "mqtt")
    expectEqual(command.number, "a-1")
    expectEqual(order.id, command.orderID(Self.topics))
    expectEqual(desk.take(Self.maintenance(), now: Self.now, wall: Self.wall), .repeated)
    // However late the repetition comes, it is none.
    let later = Self.wall + .seconds(60)
    expectEqual(desk.take(Self.maintenance(), now: Self.now + .seconds(60), wall: later), .repeated)
  }

  @Test func anotherProcessGivesTheSameCommandTheSameNumber() {
    var (one, other) = (Self.desk(), Self.desk())
    guard case .perform(_, let first) = one.take(Self.maintenance(), now: Self.now, wall: Self.wall),
      case .perform(_, let second) = other.take(
        Self.maintenance(), now: Self.now + .seconds(2), wall: Self.wall + .seconds(2))
    else { return expect(false, "one is refused") }
    expectEqual(first.id, second.id)
    let elsewhere = BridgeTopics(prefix: "scangate", station: "other")
    let command = try? BridgeCommand(.maintenance, payload: Self.maintenance().payload)
    expect(command?.orderID(elsewhere) != first.id, "another station's command has the same number")
  }

  @Test func itIsValidForFiveSeconds() {
    for (age, isTaken) in [
      (0, true), (5_000, true), (5_001, false), (-5_000, true), (-5_001, false), (86_400_000, false),
    ] {
      var desk = Self.desk()
      let decision = desk.take(Self.maintenance(), now: Self.now, wall: Self.wall + .milliseconds(age))
      if isTaken {
        guard case .perform(_, let order) = decision else { return expect(false, "\(age) ms: \(decision)") }
        // The station counts from when it was given, and from now where that is ahead.
        expectEqual(order.givenAt, Self.now - .milliseconds(max(0, age)))
      } else {
        expectEqual(Self.refusal(decision), .stale, "\(age) ms")
      }
    }
  }

  @Test func whatTheBrokerHadKeptIsIgnored() {
    var desk = Self.desk()
    var message = Self.maintenance()
    message.isRetained = true
    expectEqual(Self.refusal(desk.take(message, now: Self.now, wall: Self.wall)), .retained)
    // It was not taken for done either.
    message.isRetained = false
    guard case .perform = desk.take(message, now: Self.now, wall: Self.wall) else { return expect(false, "refused") }
  }

  @Test func nothingElseIsEverTaken() {
    for kind in OrderKind.allCases where !CommandDesk.possible.contains(kind) {
      var desk = CommandDesk(topics: Self.topics, orders: Set(OrderKind.allCases))
      let payload = #"{"id":"a-1","at":1800000000,"gate":"north","on":true,"code":"good-ticket-1"}"#
      let message = BrokerMessage(Self.topics.command(kind), text: payload)
      expectEqual(Self.refusal(desk.take(message, now: Self.now, wall: Self.wall)), .notAllowed, "\(kind)")
    }
    for topic in [
      "", "scangate", "scangate/door/state", "scangate/other/commands/maintenance", "scangate/door/commands/x/y",
    ] {
      var desk = Self.desk()
      let message = BrokerMessage(topic, Self.maintenance().payload)
      expectEqual(Self.refusal(desk.take(message, now: Self.now, wall: Self.wall)), .notAllowed, "\(topic)")
    }
  }

  @Test func theFileDecides() {
    var desk = Self.desk([.listRefresh])
    expectEqual(Self.refusal(desk.take(Self.maintenance(), now: Self.now, wall: Self.wall)), .notAllowed)
    let refresh = BrokerMessage(
      Self.topics.command(.listRefresh), text: #"{"id":"b","at":1800000000.25,"ticket_system":"main"}"#)
    guard case .perform(_, let order) = desk.take(refresh, now: Self.now, wall: Self.wall) else {
      return expect(false, "refused")
    }
    expectEqual(order.action, .listRefresh(TicketSystemID("main")))
  }

  @Test func whatCannotBeReadIsNoOrder() {
    let bad = [
      "", "ON", "{}", "[]", #"{"id":"a"}"#, #"{"id":"a","at":"1800000000","gate":"north","on":true}"#,
      #"{"id":"","at":1800000000,"gate":"north","on":true}"#, #"{"id":"a b","at":1800000000,"gate":"north","on":true}"#,
      #"{"id":7,"at":1800000000,"gate":"north","on":true}"#, #"{"id":"a","at":1e9,"gate":"north","on":true}"#,
      #"{"id":"a","at":-1,"gate":"north","on":true}"#, #"{"id":"a","at":99999999999,"gate":"north","on":true}"#,
      #"{"id":"a","at":1800000000,"gate":"north","on":"ON"}"#, #"{"id":"a","at":1800000000,"gate":"../x","on":true}"#,
      #"{"id":"a","at":1800000000,"gate":"north"}"#, #"{"id":"a","id":"b","at":1800000000,"gate":"north","on":true}"#,
      #"{"id":"a","at":1800000000,"gate":"north","on":true} "# + "x", String(repeating: "[", count: 4_000),
      #"{"id":"\#(String(repeating: "a", count: 65))","at":1800000000,"gate":"north","on":true}"#,
    ]
    for text in bad {
      var desk = Self.desk()
      let message = BrokerMessage(Self.topics.command(.maintenance), text: text)
      expectEqual(Self.refusal(desk.take(message, now: Self.now, wall: Self.wall)), .unreadable, "\(text.prefix(80))")
    }
    var desk = Self.desk()
    var long = Self.maintenance()
    long.isTooLong = true
    expectEqual(Self.refusal(desk.take(long, now: Self.now, wall: Self.wall)), .unreadable)
  }

  /// What begins as a command and is damaged by chance is one that says the same, or none.
  @Test func damagedPayloadsAreReadRightOrNotAtAll() {
    for seed in 0..<UInt64(extent(landing: 4_000, release: 40_000)) {
      var random = SeededGenerator(seed: seed)
      var payload = Self.maintenance(
        id: "n-\(UInt32.random(in: 0..<1_000, using: &random))",
        at: "\(1_800_000_000).\(Int.random(in: 0..<1_000, using: &random))",
        isOn: random.chance(50)
      ).payload
      for _ in 0..<Int.random(in: 1...6, using: &random) where !payload.isEmpty {
        let place = Int.random(in: payload.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: payload[place] = .random(in: .min ... .max, using: &random)
        case 1: payload.remove(at: place)
        default: payload.insert(.random(in: .min ... .max, using: &random), at: place)
        }
      }
      for kind in [OrderKind.maintenance, .listRefresh, .openOnce] {
        guard let command = try? BridgeCommand(kind, payload: payload) else { continue }
        expect(kind != .openOnce, "seed \(seed)")
        expectEqual(command.action.kind, kind, "seed \(seed)")
        expect((1...64).contains(command.number.utf8.count), "seed \(seed)")
        if let gate = command.action.gate { expect(BridgeTopics.isPart(gate.name), "seed \(seed)") }
        expect(command.orderID(Self.topics) != nil, "seed \(seed)")
      }
    }
  }

  /// However commands come: none is performed twice, none that is too old, and no more than may be.
  @Test func theDeskKeepsItsPromisesByChance() {
    for seed in 0..<UInt64(extent(landing: 300, release: 3_000)) {
      var random = SeededGenerator(seed: seed)
      var desk = Self.desk()
      var now = Self.now
      var performed: [OrderID: MonotonicTime] = [:]
      for _ in 0..<200 {
        now = now + .milliseconds(Int.random(in: 0...700, using: &random))
        let wall = Self.wall + (now - Self.now)
        let age = Int.random(in: -9...9, using: &random)
        let id = "n\(Int.random(in: 0..<120, using: &random))"
        var message = Self.maintenance(id: id, at: "\(wall.seconds - Int64(age))")
        message.isRetained = random.chance(10)
        guard case .perform(_, let order) = desk.take(message, now: now, wall: wall) else { continue }
        expect(!message.isRetained, "seed \(seed)")
        expect(abs(age) <= 6, "seed \(seed): \(age) s")
        expect(performed.updateValue(now, forKey: order.id) == nil, "seed \(seed): \(id) twice")
        expect(order.givenAt <= now && now - order.givenAt <= .seconds(6), "seed \(seed)")
      }
      let most = BridgeLimits.commandBurst + Int((now - Self.now).milliseconds / 2_000) + 1
      expect(performed.count <= most, "seed \(seed): \(performed.count) of \(most)")
    }
  }

  @Test func aRationIsNoMoreThanItIs() {
    for seed in 0..<UInt64(extent(landing: 500, release: 5_000)) {
      var random = SeededGenerator(seed: seed)
      let burst = Int.random(in: 1...9, using: &random)
      var ration = Ration(burst: burst, interval: .seconds(1))
      var now = Self.now
      var taken: [MonotonicTime] = []
      for _ in 0..<300 {
        now = now + .milliseconds(Int.random(in: 0...1_500, using: &random))
        if ration.take(now) { taken.append(now) }
      }
      for (index, start) in taken.enumerated() {
        let within = taken[index...].prefix { $0 - start <= .seconds(10) }.count
        expect(within <= burst + 11, "seed \(seed): \(within)")
      }
      // Whoever waits gets one.
      expect(ration.take(now + .seconds(1)), "seed \(seed)")
    }
  }
}
