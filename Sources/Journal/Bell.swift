import CLinux
import Glibc
import LinuxIO
import ScanModel
import Synchronization

/// Wakes a thread that waits.
final class Bell: Sendable {
  private let descriptor: OwnedDescriptor

  init() throws(SystemError) {
    let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard number >= 0 else { throw SystemError(errno: errno, call: "eventfd") }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// Wakes whoever waits, or will wait next.
  func ring() {
    var one: UInt64 = 1
    // A full counter means that it rings already.
    _ = write(descriptor.number, &one, 8)
  }

  /// Returns when it was rung since the last wait, after `limit` at the latest.
  func wait(atMost limit: Duration) {
    var poll = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    let left = min(max(0, limit.saturatedNanoseconds), 3_600_000_000_000)
    var timeout = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
    _ = ppoll(&poll, 1, &timeout, nil)
    var count: UInt64 = 0
    _ = read(descriptor.number, &count, 8)
  }
}

/// Starts a thread that runs `body`.
/// - Parameter name: as `ps -L` shows it, at most 15 characters.
func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
  let context = Unmanaged.passRetained(ThreadStart(name: name, body: body))
  var id = pthread_t()
  let result = pthread_create(
    &id, nil,
    { context in
      guard let context else { return nil }
      let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
      pthread_setname_np(pthread_self(), String(start.name.prefix(15)))
      start.body()
      return nil
    }, context.toOpaque())
  guard result == 0 else {
    context.release()
    throw SystemError(errno: result, call: "pthread_create")
  }
  pthread_detach(id)
}

/// A thread's first and only argument.
private final class ThreadStart: Sendable {
  let name: String
  let body: @Sendable () -> Void
  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

/// How many frames the write-ahead log has, told by the writer and read by the housekeeper.
final class FrameCount: Sendable {
  private let count = Atomic(0)

  var value: Int { count.load(ordering: .relaxed) }

  func set(_ value: Int) { count.store(value, ordering: .relaxed) }
}
