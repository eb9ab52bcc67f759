import Calls
import Expectations
import ScanModel
import ScanTesting
import ScriptedHTTP
import Testing

@testable import SignedTickets

/// Whether a gate can admit, told before the first person finds out.
@Suite(.timeLimit(.minutes(1))) struct ReachTests {
  private func reach(_ door: Door) async -> Reach { await door.system.reach(deadline: door.time.now() + .seconds(20)) }

  private func reason(_ reach: Reach) -> UndecidedReason? {
    if case .fault(let reason, _) = reach { reason } else { nil }
  }

  @Test func itAnswersWhereATicketWouldBeRedeemed() async throws {
    let door = try await Door.open()
    let found = await reach(door)
    expect(found.isAnswer, "\(found)")
    expectEqual(door.service.redemptions, 0)
    expect(door.service.server.requests.last?.hasSuffix(#"{"ticket_token":""}"#) == true)
    await door.close()
  }

  @Test(arguments: [
    (Wire.problem("401 Unauthorized", "auth:unauthorized"), UndecidedReason.keyRefused),
    (Wire.problem("403 Forbidden", "auth:forbidden"), .accessDenied),
    (Wire.problem("422 Unprocessable Content", "verification:missing_org"), .accessDenied),
    (Wire.redeemed(""), .badAnswer), (Wire.response("404 Not Found", "{}"), .badAnswer),
    (Wire.response("200 OK", "<html>", type: "text/html"), .badAnswer),
    (Wire.response("302 Found", "", extra: "Location: /login\r\n"), .badAnswer),
  ]) func aFaultIsTold(answer: String, reason: UndecidedReason) async throws {
    let door = try await Door.open()
    door.service.behave(.says(answer))
    await expectEqual(self.reason(reach(door)), reason)
    await door.close()
  }

  @Test func whatProvesNothingIsNoFault() async throws {
    let door = try await Door.open()
    for answer in [
      Wire.problem("429 Too Many Requests", "rate_limited", extra: "Retry-After: 1\r\n"),
      Wire.response("500 Internal Server Error", "{}"),
    ] {
      door.time.advance(by: .seconds(61))
      door.service.behave(.says(answer))
      let found = await reach(door)
      guard case .unclear = found else {
        expect(false, "\(found)")
        continue
      }
    }
    door.time.advance(by: .seconds(61))
    door.service.behave(.says(Wire.response("503 Service Unavailable", "{}")))
    await expectEqual(reach(door), .offline(.gatewayFault))
    door.service.behave(.isAway)
    await expectEqual(reach(door), .offline(.noConnection))
    await door.close()
  }

  /// A gate without keys can admit nobody, whether the server answers or not.
  @Test func withoutKeysNoGateIsReady() async throws {
    let service = Service(keys: "{}")
    let door = try await Door.open(service, hasKeys: false)
    let bad = await reach(door)
    expectEqual(reason(bad), .badAnswer, "\(bad)")
    service.behave(.isAway)
    let away = try await Door.open(Service(), hasKeys: false)
    away.service.behave(.isAway)
    let found = await reach(away)
    expectEqual(reason(found), .unreachable, "\(found)")
    for door in [door, away] { await door.close() }
  }

  /// What only asks has nobody who fetches them.
  @Test func aCommandFetchesThemItself() async throws {
    let door = try await Door.open(hasKeys: false)
    let found = await reach(door)
    expect(found.isAnswer, "\(found)")
    expectEqual(door.service.keyFetches, 1)
    await door.close()
  }

  @Test func aStationWaitsForTheFirst() async throws {
    let door = try await Door.open(hasKeys: false)
    let upkeep = Task { await door.keys.watch { _ in } }
    await door.service.until { door.service.keyFetches == 1 }
    let found = await reach(door)
    expect(found.isAnswer, "\(found)")
    expectEqual(door.service.keyFetches, 1)
    upkeep.cancel()
    await upkeep.value
    await door.close()
  }

  @Test func aClockThatIsWrongIsTold() async throws {
    let door = try await Door.open(isTrusted: false)
    // The server's clock agrees: it is what makes ours trusted.
    expect(await reach(door).isAnswer)
    let date = door.time.wall() - .seconds(86_400)
    door.service.behave(.says(Wire.problem("422 Unprocessable Content", "verification:invalid_token", date: date)))
    await expectEqual(reason(reach(door)), .clockWrong)
    door.service.behave(.says(Wire.problem("422 Unprocessable Content", "verification:invalid_token")))
    await expectEqual(reason(reach(door)), .clockWrong)
    await door.close()
  }

  @Test func itConforms() async throws {
    let service = Service()
    let door = try await Door.open(service)
    let unknown = door.ticket("tkt_unknown")
    service.refuse(unknown, Wire.problem("404 Not Found", "verification:not_found"))
    let slow = door.ticket("tkt_slow")
    service.hold(slow)
    let suite = TicketSystemConformance(
      system: door.system, goodCode: Code(door.ticket("tkt_good")), unknownCode: Code(unknown), slowCode: Code(slow),
      release: {
        await service.until { service.isHolding }
        service.release()
      }, time: door.time)
    await expectEqual(suite.failures(), [])
    await door.close()
  }
}
