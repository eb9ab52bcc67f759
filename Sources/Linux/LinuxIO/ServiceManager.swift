import CLinux
import Glibc

/// The service manager that started this process: it is told of readiness and life, and keeps descriptors over a restart.
///
/// Speaks the protocol of sd_notify(3) and of sd_listen_fds(3) by itself; `docs/decisions/0005` says why.
package struct ServiceManager: Sendable {
  private final class Socket: Sendable {
    let descriptor: OwnedDescriptor
    init?() {
      let number = clinux_unix_socket(Int32(SOCK_DGRAM.rawValue))
      if number < 0 { return nil }
      descriptor = OwnedDescriptor(owning: number)
    }
  }

  /// A descriptor that the manager passed. It has one owner: whoever takes `number` closes it.
  package struct PassedDescriptor: Sendable, Hashable {
    /// `FileDescriptorName=` of a socket unit, or the name it was stored under.
    package let name: String
    /// The open descriptor; no child inherits it.
    package let number: Int32
  }

  private let path: String
  private let socket: Socket

  /// How long the manager waits for `WATCHDOG=1` before it acts; `nil` where it does not watch this process. Feed it at
  /// least twice as often.
  package let watchdogInterval: Duration?

  /// The manager that this process's environment names; `nil` where there is none, as on the command line.
  package init?() { self.init(variable: Self.variable, process: getpid()) }

  init?(variable: (String) -> String?, process: Int32) {
    guard let path = variable("NOTIFY_SOCKET"), let socket = Socket() else { return nil }
    var address = sockaddr_un()
    guard clinux_unix_address(path, &address) > 0 else { return nil }
    self.path = path
    self.socket = socket
    watchdogInterval = Self.watchdog(variable, process)
  }

  private static func watchdog(_ variable: (String) -> String?, _ process: Int32) -> Duration? {
    if let pid = variable("WATCHDOG_PID"), pid != String(process) { return nil }
    guard let microseconds = variable("WATCHDOG_USEC").flatMap({ Int64($0) }), microseconds > 0 else { return nil }
    return .microseconds(microseconds)
  }

  /// Tells the manager lines such as `READY=1` or `STATUS=…`; never blocks.
  /// - Returns: whether the manager's socket took it. What must arrive (`READY=1`) is told again when it did not.
  @discardableResult package func notify(_ state: String) -> Bool { send(state, -1) }

  /// Has the manager keep a copy of `descriptor` under `name` and pass it to the next process of this service; needs
  /// `FileDescriptorStoreMax=` in the unit. The descriptor stays the caller's. The manager drops it of itself only when it
  /// hangs up.
  /// - Parameter name: at most 255 ASCII characters, no colon, no control character.
  /// - Returns: whether the manager's socket took it.
  @discardableResult package func store(_ descriptor: Int32, name: String) -> Bool {
    send("FDSTORE=1\nFDNAME=\(name)", descriptor)
  }

  /// Has the manager let go of every descriptor that is kept under `name`.
  /// - Returns: whether the manager's socket took it.
  @discardableResult package func removeStored(name: String) -> Bool { send("FDSTOREREMOVE=1\nFDNAME=\(name)", -1) }

  private func send(_ state: String, _ descriptor: Int32) -> Bool {
    let bytes = [UInt8](state.utf8)
    return clinux_send(socket.descriptor.number, path, bytes, bytes.count, descriptor) == bytes.count
  }

  // MARK: What the manager passed

  /// Descriptors that the manager opened or kept for this process. To be asked once, before threads are started: the
  /// variables are removed, so that no child takes the descriptors for its own.
  package static func passedDescriptors() -> [PassedDescriptor] {
    let passed = passedDescriptors(variable: variable, process: getpid(), first: 3)
    for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PIDFDID"] { unsetenv(name) }
    return passed
  }

  static func passedDescriptors(
    variable: (String) -> String?, process: Int32, first: Int32
  ) -> [PassedDescriptor] {
    guard variable("LISTEN_PID") == String(process), let count = variable("LISTEN_FDS").flatMap({ Int32($0) }),
      (1...4_096).contains(count)
    else { return [] }
    let names = (variable("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
    var passed: [PassedDescriptor] = []
    for index in 0..<count {
      let number = first + index
      // A descriptor that is not open is none of ours.
      guard clinux_close_on_exec(number) == 0 else { continue }
      let name = Int(index) < names.count ? String(names[Int(index)]) : ""
      passed.append(PassedDescriptor(name: name.isEmpty ? "unknown" : name, number: number))
    }
    return passed
  }

  private static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
