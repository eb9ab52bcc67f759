import Expectations
import Foundation
import ScanModel
import StationProtocol
import Testing
import WireText

@testable import MQTTBridge

/// The bridge between a real mosquitto and a real station's socket.
@Suite(.serialized, .timeLimit(.minutes(2))) struct BridgeTests {
  private static let topics = BridgeBench.topics

  @Test func stateVerdictsAndLeaveAreTold() async throws {
    let broker = try await Mosquitto()
    let watcher = try await Watcher(broker.settings(client: "watcher"))
    await until { watcher.isHere }
    let bench = try await BridgeBench(broker.settings(client: "bridge"))
    // The last of them.
    await until { watcher.json(Self.topics.ticketSystem("main")) != nil }
    expectEqual(watcher.last(Self.topics.service), "online")
    expectEqual(watcher.last(Self.topics.availability), "online")
    let gate = watcher.json(Self.topics.gate("north"))
    expectEqual(gate?["state"]?.string, "ready")
    expectEqual(gate?["passed"]?.integer, 7)
    expectEqual(gate?["admit"]?.integer, 7)
    expectEqual(gate?["refuse"]?.integer, 3)
    expectEqual(watcher.json(Self.topics.reader("left"))?["state"]?.string, "reading")
    expectEqual(watcher.json(Self.topics.ticketSystem("main"))?["owed"]?.integer, 3)
    expectEqual(watcher.json(Self.topics.outbox)?["owed"]?.integer, 3)

    // Events come once the socket knows us as a listener: whoever is shown the state is one.
    await until {
      if watcher.heard(at: Self.topics.verdict("north")).isEmpty { bench.station.scan(.refuse(.alreadyUsed)) }
      return !watcher.heard(at: Self.topics.verdict("north")).isEmpty
    }
    let verdict = watcher.heard(at: Self.topics.verdict("north")).first
    expectEqual(verdict?["verdict"]?.string, "refuse")
    expectEqual(verdict?["reason"]?.string, "alreadyUsed")
    expectEqual(verdict?["reader"]?.string, "left")
    // A change is told, and told once.
    bench.station.snapshot.readers[0].condition = .init(state: "parked")
    await until { watcher.json(Self.topics.reader("left"))?["state"]?.string == "parked" }

    await bench.stop()
    await until { watcher.last(Self.topics.availability) == "offline" }
    expectEqual(watcher.last(Self.topics.service), "offline")
    for message in watcher.heard {
      let text = String(decoding: message.payload, as: UTF8.self)
      for secret in ["good-ticket-1", "et-1", "Anna", "Strings"] {
        expect(!text.contains(secret), "\(message.topic) tells \(secret)")
      }
    }
    await watcher.stop()
  }

  @Test func anOrderIsDoneOnceAndAnswered() async throws {
    let broker = try await Mosquitto()
    let watcher = try await Watcher(broker.settings(client: "watcher"))
    let bench = try await BridgeBench(broker.settings(client: "bridge"))
    await until { watcher.last(Self.topics.service) == "online" }
    let command = BridgeBench.command(.maintenance, #","gate":"north","on":true,"why":"fire drill""#)
    for _ in 0..<3 { await watcher.say(command) }
    await until { watcher.json(Self.topics.gate("north"))?["maintenance_ordered"] == .bool(true) }
    await until { !watcher.heard(at: Self.topics.results).isEmpty }
    // Behind all three, so that they were all looked at.
    await watcher.say(BridgeBench.command(.listRefresh))
    await until { bench.station.orders.count == 2 }
    expectEqual(bench.station.orders.map(\.action), [.maintenance(GateID("north"), isOn: true), .listRefresh(nil)])
    expectEqual(bench.station.orders.first?.who, "mqtt")
    expectEqual(bench.station.orders.first?.why, "fire drill")
    let result = watcher.heard(at: Self.topics.results).first
    expectEqual(result?["outcome"]?.string, "done")
    expectEqual(result?["order"]?.string, "maintenance")
    // What the station refuses is told in its words.
    await watcher.say(BridgeBench.command(.maintenance, id: "none", #","gate":"south","on":true"#))
    await until { watcher.heard(at: Self.topics.results).contains { $0["id"]?.string == "none" } }
    let refused = watcher.heard(at: Self.topics.results).first { $0["id"]?.string == "none" }
    expectEqual(refused?["reason"]?.string, "unknown")
    await bench.stop()
    await watcher.stop()
  }

  /// What was surely not done is not told as if it might have been.
  @Test func whereNoServiceRunsNothingIsDone() async throws {
    let broker = try await Mosquitto()
    let watcher = try await Watcher(broker.settings(client: "watcher"))
    let bench = try await BridgeBench(broker.settings(client: "bridge"))
    await until { watcher.last(Self.topics.service) == "online" }
    await bench.station.vanish()
    await until { watcher.last(Self.topics.service) == "offline" }
    await watcher.say(BridgeBench.command(.maintenance, id: "away", #","gate":"north","on":true"#))
    await until { !watcher.heard(at: Self.topics.results).isEmpty }
    let result = watcher.heard(at: Self.topics.results).first
    expectEqual(result?["id"]?.string, "away")
    expectEqual(result?["outcome"]?.string, "refused")
    expectEqual(result?["reason"]?.string, "stationAway")
    expect(result?["detail"]?.string?.contains("Nothing was done") == true)
    expectEqual(bench.station.orders, [])
    await bench.stop()
    await watcher.stop()
  }

  @Test func whatIsOldRetainedOrNeverAllowedIsRefused() async throws {
    let broker = try await Mosquitto()
    let watcher = try await Watcher(broker.settings(client: "watcher"))
    await until { watcher.isHere }
    // Kept from before the bridge came.
    var kept = BridgeBench.command(.maintenance, id: "kept", #","gate":"north","on":true"#)
    kept.isRetained = true
    await watcher.say(kept)
    await until { watcher.last(Self.topics.command(.maintenance)) != nil }
    let bench = try await BridgeBench(broker.settings(client: "bridge"))
    await until { bench.lines.has("the broker had kept it") }
    await until { watcher.last(Self.topics.service) == "online" }
    await watcher.say(
      BridgeBench.command(
        .maintenance, id: "old", at: Date().timeIntervalSince1970 - 30, #","gate":"north","on":true"#))
    await until { watcher.heard(at: Self.topics.results).contains { $0["reason"]?.string == "stale" } }
    for kind in [OrderKind.openOnce, .annul, .present] {
      await watcher.say(BridgeBench.command(kind, #","gate":"north","on":true,"code":"good-ticket-1""#))
    }
    await until { bench.lines.all.filter { $0.contains("never ordered over MQTT") }.count == 3 }
    await watcher.say(BridgeBench.command(.listRefresh))
    await until { !bench.station.orders.isEmpty }
    expectEqual(bench.station.orders.map(\.action.kind), [.listRefresh])
    await bench.stop()
    await watcher.stop()
  }

  @Test func withoutOrdersInTheFileNothingIsHeard() async throws {
    let broker = try await Mosquitto()
    let watcher = try await Watcher(broker.settings(client: "watcher"))
    var settings = BridgeBench.settings
    settings.orders = [.openOnce, .present]
    let bench = try await BridgeBench(broker.settings(client: "bridge"), settings)
    await until { watcher.last(Self.topics.service) == "online" }
    await watcher.say(BridgeBench.command(.maintenance, #","gate":"north","on":true"#))
    await watcher.say(BridgeBench.command(.openOnce, #","gate":"north""#))
    // Told after what was said, by the same broker in the same order.
    bench.station.snapshot.outbox.owed = 99
    await until { watcher.json(Self.topics.outbox)?["owed"]?.integer == 99 }
    expect(bench.station.orders.isEmpty)
    expect(watcher.last("homeassistant/switch/\(Self.topics.node)/gate_north_maintenance/config") == nil)
    await bench.stop()
    await watcher.stop()
  }

  @Test func aFloodOfGarbageIsBoundedAndNoOrderIsLostForEver() async throws {
    let broker = try await Mosquitto()
    let watcher = try await Watcher(
      broker.settings(client: "watcher"), to: ["\(Self.topics.base)/results", "\(Self.topics.base)/service"])
    let bench = try await BridgeBench(broker.settings(client: "bridge"))
    await until { watcher.last(Self.topics.service) == "online" }
    let before = memory()
    for count in 0..<4_000 {
      let payload =
        Array("{\"id\":\"g\(count)\",\"at\":0,".utf8) + Array(repeating: UInt8(truncatingIfNeeded: count), count: 40)
      await watcher.say(
        BrokerMessage("\(Self.topics.base)/commands/\(count % 3 == 0 ? "maintenance" : "x\(count)")", payload))
    }
    // Afterwards it is there as before: once it has read what it was flooded with, a command comes in time.
    for _ in 0..<60 where bench.station.orders.isEmpty {
      await watcher.say(BridgeBench.command(.maintenance, #","gate":"north","on":true"#))
      try await Task.sleep(for: .seconds(1))
    }
    expectEqual(bench.station.orders.first?.action, .maintenance(GateID("north"), isOn: true))
    expect(bench.lines.all.count < 100, "\(bench.lines.all.count) lines")
    expect(watcher.heard(at: Self.topics.results).count < 100)
    expect(memory() - before < 24_000, "\(memory() - before) kB")
    await bench.stop()
    await watcher.stop()
  }

  @Test func brokerAndServiceMayGoAndComeBack() async throws {
    let broker = try await Mosquitto()
    let bench = try await BridgeBench(broker.settings(client: "bridge"))
    await until { bench.lines.has("The broker takes us.") }
    broker.kill()
    await until { bench.lines.has("has closed the connection") || bench.lines.has("cannot be reached") }
    bench.station.snapshot.gates[0].passed = 8
    try await broker.start()
    let watcher = try await Watcher(broker.settings(client: "watcher"))
    // All of it again, and as it is now.
    await until { watcher.json(Self.topics.gate("north"))?["passed"]?.integer == 8 }
    await until { watcher.last(Self.topics.availability) == "online" && watcher.last(Self.topics.service) == "online" }
    // The service's absence is not the bridge's.
    await bench.station.stop()
    await until { watcher.last(Self.topics.service) == "offline" }
    expectEqual(watcher.last(Self.topics.availability), "online")
    // What is ordered meanwhile is answered, and nothing waits to be done later.
    await watcher.say(BridgeBench.command(.maintenance, id: "nobody", #","gate":"north","on":true"#))
    await until { watcher.heard(at: Self.topics.results).contains { $0["id"]?.string == "nobody" } }
    try await bench.station.start()
    await until { watcher.last(Self.topics.service) == "online" }
    await watcher.say(BridgeBench.command(.listRefresh))
    await until { !bench.station.orders.isEmpty }
    expectEqual(bench.station.orders.map(\.action.kind), [.listRefresh])
    await bench.stop()
    await watcher.stop()
  }

  @Test func theLastWillTellsOfABridgeThatIsCutOff() async throws {
    let broker = try await Mosquitto()
    let watcher = try await Watcher(broker.settings(client: "watcher"))
    let bench = try await BridgeBench(broker.settings(client: "bridge"))
    await until { watcher.last(Self.topics.availability) == "online" }
    // Whoever comes by the same name takes its place: the bridge is thrown out without leave.
    let other = try await Watcher(broker.settings(client: "bridge"), to: [])
    await until { watcher.last(Self.topics.availability) == "offline" }
    await other.stop()
    await until { watcher.last(Self.topics.availability) == "online" }
    await bench.stop()
    await watcher.stop()
  }

  @Test func whatIsGoneIsForgotten() async throws {
    let broker = try await Mosquitto()
    let watcher = try await Watcher(broker.settings(client: "watcher"))
    let first = try await BridgeBench(broker.settings(client: "bridge"))
    let entity = "homeassistant/binary_sensor/\(Self.topics.node)/reader_left/config"
    await until { watcher.last(entity) != nil && watcher.last(Self.topics.reader("left")) != nil }
    await first.stop()
    // The next process knows nothing of what its predecessor told.
    let second = try await BridgeBench(broker.settings(client: "bridge"))
    second.station.snapshot.readers = [.init(id: ReaderID("right"), condition: .init(state: "reading"))]
    await until { watcher.last(entity) == nil && watcher.last(Self.topics.reader("left")) == nil }
    await until { watcher.last(Self.topics.reader("right")) != nil }
    expect(watcher.last(Self.topics.gate("north")) != nil)
    // And within its life.
    second.station.snapshot.gates = []
    await until { watcher.last(Self.topics.gate("north")) == nil }
    await second.stop()
    await watcher.stop()
  }
}

/// How much memory this process has, in kB.
func memory() -> Int {
  let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
  return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}
