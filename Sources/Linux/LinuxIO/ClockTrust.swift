import Glibc
package import ScanModel
import Synchronization

/// Whether the machine's civil clock can be believed.
///
/// A Raspberry Pi has no clock that outlives its power: after a cut it wakes up in the past until the network tells it the
/// time. The kernel knows whether something disciplines the clock (`adjtimex`, STA_UNSYNC). Where nothing does, it is believed
/// once something has confirmed it, for as long as nobody sets it:
///
/// - it was disciplined before, in this start of the machine;
/// - a ticket system's `Date` agreed;
/// - an earlier process of this start of the machine had it confirmed, and it was not set since (`recall`);
/// - in an earlier start it was confirmed and the battery clock agreed with it; the battery clock agrees again, reports no loss of
///   power, and is not behind what was known then.
package final class ClockTrust: Sendable {
  /// How a clock was confirmed, to outlive the process.
  package struct Confirmation: Sendable, Codable, Equatable {
    /// The start of the machine.
    package var boot: String
    /// The civil clock minus the monotonic one, in nanoseconds.
    package var distance: Int64
    /// When it was noted, in nanoseconds of civil time.
    package var at: Int64
    /// Whether the battery clock agreed with it.
    package var hasBattery: Bool
  }

  /// How far a ticket system's clock may be from ours to confirm it: its whole seconds, and an answer's way.
  private static let agreement: Duration = .seconds(5)
  /// How far the civil clock may move against the monotonic one before it counts as set.
  private static let slewing: Duration = .seconds(2)

  private let time: any TimeSource
  private let isDisciplined: @Sendable () -> Bool
  private let battery: @Sendable () -> WallTime?
  /// The distance of the civil clock from the monotonic one when it was confirmed.
  private let confirmed = Mutex<Int64?>(nil)

  /// Makes the judge of this machine's clock.
  /// - Parameters:
  ///   - isDisciplined: whether something keeps the clock right; the kernel's word at first.
  ///   - battery: the battery clock's time; `nil` where it has none to tell.
  package init(
    time: any TimeSource, isDisciplined: @escaping @Sendable () -> Bool = { KernelClock.shared.isSynchronised },
    battery: @escaping @Sendable () -> WallTime? = { BatteryClock().time() }
  ) {
    self.time = time
    self.isDisciplined = isDisciplined
    self.battery = battery
  }

  /// Now, by every clock.
  package func now() -> JournalTime {
    let wall = time.wall()
    let monotonic = time.now()
    return JournalTime(wall: wall, monotonic: monotonic, isTrusted: isTrusted(wall, monotonic))
  }

  /// Takes a ticket system's word on the time.
  package func compare(_ date: WallTime) {
    let wall = time.wall()
    guard Self.agree(wall, date) else { return }
    let offset = Self.offset(wall, time.now())
    confirmed.withLock { $0 = offset }
  }

  /// What is to outlive the process of a clock that is believed; `nil` where it is not. Asks the battery clock, which may take
  /// some milliseconds.
  package func confirmation(in boot: BootID) -> Confirmation? {
    let wall = time.wall()
    let monotonic = time.now()
    guard isTrusted(wall, monotonic) else { return nil }
    return Confirmation(
      boot: boot.description, distance: Self.offset(wall, monotonic), at: wall.nanoseconds,
      hasBattery: batteryAgrees(with: wall))
  }

  /// Takes what an earlier process has noted.
  package func recall(_ earlier: Confirmation, in boot: BootID) {
    let wall = time.wall()
    let monotonic = time.now()
    var distance = earlier.distance
    if earlier.boot != boot.description {
      guard earlier.hasBattery, wall.nanoseconds >= earlier.at, batteryAgrees(with: wall) else { return }
      distance = Self.offset(wall, monotonic)
    }
    confirmed.withLock { confirmed in if confirmed == nil { confirmed = distance } }
  }

  private func batteryAgrees(with wall: WallTime) -> Bool { battery().map { Self.agree(wall, $0) } ?? false }

  private static func agree(_ one: WallTime, _ other: WallTime) -> Bool {
    max(one, other) - min(one, other) < agreement
  }

  private func isTrusted(_ wall: WallTime, _ monotonic: MonotonicTime) -> Bool {
    if isDisciplined() {
      let offset = Self.offset(wall, monotonic)
      confirmed.withLock { $0 = offset }
      return true
    }
    guard let offset = confirmed.withLock({ $0 }) else { return false }
    let moved = Self.offset(wall, monotonic).subtractingReportingOverflow(offset)
    return !moved.overflow && moved.partialValue.magnitude < UInt64(Self.slewing.saturatedNanoseconds)
  }

  private static func offset(_ wall: WallTime, _ monotonic: MonotonicTime) -> Int64 {
    wall.nanoseconds &- monotonic.nanoseconds
  }
}

extension BootID {
  /// This start of the machine. Where the kernel does not tell, each process has one of its own: nothing is taken for
  /// known that is not.
  package static func current(file: String = "/proc/sys/kernel/random/boot_id") -> BootID {
    var buffer = [UInt8](repeating: 0, count: 64)
    if let file = try? OwnedDescriptor.open(file, O_RDONLY) {
      let count = read(file.number, &buffer, buffer.count)
      let text = String(decoding: buffer.prefix(max(0, count)).prefix { $0 > 0x20 }, as: UTF8.self)
      if text.utf8.count == 36 { return BootID(text) }
    }
    return BootID(ScanID().description)
  }
}
