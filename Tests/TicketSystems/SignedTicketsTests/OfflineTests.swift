import Admission
import Calls
import Expectations
import ScanConfiguration
import ScanModel
import ScanTesting
import ScriptedHTTP
import Testing

@testable import SignedTickets

/// While the service does not answer: by the signature, the times and our own book, at gates that say so.
@Suite(.timeLimit(.minutes(1))) struct OfflineTests {
  private struct Evening {
    let service = Service()
    let station: TicketStation

    init(
      _ policy: OfflinePolicy.Rule = .admitAndQueue, rateLimited: Bool = false, isTrusted: Bool = true,
      budget: RateBudget? = nil, performances: [String]? = nil
    ) async throws {
      station = try await TicketStation(
        asking: service, at: "http://localhost:\(try await service.server.start())", disk: .init(), policy: policy,
        rateLimited: rateLimited, isTrusted: isTrusted, performances: performances, budget: budget)
    }

    func ticket(_ jti: String, _ issuer: Issuer = .vector) -> String { issuer.ticket(jti, at: service.time.wall()) }

    /// The network goes, and the station has found out: what is presented now is asked about no more.
    func goesAway() async {
      service.behave(.isAway)
      _ = await station.present(ticket("tkt_first"))
    }

    /// The network comes back; how telling of that ticket ends.
    func comesBack(telling ticket: String) async -> ToldAdmission.Ending? {
      service.behave(.answers)
      var number = 0
      while station.ending(of: ticket) == nil {
        service.time.advance(by: .seconds(20))
        number += 1
        // Others come meanwhile, and so it is found out that it answers.
        _ = await station.present(self.ticket("tkt_back_\(number)"))
        try? await Task.sleep(for: .milliseconds(20))
      }
      return station.ending(of: ticket)
    }

    func close() async {
      await station.close()
      await service.server.stop()
    }
  }

  @Test func whatIsGenuineIsAdmittedOnceAndToldLater() async throws {
    let evening = try await Evening()
    await evening.goesAway()
    let ticket = evening.ticket("tkt_1")
    let admitted = await evening.station.present(ticket)
    expect(admitted.verdict == .admit && admitted.isProvisional, "\(admitted)")
    // Spelled otherwise, it is the same ticket.
    let now = evening.service.time.wall()
    let again = Issuer.vector.text(
      Issuer.payload(jti: "tkt_1", seat: "Z-9", issued: now.seconds, ends: now.seconds + 60))
    for code in [ticket, again] { await expectEqual(evening.station.present(code).verdict, .refuse(.alreadyUsed)) }
    await expectEqual(evening.comesBack(telling: ticket), .confirmed)
    await expectEqual(evening.station.present(ticket).verdict, .refuse(.alreadyUsed))
    await evening.close()
  }

  @Test func whoseTicketWasUsedElsewhereIsAConflict() async throws {
    let evening = try await Evening()
    await evening.goesAway()
    let ticket = evening.ticket("tkt_1")
    expect(await evening.station.present(ticket).isProvisional)
    evening.service.spend(ticket)
    await expectEqual(evening.comesBack(telling: ticket), .contradicted)
    await evening.close()
  }

  /// The request that found the service away had been carried out: telling is answered "already redeemed", by us.
  @Test func whatOurOwnLostRequestHasSpentIsConfirmed() async throws {
    let evening = try await Evening()
    let ticket = evening.ticket("tkt_1")
    evening.service.behave(.isAway)
    let admitted = await evening.station.present(ticket)
    expect(admitted.verdict == .admit && admitted.isProvisional, "\(admitted)")
    evening.service.spend(ticket)
    await expectEqual(evening.comesBack(telling: ticket), .confirmed)
    await evening.close()
  }

  /// The policy opens for what is proven, and for nothing else: nobody needs the network to print a code.
  @Test func whatIsNotProvenOpensNothing() async throws {
    let evening = try await Evening(performances: ["perf_1"])
    await evening.goesAway()
    let now = evening.service.time.wall()
    let forger = Issuer.other("dev-ed25519")
    let rows: [(String, Verdict)] = [
      (evening.ticket("tkt_1", forger), .refuse(.notGenuine)),
      (evening.ticket("tkt_1", .other("unknown")), .undecided(.unreachable)),
      (Issuer.vector.ticket("tkt_1", at: now, kid: "unknown"), .undecided(.unreachable)),
      (Issuer.vector.ticket("tkt_1", at: now - .seconds(7_260)), .refuse(.expired)),
      (Issuer.vector.ticket("tkt_1", at: now + .seconds(90)), .refuse(.tooEarly)),
      (Issuer.vector.ticket("tkt_1", at: now, tenant: "another"), .refuse(.wrongEvent)),
      (Issuer.vector.ticket("tkt_1", at: now, performance: "perf_2"), .refuse(.wrongEvent)),
      ("ed25519.v1.dev-ed25519.AAAA.e30", .refuse(.notGenuine)), ("LML-4F7QK2M9XZ1", .refuse(.notGenuine)),
    ]
    for (code, verdict) in rows { await expectEqual(evening.station.present(code).verdict, verdict) }
    // None of them has spent what it names.
    expect(await evening.station.present(evening.ticket("tkt_1")).isProvisional)
    await evening.close()
  }

  @Test func aClockThatNobodyTrustsOpensNothing() async throws {
    let evening = try await Evening(isTrusted: false)
    evening.service.behave(.isAway)
    for number in 0..<3 {
      await expectEqual(
        evening.station.present(evening.ticket("tkt_\(number)")).verdict, .undecided(.clockWrong))
    }
    expectEqual(evening.service.redemptions, 0)
    await evening.close()
  }

  @Test func aRefusedTokenOpensNothingOffline() async throws {
    let evening = try await Evening()
    evening.service.behave(.says(Wire.problem("401 Unauthorized", "auth:unauthorized")))
    await expectEqual(evening.station.present(evening.ticket("tkt_1")).verdict, .undecided(.keyRefused))
    evening.service.behave(.isAway)
    evening.service.time.advance(by: .seconds(901))
    await expectEqual(evening.station.present(evening.ticket("tkt_2")).verdict, .undecided(.keyRefused))
    await evening.close()
  }

  @Test func withoutAPolicyNobodyPasses() async throws {
    let evening = try await Evening(.refuse)
    await evening.goesAway()
    await expectEqual(evening.station.present(evening.ticket("tkt_1")).verdict, .undecided(.unreachable))
    await evening.close()
  }

  /// Ten a minute is little: whether a gate opens beyond it is the gate's to say.
  @Test(arguments: [false, true]) func theRateFollowsThePolicy(isOffline: Bool) async throws {
    let evening = try await Evening(
      rateLimited: isOffline, budget: RateBudget(limit: SignedTicketsClient.rate, model: .window))
    for number in 0..<10 {
      await expectEqual(evening.station.present(evening.ticket("tkt_\(number)")).verdict, .admit)
    }
    let next = await evening.station.present(evening.ticket("tkt_10"))
    expect(
      isOffline ? next.verdict == .admit && next.isProvisional : next.verdict == .undecided(.rateLimited), "\(next)")
    expectEqual(evening.service.redemptions, 10)
    await evening.close()
  }
}
