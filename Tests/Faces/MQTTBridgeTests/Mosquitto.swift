import Expectations
import Foundation
import Glibc
import LinuxIO
import ScanModel
import ScriptedHTTP
import Synchronization

@testable import MQTTBridge

/// A real mosquitto, with a folder of its own.
final class Mosquitto: Sendable {
  /// What it wants of who comes.
  enum Manner {
    /// Nothing: plain, and anybody.
    case open
    /// TLS with a certificate for 127.0.0.1, and the user `gate` with the password `open sesame`.
    case guarded
  }

  let port: UInt16
  let folder: String
  private let manner: Manner
  private let process = Mutex<Process?>(nil)

  /// - Parameter more: lines of its configuration.
  init(_ manner: Manner = .open, more: [String] = []) async throws {
    self.manner = manner
    port = try freePort()
    folder = "\(temporaryRoot)/scangate-mosquitto-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var lines = [
      "listener \(port) 127.0.0.1", "persistence true", "persistence_location \(folder)/",
      "log_dest file \(folder)/log",
      "log_type all", "max_queued_messages 10000", "allow_anonymous \(manner == .open)", "user \(Self.account)",
    ]
    if manner == .guarded {
      try write("key.pem", TestCertificates.key)
      try write("certificate.pem", NamedCertificates.address)
      try write("authority.pem", NamedCertificates.authority)
      try write("other.pem", TestCertificates.authority)
      lines += ["keyfile \(folder)/key.pem", "certfile \(folder)/certificate.pem", "password_file \(folder)/passwords"]
      try Self.run(["/usr/bin/mosquitto_passwd", "-b", "-c", "\(folder)/passwords", "gate", "open sesame"])
    }
    try write("mosquitto.conf", (lines + more).joined(separator: "\n") + "\n")
    try await start()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// It gives up being root for the account that is named, which is this one.
  private static var account: String { getpwuid(getuid()).map { String(cString: $0.pointee.pw_name) } ?? "root" }

  private func write(_ name: String, _ text: String) throws {
    try (text + "\n").write(toFile: "\(folder)/\(name)", atomically: true, encoding: .utf8)
  }

  private static func run(_ words: [String]) throws {
    let process = Process()
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
  }

  /// Starts it, for the first time or again; returns once it listens.
  func start() async throws {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/sbin/mosquitto")
    process.arguments = ["-c", "\(folder)/mosquitto.conf"]
    process.standardError = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    self.process.withLock { $0 = process }
    await until { isListening }
  }

  /// Ends it at once, as the power would.
  func kill() {
    guard let process = process.withLock({ exchange(&$0, with: nil) }), process.isRunning else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  private var isListening: Bool { (try? Dialled(port)) != nil }

  /// How to get there.
  func settings(
    client: String, user: String? = nil, password: String? = nil, authority: String = "authority.pem",
    host: String = "127.0.0.1"
  ) -> BrokerSettings {
    BrokerSettings(
      host: host, port: port, trust: manner == .open ? .plain : .file("\(folder)/\(authority)"), client: client,
      user: user, password: password.map { BrokerSettings.Password($0) })
  }
}

/// A port that nobody listens at.
func freePort() throws -> UInt16 {
  let listener = try Listener()
  return listener.port
}

private func loopback(_ port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
  return address
}

private func withAddress<Value>(
  _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Value
) -> Value {
  withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
  }
}

/// A connection to somebody here, closed at once.
struct Dialled: ~Copyable {
  let socket: OwnedDescriptor

  init(_ port: UInt16) throws {
    let socket = try OwnedDescriptor(
      Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0), by: "socket")
    let number = socket.number
    var address = loopback(port)
    guard withAddress(&address, { connect(number, $0, $1) }) == 0 else {
      throw SystemError(errno: errno, call: "connect")
    }
    self.socket = socket
  }
}

/// Somebody who listens at a port of this machine, and speaks whatever a test has it say.
final class Listener: Sendable {
  let socket: OwnedDescriptor
  let port: UInt16

  /// - Parameter buffer: how many bytes the kernel keeps of what was not read yet, some times over; as many as it likes where none is given.
  init(buffer: Int32? = nil) throws {
    let socket = try OwnedDescriptor(
      Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0), by: "socket")
    let number = socket.number
    if var buffer { setsockopt(number, SOL_SOCKET, SO_RCVBUF, &buffer, socklen_t(MemoryLayout<Int32>.size)) }
    var address = loopback(0)
    guard withAddress(&address, { bind(number, $0, $1) }) == 0, listen(number, 8) == 0 else {
      throw SystemError(errno: errno, call: "bind")
    }
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withAddress(&address) { pointer, _ in getsockname(number, pointer, &size) }
    port = UInt16(bigEndian: address.sin_port)
    self.socket = socket
  }

  /// The next who comes; blocks.
  func accept() throws -> OwnedDescriptor {
    try OwnedDescriptor(Glibc.accept(socket.number, nil, nil), by: "accept")
  }
}
