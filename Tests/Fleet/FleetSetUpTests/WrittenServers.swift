import Expectations
import FleetBook
import FleetTesting
import Foundation
import Glibc
import JetStreamClaims
import LibCrypto
import ScanModel
import Synchronization
import Testing

@testable import FleetSetUp

/// Real nats-servers with the files that a fleet's folder has for them: three on three addresses of this machine's loopback. Only where
/// files lie is another.
final class WrittenServers: Sendable {
  /// The same for all tests, which change nothing that another one needs.
  static let opened = Task {
    let servers = try WrittenServers()
    let administrator = try servers.administrator()
    try await administrator.makeBucket(
      bytes: servers.place.layout().room, until: SystemTime().now() + .seconds(50))
    await administrator.stop()
    return servers
  }

  let place: FleetFolder
  private let root: String
  private let program: String
  private let processes: Mutex<[String: Process]> = Mutex([:])

  init() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = repositoryFile("scripts/nats-server")
    process.standardOutput = output
    try process.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    program = String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    root = "\(temporaryRoot)/scangate-written-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    place = FleetFolder(root + "/fleet")
    var wish = FleetWish(name: "summer", nodes: try (1...3).map { try node("gate\($0)=127.0.0.\($0)") })
    wish.stations = [try station("north"), try station("south"), try station("west")]
    let ports = try FreePorts.take(2)
    (wish.port, wish.routePort) = (ports[0], ports[1])
    wish.room = 10_000_000
    try place.make(FleetChange.making(wish, at: SystemTime().wall()))
    for node in wish.nodes { try start(node) }
  }

  deinit {
    let running = processes.withLock { exchange(&$0, with: [:]) }
    for process in running.values where process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    try? FileManager.default.removeItem(atPath: root)
  }

  /// Puts its files where a machine would have them.
  private func install(_ node: FleetNode) throws {
    let text = try place.text("servers/\(node.name)/nats-server.conf")
      .replacing("\"0.0.0.0\"", with: "\"\(node.host)\"")
      .replacing(FleetServerFiles.folder, with: "\(place.path)/servers/\(node.name)")
      .replacing(FleetServerFiles.claims, with: "\(root)/claims-\(node.name)")
    try text.write(toFile: "\(root)/\(node.name).conf", atomically: true, encoding: .utf8)
  }

  private func start(_ node: FleetNode) throws {
    try install(node)
    let process = try ProcessStarter.run(
      program, ["-c", "\(root)/\(node.name).conf", "-l", "\(root)/\(node.name).log"])
    processes.withLock { $0[node.name] = process }
  }

  /// Has each read its files anew, as `install.sh` does.
  func reload() throws {
    for node in try place.layout().nodes {
      try install(node)
      if let process = processes.withLock({ $0[node.name] }) { kill(process.processIdentifier, SIGHUP) }
    }
  }

  /// What one has logged.
  func log(_ name: String) -> String { (try? String(contentsOfFile: "\(root)/\(name).log", encoding: .utf8)) ?? "" }

  /// How a station connects, by its own files alone.
  func settings(_ name: String, _ credential: FleetCredential, believing authority: String) throws -> JetStreamSettings
  {
    let layout = try place.layout()
    return JetStreamSettings(
      servers: layout.servers, authority: authority, credential: credential.user, name: name, bucket: layout.event,
      mark: credential.key.mark, replicas: layout.nodes.count)
  }

  /// A station's store, and what it seals its claims with.
  func joined(_ name: String) throws -> (store: JetStreamClaimStore, seal: ClaimSeal) {
    let credential = try place.credential(name)
    var keys: [StationID: Ed25519.PublicKey] = [:]
    for (name, text) in try stations(inSection: place.text("stations/\(name)/fleet.yaml")) {
      keys[try station(name)] = StationKeyText.key(text)
    }
    let store = try JetStreamClaimStore(
      settings(name, credential, believing: place.text("stations/\(name)/fleet-ca.pem")))
    store.start()
    return (
      store, ClaimSeal(fleet: "summer", station: try station(name), key: credential.signing, stations: keys)
    )
  }

  /// A store of whoever administers.
  func administrator() throws -> JetStreamClaimStore {
    let store = try JetStreamClaimStore(place.settings(place.layout()))
    store.start()
    return store
  }
}

extension JetStreamClaimStore {
  /// Waits until it is so.
  func becomes(_ state: ClaimStoreState) async { for await now in states where now == state { return } }

  /// Waits until it is away for another reason than that nobody is there.
  func fault() async -> ClaimFault? {
    for await case .away(let fault) in states where fault != .noQuorum { return fault }
    return nil
  }
}
