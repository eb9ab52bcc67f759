internal import CLinux
internal import Glibc
package import ScanModel

/// The machine's clock that outlives its power, where it has one (`rtc(4)`).
package struct BatteryClock: Sendable {
  private let folder: String
  private let device: String
  private let report: String

  /// Names the clock that the kernel lists first; touches nothing.
  package init(
    folder: String = "/sys/class/rtc/rtc0", device: String = "/dev/rtc0", report: String = "/proc/driver/rtc"
  ) {
    self.folder = folder
    self.device = device
    self.report = report
  }

  /// Its time, to the second; `nil` where there is none, or where it reports that its power was lost. What cannot be asked for
  /// (the device is root's on most machines) counts as no report.
  package func time() -> WallTime? {
    guard let text = Self.text("\(folder)/since_epoch"), let seconds = Int64(text.prefix { $0.isNumber }) else {
      return nil
    }
    if clinux_rtc_lost_power(device) == 1 { return nil }
    let lines = Self.text(report)?.split(separator: "\n") ?? []
    if lines.contains(where: { $0.hasPrefix("batt_status") && $0.hasSuffix("dead") }) { return nil }
    return WallTime(seconds: seconds)
  }

  private static func text(_ path: String) -> String? {
    guard let file = try? OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK),
      let bytes = try? SmallFile.read(file.number, upTo: 8_192)
    else { return nil }
    return String(decoding: bytes, as: UTF8.self)
  }
}
