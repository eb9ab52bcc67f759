import Admission
@testable import Gateway
import LinuxIO
import ScanModel
import StationProtocol

@testable import scangate

/// A station of two gates at which all is well, and what happens there.
enum Fixture {
  /// 2026-11-21T18:42:07Z.
  static let now = WallTime(seconds: 1_795_286_527)
  static let clock = PageClock(now: now, zone: .utc)
  /// What could harm a terminal, and what has no width or two.
  static let hostile = "\u{1B}[2J\"\\\u{202E}evil\u{2028}\n\u{0}\u{9B}漢字🎟️e\u{301}"

  static var station: StationSnapshot {
    var station = StationSnapshot(station: "door", version: Scangate.version, at: now, uptime: .seconds(3 * 3_600))
    station.gates = ["north", "south"].map { name in
      var gate = StationSnapshot.Gate(
        id: GateID(name), condition: .init(state: "ready"), ticketSystem: TicketSystemID("venue"))
      gate.readers = [ReaderID(name + "-reader")]
      gate.passed = name == "north" ? 412 : 31
      gate.isExit = name == "south"
      return gate
    }
    station.readers = ["north-reader", "south-reader"].map {
      StationSnapshot.Reader(
        id: ReaderID($0), condition: .init(state: "reading", detail: "Honeywell 1950g at /dev/input/event5"), since: now
      )
    }
    var system = StationSnapshot.TicketSystem(id: TicketSystemID("venue"), type: "eventschedule")
    system.host = "venue.example:443"
    system.budget = .init(left: 55, most: 60)
    system.clockAhead = .milliseconds(-240)
    system.list = .init(tickets: 4_812, age: .seconds(720), mostAge: .seconds(86_400))
    station.ticketSystems = [system]
    station.isClockTrusted = true
    return station
  }

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
