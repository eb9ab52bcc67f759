import Expectations
import NIOCore
import ScanModel
import ScanTesting
import ScriptedHTTP
import Synchronization
import Testing

@testable import TicketTransport

/// Servers that a stranger's document names: only public addresses, and the very one that was judged.
@Suite struct PublicAddressTests {
  private func isPublic(_ text: String) throws -> Bool {
    NameLookUp.isPublic(try SocketAddress(ipAddress: text, port: 443))
  }

  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1",
    "169.254.0.1",
    "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.0.1",
    "198.18.0.1",
    "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::1",
    "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::8.8.8.8", "100::1", "2001::1",
    "2001:db8::1",
    "2002:7f00:1::", "2002:a00:1::", "3fff::1", "fc00::1", "fd00::1", "fe80::1", "fec0::1", "ff02::1", "4000::1",
  ]) func notEverybodys(address: String) throws { expect(try !isPublic(address), "\(address)") }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "11.0.0.1", "100.63.255.255", "100.128.0.1", "128.0.0.1", "169.253.1.1", "172.15.0.1",
    "172.32.0.1",
    "192.167.1.1", "192.169.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1",
    "64:ff9b::8.8.8.8",
    "2002:808:808::",
  ]) func everybodys(address: String) throws { expect(try isPublic(address), "\(address)") }

  @Test func whatIsNoAddressIsNotPublic() {
    for count in [0, 1, 3, 5, 15, 17] { expect(!PublicAddress.isPublic([UInt8](repeating: 8, count: count))) }
  }

  @Test(arguments: 0..<UInt64(4)) func aMappedOrLocalAddressIsNever(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<extent(landing: 5_000, release: 50_000) {
      var six = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
      six[0] = [0xFC, 0xFD, 0xFE, 0xFF, 0x00, 0x40, 0x80].randomElement(using: &random) ?? 0
      if six.starts(with: [0, 0x64, 0xFF, 0x9B]) { continue }
      expect(!PublicAddress.isPublic(six), "seed \(seed): \(six)")
    }
  }

  // MARK: What is connected to

  /// A name that is one address when it is judged, and another one when it is asked for again.
  @Test func whatWasJudgedIsConnectedTo() async throws {
    let server = ScriptedServer(answer: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
    let port = try await server.start()
    let asked = Mutex(0)
    var settings = HTTPTransport.Settings()
    settings.isPublicOnly = true
    settings.lookUp = { _, port in
      let number = asked.withLock {
        $0 += 1
        return $0
      }
      return [try SocketAddress(ipAddress: number == 1 ? "127.0.0.1" : "127.0.0.2", port: port)]
    }
    // Stands for a public one.
    settings.isPublic = { $0.ipAddress == "127.0.0.1" }
    let transport = try HTTPTransport(
      server: ServerAddress("http://rebinding.example:\(port)", allowPlainHTTP: true), settings: settings)
    let outcome = await transport.send(HTTPCall(.get, path: "/"), deadline: SystemTime().now() + .seconds(30)) { _ in }
    guard case .answered = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    expectEqual(asked.withLock { $0 }, 1, "it is looked up once for a connection")
    await transport.close()
    await server.stop()
  }

  @Test(arguments: [["127.0.0.1"], ["1.1.1.1", "127.0.0.1"], ["::1"], ["::ffff:127.0.0.1", "1.1.1.1"]])
  func oneThatIsNotPublicSpoilsAll(addresses: [String]) async throws {
    let server = ScriptedServer(answer: "")
    let port = try await server.start()
    var settings = HTTPTransport.Settings()
    settings.isPublicOnly = true
    settings.lookUp = { _, port in try addresses.map { try SocketAddress(ipAddress: $0, port: port) } }
    let transport = try HTTPTransport(server: ServerAddress("https://rebinding.example:\(port)"), settings: settings)
    let outcome = await transport.send(HTTPCall(.get, path: "/"), deadline: SystemTime().now() + .seconds(30)) { _ in }
    guard case .notSent(let fault) = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    expect(fault.reason == .badAnswer && fault.offline == nil && !fault.isTransient, "\(fault)")
    expectEqual(server.connections, 0)
    await transport.close()
    await server.stop()
  }

  /// Its certificate is not looked at again: that would be another connection, to whatever the name is by then.
  @Test func aFaultOfTLSIsNotExplained() async throws {
    let server = ScriptedServer(answer: "")
    let port = try await server.start(certificate: TestCertificates.good)
    var settings = HTTPTransport.Settings()
    settings.isPublicOnly = true
    settings.lookUp = { _, port in [try SocketAddress(ipAddress: "127.0.0.1", port: port)] }
    settings.isPublic = { _ in true }
    let transport = try HTTPTransport(server: ServerAddress("https://localhost:\(port)"), settings: settings)
    let outcome = await transport.send(HTTPCall(.get, path: "/"), deadline: SystemTime().now() + .seconds(30)) { _ in }
    guard case .notSent(let fault) = outcome.result else {
      Issue.record("\(outcome)")
      return
    }
    expectEqual(fault.reason, .tlsFault)
    expectEqual(server.connections, 1)
    await transport.close()
    await server.stop()
  }
}
