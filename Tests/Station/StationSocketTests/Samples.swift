import Glibc
import ScanModel

@testable import Gateway

/// Whoever runs these tests.
var thisUser: UInt32 { getuid() }

func sampleScan(holder: String?) -> DecidedScan {
  DecidedScan(
    scan: Scan(
      gate: GateID("north"), reader: ReaderID("left"), code: Code("good-ticket-1"),
      readAt: MonotonicTime(nanoseconds: 5)),
    verdict: .admit, readAt: WallTime(seconds: 1), decidedIn: .milliseconds(3), details: TicketDetails(holder: holder),
    admitted: 1, allowance: 1, decider: .server, isProvisional: false)
}
