import Glibc
import LinuxIO
import Synchronization

/// Writes lines to a descriptor on a thread of its own. Handing a line over never waits: a full disk, a stopped terminal or a
/// slow reader of a pipe holds up this thread and nothing else. Behind by more than 1,024 lines, the oldest are dropped.
final class LineWriter: Sendable {
  private let lines: AsyncStream<String>.Continuation
  private let ended: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation

  /// Writes to a descriptor that the writer owns from now on.
  /// - Parameter onFault: told once for each time that writing begins to fail; on the writer's thread.
  init(
    _ descriptor: consuming OwnedDescriptor, thread: String, onFault: @escaping @Sendable (SystemError) -> Void
  ) throws(SystemError) {
    let (stream, continuation) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1_024))
    lines = continuation
    (ended, end) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let resident = Resident(descriptor, loop: try DeviceLoop(name: thread), onFault: onFault)
    Task { [end] in
      await resident.write(stream)
      end.finish()
    }
  }

  /// Takes a line, without its line feed; from any thread, returns at once.
  func write(_ line: String) { lines.yield(line) }

  /// Takes nothing more and returns when everything is written, or after `patience`: whoever does not read does not keep
  /// the service from ending.
  func finish(within patience: Duration = .seconds(1)) async {
    lines.finish()
    let alarm = Task { [end] in
      try await Task.sleep(for: patience)
      end.finish()
    }
    for await _ in ended {}
    alarm.cancel()
  }

  private actor Resident {
    private let loop: DeviceLoop
    private let file: OwnedDescriptor
    private let onFault: @Sendable (SystemError) -> Void
    private var hasFailed = false
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
      _ file: consuming OwnedDescriptor, loop: DeviceLoop, onFault: @escaping @Sendable (SystemError) -> Void
    ) {
      self.file = file
      self.loop = loop
      self.onFault = onFault
    }

    func write(_ lines: AsyncStream<String>) async {
      for await line in lines { write(line + "\n") }
      loop.stop()
    }

    private func write(_ line: String) {
      var bytes = Array(line.utf8)[...]
      while !bytes.isEmpty {
        let written = bytes.withUnsafeBytes { Glibc.write(file.number, $0.baseAddress, $0.count) }
        if written < 0 {
          if errno == EINTR { continue }
          let error = SystemError(errno: errno, call: "write")
          if !hasFailed { onFault(error) }
          hasFailed = true
          return
        }
        bytes = bytes.dropFirst(written)
      }
      hasFailed = false
    }
  }
}
