import Glibc
import LinuxIO
import ScanModel

/// Tells a journal from what somebody else keeps, by reading alone: a wrong word in the configuration must cost nobody a file.
enum Recognition {
  /// Refuses what is not recognisably a journal.
  /// - Parameter isClaimed: whether the claim of an earlier run lies beside it.
  static func check(_ path: String, isClaimed: Bool) throws(JournalFault) {
    var entry = stat()
    guard lstat(path, &entry) == 0 else {
      guard errno == ENOENT else { throw JournalFault(SystemError(errno: errno, call: "stat"), at: path) }
      if isClaimed || !isThere("\(path)-wal") || hasSQLitesFiles(path) { return }
      throw JournalFault(
        .unavailable,
        "\(path)-wal is no log of a journal, and lies where one belongs. Move it away, or name another journal.")
    }
    guard entry.st_mode & S_IFMT == S_IFREG else {
      throw JournalFault(.unavailable, "\(path) is no file. Name another journal.")
    }
    if entry.st_size == 0 { return }
    let head = try head(of: path, 105)
    if head.starts(with: [UInt8]("SQLite format 3\0".utf8)), head.count == 105 {
      let application = head[68..<72].reduce(Int64(0)) { $0 << 8 | Int64($1) }
      // A file that is just being made has no mark yet, but the claim lies beside it, or what undoes the making.
      if application == Schema.applicationID { return }
      if application == 0, isClaimed || isUndone(path) || isEmpty(head, path) { return }
      throw JournalFault(.unavailable, "\(path) belongs to another program. It was left alone; name another journal.")
    }
    if isClaimed || hasSQLitesFiles(path) { return }
    throw JournalFault(
      .unavailable,
      "\(path) is no journal. It was left alone: name another file for the journal, or move this one away.")
  }

  /// Whether what lies beside the file was written by SQLite: a destroyed head can be ours.
  private static func hasSQLitesFiles(_ path: String) -> Bool {
    let log = (try? head(of: "\(path)-wal", 4)) ?? []
    if log.starts(with: [0x37, 0x7F, 0x06]), log.last == 0x82 || log.last == 0x83 { return true }
    // The version of the index, in the machine's own order of bytes (sqlite.org/walformat.html).
    let index = (try? head(of: "\(path)-shm", 4)) ?? []
    return index == withUnsafeBytes(of: UInt32(3_007_000)) { [UInt8]($0) } || isUndone(path)
  }

  /// Whether a database holds nothing at all: no version, no table on its first page, and no log.
  private static func isEmpty(_ head: [UInt8], _ path: String) -> Bool {
    head[60..<64].allSatisfy { $0 == 0 } && head[100] == 13 && head[103] == 0 && head[104] == 0
      && !isThere("\(path)-wal")
  }

  /// Whether a rollback journal lies beside the file: it was being made when the power went.
  static func isUndone(_ path: String) -> Bool {
    (try? head(of: "\(path)-journal", 8)) == [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
  }

  private static func isThere(_ path: String) -> Bool {
    var entry = stat()
    return lstat(path, &entry) == 0 && entry.st_size > 0
  }

  /// The first bytes of a file; none where it is absent.
  static func head(of path: String, _ count: Int) throws(JournalFault) -> [UInt8] {
    let number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard number >= 0 else {
      if errno == ENOENT { return [] }
      throw JournalFault(SystemError(errno: errno, call: "open"), at: path)
    }
    let file = OwnedDescriptor(owning: number)
    var bytes = [UInt8](repeating: 0, count: count)
    let found = pread(file.number, &bytes, count, 0)
    guard found >= 0 else { throw JournalFault(SystemError(errno: errno, call: "read"), at: path) }
    return Array(bytes.prefix(found))
  }
}
