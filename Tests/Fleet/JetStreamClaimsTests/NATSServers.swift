import Expectations
import FleetBook
import FleetTesting
import Foundation
import Glibc
import LibCrypto
import ScanModel
import Synchronization
import Testing
import WireText

@testable import JetStreamClaims

/// Real nats-servers on this machine's loopback, with a folder of their own.
final class NATSServers: Sendable {
  static let bucket = "summer"
  static let mark = "0123456789abcdef0123456789abcdef"
  /// More that stations may write, for tests that need one of their own.
  static let buckets = [bucket, "small", "others", "spoiled", "conforming", "revisions"]
  /// Whom servers and stations of tests believe.
  static let authority = CertificateAuthority(named: "authority of tests", holds: span(-86_400, 86_400))

  /// Seconds before and after now.
  static func span(_ begin: Int64, _ end: Int64) -> Range<Int64> {
    let now = SystemTime().wall().seconds
    return (now + begin)..<(now + end)
  }

  static let one = Task { try await opened(1) }
  static let three = Task { try await opened(3) }

  /// One server, or three, with a bucket: the same for all tests of a process, which leave them as they found them.
  static func shared(_ count: Int) async throws -> NATSServers {
    let servers = try await (count == 1 ? one : three).value
    if count > 1 { try await servers.whole() }
    return servers
  }

  private static func opened(_ count: Int) async throws -> NATSServers {
    let servers = try await NATSServers(count)
    try await servers.makeBucket()
    return servers
  }

  let folder: String
  let ports: [UInt16]
  private let clusterPorts: [UInt16]
  private let program: String
  private let processes: Mutex<[Int: Process]> = Mutex([:])
  private let administrator: NKey
  private let station: NKey
  /// Changes a server's file before it starts.
  private let change: @Sendable (String) -> String

  /// - Parameter release: the Debian release that they are of.
  init(
    _ count: Int, release: String = "trixie", names: [String] = ["127.0.0.1"],
    holds span: Range<Int64> = NATSServers.span(-86_400, 86_400),
    change: @escaping @Sendable (String) -> String = { $0 }
  ) async throws {
    program = try Self.fetched(release)
    self.change = change
    ports = try FreePorts.take(count)
    clusterPorts = try FreePorts.take(count)
    guard let administrator = NKey(), let station = NKey() else { throw POSIXError(.ENOMEM) }
    (self.administrator, self.station) = (administrator, station)
    folder = "\(temporaryRoot)/scangate-nats-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let issued = try #require(Self.authority?.issue(for: names, holds: span))
    try write("key.pem", String(decoding: issued.privateKey, as: UTF8.self))
    try write("certificate.pem", String(decoding: issued.certificate, as: UTF8.self))
    try write("authority.pem", Self.believed)
    for number in 0..<count { try start(number) }
  }

