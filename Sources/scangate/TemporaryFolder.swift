import Glibc
import LinuxIO

/// A folder of the process's own, for what need not outlive it.
struct TemporaryFolder {
  /// The folder.
  let path: String

  /// Makes it, for this user alone.
  init() throws(SystemError) {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/scangate-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw SystemError(errno: errno, call: "mkdtemp") }
    path = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes it and the files in it.
  func remove() {
    guard let folder = opendir(path) else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != "." && name != ".." { unlink("\(path)/\(name)") }
    }
    rmdir(path)
  }
}
