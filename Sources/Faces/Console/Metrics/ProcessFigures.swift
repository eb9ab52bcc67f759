internal import Glibc
internal import LinuxIO
internal import ScanModel

/// What this process takes of the machine, as far as the machine tells.
package struct ProcessFigures: Sendable, Equatable {
  /// How long its threads have computed.
  package var cpu = Duration.zero
  /// Memory in bytes: in use, and reserved.
  package var resident: UInt64?
  package var virtual: UInt64?
  /// Descriptors that are open, and how many may be.
  package var openFiles: UInt64?
  package var mostFiles: UInt64?

  package init() {}

  /// Reads them.
  package static func now() -> Self {
    var figures = Self()
    var time = timespec()
    if clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 {
      figures.cpu = .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }
    if let bytes = try? SmallFile.read("/proc/self/statm", limit: 256) {
      let page = UInt64(clamping: sysconf(Int32(_SC_PAGESIZE)))
      let pages = String(decoding: bytes, as: UTF8.self).split(separator: " ").prefix(2).compactMap { UInt64($0) }
      if pages.count == 2 {
        figures.virtual = pages[0].multipliedReportingOverflow(by: page).partialValue
        figures.resident = pages[1].multipliedReportingOverflow(by: page).partialValue
      }
    }
    figures.openFiles = openDescriptors()
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0, limit.rlim_cur < UInt.max / 2 {
      figures.mostFiles = UInt64(limit.rlim_cur)
    }
    return figures
  }

  private static func openDescriptors() -> UInt64? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count: UInt64 = 0
    while let entry = readdir(folder) {
      // Not the folder itself and the one above it.
      if entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
    }
    // Nor what reads it.
    return count > 0 ? count - 1 : 0
  }
}
