import Expectations
import ScanModel
import Synchronization
import Testing
import TicketTransport

/// A machine that stands still while it tries to connect.
@Suite struct StandstillTests {
  /// Goes on as the machine's clock does, and by ten seconds more from its n-th answer on.
  private final class JumpingTime: TimeSource {
    private let asked = Mutex(0)
    private let jump: Int
    private let time = SystemTime()

    init(at jump: Int) { self.jump = jump }

    func now() -> MonotonicTime {
      let isLate = asked.withLock { asked in
        asked += 1
        return asked >= jump
      }
      return time.now() + (isLate ? .seconds(10) : .zero)
    }

    func wall() -> WallTime { time.wall() }
  }

  @Test func whatWasFoundOutBeforeItStoodStillIsNotForgotten() async throws {
    var causes: [OfflineCause?] = []
    for jump in 1...10 {
      let deadline = SystemTime().now() + .seconds(2)
      // Nobody listens on port 1 (tcpmux).
      let transport = try HTTPTransport(server: ServerAddress("http://127.0.0.1:1"), time: JumpingTime(at: jump))
      let outcome = await transport.send(HTTPCall(.get, path: "/"), deadline: deadline) { _ in }
      guard case .notSent(let fault) = outcome.result else {
        Issue.record("\(outcome)")
        return
      }
      causes.append(fault.offline)
      await transport.close()
    }
    expectEqual(causes.first, .some(nil), "nothing was tried")
    expect(causes.dropFirst().allSatisfy { $0 == .noConnection }, "\(causes)")
  }
}
