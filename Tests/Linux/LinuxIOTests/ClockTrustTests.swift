import Expectations
import Glibc
import LinuxIO
import ScanModel
import Synchronization
import Testing

/// Clocks that a test sets.
private final class SetTime: TimeSource {
  private let state: Mutex<(now: Int64, wall: Int64)>
  init(now: Int64 = 1_000, wall: Int64 = 1_800_000_000) { state = Mutex((now, wall)) }
  func pass(_ seconds: Int64) { state.withLock { $0 = ($0.now + seconds, $0.wall + seconds) } }
  func set(by seconds: Int64) { state.withLock { $0.wall += seconds } }
  func now() -> MonotonicTime { MonotonicTime(nanoseconds: state.withLock { $0.now } * 1_000_000_000) }
  func wall() -> WallTime { WallTime(seconds: state.withLock { $0.wall }) }
}

@Suite struct ClockTrustTests {
  private static let boot = BootID("one")
  private static let next = BootID("two")

  private func trust(_ time: SetTime, battery: Int64? = nil, isDisciplined: Bool = false) -> ClockTrust {
    ClockTrust(
      time: time, isDisciplined: { isDisciplined }, battery: { battery.map { WallTime(seconds: $0) } })
  }

  @Test func whatWasDisciplinedStaysRightUntilItIsSet() {
    let time = SetTime()
    let network = Mutex(true)
    let clock = ClockTrust(time: time, isDisciplined: { network.withLock { $0 } }, battery: { nil })
    expect(clock.now().isTrusted)
    network.withLock { $0 = false }
    time.pass(100_000)
    expect(clock.now().isTrusted)
    time.set(by: 3)
    expect(!clock.now().isTrusted)
    // And a ticket system's word makes it right again.
    clock.compare(time.wall())
    expect(clock.now().isTrusted)
  }

  @Test func nothingIsKeptOfAClockThatNobodyConfirmed() {
    let time = SetTime()
    expect(!trust(time).now().isTrusted)
    expectEqual(trust(time).confirmation(in: Self.boot), nil)
  }

  @Test(arguments: [(Int64(0), true), (1, true), (-3, false), (3_600, false)])
  func trustHoldsOverRestartsWhileNobodySetsTheClock(setBy: Int64, isTrusted: Bool) throws {
    let time = SetTime()
    let noted = try #require(trust(time, isDisciplined: true).confirmation(in: Self.boot))
    time.pass(5_000)
    time.set(by: setBy)
    let later = trust(time)
    later.recall(noted, in: Self.boot)
    expectEqual(later.now().isTrusted, isTrusted)
  }

  /// The clock at the new start, the battery clock then, and whether it had agreed before.
  @Test(
    arguments: [
      (60, 60, true, true), (60, 63, true, true), (60, 70, true, false), (60, nil, true, false),
      (60, 60, false, false), (-60, -60, true, false), (-1_800_000_000, -1_800_000_000, true, false),
    ] as [(Int64, Int64?, Bool, Bool)])
  func trustHoldsOverAStartByABatteryClockThatAgreesAndIsNotBehind(
    wall: Int64, battery: Int64?, agreedBefore: Bool, isTrusted: Bool
  ) throws {
    let begin: Int64 = 1_800_000_000
    let before = trust(SetTime(wall: begin), battery: agreedBefore ? begin + 1 : begin + 600, isDisciplined: true)
    let noted = try #require(before.confirmation(in: Self.boot))
    expectEqual(noted.hasBattery, agreedBefore)
    let later = trust(SetTime(now: 20, wall: begin + wall), battery: battery.map { begin + $0 })
    later.recall(noted, in: Self.next)
    expectEqual(later.now().isTrusted, isTrusted)
  }

  @Test func aBatteryClockIsReadFromTheKernelsFiles() throws {
    var template = Array("/tmp/rtc-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    defer {
      for name in ["since_epoch", "report"] { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    let clock = BatteryClock(folder: folder, device: "\(folder)/none", report: "\(folder)/report")
    expectEqual(clock.time(), nil)
    let files: [(String, String, WallTime?)] = [
      ("1800000000\n", "rtc_time\t: 1\nbatt_status\t: okay\n", WallTime(seconds: 1_800_000_000)),
      ("1800000000\n", "batt_status\t: dead\n", nil), ("\n", "", nil), ("99999999999999999999\n", "", nil),
    ]
    for (time, report, expected) in files {
      try put(time, at: "\(folder)/since_epoch")
      try put(report, at: "\(folder)/report")
      expectEqual(clock.time(), expected)
    }
  }

  private func put(_ text: String, at path: String) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(file >= 0)
    defer { close(file) }
    try #require(write(file, text, text.utf8.count) == text.utf8.count)
  }
}
