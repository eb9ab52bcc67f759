import Glibc
import LinuxIO

/// Small files and directories of /dev and /sys.
enum SystemFiles {
  /// The names in a directory, without those that begin with a dot, in a stable order: by length, then by name, which puts
  /// `gpiochip10` after `gpiochip9`.
  static func names(in directory: String) throws(SystemError) -> [String] {
    guard let stream = opendir(directory) else { throw SystemError(errno: errno, call: "opendir") }
    defer { closedir(stream) }
    var names: [String] = []
    // The name is read in place: an entry can be shorter than the type that describes it.
    let offset = MemoryLayout<dirent>.offset(of: \dirent.d_name) ?? 0
    while let entry = readdir(stream) {
      let name = String(cString: UnsafeRawPointer(entry).advanced(by: offset).assumingMemoryBound(to: CChar.self))
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted { ($0.utf8.count, $0) < ($1.utf8.count, $1) }
  }

  /// The text of a file, its first 4,096 bytes at most, without white space at the end.
  static func text(of path: String) throws(SystemError) -> String {
    let file = try OwnedDescriptor.open(path, O_RDONLY)
    var buffer = [UInt8](repeating: 0, count: 4_096)
    let count = read(file.number, &buffer, buffer.count)
    guard count >= 0 else { throw SystemError(errno: errno, call: "read") }
    var text = buffer.prefix(count)
    while let last = text.last, last <= 0x20 { text.removeLast() }
    return String(decoding: text, as: UTF8.self)
  }

  /// Replaces what is in a file that exists by `text`, in one write.
  static func write(_ text: String, to path: String) throws(SystemError) {
    let file = try OwnedDescriptor.open(path, O_WRONLY | O_TRUNC)
    let bytes = [UInt8](text.utf8)
    guard Glibc.write(file.number, bytes, bytes.count) == bytes.count else {
      throw SystemError(errno: errno, call: "write")
    }
  }

  /// Where a symbolic link points, as it is written.
  static func linkTarget(of path: String) throws(SystemError) -> String {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let count = readlink(path, &buffer, buffer.count)
    guard count >= 0 else { throw SystemError(errno: errno, call: "readlink") }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
