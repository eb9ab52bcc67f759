package import Gateway
internal import Glibc
package import LinuxIO

/// Writes the event stream to a file, a pipe or standard output, a line at a time; see `LineWriter`.
package struct EventWriter: Sendable {
  private let writer: LineWriter
  private let path: String
  private let tell: @Sendable (String) -> Void

  /// Opens `path` for appending, so that a rotated or shared file loses nothing; `-` is standard output.
  /// - Parameter tell: told what becomes of writing, a sentence for the operator; from any thread.
  /// - Throws: why it cannot be written; `ENXIO` for a pipe that nobody reads.
  package init(path: String, tell: @escaping @Sendable (String) -> Void) throws(SystemError) {
    let name = path == "-" ? "standard output" : path
    self.path = path
    self.tell = tell
    writer = try LineWriter(try Self.open(path), thread: "events") { error in
      tell("Events cannot be written to \(name): \(error.words). Gates go on; free space or start its reader.")
    }
  }

  /// Opens the file anew, which somebody has renamed: what comes from now on goes into the one of that name, made where there is
  /// none. Where that is not possible, the old one goes on. From any thread, returns at once.
  package func reopen() {
    guard path != "-" else { return }
    let path = path
    writer.reopen({ () throws(SystemError) in try Self.open(path) }) { [tell] error in
      tell(
        """
        The events file \(path) cannot be opened anew: \(error.words). Events go on into the file that was open before. See \
        that a file of that name can be there and that this service can write it, then reload the service.
        """)
    }
  }

  /// Writes until the stream ends.
  package func write(_ events: AsyncStream<GatewayEvent>) async {
    for await event in events { writer.write(event.jsonLine) }
    await writer.finish()
  }

  private static func open(_ path: String) throws(SystemError) -> OwnedDescriptor {
    if path == "-" { return try OwnedDescriptor.duplicate(of: STDOUT_FILENO) }
    // Without O_NONBLOCK the opening of a pipe would wait for its reader, and no gate would begin.
    let flags = O_WRONLY | O_CREAT | O_APPEND | O_NONBLOCK | O_CLOEXEC
    let file = try OwnedDescriptor(Glibc.open(path, flags, 0o640), by: "open")
    _ = fcntl(file.number, F_SETFL, O_APPEND)
    return file
  }
}
