import Glibc
import LinuxIO

extension SmallFile {
  /// A file's bytes, `limit` at most.
  static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try OwnedDescriptor.open(path, O_RDONLY)
    return Array(try read(file.number, upTo: limit).prefix(limit))
  }

  /// Replaces a file's content: whoever reads it sees all of the old or all of the new, after a cut of power too.
  static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    let temporary = "\(path).new"
    do {
      let number = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
      guard number >= 0 else { throw SystemError(errno: errno, call: "open") }
      let file = OwnedDescriptor(owning: number)
      guard write(file.number, bytes, bytes.count) == bytes.count else {
        throw SystemError(errno: errno, call: "write")
      }
      guard fsync(file.number) == 0 else { throw SystemError(errno: errno, call: "fsync") }
    }
    guard rename(temporary, path) == 0 else { throw SystemError(errno: errno, call: "rename") }
    let end = path.lastIndex(of: "/") ?? path.startIndex
    if let directory = try? OwnedDescriptor.open(String(path[..<end]), O_RDONLY) { fsync(directory.number) }
  }
}
