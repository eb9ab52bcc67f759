import Glibc
import LinuxIO
import ScanModel

/// Folders of journals.
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
}

/// Times in file names.
enum CivilStamp {
  /// Such as `20261121T154600Z`.
  static func text(_ time: WallTime) -> String { String(time.iso8601Seconds.filter { $0 != "-" && $0 != ":" }) }
}
