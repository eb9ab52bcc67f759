import Glibc
package import LinuxIO

/// How the write-ahead log gets to the disk: the one place, so that tests can make it slow, make it fail, or record it.
package protocol WALSync: Sendable {
  /// The log is at `path` from now on. Called before `sync`, and again when the log became another file.
  func open(_ path: String) throws(SystemError)

  /// Returns when everything that was written to the log before the call is on the disk.
  func sync() throws(SystemError)

  /// The log is not needed any more.
  func close()
}

/// `fdatasync(2)` on a descriptor of our own. SQLite holds no POSIX lock on the log, so closing it costs none.
package final class FileSync: WALSync {
  private let file = FileSlot()

  package init() {}

  package func open(_ path: String) throws(SystemError) { file.put(try OwnedDescriptor.open(path, O_RDWR)) }

  package func close() { file.empty() }

  package func sync() throws(SystemError) {
    while true {
      guard let result = file.with({ fdatasync($0) == 0 ? 0 : errno }) else {
        throw SystemError(errno: EBADF, call: "fdatasync")
      }
      if result == 0 { return }
      if result != EINTR { throw SystemError(errno: result, call: "fdatasync") }
    }
  }
}
