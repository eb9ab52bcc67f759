import Admission
import Expectations
import ScanModel
import ScanTesting
import ScriptedHTTP
import Testing

@testable import SignedTickets

/// "Already redeemed" after our own lost answer is ours, once; whatever else it may mean, it opens nothing.
@Suite(.timeLimit(.minutes(1))) struct LostAnswerTests {
  private struct Evening {
    let service = Service()
    let address: String
    var ticket: String { Issuer.vector.ticket(at: service.time.wall()) }

    init() async throws { address = "http://localhost:\(try await service.server.start())" }

    func station(
      _ disk: TicketStation.Disk = .init(), boot: String = "boot 1", patience: Duration = .seconds(20)
    ) async throws -> TicketStation {
      try await TicketStation(asking: service, at: address, disk: disk, boot: boot, patience: patience)
    }
  }

  @Test func whoPresentsAgainIsAdmittedOnce() async throws {
    let evening = try await Evening()
    let (station, ticket) = (try await evening.station(), evening.ticket)
    evening.service.behave(.loses)
    await expectEqual(station.present(ticket).verdict, .undecided(.unreachable))
    evening.service.behave(.answers)
    let second = await station.present(ticket)
    expect(second.verdict == .admit && second.note == .ownLostAnswer, "\(second)")
    for gate in ["stalls", "circle"] {
      await expectEqual(station.present(ticket, at: gate).verdict, .refuse(.alreadyUsed))
    }
    expectEqual(evening.service.redemptions, 2, "what is known costs no request")
    await station.close()
    await evening.service.server.stop()
  }

  @Test func soItIsOverRestarts() async throws {
    let evening = try await Evening()
    let ticket = evening.ticket
    let first = try await evening.station()
    evening.service.behave(.loses)
    await expectEqual(first.present(ticket).verdict, .undecided(.unreachable))
    evening.service.behave(.answers)
    let second = try await evening.station(first.disk.left())
    let admitted = await second.present(ticket)
    expect(admitted.verdict == .admit && admitted.note == .ownLostAnswer, "\(admitted)")
    let third = try await evening.station(second.disk.left())
    await expectEqual(third.present(ticket).verdict, .refuse(.alreadyUsed))
    for station in [first, second, third] { await station.close() }
    await evening.service.server.stop()
  }

  /// The process ends while its request is out: it has opened nothing.
  @Test func soItIsWhereTheProcessEndsMeanwhile() async throws {
    let evening = try await Evening()
    let ticket = evening.ticket
    let first = try await evening.station()
    evening.service.behave(.holds)
    let asking = Task { await first.present(ticket) }
    await evening.service.until { evening.service.isHolding }
    let disk = first.disk.left()
    evening.service.behave(.answers)
    let second = try await evening.station(disk)
    let admitted = await second.present(ticket)
    expect(admitted.verdict == .admit && admitted.note == .ownLostAnswer, "\(admitted)")
    await expectEqual(second.present(ticket).verdict, .refuse(.alreadyUsed))
    evening.service.release()
    _ = await asking.value
    for station in [first, second] { await station.close() }
    await evening.service.server.stop()
  }

  /// Whether somebody passed before the power went cannot be told: staff decide.
  @Test func afterAStartOfTheMachineStaffDecide() async throws {
    let evening = try await Evening()
    let ticket = evening.ticket
    let first = try await evening.station()
    evening.service.behave(.holds)
    let asking = Task { await first.present(ticket) }
    await evening.service.until { evening.service.isHolding }
    let disk = first.disk.left()
    evening.service.behave(.answers)
    let second = try await evening.station(disk, boot: "boot 2")
    for _ in 0..<2 { await expectEqual(second.present(ticket).verdict, .undecided(.interrupted)) }
    evening.service.release()
    _ = await asking.value
    for station in [first, second] { await station.close() }
    await evening.service.server.stop()
  }

  /// Staff may have let the person in meanwhile, by hand.
  @Test func afterAWhileStaffDecide() async throws {
    let evening = try await Evening()
    let (station, ticket) = (try await evening.station(), evening.ticket)
    evening.service.behave(.loses)
    await expectEqual(station.present(ticket).verdict, .undecided(.unreachable))
    evening.service.behave(.answers)
    station.time.advance(by: .seconds(301))
    for _ in 0..<2 {
      let late = await station.present(ticket)
      expect(late.verdict == .undecided(.interrupted) && late.note == .ownRequestPossible, "\(late)")
    }
    await station.close()
    await evening.service.server.stop()
  }

  /// What was said with no request of ours open is known for good.
  @Test func whatWasUsedElsewhereStaysUsed() async throws {
    let evening = try await Evening()
    let (station, ticket) = (try await evening.station(), evening.ticket)
    evening.service.spend(ticket)
    let first = await station.present(ticket)
    expect(first.verdict == .refuse(.alreadyUsed) && first.note == .usedElsewhere, "\(first)")
    evening.service.behave(.loses)
    await expectEqual(station.present(ticket).verdict, .refuse(.alreadyUsed))
    evening.service.behave(.answers)
    await expectEqual(station.present(ticket).verdict, .refuse(.alreadyUsed))
    expectEqual(evening.service.redemptions, 1)
    await station.close()
    await evening.service.server.stop()
  }

  /// A request that did not arrive is asked for anew.
  @Test func whatDidNotArriveIsRedeemedByTheNext() async throws {
    let evening = try await Evening()
    let (station, ticket) = (try await evening.station(), evening.ticket)
    evening.service.behave(.isAway)
    await expectEqual(station.present(ticket).verdict, .undecided(.unreachable))
    evening.service.behave(.answers)
    await expectEqual(station.present(ticket).verdict, .admit)
    await expectEqual(station.present(ticket).verdict, .refuse(.alreadyUsed))
    await station.close()
    await evening.service.server.stop()
  }

  @Test func anErrorThatMayHaveRedeemedIsALostAnswer() async throws {
    for answer in [
      Wire.response("500 Internal Server Error", "{}"), Wire.response("200 OK", "<html>", type: "text/html"),
    ] {
      let evening = try await Evening()
      let (station, ticket) = (try await evening.station(), evening.ticket)
      evening.service.behave(.says(answer))
      guard case .undecided = await station.present(ticket).verdict else {
        expect(false, "it is no answer")
        continue
      }
      evening.service.spend(ticket)
      evening.service.behave(.answers)
      await expectEqual(station.present(ticket).verdict, .admit)
      await expectEqual(station.present(ticket).verdict, .refuse(.alreadyUsed))
      await station.close()
      await evening.service.server.stop()
    }
  }

  @Test func anAnswerThatComesLateAdmitsWithoutARequest() async throws {
    let evening = try await Evening()
    let (station, ticket) = (try await evening.station(patience: .seconds(3)), evening.ticket)
    evening.service.behave(.holds)
    await expectEqual(station.present(ticket).verdict, .undecided(.unreachable))
    await evening.service.until { evening.service.isHolding }
    evening.service.release()
    evening.service.behave(.answers)
    await until { station.disk.journal.facts.contains { if case .late = $0 { true } else { false } } }
    let admitted = await station.present(ticket)
    expect(admitted.verdict == .admit && admitted.note == .ownLostAnswer, "\(admitted)")
    await expectEqual(station.present(ticket).verdict, .refuse(.alreadyUsed))
    expectEqual(evening.service.redemptions, 1)
    await station.close()
    await evening.service.server.stop()
  }

  /// Two gates, one ticket, and an answer that is lost: one person.
  @Test func twoGatesAdmitOne() async throws {
    for isLost in [false, true] {
      let evening = try await Evening()
      let (station, ticket) = (try await evening.station(), evening.ticket)
      if isLost {
        evening.service.behave(.loses)
        _ = await station.present(ticket)
        evening.service.behave(.answers)
      }
      let verdicts = await withTaskGroup(of: Verdict.self) { group in
        for gate in ["a", "b", "c", "d"] { group.addTask { await station.present(ticket, at: gate).verdict } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      expectEqual(verdicts.count { $0 == .admit }, 1, "\(verdicts)")
      await station.close()
      await evening.service.server.stop()
    }
  }
}
