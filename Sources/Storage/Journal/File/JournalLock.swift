import Glibc
import LinuxIO
import ScanModel
import Synchronization

/// The claim of one process to a journal: a lock on a file beside it, which the kernel drops with the process. The file
/// stays; it tells whose claim it is, and that the file beside it is a journal.
struct JournalLock: ~Copyable, Sendable {
  private let file: OwnedDescriptor

  /// What the claim says after the process id.
  private static let mark = "\nscangate journal\n"

  // A program that this process is just starting still has a copy of the descriptor: closing ours would not end the claim.
  deinit { flock(file.number, LOCK_UN) }

  /// Whether what lies beside `path` is the claim of an earlier run, and not just a file of that name.
  static func isClaimed(_ path: String) -> Bool {
    guard let head = try? Recognition.head(of: "\(path).lock", 64) else { return false }
    return !head.isEmpty && String(decoding: head.drop(while: isDigit), as: UTF8.self) == mark
  }

  /// Whether that is a claim, of an older version too, or nothing.
  private static func mayBeClaim(_ head: some Collection<UInt8>) -> Bool {
    if head.isEmpty { return true }
    let rest = String(decoding: head.drop(while: isDigit), as: UTF8.self)
    return rest == mark || rest == "\n"
  }

  /// Whether something lies in the place of the claim to `path` that is none.
  static func isTaken(_ path: String) -> Bool {
    var entry = stat()
    guard lstat("\(path).lock", &entry) == 0 else { return false }
    guard entry.st_mode & S_IFMT == S_IFREG, let head = try? Recognition.head(of: "\(path).lock", 64) else {
      return true
    }
    return !mayBeClaim(head)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (48...57).contains(byte) }

  /// Takes the lock of the journal at `path`.
  init(_ path: String) throws(JournalFault) {
    let name = "\(path).lock"
    let number = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard number >= 0 else { throw JournalFault(SystemError(errno: errno, call: "open"), at: name) }
    let file = OwnedDescriptor(owning: number)
    var buffer = [UInt8](repeating: 0, count: 64)
    let count = max(0, pread(number, &buffer, buffer.count, 0))
    let found = buffer.prefix(count)
    let rest = String(decoding: found.drop(while: Self.isDigit), as: UTF8.self)
    guard flock(number, LOCK_EX | LOCK_NB) == 0 else {
      let error = SystemError(errno: errno, call: "flock")
      guard error.errno == EWOULDBLOCK else { throw JournalFault(error, at: name) }
      let holder = String(decoding: found.prefix(while: Self.isDigit), as: UTF8.self)
      throw JournalFault(
        .unavailable,
        "The journal \(path) is in use by process \(holder.isEmpty ? "of unknown number" : holder). "
          + "Stop it first, or name another journal: two gateways must not write one.")
    }
    var entry = stat()
    guard fstat(number, &entry) == 0, entry.st_mode & S_IFMT == S_IFREG, Self.mayBeClaim(found) else {
      flock(number, LOCK_UN)
      throw JournalFault(
        .unavailable,
        "\(name) is no claim to a journal, and lies where one belongs. Move it away, or name another journal.")
    }
    // The journal works without it, on a full disk too; but a destroyed journal is known for ours by it, after a cut of
    // power as well.
    let text = [UInt8]("\(getpid())\(Self.mark)".utf8)
    _ = pwrite(number, text, text.count, 0)
    _ = ftruncate(number, off_t(text.count))
    if rest != Self.mark { fsync(number) }
    self.file = file
  }

  /// Whether the file that is locked is the one under its name: else another process could get in.
  func isInPlace(_ path: String) -> Bool {
    var entry = stat()
    return fstat(file.number, &entry) == 0 && FileIdentity(at: "\(path).lock") == FileIdentity(entry)
  }
}

/// Holds the lock until it is released, from whichever thread that is.
final class LockSlot: Sendable {
  private final class Shared: Sendable {
    let lock: JournalLock
    init(_ lock: consuming JournalLock) { self.lock = lock }
  }

  private let shared: Mutex<Shared?>

  init(_ lock: consuming JournalLock) { shared = Mutex(Shared(lock)) }

  func release() { shared.withLock { $0 = nil } }

  /// Whether the lock's file is where it was.
  func isInPlace(_ path: String) -> Bool { shared.withLock { $0 }?.lock.isInPlace(path) ?? true }

  /// Makes the lock's file again.
  func renew(_ path: String) throws(JournalFault) {
    let new = Shared(try JournalLock(path))
    shared.withLock { $0 = new }
  }
}
