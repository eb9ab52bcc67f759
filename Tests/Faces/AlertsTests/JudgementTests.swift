import Expectations
import ScanConfiguration
import ScanModel
import StationProtocol
import StationTesting
import Testing

@testable import Alerts

/// What is found to be wrong.
@Suite struct JudgementTests {
  private static func found(
    _ change: (inout StationSnapshot) -> Void = { _ in }, conflicts: Bool = false
  ) -> [AlertKey: AlertEvidence] {
    var station = SampleStation.snapshot()
    change(&station)
    return AlertJudgement.found(station, conflicts: conflicts)
  }

  private static func bad(_ found: [AlertKey: AlertEvidence]) -> Set<AlertKey> {
    Set(found.filter { if case .bad = $0.value { true } else { false } }.keys)
  }

  @Test func aStationAtWhichAllIsWellHasNothingWrong() {
    let found = Self.found()
    expect(found.values.allSatisfy { $0 == .good }, "\(found)")
    // Each thing is looked at.
    expectEqual(
      Set(found.keys.map(\.condition)), Set(AlertCondition.allCases))
  }

  @Test func whatIsWrongIsFound() {
    typealias Change = (inout StationSnapshot) -> Void
    let venue = AlertKey(.ticketSystem, "venue")
    let key = AlertKey(.key, "venue")
    let clock = AlertKey(.clock)
    var cases: [(AlertKey, Change)] = []
    cases.append((AlertKey(.gate, "north"), { $0.gates[0].outputFault = "x" }))
    cases.append(
      (
        AlertKey(.gate, "north"),
        {
          $0.gates[0].condition = .init(state: "fault", detail: "x")
          $0.gates[0].reason = .outOfService
        }
      ))
    cases.append((AlertKey(.outbox), { $0.outbox.isHeld = true }))
    cases.append(
      (
        AlertKey(.outbox),
        {
          $0.outbox.owed = 3
          $0.outbox.oldest = $0.at - .seconds(3_601)
        }
      ))
    cases.append((AlertKey(.disk), { $0.journal = .init(state: "failing", detail: "x") }))
    for (free, size) in [(255_000_000, 1_000_000_000), (600_000_000, 31_000_000_000)] as [(UInt64, UInt64)] {
      cases.append((AlertKey(.disk), { $0.disk = .init(free: free, size: size) }))
    }
    for days in [-1, 0, 29] {
      cases.append(
        (
          AlertKey(.certificate, "venue"),
          { $0.ticketSystems[0].certificateEnds = $0.at + .seconds(days * 86_400) }
        ))
    }
    cases.append((clock, { $0.isClockTrusted = false }))
    cases.append((clock, { $0.ticketSystems[0].clockAhead = .seconds(-121) }))
    cases.append((clock, { $0.ticketSystems[0].fault = .init(reason: .clockWrong, detail: "x") }))
    for state in ["parked", "waiting", "failed"] {
      cases.append(
        (AlertKey(.reader, "south-reader"), { $0.readers[1].condition = .init(state: state, detail: "x") }))
    }
    for cause in OfflineCause.allCases where cause != .rateLimited {
      cases.append((venue, { $0.ticketSystems[0].offline = cause }))
    }
    for reason in [UndecidedReason.tlsFault, .badAnswer, .unreachable] {
      cases.append((venue, { $0.ticketSystems[0].fault = .init(reason: reason, detail: "x") }))
    }
    for reason in [UndecidedReason.keyRefused, .accessDenied, .keyBlocked] {
      cases.append((key, { $0.ticketSystems[0].fault = .init(reason: reason, detail: "x") }))
    }
    for (wrong, change) in cases { expectEqual(Self.bad(Self.found(change)), [wrong], "\(wrong)") }
    expectEqual(Self.bad(Self.found(conflicts: true)), [AlertKey(.conflict)])
  }

  @Test func whatIsNobodysFaultIsNotWrong() {
    let changes: [(inout StationSnapshot) -> Void] = [
      { $0.gates[0].condition = .init(state: "maintenance") }, { $0.gates[0].condition = .init(state: "closed") },
      { $0.gates[0].condition = .init(state: "notSetUp") }, { $0.gates[0].condition = .init(state: "starting") },
      { $0.readers[0].condition = .init(state: "starting") }, { $0.ticketSystems[0].offline = .rateLimited },
      { $0.ticketSystems[0].isBeingAsked = true },
      { $0.ticketSystems[0].certificateEnds = $0.at + .seconds(31 * 86_400) },
      { $0.disk = .init(free: 700_000_000, size: 31_000_000_000) },
      {
        $0.outbox.owed = 3
        $0.outbox.oldest = $0.at - .seconds(3_599)
      },
      // What is in the outbox of a clock that was put back.
      {
        $0.outbox.owed = 3
        $0.outbox.oldest = $0.at + .seconds(86_400)
      },
    ]
    for (number, change) in changes.enumerated() { expectEqual(Self.bad(Self.found(change)), [], "\(number)") }
  }

