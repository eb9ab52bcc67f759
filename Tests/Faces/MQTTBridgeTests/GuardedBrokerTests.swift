import Expectations
import Foundation
import Glibc
import LinuxIO
import StationProtocol
import Testing

@testable import MQTTBridge

/// TLS and passwords, with a real mosquitto.
@Suite(.serialized, .timeLimit(.minutes(2))) struct GuardedBrokerTests {
  @Test func whoHasThePasswordAndBelievesTheAuthorityGetsThere() async throws {
    let broker = try await Mosquitto(.guarded)
    let watcher = try await Watcher(broker.settings(client: "watcher", user: "gate", password: "open sesame"))
    let bench = try await BridgeBench(broker.settings(client: "bridge", user: "gate", password: "open sesame"))
    await until { watcher.last(BridgeBench.topics.service) == "online" }
    await watcher.say(BridgeBench.command(.maintenance, #","gate":"north","on":true"#))
    await until { bench.station.orders.count == 1 }
    broker.kill()
    await until { !watcher.isHere }
    try await broker.start()
    await until { bench.lines.all.filter { $0 == "The broker takes us." }.count == 2 }
    await watcher.say(BridgeBench.command(.maintenance, #","gate":"north","on":false"#))
    await until { bench.station.orders.count == 2 }
    await bench.stop()
    await watcher.stop()
    for line in bench.lines.all { expect(!line.contains("sesame"), "\(line)") }
  }

  @Test(arguments: [
    ("wrong", "authority.pem", "127.0.0.1", "refuses the user gate or its password"),
    ("open sesame", "other.pem", "127.0.0.1", "TLS with"),
    // The certificate is of the address alone.
    ("open sesame", "authority.pem", "localhost", "TLS with"),
    ("open sesame", "missing.pem", "127.0.0.1", "cannot be read"),
  ])
  func whoHasNotIsToldWhy(_ password: String, _ authority: String, _ host: String, _ words: String) async throws {
    let broker = try await Mosquitto(.guarded)
    let watcher = try await Watcher(
      broker.settings(client: "watcher", user: "gate", password: password, authority: authority, host: host))
    await until { !watcher.away.isEmpty }
    let said = watcher.away.first?.description ?? ""
    expect(said.contains(words), "\(said)")
    expect(!said.contains("sesame"))
    expect(!watcher.isHere)
    await watcher.stop()
  }

  @Test func plainToABrokerWithTLSIsToldSo() async throws {
    let broker = try await Mosquitto(.guarded)
    var settings = broker.settings(client: "watcher")
    settings.trust = .plain
    let watcher = try await Watcher(settings)
    await until { !watcher.away.isEmpty }
    expect(watcher.away.first?.description.contains("\(broker.port)") == true, "\(watcher.away)")
    await watcher.stop()
  }

  @Test func nobodyThereIsToldAtOnce() async throws {
    let port = try freePort()
    let watcher = try await Watcher(BrokerSettings(host: "127.0.0.1", port: port, trust: .plain, client: "watcher"))
    await until { !watcher.away.isEmpty }
    expect(
      watcher.away.first?.description.contains("127.0.0.1:\(port) cannot be reached (Connection refused)") == true,
      "\(watcher.away)")
    let unknown = try await Watcher(
      BrokerSettings(host: "nobody.invalid", port: port, trust: .plain, client: "watcher"))
    await until { !unknown.away.isEmpty }
    expect(
      unknown.away.first?.description.contains("The name nobody.invalid is not resolved") == true, "\(unknown.away)")
    await watcher.stop()
    await unknown.stop()
  }

  @Test func theSameTroubleIsToldOnce() async throws {
    let listener = try Listener()
    let (attempts, come) = AsyncStream<Void>.makeStream()
    try SystemThread.start("closer") {
      // Whoever has introduced himself is sent away. The third comes once the second has seen that.
      for _ in 0..<3 {
        guard let caller = try? listener.accept() else { return }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        _ = recv(caller.number, &buffer, buffer.count, 0)
        come.yield()
      }
    }
    let watcher = try await Watcher(
      BrokerSettings(host: "127.0.0.1", port: listener.port, trust: .plain, client: "watcher"))
    var coming = attempts.makeAsyncIterator()
    for _ in 0..<3 { await coming.next() }
    expectEqual(watcher.away.map(\.description), ["127.0.0.1:\(listener.port) has closed the connection."])
    await watcher.stop()
  }
}
