import Glibc
import LinuxIO

/// Text or bytes for standard output, or for a file that is there wholly or not at all: it is written beside its place, synced, and
/// then given its name.
final class ReplacedFile {
  private static let pieces = 65_536

  private let descriptor: OwnedDescriptor
  /// Where the file will be; `nil` for standard output.
  private let path: String?
  private let temporary: String
  private var buffer: [UInt8] = []
  private var isFinished = false

  /// Begins the file.
  /// - Parameters:
  ///   - path: where it will be; `nil` for standard output.
  ///   - mode: who may read it, before the process's mask.
  /// - Throws: why it cannot be made; `EEXIST` where something is in its place that is no plain file.
  init(_ path: String?, mode: mode_t) throws(SystemError) {
    self.path = path
    guard let path else {
      temporary = ""
      let number = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
      guard number >= 0 else { throw SystemError(errno: errno, call: "dup") }
      descriptor = OwnedDescriptor(owning: number)
      return
    }
    // A device or a link of that name must not be replaced by a file.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw SystemError(errno: EEXIST, call: "open")
    }
    let new = "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).new"
    temporary = new
    descriptor = try UnfinishedFiles.begin(new) { () throws(SystemError) in
      try OwnedDescriptor.open(new, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: mode)
    }
  }

  deinit { if path != nil, !isFinished { UnfinishedFiles.discard(temporary) } }

  /// Adds text.
  func write(_ text: String) throws(SystemError) { try write(bytes: text.utf8) }

  /// Adds bytes.
  func write(bytes: some Sequence<UInt8>) throws(SystemError) {
    buffer += bytes
    if buffer.count >= Self.pieces { try flush() }
  }

  /// Has everything written, and the file in its place for good.
  func finish() throws(SystemError) {
    try flush()
    guard let path else { return }
    try SmallFile.sync(descriptor.number)
    let fault = UnfinishedFiles.finish(temporary) { rename(temporary, path) == 0 ? 0 : errno }
    guard fault == 0 else { throw SystemError(errno: fault, call: "rename") }
    isFinished = true
    do throws(SystemError) {
      try SmallFile.syncFolder(of: path)
    } catch {
      // Some file systems cannot sync a folder; the file itself is safe.
      guard error.errno == EINVAL else { throw error }
    }
  }

  private func flush() throws(SystemError) {
    try SmallFile.write(descriptor.number, buffer)
    buffer.removeAll(keepingCapacity: true)
  }
}
