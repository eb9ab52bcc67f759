import CSQLite
import Glibc
import LinuxIO
import SQLiteFile
import ScanModel

extension JournalFault {
  /// What SQLite refused, in words.
  init(_ error: SQLiteError, at path: String) {
    let words = error.errno == 0 ? error.message : SystemError(errno: error.errno, call: "").words
    switch error.primary {
    case SQLITE_FULL:
      self.init(.full, "No space is left for the journal \(path). Free some space on its disk.")
    case _ where error.errno == ENOSPC || error.errno == EDQUOT || error.errno == EFBIG:
      self.init(.full, "No space is left for the journal \(path) (\(words)). Free some space on its disk.")
    case SQLITE_READONLY:
      self.init(
        .disk,
        "The journal \(path) cannot be written: \(words). Check that its disk is not mounted read-only, and its owner.")
    case SQLITE_IOERR:
      self.init(
        .disk,
        "The disk of the journal \(path) gives errors: \(words) (SQLite \(error.code)). Check it, and replace it soon.")
    case SQLITE_CORRUPT, SQLITE_NOTADB:
      self.init(.damaged, "The journal \(path) is damaged: \(error.message).")
    case SQLITE_BUSY, SQLITE_LOCKED:
      self.init(.unavailable, "Another program holds the journal \(path). Close it; the gateway tries on.")
    case SQLITE_CANTOPEN, SQLITE_PERM:
      self.init(
        .unavailable, "The journal \(path) cannot be opened: \(words). Check that its folder may be written to.")
    default:
      self.init(.unavailable, "The journal \(path) cannot be used: \(error.message) (SQLite \(error.code)).")
    }
  }

  /// What the system refused, in words.
  init(_ error: SystemError, at path: String) {
    switch error.errno {
    case ENOSPC, EDQUOT:
      self.init(.full, "No space is left for \(path). Free some space on its disk.")
    case EROFS, EIO:
      self.init(.disk, "\(path) cannot be written: \(error). Check its disk.")
    default:
      self.init(.unavailable, "\(path) cannot be used: \(error). Check that it may be written to.")
    }
  }

  /// The journal has been closed.
  static func closed(_ path: String) -> JournalFault {
    JournalFault(.unavailable, "The journal \(path) has been closed.")
  }
}
