import Glibc

/// Why a file could not be read, and what to do.
struct FileFault: Error {
  var problem: String
  var remedy: String
}

/// A regular file's content and permissions.
struct FileContent {
  var bytes: [UInt8]
  var mode: UInt32

  /// Reads at most `limit` bytes and one more, which tells that there are more. Follows symbolic links; never waits.
  static func read(_ path: String, upTo limit: Int) throws(FileFault) -> Self {
    // O_NONBLOCK: opening a named pipe must not wait for its writer.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw fault(errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw fault(errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileFault(problem: "is no regular file", remedy: "name a file")
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
      let wanted = min(chunk.count, limit + 1 - bytes.count)
      let count = Glibc.read(descriptor, &chunk, wanted)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw fault(errno) }
      if count == 0 { break }
      bytes += chunk[..<count]
    }
    return Self(bytes: bytes, mode: UInt32(status.st_mode))
  }

  private static func fault(_ number: Int32) -> FileFault {
    switch number {
    case ENOENT, ENOTDIR: FileFault(problem: "does not exist", remedy: "create it, or correct the path")
    case EACCES, EPERM:
      FileFault(problem: "may not be read by this user", remedy: "give the service's user the right to read it")
    case ELOOP: FileFault(problem: "is a symbolic link that leads nowhere", remedy: "correct the link")
    default: FileFault(problem: "cannot be read (\(String(cString: strerror(number))))", remedy: "correct the path")
    }
  }
}
