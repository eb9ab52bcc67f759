import Expectations
import Foundation
import LibCrypto
import NIOCore
import NIOPosix
import NIOSSL
import ScanConfiguration
import Testing

@testable import Console

@Suite struct IdentityTests {
  /// Asks over TLS, believing only `trusted`.
  /// - Returns: the answer, or `nil` where no connection came about.
  static func ask(
    _ port: Int, trusting trusted: [UInt8], as host: String?, change: (inout TLSConfiguration) -> Void = { _ in }
  ) async throws -> String? {
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(trusted))
    if host == nil { tls.certificateVerification = .noHostnameVerification }
    change(&tls)
    let context = try NIOSSLContext(configuration: tls)
    do {
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .connect(host: "127.0.0.1", port: port) { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLClientHandler(context: context, serverHostname: host))
            return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
          }
        }
      return try await channel.executeThenClose { inbound, outbound in
        try await outbound.write(
          ByteBuffer(string: "GET /healthz HTTP/1.1\r\nHost: \(host ?? "127.0.0.1")\r\nConnection: close\r\n\r\n"))
        var answer = ByteBuffer()
        do {
          for try await part in inbound { answer.writeImmutableBuffer(part) }
        } catch  where answer.readableBytes > 0 {}
        return String(buffer: answer)
      }
    } catch is NIOSSLError {
      return nil
    } catch is NIOSSLExtraError {
      return nil
    } catch is IOError {
      return nil
    } catch is ChannelError {
      return nil
    }
  }

  private static let beyond: ConsoleConfiguration = {
    var configuration = ConsoleConfiguration(listen: ListenAddress(host: "0.0.0.0", port: 0))
    configuration.hosts = ["north-door.example", "10.0.0.7", "2001:db8::7"]
    return configuration
  }()

  @Test func itProvesWhoItIs() async throws {
    try await withFolder { folder in
      let kept = KeptCertificate(in: folder, for: Self.beyond, machine: "gatepc")
      let (pem, isNew) = try kept.current(at: Int64(Date().timeIntervalSince1970))
      expect(isNew)
      var setting = BenchSetting()
      setting.configuration = Self.beyond
      setting.machine = "gatepc"
      setting.identity = try ConsoleIdentity(certificate: pem, key: pem, called: ("a", "b"))
      let other = KeptCertificate(in: folder + "/other", for: Self.beyond, machine: "gatepc")
      try FileManager.default.createDirectory(atPath: folder + "/other", withIntermediateDirectories: true)
      let foreign = try other.current(at: Int64(Date().timeIntervalSince1970)).pem
      try await withConsole(setting) { console in
        for host in ["north-door.example", "gatepc", "gatepc.local", "localhost"] {
          let answer = try await Self.ask(console.port, trusting: pem, as: host)
          expect(answer?.hasPrefix("HTTP/1.1 200") == true, "\(host)")
        }
        for host in ["evil.example", "north-door.example.evil.example"] {
          // This client also takes a certificate that names the address it has connected to; the console is not known by such a name.
          let answer = try await Self.ask(console.port, trusting: pem, as: host)
          expect(answer == nil || answer?.hasPrefix("HTTP/1.1 421") == true, "\(host): \(answer ?? "")")
        }
        try await expectEqual(Self.ask(console.port, trusting: foreign, as: "gatepc"), nil)
        // Nothing older than TLS 1.2, and of that nothing without forward secrecy.
        let old = try await Self.ask(console.port, trusting: pem, as: "gatepc") {
          $0.minimumTLSVersion = .tlsv1
          $0.maximumTLSVersion = .tlsv11
        }
        expectEqual(old, nil)
        let weak = try await Self.ask(console.port, trusting: pem, as: "gatepc") {
          $0.maximumTLSVersion = .tlsv12
          $0.cipherSuiteValues = [.TLS_RSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA]
        }
        expectEqual(weak, nil)
        let usual = try await Self.ask(console.port, trusting: pem, as: "gatepc") { $0.maximumTLSVersion = .tlsv12 }
        expect(usual?.hasPrefix("HTTP/1.1 200") == true)
        // In plain it answers nobody.
        try await expectEqual(console.ask("GET /healthz").status, 0)
        await until { console.server.connections == 0 }
      }
    }
  }

  @Test func whoSaysNoHelloIsCut() async throws {
    try await withFolder { folder in
      var setting = BenchSetting()
      setting.configuration = Self.beyond
      setting.limits.handshake = .milliseconds(300)
      let pem = try KeptCertificate(in: folder, for: Self.beyond, machine: nil).current(at: 1_800_000_000).pem
      setting.identity = try ConsoleIdentity(certificate: pem, key: pem, called: ("a", "b"))
      try await withConsole(setting) { console in
        let silent = try RawClient(port: console.port)
        expectEqual(await silent.rest().text, "")
        await until { console.server.connections == 0 }
      }
    }
  }

  @Test func itIsRenewedBeforeItsEndAndKeepsItsKey() throws {
    let folder = "\(temporaryRoot)/scangate-kept-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    func key(_ pem: [UInt8]) throws -> NIOSSLPublicKey? {
      try NIOSSLCertificate.fromPEMBytes(pem).first?.extractPublicKey()
    }
    let kept = KeptCertificate(in: folder, for: Self.beyond, machine: "gatepc")
    let day: Int64 = 86_400
    let start: Int64 = 1_800_000_000
    let first = try kept.current(at: start)
    expect(first.isNew)
    let attributes = try FileManager.default.attributesOfItem(atPath: KeptCertificate.path(in: folder))
    expect(attributes[.posixPermissions] as? Int == 0o600)
    for days in [0, 1, 300, 669, -400] as [Int64] {
      let again = try kept.current(at: start + days * day)
      expect(!again.isNew && again.pem == first.pem, "\(days)")
    }
    let second = try kept.current(at: start + 671 * day)
    expect(second.isNew && second.pem != first.pem)
    try expectEqual(key(second.pem)?.toSPKIBytes(), key(first.pem)?.toSPKIBytes())
    expect(CertificateFingerprint.text(ofPEM: second.pem) != CertificateFingerprint.text(ofPEM: first.pem))
    // Another name: another certificate.
    var renamed = Self.beyond
    renamed.hosts = ["south-door.example"]
    expect(try KeptCertificate(in: folder, for: renamed, machine: "gatepc").current(at: start + 672 * day).isNew)
    // What cannot be read is made anew.
    try Data("junk".utf8).write(to: URL(filePath: KeptCertificate.path(in: folder)))
    let third = try KeptCertificate(in: folder, for: renamed, machine: "gatepc").current(at: start)
    expect(third.isNew)
    _ = try ConsoleIdentity(certificate: third.pem, key: third.pem, called: ("a", "b"))
  }

  /// The fingerprint of what a console shows, by another program.
  private static func shown(_ port: Int) async throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      "-c",
      "openssl s_client -connect 127.0.0.1:\(port) < /dev/null 2> /dev/null | openssl x509 -noout -fingerprint -sha256",
    ]
    let pipe = Pipe()
    process.standardOutput = pipe
    let (ended, end) = AsyncStream<Void>.makeStream()
    process.terminationHandler = { _ in end.finish() }
    try process.run()
    for await _ in ended {}
    let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    return text.split(separator: "=").last.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) } ?? ""
  }

  @Test func whatIsRenewedIsShownWithoutAStart() async throws {
    try await withFolder { folder in
      let kept = KeptCertificate(in: folder, for: Self.beyond, machine: "gatepc")
      let now = Int64(Date().timeIntervalSince1970)
      // It has 50 days left, and is good still.
      let first = try kept.current(at: now - 680 * 86_400).pem
      let identity = try ConsoleIdentity(certificate: first, key: first, called: ("a", "b"))
      var setting = BenchSetting()
      setting.configuration = Self.beyond
      setting.machine = "gatepc"
      setting.identity = identity
      try await withConsole(setting) { console in
        try await expectEqual(Self.shown(console.port), CertificateFingerprint.text(ofPEM: first))
        let (second, isNew) = try kept.current(at: now)
        expect(isNew)
        try identity.renew(certificate: second, key: second, called: ("a", "b"))
        try await expectEqual(Self.shown(console.port), CertificateFingerprint.text(ofPEM: second))
        let answer = try await Self.ask(console.port, trusting: second, as: "gatepc")
        expect(answer?.hasPrefix("HTTP/1.1 200") == true)
        // What will not do is not taken, and what is there goes on.
        do throws(ConsoleFault) {
          try identity.renew(certificate: [UInt8]("junk".utf8), key: second, called: ("a", "b"))
          expect(false, "junk is taken")
        } catch {
          try await expectEqual(Self.shown(console.port), CertificateFingerprint.text(ofPEM: second))
        }
      }
    }
  }

  /// Whoever listens at all of the machine's addresses is believed at each of them.
  @Test func everyAddressIsNamed() async throws {
    try await withFolder { folder in
      var setting = BenchSetting()
      setting.configuration.listen = ListenAddress(host: "0.0.0.0", port: 0)
      let kept = KeptCertificate(in: folder, for: setting.configuration, machine: "gatepc")
      let pem = try kept.current(at: Int64(Date().timeIntervalSince1970)).pem
      setting.identity = try ConsoleIdentity(certificate: pem, key: pem, called: ("a", "b"))
      try await withConsole(setting) { console in
        let answer = try await Self.ask(console.port, trusting: pem, as: nil) {
          $0.certificateVerification = .fullVerification
        }
        expect(answer?.hasPrefix("HTTP/1.1 200") == true, "it is not believed at 127.0.0.1")
      }
    }
  }

  @Test(arguments: ["0.0.0.0", "::"]) func addressesThatComeAndGoMakeNoOther(_ listen: String) async throws {
    func addresses(_ pem: [UInt8]) throws -> [[UInt8]] {
      var found: [[UInt8]] = []
      for certificate in try NIOSSLCertificate.fromPEMBytes(pem) {
        for name in certificate._subjectAlternativeNames() where name.nameType == .ipAddress {
          found.append(Array(name.contents))
        }
      }
      return found
    }
    try await withFolder { folder in
      let configuration = ConsoleConfiguration(listen: ListenAddress(host: listen, port: 8_088))
      func kept(_ addresses: [String], _ configuration: ConsoleConfiguration) -> KeptCertificate {
        KeptCertificate(in: folder, for: configuration, machine: "gatepc", addresses: { addresses })
      }
      let first = try kept(["10.0.0.7", "10.0.0.7", "fe80::1"], configuration).current(at: 1_800_000_000)
      let ofLink: [UInt8] = [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
      try expectEqual(addresses(first.pem), [[10, 0, 0, 7], ofLink])
      // Whoever compared it once knows it still.
      for others in [["10.0.0.8"], [], ["10.0.0.7", "fd00::1"]] {
        let again = try kept(others, configuration).current(at: 1_800_000_000 + 300 * 86_400)
        expect(!again.isNew && again.pem == first.pem, "\(others)")
      }
      // When it is made anew anyway it has those of then: no more than there is room for.
      let many = (0..<100).map { "10.0.1.\($0)" }
      let second = try kept(many, configuration).current(at: 1_800_000_000 + 671 * 86_400)
      expect(second.isNew)
      try expectEqual(
        addresses(second.pem), (0..<UInt8(KeptCertificate.mostAddresses)).map { [10, 0, 1, $0] })
      // What is written down makes another one, as ever.
      var renamed = configuration
      renamed.hosts = ["10.0.0.9"]
      expect(try kept(many, renamed).current(at: 1_800_000_000 + 671 * 86_400).isNew)
      renamed.hosts = ["north-door.example"]
      expect(try kept(many, renamed).current(at: 1_800_000_000 + 671 * 86_400).isNew)
      renamed.listen = ListenAddress(host: "10.0.1.0", port: 8_088)
      let third = try kept(many, renamed).current(at: 1_800_000_000 + 671 * 86_400)
      expect(third.isNew)
      try expectEqual(addresses(third.pem), [[10, 0, 1, 0]])
    }
  }

  /// A machine without a clock begins in 1970: its certificate holds when the clock is set.
  @Test func aClockThatStandsStillMakesOneThatHolds() throws {
    let folder = "\(temporaryRoot)/scangate-kept-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let pem = try KeptCertificate(in: folder, for: Self.beyond, machine: nil).current(at: 12).pem
    let leaf = try NIOSSLCertificate.fromPEMBytes(pem).first
    expect((leaf?.notValidAfter ?? 0) > 1_735_689_600 + 700 * 86_400)
  }

  @Test func fingerprintsAreThoseOfOtherPrograms() async throws {
    try await withFolder { folder in
      let pem = try KeptCertificate(in: folder, for: Self.beyond, machine: "gatepc").current(at: 1_800_000_000).pem
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/openssl")
      process.arguments = [
        "x509", "-in", KeptCertificate.path(in: folder), "-noout", "-fingerprint", "-sha256", "-ext", "subjectAltName",
      ]
      let pipe = Pipe()
      process.standardOutput = pipe
      try process.run()
      let text = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
      process.waitUntilExit()
      expect(text.contains("=\(CertificateFingerprint.text(ofPEM: pem) ?? "none")\n"), "\(text)")
      expect(text.contains("DNS:north-door.example, IP Address:10.0.0.7"), "\(text)")
    }
  }

  @Test func whatWillNotDoIsExplained() throws {
    let good = try #require(SelfSignedCertificate(for: ["gatepc"], holds: 1_700_000_000..<1_900_000_000))
    let other = try #require(SelfSignedCertificate(for: ["gatepc"], holds: 1_700_000_000..<1_900_000_000))
    for (certificate, key, words) in [
      ([UInt8]("junk".utf8), good.privateKey, "c.pem"), ([], good.privateKey, "c.pem"),
      (good.certificate, [UInt8]("junk".utf8), "k.pem cannot be read as a private key"),
      (good.certificate, other.privateKey, "c.pem and k.pem do not belong together"),
    ] {
      do throws(ConsoleFault) {
        _ = try ConsoleIdentity(certificate: certificate, key: key, called: ("c.pem", "k.pem"))
        expect(false, "it is taken: \(words)")
      } catch {
        expect(error.description.contains(words), "\(error)")
      }
    }
  }
}
