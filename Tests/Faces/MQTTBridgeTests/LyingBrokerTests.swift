import Expectations
import Foundation
import Glibc
import LinuxIO
import ScanModel
import ScanTesting
import Synchronization
import StationProtocol
import Testing

@testable import MQTTBridge

/// Brokers that lie: what they send is bounded, and ends the connection at the worst.
@Suite(.serialized, .timeLimit(.minutes(2))) struct LyingBrokerTests {
  /// MQTT's packets, by hand.
  private enum Packet {
    static let accepted: [UInt8] = [0x20, 2, 0, 0]

    static func publish(_ topic: String, _ payload: [UInt8], quality: UInt8 = 0, isRepeated: Bool = false) -> [UInt8] {
      let name = Array(topic.utf8)
      let number: [UInt8] = quality > 0 ? [0, 7] : []
      let body = [UInt8(name.count >> 8), UInt8(name.count & 0xFF)] + name + number + payload
      return [0x30 | quality << 1 | (isRepeated ? 8 : 0)] + length(body.count) + body
    }

    static func length(_ count: Int) -> [UInt8] {
      var (rest, bytes) = (count, [UInt8]())
      repeat {
        bytes.append(UInt8(rest % 128) | (rest >= 128 ? 128 : 0))
        rest /= 128
      } while rest > 0
      return bytes
    }
  }

  /// Says something to whoever comes, once it has introduced itself, then reads until it goes away.
  private static func broker(buffer: Int32? = nil, _ say: @escaping @Sendable (Int32) -> Void) throws -> UInt16 {
    let listener = try Listener(buffer: buffer)
    let port = listener.port
    try SystemThread.start("liar") {
      // Once: whoever comes again finds nobody.
      guard let caller = try? listener.accept() else { return }
      var buffer = [UInt8](repeating: 0, count: 4_096)
      _ = recv(caller.number, &buffer, buffer.count, 0)
      say(caller.number)
      while recv(caller.number, &buffer, buffer.count, 0) > 0 {}
    }
    return port
  }

  /// Sends all, as far as the other end takes it.
  private static func send(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func watcher(_ port: UInt16) async throws -> Watcher {
    try await Watcher(BrokerSettings(host: "127.0.0.1", port: port, trust: .plain, client: "watcher"))
  }

  @Test func aHugeMessageIsNotTaken() async throws {
    let sent = Mutex(0)
    let port = try Self.broker { socket in
      guard Self.send(socket, Packet.accepted + [0x30] + Packet.length(200_000_000) + [0, 1, 0x78]) else { return }
      let piece = [UInt8](repeating: 0x41, count: 65_536)
      while Self.send(socket, piece) { sent.withLock { $0 += piece.count } }
    }
    let before = memory()
    let watcher = try await Self.watcher(port)
    await until { !watcher.away.isEmpty }
    expect(watcher.away.first?.description.contains("sends a message of more than") == true, "\(watcher.away)")
    // What the kernel holds for a connection counts, too; none of it is ours.
    expect(sent.withLock { $0 } < 16_000_000, "\(sent.withLock { $0 })")
    expect(memory() - before < 8_000, "\(memory() - before) kB")
    await watcher.stop()
  }

  @Test func aMessageThatIsAnnouncedAndDoesNotComeKeepsNothing() async throws {
    let port = try Self.broker { socket in
      _ = Self.send(socket, Packet.accepted + Packet.publish("x", [1]) + [0x30] + Packet.length(268_435_455))
    }
    let watcher = try await Self.watcher(port)
    await until { watcher.heard.count == 1 }
    // The library makes room for all of it, which costs no memory until it is filled; how much may come is the allowance's (BoardTests).
    expect(watcher.isHere)
    await watcher.stop()
  }

  @Test func whatItRepeatsIsToldOnce() async throws {
    let count = 20_000
    let denied: [UInt8] = [0x90, 3, 0, 1, 0x80]
    let port = try Self.broker { socket in
      guard Self.send(socket, Packet.accepted) else { return }
      for _ in 0..<count where !Self.send(socket, denied) { return }
      guard Self.send(socket, Packet.publish("x", [1])) else { return }
      for _ in 0..<count where !Self.send(socket, Packet.accepted) { return }
    }
    let bench = try await BridgeBench(BrokerSettings(host: "127.0.0.1", port: port, trust: .plain, client: "bridge"))
    await until { bench.lines.has("greets twice") }
    func told(_ words: String) -> Int { bench.lines.all.count { $0.contains(words) } }
    expectEqual(told("does not let us listen"), 1)
    expectEqual(told("The broker takes us."), 1)
    expectEqual(told("greets twice"), 1)
    await bench.stop()
  }

  @Test func whatItRepeatsIsNewsOnce() async throws {
    let denied: [UInt8] = [0x90, 3, 0, 1, 0x80]
    let port = try Self.broker { socket in
      guard Self.send(socket, Packet.accepted) else { return }
      for _ in 0..<20_000 where !Self.send(socket, denied) { return }
      _ = Self.send(socket, Packet.publish("x", [1]) + Packet.accepted)
    }
    let watcher = try await Self.watcher(port)
    await until { !watcher.away.isEmpty }
    expect(watcher.away.first?.description.contains("greets twice") == true, "\(watcher.away)")
    expectEqual(watcher.heard.count, 1)
    expectEqual(watcher.denials, 1)
    await watcher.stop()
  }

  @Test func aTopicThatReadsLikeALineOfTheLogEndsNothing() async throws {
    let topic = "x received PUBLISH (d0, q2"
    let port = try Self.broker { socket in
      _ = Self.send(socket, Packet.accepted + Packet.publish(topic, [1]) + Packet.publish("last", [2]))
    }
    let watcher = try await Self.watcher(port)
    await until { watcher.heard.count == 2 }
    expectEqual(watcher.heard.map(\.topic), [topic, "last"])
    expect(watcher.isHere && watcher.away.isEmpty, "\(watcher.away)")
    await watcher.stop()
  }

  @Test func whatNobodyAskedForTwiceEndsTheConnection() async throws {
    let port = try Self.broker { socket in
      guard Self.send(socket, Packet.accepted) else { return }
      for _ in 0..<10_000 where !Self.send(socket, Packet.publish("x", [1, 2, 3], quality: 2)) { return }
    }
    let watcher = try await Self.watcher(port)
    await until { !watcher.away.isEmpty }
    expect(watcher.away.first?.description.contains("QoS 2") == true, "\(watcher.away)")
    await watcher.stop()
  }

  @Test func aRepeatedDeliveryIsOneOrder() async throws {
    let command = BridgeBench.command(.maintenance, #","gate":"north","on":true"#)
    let last = BridgeBench.command(.listRefresh)
    let port = try Self.broker { socket in
      _ = Self.send(
        socket,
        Packet.accepted + Packet.publish(command.topic, command.payload, quality: 1)
          + Packet.publish(command.topic, command.payload, quality: 1, isRepeated: true)
          + Packet.publish(command.topic, command.payload, quality: 1, isRepeated: true)
          + Packet.publish("somewhere/else", command.payload, quality: 1)
          + Packet.publish(last.topic, last.payload, quality: 1))
    }
    let bench = try await BridgeBench(BrokerSettings(host: "127.0.0.1", port: port, trust: .plain, client: "bridge"))
    await until { bench.station.orders.count == 2 }
    expectEqual(bench.station.orders.map(\.action.kind), [.maintenance, .listRefresh])
    expect(bench.lines.has("somewhere/else"))
    await bench.stop()
  }

  /// Whatever comes instead of MQTT: the connection ends or goes on, and the process lives.
  @Test(arguments: 0..<12 as Range<UInt64>) func garbageEndsNothingButTheConnection(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let long = [UInt8](repeating: 0x41, count: 5_000)
    let isGreeted = random.chance(80)
    var bytes = isGreeted ? Packet.accepted + Packet.publish("t", long) : []
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      let payload = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        UInt8.random(in: .min ... .max, using: &random)
      }
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes += payload
      case 1: bytes += [UInt8.random(in: .min ... .max, using: &random)] + Packet.length(payload.count) + payload
      default:
        bytes += Packet.publish(
          "t", random.chance(20) ? long : payload, quality: UInt8.random(in: 0...1, using: &random),
          isRepeated: random.chance(20))
      }
    }
    let port = try Self.broker { [bytes] socket in
      _ = Self.send(socket, bytes)
      shutdown(socket, Int32(SHUT_WR))
    }
    let watcher = try await Self.watcher(port)
    await until { !watcher.away.isEmpty }
    if isGreeted { expect(watcher.heard.first?.isTooLong == true, "seed \(seed)") }
    for message in watcher.heard where message.isTooLong { expect(message.payload.isEmpty, "seed \(seed)") }
    await watcher.stop()
  }

  @Test func whoSaysNothingIsLeftAfterTenSeconds() async throws {
    let port = try Self.broker { _ in }
    let start = ContinuousClock.now
    let watcher = try await Self.watcher(port)
    await until { !watcher.away.isEmpty }
    expect(watcher.away.first?.description.contains("does not answer") == true, "\(watcher.away)")
    expect(ContinuousClock.now - start >= .seconds(10))
    await watcher.stop()
  }

  /// Each message wants an answer, and nobody reads the answers.
  @Test func answersThatNobodyReadsDoNotGrow() async throws {
    let port = try Self.broker(buffer: 4_096) { socket in
      guard Self.send(socket, Packet.accepted) else { return }
      let piece = [[UInt8]](repeating: Packet.publish("x", [], quality: 1), count: 1_000).flatMap(\.self)
      while Self.send(socket, piece) {}
    }
    // Time passes with each look, so that it is not the intake's own allowance that bounds it.
    let time = ManualTime()
    let connection = try BrokerConnection(
      BrokerSettings(host: "127.0.0.1", port: port, trust: .plain, client: "watcher"),
      will: BrokerMessage("watcher", text: "gone"), time: time)
    func look() {
      time.advance(by: .seconds(1))
      expectEqual(connection.proceed(), .holds)
      _ = connection.takeTold()
    }
    await until {
      look()
      return !connection.hasRoom
    }
    for _ in 0..<500 { look() }
    expect(connection.outbound.count < BridgeLimits.maximumWaiting + 4_096, "\(connection.outbound.count)")
  }

  @Test func aBrokerThatDoesNotReadMakesNothingGrow() async throws {
    let release = DispatchSemaphore(value: 0)
    let port = try Self.broker(buffer: 4_096) { socket in
      guard Self.send(socket, Packet.accepted) else { return }
      release.wait()
    }
    let bench = try await BridgeBench(BrokerSettings(host: "127.0.0.1", port: port, trust: .plain, client: "bridge"))
    await until { bench.lines.has("The broker takes us.") }
    let before = memory()
    // Until the first were dropped: the kernel takes some.
    await until {
      for _ in 0..<500 { bench.station.scan() }
      return bench.lines.has("verdicts were not told")
    }
    expect(memory() - before < 32_000, "\(memory() - before) kB")
    release.signal()
    await bench.stop()
  }
}
