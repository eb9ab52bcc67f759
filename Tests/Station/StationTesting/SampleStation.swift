package import ScanModel
package import StationProtocol

/// A station of two gates at which all is well.
package enum SampleStation {
  /// 2026-11-21T18:42:07Z.
  package static let now = WallTime(seconds: 1_795_286_527)
  /// What could harm a terminal, and what has no width or two.
  package static let hostile = "\u{1B}[2J\"\\\u{202E}evil\u{2028}\n\u{0}\u{9B}漢字🎟️e\u{301}"

  /// How it is.
  package static func snapshot(version: String = "0.1.0") -> StationSnapshot {
    var station = StationSnapshot(station: "door", version: version, at: now, uptime: .seconds(3 * 3_600))
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
}
