import Admission
@testable import Gateway
import LinuxIO
import ScanModel
import StationProtocol
import StationTesting

@testable import scangate

/// A station of two gates at which all is well, and what happens there.
enum Fixture {
  static let now = SampleStation.now
  static let clock = PageClock(now: now, zone: .utc)
  static let hostile = SampleStation.hostile

  static var station: StationSnapshot { SampleStation.snapshot(version: Scangate.version) }

  static func scan(
    _ verdict: Verdict, gate: String = "north", code: String = "secret-code-d8vd",
    _ change: (inout DecidedScan) -> Void = { _ in }
  ) -> String {
    var decided = DecidedScan(
      scan: Scan(
        gate: GateID(gate), reader: ReaderID("\(gate)-reader"), code: Code(code), readAt: MonotonicTime(nanoseconds: 1)),
      verdict: verdict, readAt: now - .seconds(60), decidedIn: .microseconds(51_710),
      details: TicketDetails(), admitted: 0, allowance: 1, decider: .server, isProvisional: false, note: nil,
      firstUse: nil, detail: nil, outputFault: nil)
    change(&decided)
    return GatewayEvent.scan(decided).jsonLine
  }

  static func event(_ line: String) -> ShownEvent? { ShownEvent(line: line, clock: clock) }
}

extension ShownEvent {
  /// All words, without colours.
  var text: String { words.map { $0.text(Paint(isColourful: false)) }.joined(separator: "\n") }
}

extension [ScreenLine] {
  /// All lines, without colours.
  var text: String { map { $0.text(Paint(isColourful: false)) }.joined(separator: "\n") }
}
