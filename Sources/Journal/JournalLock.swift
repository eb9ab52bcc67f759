import Glibc
import LinuxIO
import ScanModel
import Synchronization

/// The claim of one process to a journal: a lock on a file beside it, which the kernel drops with the process. The file
/// stays; it tells whose claim it is.
struct JournalLock: ~Copyable, Sendable {
  private let file: OwnedDescriptor

  // A program that this process is just starting still has a copy of the descriptor: closing ours would not end the claim.
  deinit { flock(file.number, LOCK_UN) }

  /// Takes the lock of the journal at `path`.
  init(_ path: String) throws(JournalFault) {
    let name = "\(path).lock"
    let number = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { throw JournalFault(SystemError(errno: errno, call: "open"), at: name) }
    let file = OwnedDescriptor(owning: number)
    guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
      let error = SystemError(errno: errno, call: "flock")
      guard error.errno == EWOULDBLOCK else { throw JournalFault(error, at: name) }
      var buffer = [UInt8](repeating: 0, count: 20)
      let count = max(0, pread(number, &buffer, buffer.count, 0))
      let holder = String(decoding: buffer.prefix(count).prefix { (48...57).contains($0) }, as: UTF8.self)
      throw JournalFault(
        .unavailable,
        "The journal \(path) is in use by process \(holder.isEmpty ? "of unknown number" : holder). "
          + "Stop it first, or name another journal: two gateways must not write one.")
    }
    let pid = [UInt8]("\(getpid())\n".utf8)
    // For people only: the lock holds without it, on a full disk too.
    _ = ftruncate(number, 0)
    _ = pwrite(number, pid, pid.count, 0)
    self.file = file
  }
}

/// Holds the lock until it is released, from whichever thread that is.
final class LockSlot: Sendable {
  private let lock: Mutex<JournalLock?>

  init(_ lock: consuming JournalLock) { self.lock = Mutex(lock) }

  func release() { lock.withLock { $0 = nil } }
}
