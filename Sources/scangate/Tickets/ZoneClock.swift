import Glibc
import ScanModel

/// Civil time in zones by their names, from the system's own zone files. For a command that does one thing at a time: the zone
/// is the process's.
final class ZoneClock {
  private let machines = getenv("TZ").map { String(cString: $0) }
  private let usual: String?
  private var current: String?

  /// - Parameter usual: the zone where none is named; `nil` for the machine's.
  init(usual: String?) { self.usual = usual }

  /// Whether the system knows a zone of that name.
  static func knows(_ zone: String) -> Bool {
    let isPlain = zone.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
        || "/_+-".utf8.contains(byte)
    }
    guard isPlain, (1...64).contains(zone.utf8.count), !zone.hasPrefix("/") else { return false }
    if zone == "UTC" { return true }
    let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    var status = stat()
    return stat("\(folder)/\(zone)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The time of a day and a clock in a zone; `nil` where there is no such day or zone.
  func time(zone: String?, day: [Int], clock: [Int]) -> WallTime? {
    let wanted = zone ?? usual
    if wanted != current {
      if let wanted {
        guard Self.knows(wanted) else { return nil }
        setenv("TZ", wanted, 1)
        current = wanted
      } else {
        leave()
      }
    }
    return LocalTime.time(day: day, clock: clock)
  }

  /// Goes back to the machine's zone.
  func leave() {
    current = nil
    if let machines { setenv("TZ", machines, 1) } else { unsetenv("TZ") }
    tzset()
  }
}
