import CLinux
import Glibc
import HolderProtocol
import LinuxIO
import OutputHolder
import ScanModel
import SignalOutputs

/// The holder on the real devices, until a signal ends it.
enum Program {
  /// Runs until SIGTERM or SIGINT; then pulses end, and the safe state is left to a successor.
  /// - Returns: the process's exit status.
  static func run(
    _ arguments: Arguments, passed: [ServiceManager.PassedDescriptor], log: @escaping HolderLog, until signals: sigset_t
  ) -> Int32 {
    let manager = ServiceManager()
    do throws(SystemError) {
      let (listener, lines) = try sort(passed, arguments, log)
      guard let listener else {
        log(.error, "There is no socket to listen at. Give --socket PATH, or start scangate-outputs.socket.")
        return 64
      }
      let loop = try DeviceLoop(name: "holder")
      let held = GPIOLines(keeper: manager, passed: lines)
      let holder = OutputHolder(
        listener: listener,
        directories: .init(
          state: arguments.state ?? variable("STATE_DIRECTORY"),
          runtime: arguments.runtime ?? variable("RUNTIME_DIRECTORY")),
        devices: .init(
          driver: { gate, notice in DeviceOutputDriver(outputs: gate.outputs, lines: held, notice: notice) },
          keepOnly: { held.keepOnly($0) }),
        manager: manager, loop: loop, log: log)
      holder.perform { $0.start() }
      _ = loop.at(SystemTime().now() + .seconds(2)) { ProcessMemory.letGoOfStart() }
      wait(for: signals)
      let end = try Event()
      holder.perform { $0.stop { end.signal() } }
      end.wait()
      return 0
    } catch {
      log(.error, "The output holder cannot start: \(error.description).")
      return 71
    }
  }

  /// The socket to listen at, and the lines of a predecessor.
  private static func sort(
    _ passed: [ServiceManager.PassedDescriptor], _ arguments: Arguments, _ log: HolderLog
  ) throws(SystemError) -> (PacketListener?, [ServiceManager.PassedDescriptor]) {
    let lines = passed.filter { $0.name.hasPrefix("line-") }
    var listener = passed.first { !$0.name.hasPrefix("line-") }.map { PacketListener(owning: $0.number) }
    if listener == nil, let path = arguments.socket {
      do throws(SystemError) {
        listener = try PacketListener(path: path, mode: 0o660)
      } catch {
        let advice =
          switch error.errno {
          case EADDRINUSE: "Another holder listens there, or it is a file of another kind."
          case EINVAL, ENAMETOOLONG: "Give an absolute path of at most 107 bytes."
          default: "Does its directory exist, and may this user write there?"
          }
        log(.error, "The socket \(path) cannot be made. \(advice)")
        throw error
      }
    }
    return (listener, lines)
  }

  private static func wait(for signals: sigset_t) {
    var signals = signals
    var number: Int32 = 0
    while sigwait(&signals, &number) != 0 {}
  }

  /// The first of a colon-separated list, as systemd gives directories.
  private static func variable(_ name: String) -> String? {
    getenv(name).flatMap { String(cString: $0).split(separator: ":").first.map(String.init) }
  }

  /// Something that one thread awaits and another brings about.
  private final class Event: Sendable {
    private let descriptor: OwnedDescriptor

    init() throws(SystemError) { descriptor = try OwnedDescriptor(eventfd(0, Int32(EFD_CLOEXEC)), by: "eventfd") }

    func signal() {
      var one: UInt64 = 1
      _ = write(descriptor.number, &one, 8)
    }

    func wait() {
      var count: UInt64 = 0
      while read(descriptor.number, &count, 8) < 0, errno == EINTR {}
    }
  }
}
