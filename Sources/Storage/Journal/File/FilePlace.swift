import Glibc
import Synchronization

/// Which file lies under a name.
struct FileIdentity: Sendable, Equatable {
  let device: UInt64
  let inode: UInt64

  init?(at path: String) {
    var entry = stat()
    guard lstat(path, &entry) == 0 else { return nil }
    self.init(entry)
  }

  init(_ entry: stat) {
    device = UInt64(entry.st_dev)
    inode = UInt64(entry.st_ino)
  }
}

/// Where the open files were found, so that it is noticed when somebody deletes or replaces them: the kernel lets us go on
/// writing into a file that no name leads to.
final class FilePlace: Sendable {
  static let suffixes = ["", "-wal", "-shm"]

  private let path: String
  private let known = Mutex<[FileIdentity?]>([])

  init(_ path: String) { self.path = path }

  /// The files that lie there now are those that are open.
  func note() {
    let found = Self.suffixes.map { FileIdentity(at: path + $0) }
    known.withLock { $0 = found }
  }

  /// Whether the file of that suffix is one of those that are open.
  func isOurs(_ suffix: String) -> Bool {
    guard let present = FileIdentity(at: path + suffix) else { return false }
    return known.withLock { $0 }.contains(present)
  }

  /// What became of the open files, such as `journal-wal was deleted`; `nil` where all are in their place.
  var change: String? {
    let known = known.withLock { $0 }
    var words: [String] = []
    for (suffix, old) in zip(Self.suffixes, known) {
      let present = FileIdentity(at: path + suffix)
      if present != old { words.append("\(path)\(suffix) was \(present == nil ? "deleted" : "replaced")") }
    }
    return words.isEmpty ? nil : words.joined(separator: ", ")
  }
}
