import CSQLite
import Glibc
import SQLiteFile

/// The file of a venue, and those that SQLite keeps beside it: codes, names and mail addresses, for their owner alone.
struct VenueFile: Sendable {
  private let path: String

  /// - Returns: `nil` for a name that SQLite takes for no file.
  init?(_ path: String) {
    if path.isEmpty || path.hasPrefix(":memory:") { return nil }
    self.path = path
  }

  /// Makes it for its owner alone, whatever the process's mask: what SQLite makes beside a file is as open as the file.
  /// - Returns: whether it is new. Why it cannot be made is told when it is opened.
  func make() -> Bool {
    let number = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard number >= 0 else { return false }
    fchmod(number, 0o600)
    close(number)
    return true
  }

  /// Closes it to everybody but its owner.
  func tighten() throws(SQLiteError) {
    for path in all {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & 0o077 != 0 else { continue }
      guard chmod(path, 0o600) == 0 else {
        throw SQLiteError(
          code: SQLITE_PERM, errno: errno,
          message: "others can read it, and it cannot be closed to them: chmod 600 \(path)")
      }
    }
  }

  /// Removes it, and what is beside it.
  func remove() { for path in all { unlink(path) } }

  /// SQLite follows links, and keeps its files beside what they lead to.
  private var all: [String] {
    var file = path
    if let real = realpath(path, nil) {
      file = String(cString: real)
      free(real)
    }
    return ["-wal", "-shm", "-journal", ""].map { file + $0 }
  }
}
