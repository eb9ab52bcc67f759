import Glibc
import LinuxIO

/// What is wrong with a line of the users' or devices' file; holds nothing of it.
package struct AccessFileFault: Error, Sendable, Equatable {
  package let line: Int
  package let words: String

  package init(line: Int, words: String) { (self.line, self.words) = (line, words) }
}

/// Where it stands who may see pages: files that root writes whole, and the console's group reads as they are now.
package enum AccessFile {
  /// The folder on an installed station.
  package static let usual = "/etc/scangate-console"
  /// Whose processes read it.
  package static let group = "scangate-console"

  package static func users(in folder: String = usual) -> String { "\(folder)/users" }
  package static func devices(in folder: String = usual) -> String { "\(folder)/devices" }

  /// The lines that say something, by their number.
  static func lines(of bytes: [UInt8], upTo limit: Int) throws(AccessFileFault) -> [(number: Int, text: Substring)] {
    guard bytes.count <= limit, let text = String(validating: bytes, as: UTF8.self) else {
      throw AccessFileFault(line: 1, words: "is of a file that is too long, or no UTF-8")
    }
    return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { ($0 + 1, $1) }.filter { !$1.isEmpty && !$1.hasPrefix("#") }
  }

  /// Changes a file: read, changed, written whole or not at all, while nobody else of us changes one there.
  /// - Parameters:
  ///   - path: the file; its folder is made where it is not there.
  ///   - change: makes of what is there (`nil` for no file) what shall be there; `nil` for no change.
  /// - Throws: the system's error, or what `change` throws.
  package static func change(
    _ path: String, upTo limit: Int, _ change: ([UInt8]?) throws -> [UInt8]?
  ) throws {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    let folder = String(path[..<end])
    let group = UserGroup(named: group)
    if mkdir(folder, 0o750) == 0 {
      _ = chmod(folder, 0o750)
      try? group?.take(folder)
    } else if errno != EEXIST {
      throw SystemError(errno: errno, call: "mkdir")
    }
    // Let go of when it is closed.
    let lock = try OwnedDescriptor.open(folder, O_RDONLY | O_DIRECTORY)
    while flock(lock.number, LOCK_EX) != 0 {
      guard errno == EINTR else { throw SystemError(errno: errno, call: "flock") }
    }
    var old: [UInt8]?
    do throws(SystemError) {
      old = try SmallFile.read(path, limit: limit + 1)
    } catch {
      guard error.errno == ENOENT else { throw error }
    }
    guard let bytes = try change(old) else { return }
    var new = try FileReplacement(of: path, mode: 0o600)
    try SmallFile.write(new.file.number, bytes)
    // Without the group, as where nothing is installed, it stays its owner's alone.
    if let group, fchown(new.file.number, uid_t.max, group.id) == 0 {
      guard fchmod(new.file.number, 0o640) == 0 else { throw SystemError(errno: errno, call: "fchmod") }
    }
    try new.finish()
  }
}

/// A file that is read again when it is another one, or has changed; as often as like may ask.
struct WatchedFile {
  private struct Stamp: Equatable {
    var device: UInt64
    var number: UInt64
    var size: Int64
    var changed: [Int]
  }

  /// What came of looking.
  enum Look {
    case same
    case changed([UInt8])
    /// It is not there.
    case absent
    case failed(SystemError)
  }

  let path: String
  private let limit: Int
  private var last: Stamp?
  private var isKnown = false

  init(_ path: String, limit: Int) { (self.path, self.limit) = (path, limit) }

  mutating func look() -> Look {
    var status = stat()
    guard stat(path, &status) == 0 else {
      let fault = SystemError(errno: errno, call: "stat")
      guard !isKnown || last != nil else { return .same }
      (isKnown, last) = (true, nil)
      return fault.errno == ENOENT ? .absent : .failed(fault)
    }
    let stamp = Stamp(
      device: UInt64(status.st_dev), number: UInt64(status.st_ino), size: Int64(status.st_size),
      changed: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec])
    guard stamp != last else { return .same }
    (isKnown, last) = (true, stamp)
    do throws(SystemError) {
      return .changed(try SmallFile.read(path, limit: limit + 1))
    } catch {
      return .failed(error)
    }
  }
}
