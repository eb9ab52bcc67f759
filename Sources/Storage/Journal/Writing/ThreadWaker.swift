import CLinux
import Glibc
import LinuxIO
import ScanModel
import Synchronization

/// Wakes a thread that waits. A thread that is awake costs whoever wakes it no system call.
final class ThreadWaker: Sendable {
  private let descriptor: OwnedDescriptor
  /// It was woken since the last wait.
  private let isWoken = Atomic(false)
  /// The thread sleeps, or is about to.
  private let isAsleep = Atomic(false)

  init() throws(SystemError) {
    let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard number >= 0 else { throw SystemError(errno: errno, call: "eventfd") }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// Wakes whoever waits, or will wait next.
  func wake() {
    // Each side says its own before it looks at the other's: one of the two sees it.
    isWoken.store(true, ordering: .sequentiallyConsistent)
    guard isAsleep.exchange(false, ordering: .sequentiallyConsistent) else { return }
    var one: UInt64 = 1
    // A full counter means that it is being woken already.
    _ = write(descriptor.number, &one, 8)
  }

  /// Returns when it was woken since the last wait, after `limit` at the latest.
  func wait(atMost limit: Duration) {
    isAsleep.store(true, ordering: .sequentiallyConsistent)
    defer {
      isAsleep.store(false, ordering: .sequentiallyConsistent)
      // By reading it, what was done before the wake is seen after the wait.
      _ = isWoken.exchange(false, ordering: .sequentiallyConsistent)
    }
    if isWoken.load(ordering: .sequentiallyConsistent) { return }
    var poll = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    let left = min(max(0, limit.saturatedNanoseconds), 3_600_000_000_000)
    var timeout = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
    guard ppoll(&poll, 1, &timeout, nil) > 0 else { return }
    var count: UInt64 = 0
    _ = read(descriptor.number, &count, 8)
  }
}
