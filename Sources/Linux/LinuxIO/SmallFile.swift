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
}
