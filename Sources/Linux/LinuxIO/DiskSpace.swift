internal import Glibc

/// How much room a file system has, as `statvfs(3)` tells it.
package struct DiskSpace: Sendable, Equatable {
  /// Bytes that whoever is not root may still use, and all.
  package var free: UInt64, size: UInt64
  /// Files that can still be made; `nil` where the file system does not count them.
  package var files: UInt64?
  /// Whether nothing can be written.
  package var isReadOnly: Bool

  package init(free: UInt64, size: UInt64, files: UInt64? = nil, isReadOnly: Bool = false) {
    self.free = free
    self.size = size
    self.files = files
    self.isReadOnly = isReadOnly
  }

  /// Asks the file system on which a file lies, which may take as long as its disk does; `nil` where that cannot be told.
  package init?(of path: String) {
    var found = statvfs()
    guard statvfs(path, &found) == 0 else { return nil }
    let unit = UInt64(found.f_frsize)
    self.init(
      free: UInt64(found.f_bavail).multipliedReportingOverflow(by: unit).partialValue,
      size: UInt64(found.f_blocks).multipliedReportingOverflow(by: unit).partialValue,
      files: found.f_files == 0 ? nil : UInt64(found.f_favail),
      isReadOnly: UInt(found.f_flag) & UInt(bitPattern: ST_RDONLY) != 0)
  }
}
