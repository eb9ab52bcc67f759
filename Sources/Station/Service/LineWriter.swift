internal import Glibc
internal import LinuxIO
internal import Synchronization

/// Writes lines to a descriptor on a thread of its own. Handing a line over never waits: a full disk, a stopped terminal or a
/// slow reader of a pipe holds up this thread and nothing else. Behind by more than 1,024 lines, the oldest are dropped.
final class LineWriter: Sendable {
  /// Opens what is written to anew.
  typealias Opening = @Sendable () throws(SystemError) -> OwnedDescriptor

  /// `nil` only wakes the writer.
  private let lines: AsyncStream<String?>.Continuation
  /// Its thread, for what makes the lines.
  let loop: DeviceLoop
  private let opening = DueOpening()
  private let ended: AsyncStream<Void>
  private let end: AsyncStream<Void>.Continuation

  /// Writes to a descriptor that the writer owns from now on.
  /// - Parameter onFault: told once for each time that writing begins to fail; on the writer's thread.
  init(
    _ descriptor: consuming OwnedDescriptor, thread: String, onFault: @escaping @Sendable (SystemError) -> Void
  ) throws(SystemError) {
    let (stream, continuation) = AsyncStream.makeStream(of: String?.self, bufferingPolicy: .bufferingNewest(1_024))
    lines = continuation
    (ended, end) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    let loop = try DeviceLoop(name: thread, runsTasks: true)
    self.loop = loop
    let resident = Resident(descriptor, loop: loop, opening: opening, onFault: onFault)
    Task(executorPreference: loop.tasks) { [end] in
      await resident.write(stream)
      end.finish()
      loop.stop()
    }
  }

  /// Takes a line, without its line feed; from any thread, returns at once.
  func write(_ line: String) { lines.yield(line) }

  /// Has what is written to opened anew, between two lines, before any line that comes from now on; from any thread, returns at
  /// once. Where it cannot be opened, the old one goes on.
  /// - Parameter onFault: told why it cannot be opened; on the writer's thread.
  func reopen(_ open: @escaping Opening, onFault: @escaping @Sendable (SystemError) -> Void) {
    opening.set((open, onFault))
    lines.yield(nil)
  }

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

  /// What is to be opened before the next line; of several the last. Beside the lines, of which the oldest may be dropped.
  private final class DueOpening: Sendable {
    typealias Due = (open: Opening, onFault: @Sendable (SystemError) -> Void)
    private let due = Mutex<Due?>(nil)
    func set(_ new: Due) { due.withLock { $0 = new } }
    func take() -> Due? { due.withLock { exchange(&$0, with: nil) } }
  }

  private actor Resident {
    private let loop: DeviceLoop
    private var file: OwnedDescriptor
    private let opening: DueOpening
    private let onFault: @Sendable (SystemError) -> Void
    private var hasFailed = false
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
      _ file: consuming OwnedDescriptor, loop: DeviceLoop, opening: DueOpening,
      onFault: @escaping @Sendable (SystemError) -> Void
    ) {
      self.file = file
      self.opening = opening
      self.loop = loop
      self.onFault = onFault
    }

    func write(_ lines: AsyncStream<String?>) async {
      for await line in lines {
        if let due = opening.take() { reopen(due) }
        if let line { write(line + "\n") }
      }
    }

    private func reopen(_ due: DueOpening.Due) {
      do throws(SystemError) {
        file = try due.open()
        hasFailed = false
      } catch {
        due.onFault(error)
      }
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
