import Glibc
import LinuxIO
import ScanModel

/// Folders and their entries, which are durable only when the folder itself was synced.
enum Folder {
  /// The folder that a file is in.
  static func of(_ path: String) -> String {
    guard let end = path.lastIndex(of: "/") else { return "." }
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  /// Makes a folder, readable by its owner alone, but none above it: a mistyped path is no wish for a tree of folders. One
  /// that is there is left alone.
  static func make(_ path: String) throws(JournalFault) {
    if mkdir(path, 0o700) == 0 { return }
    let error = SystemError(errno: errno, call: "mkdir")
    if access(path, F_OK) == 0 { return }
    guard error.errno == ENOENT else { throw JournalFault(error, at: path) }
    throw JournalFault(
      .unavailable, "There is no folder \(of(path)) for the journal. Make it, or name another journal.")
  }

  /// Makes what was created, renamed or deleted in a folder durable.
  static func sync(_ path: String) throws(SystemError) {
    let folder = try OwnedDescriptor.open(path, O_RDONLY | O_DIRECTORY)
    guard fsync(folder.number) == 0 else { throw SystemError(errno: errno, call: "fsync") }
  }

  /// Makes a file durable that nobody has open.
  static func syncFile(_ path: String) throws(SystemError) {
    let file = try OwnedDescriptor.open(path, O_RDWR)
    guard fsync(file.number) == 0 else { throw SystemError(errno: errno, call: "fsync") }
  }
}

/// Times in file names.
enum CivilStamp {
  /// Such as `20261121T154600Z`.
  static func text(_ time: WallTime) -> String {
    var seconds = time_t(time.seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    func digits(_ value: Int32, _ count: Int) -> String {
      let text = String(value)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return digits(parts.tm_year &+ 1_900, 4) + digits(parts.tm_mon &+ 1, 2) + digits(parts.tm_mday, 2) + "T"
      + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "Z"
  }
}
