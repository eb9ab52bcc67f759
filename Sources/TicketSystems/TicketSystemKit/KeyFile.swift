import Glibc
package import LinuxIO

/// A secret in a file of its own: one line, readable by its owner alone. White space around it, as pasting adds it, is not
/// part of it.
package enum KeyFile {
  /// What a key file holds.
  package enum Content: Sendable, Equatable {
    /// There is no such file.
    case absent
    /// The key, without the white space around it; may be empty.
    case key(String)
  }

  /// The most that a key file may hold, in bytes.
  private static let limit = 4_096

  /// Reads the key.
  /// - Throws: why the file cannot be read.
  package static func read(_ path: String) throws(SystemError) -> Content {
    let file: OwnedDescriptor
    do {
      file = try OwnedDescriptor.open(path, O_RDONLY)
    } catch {
      if error.errno == ENOENT { return .absent }
      throw error
    }
    var buffer = [UInt8](repeating: 0, count: limit)
    let count = Glibc.read(file.number, &buffer, limit)
    guard count >= 0 else { throw SystemError(errno: errno, call: "read") }
    let text = String(decoding: buffer.prefix(count), as: UTF8.self)
    let scalars = text.unicodeScalars
    let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    let trimmed = String(
      String.UnicodeScalarView(scalars.drop(while: isBlank).reversed().drop(while: isBlank).reversed()))
    return .key(trimmed)
  }

  /// Makes the file, readable by its owner alone; one that is there already is left alone.
  /// - Throws: why it cannot be made, `EEXIST` where it is there.
  package static func write(_ key: String, to path: String) throws(SystemError) {
    let number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard number >= 0 else { throw SystemError(errno: errno, call: "open") }
    let file = OwnedDescriptor(owning: number)
    let bytes = Array((key + "\n").utf8)
    guard Glibc.write(file.number, bytes, bytes.count) == bytes.count else {
      throw SystemError(errno: errno, call: "write")
    }
  }
}
