import LinuxIO
import Synchronization

/// A descriptor that can be replaced while it is used: it is closed when the last use is over.
final class FileSlot: Sendable {
  private final class Shared: Sendable {
    let file: OwnedDescriptor
    init(_ file: consuming OwnedDescriptor) { self.file = file }
  }

  private let shared = Mutex<Shared?>(nil)

  func put(_ file: consuming OwnedDescriptor) {
    let new = Shared(file)
    shared.withLock { $0 = new }
  }

  func empty() { shared.withLock { $0 = nil } }

  /// Calls `body` with the descriptor; `nil` where there is none.
  func with<Result>(_ body: (Int32) -> Result) -> Result? {
    guard let shared = shared.withLock({ $0 }) else { return nil }
    return withExtendedLifetime(shared) { body(shared.file.number) }
  }
}
