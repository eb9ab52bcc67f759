import Gateway
import Glibc
import LinuxIO

/// Writes the event stream to a file or to standard output, a line at a time, on a thread of its own: a full disk or a slow
/// reader of the pipe holds nobody up but this.
actor EventWriter {
  private let loop: DeviceLoop
  private let file: OwnedDescriptor
  private let name: String
  private var hasFailed = false
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Opens the file for appending, so that a rotated or shared file loses nothing; `-` is standard output.
  init(path: String) throws(SystemError) {
    loop = try DeviceLoop(name: "events")
    name = path == "-" ? "standard output" : path
    if path == "-" {
      let copy = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { throw SystemError(errno: errno, call: "dup") }
      file = OwnedDescriptor(owning: copy)
    } else {
      let number = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o640)
      guard number >= 0 else { throw SystemError(errno: errno, call: "open") }
      file = OwnedDescriptor(owning: number)
    }
  }

  /// Writes until the stream ends.
  func write(_ events: AsyncStream<GatewayEvent>) async {
    for await event in events { write(event.jsonLine + "\n") }
    loop.stop()
  }

  private func write(_ line: String) {
    var bytes = Array(line.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        let error = SystemError(errno: errno, call: "write")
        if !hasFailed {
          Terminal.error(
            "Events cannot be written to \(name): \(error.words). Gates go on; free space or restart the reader.")
        }
        hasFailed = true
        return
      }
      bytes = bytes.dropFirst(written)
    }
    hasFailed = false
  }
}
