import Glibc

/// A folder in memory that images are laid into, one after the other; removed with everything in it.
package final class ImageFolder {
  /// Its path, with links resolved.
  package let path: String

  /// Makes one in `/dev/shm`, or in `/tmp` where that is not to be had.
  package init() throws(PowerCutError) {
    for parent in ["/dev/shm", "/tmp"] {
      var template = [CChar]("\(parent)/scangate-powercut-XXXXXX".utf8CString)
      guard let made = mkdtemp(&template) else { continue }
      path = String(cString: made)
      return
    }
    throw PowerCutError("Neither /dev/shm nor /tmp takes a folder: \(String(cString: strerror(errno))).")
  }

  deinit {
    clear()
    rmdir(path)
  }

  /// Makes the folder hold the image's files, and nothing else. No database in it may be open.
  package func lay(_ image: CutImage) throws(PowerCutError) {
    clear()
    for (name, bytes) in image.files {
      let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
      guard file >= 0 else { throw PowerCutError("\(path)/\(name): \(String(cString: strerror(errno))).") }
      defer { close(file) }
      guard write(file, bytes, bytes.count) == bytes.count else {
        throw PowerCutError("\(path)/\(name) cannot be written: \(String(cString: strerror(errno))).")
      }
    }
  }

  private func clear() {
    guard let folder = opendir(path) else { return }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { unlink("\(path)/\(name)") }
    }
  }
}
