internal import CLinux
import Glibc

/// Small files, by their descriptor.
package enum SmallFile {
  /// The bytes to the end, one more than `limit` at most: what is longer shows by it.
  /// - Throws: the system's error.
  package static func read(_ file: Int32, upTo limit: Int) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while bytes.count <= limit {
      let count = Glibc.read(file, &buffer, min(buffer.count, limit + 1 - bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(errno: errno, call: "read") }
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    return bytes
  }

  /// A file's bytes, `limit` at most.
  /// - Throws: the system's error.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try OwnedDescriptor.open(path, O_RDONLY)
    return Array(try read(file.number, upTo: limit).prefix(limit))
  }

  /// Writes all bytes.
  /// - Throws: the system's error.
  package static func write(_ file: Int32, _ bytes: some Collection<UInt8>) throws(SystemError) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(errno: count < 0 ? errno : EIO, call: "write") }
      rest = rest.dropFirst(count)
    }
  }

  /// Has on disk what was written, or what was made, renamed or deleted in a folder.
  /// - Throws: the system's error.
  package static func sync(_ file: Int32) throws(SystemError) {
    guard fsync(file) == 0 else { throw SystemError(errno: errno, call: "fsync") }
  }

  /// Waits until the disk has what was written to a file so far, which is no promise: its size and place may not be there. What is
  /// written piece by piece so is never much to be written at once, for which others would have to wait.
  package static func writeOut(_ file: Int32) { clinux_write_out(file) }

  /// Has on disk what was made, renamed or deleted in the folder of `path`.
  /// - Throws: the system's error.
  package static func syncFolder(of path: String) throws(SystemError) {
    let end = path.lastIndex(of: "/")
    let folder = try OwnedDescriptor.open(end.map { String(path[...$0]) } ?? ".", O_RDONLY | O_DIRECTORY)
    try sync(folder.number)
  }

  /// Replaces a file's content: whoever reads it sees all of the old or all of the new, after a cut of power too.
  /// - Throws: the system's error.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    var new = try FileReplacement(of: path)
    try write(new.file.number, bytes)
    try new.finish()
  }
}
