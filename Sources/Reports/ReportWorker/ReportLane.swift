import CLinux
import Glibc
import LinuxIO
import Synchronization

/// Work that is done one after the other: one is under way, and some wait.
struct ReportLane {
  /// What is under way, and for whom.
  struct Work {
    let listener: UInt64
    let isCancelled: CancelFlag
  }

  /// The work under way.
  var current: Work?
  /// The connections that wait, first come first.
  var waiting: [UInt64] = []

  /// Takes a connection out; what is under way for it ends soon.
  mutating func leave(_ listener: UInt64) {
    waiting.removeAll { $0 == listener }
    if current?.listener == listener { current?.isCancelled.raise() }
  }
}

/// Says to a thread that nobody waits for it any more.
final class CancelFlag: Sendable {
  private let flag = Mutex(false)

  var isRaised: Bool { flag.withLock { $0 } }

  func raise() { flag.withLock { $0 = true } }
}

/// What working threads bring to the one that has the connections, which wakes by it.
final class ReportInbox<Item: Sendable>: Sendable {
  private let items = Mutex<[Item]>([])
  private let wake: OwnedDescriptor

  /// Readable when something is there.
  var number: Int32 { wake.number }

  init() throws(SystemError) {
    wake = try OwnedDescriptor(eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK)), by: "eventfd")
  }

  func put(_ item: Item) {
    items.withLock { $0.append(item) }
    var one: UInt64 = 1
    _ = write(wake.number, &one, 8)
  }

  /// Everything that is there.
  func take() -> [Item] {
    var count: UInt64 = 0
    _ = read(wake.number, &count, 8)
    return items.withLock { items in
      defer { items = [] }
      return items
    }
  }
}