  /// The station knows since when; nothing began before its service, nor in the future.
  @Test func sinceWhenIsTheStationsWord() {
    let now = SampleStation.now
    func since(_ key: AlertKey, _ change: (inout StationSnapshot) -> Void) -> WallTime? {
      guard case .bad(let words)? = Self.found(change)[key] else {
        expect(false, "\(key) is well")
        return nil
      }
      return words.since
    }
    for (told, expected) in [
      (now - .seconds(600), now - .seconds(600)), (now + .seconds(600), now),
      (WallTime(seconds: 0), now - .seconds(3 * 3_600)), (nil, nil),
    ] as [(WallTime?, WallTime?)] {
      expectEqual(
        since(AlertKey(.reader, "north-reader")) {
          $0.readers[0] = .init(id: $0.readers[0].id, condition: .init(state: "parked"), since: told)
        },
        expected)
      expectEqual(
        since(AlertKey(.gate, "north")) {
          $0.gates[0].condition = .init(state: "fault")
          $0.gates[0].reason = .outOfService
          $0.gates[0].since = told
        }, expected)
      expectEqual(
        since(AlertKey(.ticketSystem, "venue")) {
          $0.ticketSystems[0].offline = .timeOut
          $0.ticketSystems[0].offlineSince = told
        }, expected)
    }
    // Ready, and its outputs fail: when it became ready is not since when.
    expectEqual(
      since(AlertKey(.gate, "north")) {
        $0.gates[0].outputFault = "x"
        $0.gates[0].since = now - .seconds(600)
      }, nil)
  }

  /// Whether a key is good only who answers can tell.
  @Test func aKeyIsNotJudgedWhileNobodyAnswers() {
    let key = AlertKey(.key, "venue")
    expectEqual(Self.found { $0.ticketSystems[0].offline = .noAddress }[key], .unknown)
    expectEqual(Self.found { $0.ticketSystems[0].isBeingAsked = true }[key], .unknown)
    expectEqual(Self.found { $0.control = StationSnapshot.Control() }[AlertKey(.key)], nil)
    func control(_ isConnected: Bool, _ isValid: Bool) -> AlertEvidence? {
      Self.found { station in
        var control = StationSnapshot.Control()
        (control.isActivated, control.isConnected, control.isTokenValid) = (true, isConnected, isValid)
        station.control = control
      }[AlertKey(.key)]
    }
    expectEqual(control(false, false), .unknown)
    expectEqual(control(true, true), .good)
    guard case .bad? = control(true, false) else { return expect(false, "a token that is not accepted") }
  }

  @Test func aServiceHasToStay() {
    expectEqual(Self.found { $0.uptime = .seconds(119) }[AlertKey(.service)], .unknown)
    expectEqual(Self.found { $0.uptime = .seconds(120) }[AlertKey(.service)], .good)
    for kind in [StationAbsence.Kind.nobody, .silent, .refused, .notAllowed] {
      expectEqual(Self.bad(AlertJudgement.found(StationAbsence(kind, "x"))), [AlertKey(.service)])
    }
  }

  @Test func certificatesAreRenewedInTime() {
    let now = SampleStation.now
    expectEqual(AlertJudgement.certificate(ending: nil, at: now), .good)
    expectEqual(AlertJudgement.certificate(ending: now + .seconds(31 * 86_400), at: now), .good)
    for days in [29, 0, -1] {
      guard case .bad = AlertJudgement.certificate(ending: now + .seconds(days * 86_400), at: now) else {
        return expect(false, "\(days) days")
      }
    }
  }

  @Test func conflictsAreNewForAQuarterOfAnHour() {
    var watch = ConflictWatch(known: 2)
    expect(!watch.take(2, uptime: .seconds(100), after: .zero))
    expect(watch.take(3, uptime: .seconds(110), after: .seconds(10)))
    expect(watch.take(3, uptime: .seconds(1_009), after: .seconds(899)))
    expect(!watch.take(3, uptime: .seconds(1_010), after: .seconds(1)))
    // Another start counts anew.
    expect(!watch.take(0, uptime: .seconds(5), after: .seconds(10)))
    expect(watch.take(3, uptime: .seconds(15), after: .seconds(10)), "as many as before the restart, and new")
  }

  /// Names of the file, words and numbers of ours; nothing that a device, a server or a person has written.
  @Test func nothingThatOthersWroteIsTold() {
    let secret = "hunter2-\(SampleStation.hostile)"
    var station = SampleStation.snapshot(version: secret)
    station.journal = .init(state: "failing", detail: secret)
    station.reload = .init(outcome: .init(state: "kept", detail: secret), at: station.at)
    station.holder = secret
    station.outbox.isHeld = true
    for index in station.gates.indices {
      station.gates[index].condition = .init(state: "ready", detail: secret)
      station.gates[index].outputFault = secret
    }
    for (index, state) in ["failed", "waiting"].enumerated() {
      station.readers[index].condition = .init(state: state, detail: secret)
    }
    station.ticketSystems[0].host = secret
    station.ticketSystems[0].doubt = secret
    station.ticketSystems[0].list?.refresh = .init(state: "failed", detail: secret)
    station.isClockTrusted = false
    var control = StationSnapshot.Control()
    (control.isActivated, control.isConnected, control.server, control.words) = (true, true, secret, [secret])
    station.control = control
    var messages: [AlertMessage] = []
    for reason in UndecidedReason.allCases {
      station.ticketSystems[0].fault = .init(reason: reason, detail: secret)
      let all = AlertJudgement.found(station, conflicts: true).merging(
        AlertJudgement.found(StationAbsence(.refused, secret))
      ) { $1 }
      for (key, evidence) in all {
        guard case .bad(let words) = evidence else { continue }
        for isResolved in [false, true] {
          messages.append(
            AlertMessage(
              AlertBook.News(
                key: key, isResolved: isResolved, words: words, since: station.at, at: station.at, isRecurring: true),
              station: station.station))
        }
      }
    }
    expect(messages.count > 100)
    for message in messages {
      let text = "\(message.title)\n\(message.body)\n\(message.tags)"
      expect(!text.contains("hunter2"), "\(text)")
      expect(text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == 0x0A }, "\(text)")
      expect(message.title.utf8.count <= 200 && message.body.utf8.count <= 1_000, "\(text)")
    }
  }
}
