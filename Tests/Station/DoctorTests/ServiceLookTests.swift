import Expectations
import ScanModel
import StationProtocol
import StationReport
import StationTesting
import Testing

@testable import Doctor

/// What a report says of a service that answers.
@Suite struct ServiceLookTests {
  private func findings(_ change: (inout StationSnapshot) -> Void = { _ in }) -> [Finding] {
    var station = SampleStation.snapshot()
    change(&station)
    return ServiceLook.findings(station, program: "0.1.0")
  }

  @Test func aStationThatIsWellIsSaidToBe() {
    let found = findings()
    expect(found.allSatisfy { $0.severity <= .note }, "\(found)")
    expect(found.contains { $0.place == "readers.north-reader" && $0.words.contains("/dev/input/event5") })
    expect(found.contains { $0.area == .ticketSystems && $0.words.contains("55 of 60") })
    expect(found.contains { $0.area == .lists && $0.words == "4812 tickets, 12 min old." }, "\(found)")
  }

  /// Each remark of the one judgement is a finding, with a cure, where it belongs.
  @Test func whatIsJudgedIsFoundWhereItBelongs() throws {
    let cases: [(Finding.Area, String, (inout StationSnapshot) -> Void)] = [
      (.service, "gates.north", { $0.gates[0].condition = .init(state: "fault", detail: "our key") }),
      (.readers, "readers.south-reader", { $0.readers[1].condition = .init(state: "parked") }),
      (.ticketSystems, "ticketSystems.venue", { $0.ticketSystems[0].offline = .noConnection }),
      (.lists, "ticketSystems.venue.list", { $0.ticketSystems[0].list?.age = .seconds(100_000) }),
      (.outbox, "outbox", { $0.outbox.isHeld = true }),
      (.journal, "journal", { $0.journal = .init(state: "failing", detail: "the disk is full") }),
      (.disk, "disk", { $0.disk = .init(free: 100_000_000, size: 8_000_000_000) }),
      (.certificates, "ticketSystems.venue", { $0.ticketSystems[0].certificateEnds = $0.at + .seconds(86_400) }),
      (.configuration, "configuration", { $0.reload = .init(outcome: .init(state: "kept"), at: $0.at) }),
      (
        .control, "control",
        { station in
          var control = StationSnapshot.Control()
          control.words = ["it is not activated"]
          station.control = control
        }
      ),
      (.clock, "clock", { $0.isClockTrusted = false }), (.service, "service", { $0.version = "0.0.9" }),
    ]
    for (area, place, change) in cases {
      let bad = findings(change).filter { $0.severity >= .warning }
      let finding = try #require(bad.first { $0.area == area && $0.place == place }, "\(place): \(bad)")
      expect(finding.cure?.isEmpty == false, "\(finding)")
      var station = SampleStation.snapshot()
      change(&station)
      expectEqual(bad.count, StationJudgement.remarks(on: station, program: "0.1.0").count, "\(place)")
    }
    expectEqual(
      findings { $0.gates[0].condition = .init(state: "fault", detail: "our key") }.map(\.severity).max(), .fault)
  }

  /// What is found from outside says more, and names keep their letters.
  @Test func nothingIsSaidTwice() throws {
    let said = findings { station in
      station.readers[0].condition = .init(state: "parked")
      station.ticketSystems[0].offline = .noConnection
    }
    let system = try #require(said.first { $0.place == "ticketSystems.venue" && $0.severity == .warning })
    expect(system.words.hasPrefix("venue.example:443 counts as offline"), "\(system)")
    let found = [
      Finding(.fault, .readers, "readers.north-reader", "It is not plugged in.", cure: "Plug it in."),
      Finding(.good, .ticketSystems, "ticketSystems.venue", "It answers."),
    ]
    let rest = ServiceLook.rest(of: said, beside: found)
    expectEqual(said.filter { !rest.contains($0) }.map(\.place), ["readers.north-reader"])
  }

  /// There is one disk, and a certificate that is shown now stands above the one that the service was shown last.
  @Test func whatIsSeenNowStandsAboveWhatTheServiceSaw() throws {
    let said = findings { station in
      station.disk = .init(free: 100_000_000, size: 8_000_000_000)
      station.ticketSystems[0].certificateEnds = station.at + .seconds(86_400)
    }.filter { $0.severity >= .warning }
    expectEqual(Set(said.map(\.area)), [.disk, .certificates])
    expectEqual(ServiceLook.rest(of: said, beside: []).count, 2)
    let found = [
      Finding(.good, .certificates, "ticketSystems.venue", "It holds."),
      Finding(.warning, .disk, "/var/lib/scangate", "It is filling up.", cure: "df -h"),
    ]
    expectEqual(ServiceLook.rest(of: said, beside: found), [])
    let other = Finding(.good, .certificates, "ticketSystems.other", "It holds.")
    expectEqual(ServiceLook.rest(of: said, beside: [other]).count, 2)
  }

  /// An hour is an hour, whether the service tells of the outbox or its journal is looked into.
  @Test func theOutboxIsJudgedOnce() {
    var outbox = StationSnapshot.Outbox()
    let now = SampleStation.now
    func judged(owed: UInt64, for seconds: Int64) -> ([String], [String]) {
      (outbox.owed, outbox.oldest) = (owed, now - .seconds(seconds))
      let own = ServiceLook.outbox(outbox, at: now)
      let told = findings { $0.outbox = outbox }.filter { $0.area == .outbox }
      return (own.map { "\($0.severity) \($0.words)" }, told.map { "\($0.severity) \($0.words)" })
    }
    for (owed, seconds, begin) in [
      (UInt64(0), Int64(0), "good"), (1, 60, "note 1 admission waits"), (2, 3_600, "note 2 admissions wait"),
      (2, 3_601, "warning 2 admissions wait"),
    ] {
      let (own, told) = judged(owed: owed, for: seconds)
      expectEqual(own, told)
      expect(own.count == 1 && own[0].hasPrefix(begin), "\(own)")
    }
  }

  @Test func aControlServiceIsWellOnlyWhereAllIs() {
    func judge(_ change: (inout StationSnapshot.Control) -> Void) -> Finding.Severity? {
      var control = StationSnapshot.Control()
      (control.isActivated, control.isConnected) = (true, true)
      (control.isTokenValid, control.isCurrent) = (true, true)
      change(&control)
      return findings { $0.control = control }.first { $0.area == .control }?.severity
    }
    expectEqual(judge { _ in }, .good)
    for change: (inout StationSnapshot.Control) -> Void in [
      { $0.isActivated = false }, { $0.isConnected = false }, { $0.isTokenValid = false }, { $0.isCurrent = false },
    ] { expectEqual(judge(change), .warning) }
  }

  @Test func whyAServiceSaysNothingIsSaid() {
    expectEqual(ServiceLook.finding(StationAbsence(.notAllowed, "not you")).severity, .note)
    for kind in [StationAbsence.Kind.nobody, .refused, .silent] {
      let finding = ServiceLook.finding(StationAbsence(kind, "no answer"))
      expect(finding.severity == .warning && finding.words.contains("no answer") && finding.cure != nil)
    }
  }
}
