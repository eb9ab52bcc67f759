import Expectations
import ScanModel
import Synchronization
import Testing

@testable import Gateway

/// Who is handed every event is handed it as long as the station runs.
@Suite struct EventHubTests {
  @Test func aNightOfEventsNeedsNoMoreStackThanOne() {
    let hub = EventHub()
    let count = Mutex(0)
    hub.hand { _ in count.withLock { $0 += 1 } }
    for _ in 0..<100_000 { hub.emit(.dropped(count: 1)) }
    hub.hand(to: nil)
    hub.emit(.dropped(count: 1))
    expectEqual(count.withLock { $0 }, 100_000)
  }
}
