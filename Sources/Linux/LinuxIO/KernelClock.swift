internal import CLinux
package import ScanModel
internal import Synchronization

/// Whether something keeps the machine's civil clock right, as the kernel knows it (adjtimex(2), STA_UNSYNC).
///
/// A unit that may not set the clock (`ProtectClock=`) may not ask the kernel either: the call is refused whole. There the time daemon is
/// asked, which asks the kernel, until it has said yes; that is good for as long as nobody sets the clock.
///
///                ┌─asked: no─┐
///                ▼           │
///     refused ──▶ nobody says so ──asked: yes──▶ said, at this distance of civil and monotonic clock
///                       ▲ ◀───the distance is another: the clock was set───┘
package final class KernelClock: Sendable {
  /// What the kernel says.
  package enum Word: Sendable, Equatable {
    case synchronised, unsynchronised
    /// This process may not ask.
    case refused
  }

  /// This machine's.
  package static let shared = KernelClock()

  /// How far the civil clock may move against the monotonic one before it counts as set.
  private static let slewing: Duration = .seconds(2)
  /// How soon the daemon is asked again, at first, while a machine that was just started finds its time, and when it said no so many times.
  private static let firstPause: Duration = .seconds(15)
  private static let laterPause: Duration = .seconds(240)
  private static let firstTries = 40

  private let time: any TimeSource
  private let kernel: @Sendable () -> Word
  private let daemon: @Sendable () -> Bool
  /// The distance of the civil clock from the monotonic one when the daemon said yes.
  private let said = Mutex<Int64?>(nil)

  /// - Parameters:
  ///   - kernel: asks the kernel.
  ///   - daemon: asks the time daemon, which may take seconds.
  package init(
    time: any TimeSource = SystemTime(), kernel: @escaping @Sendable () -> Word = KernelClock.ask,
    daemon: @escaping @Sendable () -> Bool = { TimeDaemon.saysSynchronised() }
  ) {
    self.time = time
    self.kernel = kernel
    self.daemon = daemon
  }

  /// Whether the clock is kept right now; does not wait for anything.
  package var isSynchronised: Bool {
    switch kernel() {
    case .synchronised: return true
    case .unsynchronised: return false
    case .refused:
      guard let distance = said.withLock({ $0 }) else { return false }
      let moved = self.distance.subtractingReportingOverflow(distance)
      return !moved.overflow && moved.partialValue.magnitude < UInt64(Self.slewing.saturatedNanoseconds)
    }
  }

  /// Asks the daemon, where that alone can tell. Waits for it.
  package func refresh() {
    guard kernel() == .refused, !isSynchronised else { return }
    let before = distance
    guard daemon() else { return }
    said.withLock { $0 = before }
  }

  /// Asks again and again while nobody has said yes, until it is cancelled.
  package func follow() async {
    var tries = 0
    while !Task.isCancelled {
      if kernel() == .refused, !isSynchronised {
        await SystemThread.run("clock") { self.refresh() }
        tries += 1
      } else {
        tries = 0
      }
      do { try await Task.sleep(for: tries < Self.firstTries ? Self.firstPause : Self.laterPause) } catch { return }
    }
  }

  private var distance: Int64 { time.wall().nanoseconds &- time.now().nanoseconds }

  /// Asks the kernel.
  package static func ask() -> Word {
    switch clinux_clock_is_synchronised() {
    case 1: .synchronised
    case 0: .unsynchronised
    default: .refused
    }
  }
}