  deinit {
    for number in ports.indices { kill(number) }
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// The authority's certificate.
  static var believed: String { String(decoding: authority?.certificate ?? [], as: UTF8.self) }

  private static func fetched(_ release: String) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = repositoryFile("scripts/nats-server")
    process.arguments = [release]
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func write(_ name: String, _ text: String) throws {
    try (text + "\n").write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  private func place(_ port: UInt16) -> JetStreamSettings.Server { .init(host: "127.0.0.1", port: port) }

  // MARK: Processes

  /// Starts one, for the first time or again.
  func start(_ number: Int) throws {
    var configuration = JetStreamServerConfiguration(
      fleet: "summer", name: "gate\(number)", listen: place(ports[number]), certificate: "\(folder)/certificate.pem",
      key: "\(folder)/key.pem", authority: "\(folder)/authority.pem", folder: "\(folder)/claims\(number)",
      disk: 600_000_000, bucket: Self.bucket)
    if ports.count > 1 {
      configuration.cluster = place(clusterPorts[number])
      configuration.routes = clusterPorts.map(place)
    }
    configuration.buckets = Self.buckets
    configuration.administrators = [.init(name: "administrator", key: administrator.user)]
    configuration.stations = [.init(name: "station", key: station.user)]
    try write("gate\(number).conf", change(configuration.text))
    let process = try ProcessStarter.run(
      program, ["-c", "\(folder)/gate\(number).conf", "-l", "\(folder)/gate\(number).log"])
    processes.withLock { $0[number] = process }
  }

  /// Has one read its file again, in which the station's key is no more.
  func revoke(_ number: Int) throws {
    let path = "\(folder)/gate\(number).conf"
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    try write("gate\(number).conf", lines.filter { !$0.contains(station.user) }.joined(separator: "\n"))
    if let process = processes.withLock({ $0[number] }) { Glibc.kill(process.processIdentifier, SIGHUP) }
  }

  /// Ends one at once, as the power would.
  func kill(_ number: Int) {
    guard let process = processes.withLock({ $0.removeValue(forKey: number) }), process.isRunning else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// Copies the disk of one that does not run, once.
  func copyDisk(_ number: Int) throws {
    try FileManager.default.copyItem(atPath: "\(folder)/claims\(number)", toPath: "\(folder)/copy\(number)")
  }

  /// Gives it the copied one.
  func restoreDisk(_ number: Int) throws {
    try FileManager.default.removeItem(atPath: "\(folder)/claims\(number)")
    try FileManager.default.copyItem(atPath: "\(folder)/copy\(number)", toPath: "\(folder)/claims\(number)")
  }

  /// Has one stand still, or go on.
  func pause(_ number: Int, _ isPaused: Bool) {
    guard let process = processes.withLock({ $0[number] }) else { return }
    Glibc.kill(process.processIdentifier, isPaused ? SIGSTOP : SIGCONT)
  }

  /// What one has logged.
  func log(_ number: Int) -> String {
    (try? String(contentsOfFile: "\(folder)/gate\(number).log", encoding: .utf8)) ?? ""
  }

  // MARK: Who connects

  /// How a station connects.
  /// - Parameter first: the server that is tried first.
  func settings(first: Int = 0, bucket: String = NATSServers.bucket) -> JetStreamSettings {
    let order = ports.indices.map { ($0 + first) % ports.count }
    return JetStreamSettings(
      servers: order.map { place(ports[$0]) }, authority: Self.believed, credential: station,
      name: "station", bucket: bucket, mark: Self.mark, replicas: ports.count)
  }

  /// A station's store that works.
  func store(first: Int = 0, bucket: String = NATSServers.bucket) async throws -> JetStreamClaimStore {
    let store = try JetStreamClaimStore(settings(first: first, bucket: bucket))
    store.start()
    try await store.becomes(.ready)
    return store
  }

  /// Makes the bucket.
  func makeBucket(_ bucket: String = NATSServers.bucket, bytes: Int64 = 100_000_000) async throws {
    var settings = settings(bucket: bucket)
    settings.credential = administrator
    let store = try JetStreamClaimStore(settings)
    store.start()
    try await store.makeBucket(bytes: bytes, until: SystemTime().now() + .seconds(50))
    await store.stop()
  }

  /// How whoever administers connects.
  func administration(_ bucket: String = NATSServers.bucket) -> JetStreamSettings {
    var settings = settings(bucket: bucket)
    settings.credential = administrator
    return settings
  }

  /// Somebody who may do everything, with the library's own hands.
  func administrate(_ bucket: String = NATSServers.bucket) throws -> JetStreamLink {
    let link = try JetStreamLink(administration(bucket), time: SystemTime())
    link.start()
    return link
  }
}

extension JetStreamClaimStore {
  /// Waits until it is so.
  func becomes(_ state: ClaimStoreState) async throws {
    for await now in states where now == state { return }
  }

  /// Waits until it is away for another reason than that nobody is there.
  func fault() async -> ClaimFault? {
    for await case .away(let fault) in states where fault != .noQuorum { return fault }
    return nil
  }
}

/// A key that nobody has written.
func freshKey() -> ClaimKey { ClaimKey(.ticket, digest: ScanID().bytes) ?? freshKey() }

/// When a call of a test ends.
func soon(_ seconds: Int = 5) -> MonotonicTime { SystemTime().now() + .seconds(seconds) }

extension NATSServers {
  /// What the leader says of the bucket, once there is one.
  func stream() async throws -> StreamAnswer {
    let link = try administrate()
    defer { Task { await link.stop() } }
    var answer = StreamAnswer.silence
    await until {
      answer = StreamAnswer(
        await link.ask(NATSRequest(subject: "$JS.API.STREAM.INFO.KV_\(Self.bucket)"), until: soon(1)))
      if case .stream(_, .some, _, _) = answer { return true } else { return false }
    }
    return answer
  }

  /// The number of the server that leads the bucket.
  func leader() async throws -> Int {
    guard case .stream(_, let leader?, _, _) = try await stream(), let number = Int(leader.dropFirst(4)) else {
      return 0
    }
    return number
  }

  /// Waits until all servers have the bucket, and all of it.
  func whole() async throws {
    let link = try administrate()
    await until {
      let outcome = await link.ask(NATSRequest(subject: "$JS.API.STREAM.INFO.KV_\(Self.bucket)"), until: soon(1))
      guard case .answered(let answers) = outcome, let data = answers.first?.data, let json = try? JSONValue(data),
        let others = json["cluster"]?["replicas"]?.array
      else { return false }
      return others.count == ports.count - 1 && others.allSatisfy { $0["current"] == .bool(true) }
    }
    await link.stop()
  }
}

extension JetStreamClaimStore {
  /// Why a create fails; `nil` where it does not.
  func fault(creating key: ClaimKey, _ value: [UInt8], until end: MonotonicTime) async -> ClaimFault? {
    do throws(ClaimFault) {
      _ = try await create(key, value, until: end)
      return nil
    } catch { return error }
  }

  /// Creates, again and again until it is known what became of it: as a station does, by the same write and then by what is there.
  func createInTheEnd(_ key: ClaimKey, _ value: [UInt8]) async throws -> ClaimRevision {
    var revision: ClaimRevision?
    await Expectations.until {
      do throws(ClaimFault) {
        revision = try await create(key, value, until: SystemTime().now() + .milliseconds(500))
        return true
      } catch {
        guard error == .wrongRevision else { return false }
        let found = try? await read(key, until: soon(1))
        if found?.value == value { revision = found?.revision }
        return revision != nil
      }
    }
    return try #require(revision)
  }

  /// Why a create fails once somebody answers.
  func faultInTheEnd(creating key: ClaimKey, _ value: [UInt8]) async -> ClaimFault? {
    var fault: ClaimFault?
    await Expectations.until {
      fault = await self.fault(creating: key, value, until: soon())
      return fault == nil || fault == .wrongRevision
    }
    return fault
  }

  /// Reads once somebody answers.
  func readInTheEnd(_ key: ClaimKey) async throws -> StoredClaim? {
    var found: StoredClaim?
    await Expectations.until {
      do throws(ClaimFault) {
        found = try await read(key, until: soon(1))
        return true
      } catch { return false }
    }
    return found
  }
}

/// Somebody who greets as a server that wants TLS, and says nothing more.
final class SilentServer: Sendable {
  let port: UInt16
  private let listener: Int32

  init() throws {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, size) == 0 && getsockname(number, $0, &size) == 0
      }
    }
    guard isBound, listen(number, 8) == 0 else { throw POSIXError(.EADDRINUSE) }
    (listener, port) = (number, UInt16(bigEndian: address.sin_port))
    let thread = Thread {
      var taken: [Int32] = []
      while true {
        let one = accept(number, nil, nil)
        guard one >= 0 else { break }
        taken.append(one)
        let greeting =
          "INFO {\"server_id\":\"S\",\"version\":\"2.10.27\",\"tls_required\":true,\"max_payload\":1024}\r\n"
        _ = send(one, greeting, greeting.utf8.count, Int32(MSG_NOSIGNAL))
      }
      for one in taken { close(one) }
    }
    thread.start()
  }

  func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
  }
}
