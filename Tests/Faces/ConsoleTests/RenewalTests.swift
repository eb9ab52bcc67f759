import Expectations
import Foundation
import LinuxIO
import Logging
import NIOSSL
import ScanConfiguration
import ScanModel
import StationTesting
import Synchronization
import Testing

@testable import Console

/// A console that runs for years: the certificate that it has made is made anew before its end, and nobody has to start anything.
@Suite struct RenewalTests {
  private static let day: Int64 = 86_400

  /// A clock that a test puts forward.
  private final class Clock: Sendable {
    private let shown: Mutex<(seconds: Int64, looks: Int)>
    init(_ seconds: Int64) { shown = Mutex((seconds, 0)) }
    var seconds: Int64 { shown.withLock { $0.seconds } }
    /// How often somebody has looked at it since it was put forward.
    var looks: Int { shown.withLock { $0.looks } }
    func look() -> WallTime {
      shown.withLock {
        $0.looks += 1
        return WallTime(seconds: $0.seconds)
      }
    }
    func set(_ seconds: Int64) { shown.withLock { $0 = (seconds, 0) } }
  }

  private static func key(of pem: [UInt8]) throws -> [UInt8]? {
    try NIOSSLCertificate.fromPEMBytes(pem).first?.extractPublicKey().toSPKIBytes()
  }

  @Test func aCertificateThatRunsOutIsMadeAnewWhileItRuns() async throws {
    try await withFolder { folder in
      // So long ago that it has 30 days left; 100 days ago nobody would have made another.
      let today = SystemTime().wall().seconds
      let clock = Clock(today - 100 * Self.day)
      let configuration = ConsoleConfiguration(listen: ListenAddress(host: "0.0.0.0", port: 0))
      let kept = KeptCertificate(in: folder, for: configuration, machine: "gatepc")
      let old = try kept.current(at: today - 700 * Self.day).pem
      let identity = try ConsoleIdentity(certificate: old, key: old, called: ("a", "b"))

      let path = "@scangate-console-test-\(UInt64.random(in: .min ... .max))"
      let station = try ScriptedStation(at: path, SampleStation.snapshot())
      let (ready, isReady) = AsyncStream.makeStream(of: Int.self)
      let setting = ConsoleSetting(
        configuration, version: "0.1.0", tokens: TokenBook([]), identity: identity, machine: "gatepc",
        logger: silentLogger)
      let service = try ConsoleService(
        setting, of: "rig", kept: kept, secrets: ConsoleSecrets(folder: folder), folder: folder, station: path,
        look: .milliseconds(20), now: { clock.look() }, onReady: { isReady.yield($0.port) })
      let running = Task { try await service.run() }
      defer {
        running.cancel()
        station.end()
      }
      var ports = ready.makeAsyncIterator()
      let port = try #require(await ports.next())

      // It looks, again and again, and leaves it alone.
      await until { clock.looks >= 5 }
      let before = try await IdentityTests.ask(port, trusting: old, as: "gatepc")
      expect(before?.hasPrefix("HTTP/1.1 200") == true, "\(before ?? "no connection")")
      expectEqual(try kept.current(at: clock.seconds).pem, old)

      // Somebody is connected meanwhile.
      let stays = try RawClient(port: port)
      clock.set(today)
      await until { identity.end > today + 365 * Self.day }
      let file = try [UInt8](Data(contentsOf: URL(filePath: KeptCertificate.path(in: folder))))
      expect(file != old)
      try expectEqual(Self.key(of: file), Self.key(of: old))
      let answer = try await IdentityTests.ask(port, trusting: file, as: "gatepc")
      expect(answer?.hasPrefix("HTTP/1.1 200") == true, "\(answer ?? "no connection")")
      // Who believes the old one alone is shown another.
      try await expectEqual(IdentityTests.ask(port, trusting: old, as: "gatepc"), nil)
      expect(!running.isCancelled)
      withExtendedLifetime(stays) {}

      // And is not made anew at each look.
      let end = identity.end
      let looks = clock.looks
      await until { clock.looks >= looks + 5 }
      expectEqual(identity.end, end)
      running.cancel()
      _ = await running.result
    }
  }
}
