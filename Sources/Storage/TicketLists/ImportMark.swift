internal import Glibc
internal import LinuxIO
internal import ScanModel

/// When a list was imported, by a clock that nobody sets: the machine's start, and the time since then, sleep included
/// (`CLOCK_BOOTTIME`). It tells the list's age where the civil clock cannot.
struct ImportMark: Sendable, Hashable {
  var boot: String
  /// In nanoseconds.
  var sinceBoot: Int64

  private static let boot = BootID.current().description

  /// Now.
  static func now() -> ImportMark {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return ImportMark(
      boot: boot, sinceBoot: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
  }

  /// How long it lies back; `nil` where the machine was started since.
  func age(at now: ImportMark) -> Duration? {
    guard boot == now.boot, 0 <= sinceBoot, sinceBoot <= now.sinceBoot else { return nil }
    return .nanoseconds(now.sinceBoot - sinceBoot)
  }
}
