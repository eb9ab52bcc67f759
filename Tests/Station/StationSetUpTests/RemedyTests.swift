import StationSetUp
import Expectations
import Foundation
import ScanModel
import ScanTesting
import Sealing
import Synchronization
import Testing

@testable import Gateway

/// What the session does about tokens, records and answers that are not as they should be.
@Suite struct RemedyTests {
  private let fixture: ControlFixture
  private let service = WrittenService()
  private static let shared = ControlToken("shared")

  init() throws { fixture = try ControlFixture() }

  private func activated(token: ControlToken? = nil) async throws -> ControlSession {
    let session = try fixture.session(service, token: token)
    _ = try await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline).get()
    service.calls.withLock { $0 = [] }
    fixture.notices.withLock { $0 = [] }
    return session
  }

  private func configure(_ change: (inout ControlConfiguration) -> Void) {
    var configuration = ControlConfiguration()
    change(&configuration)
    service.configured.withLock { [configuration] in $0 = .success(configuration) }
  }

  // MARK: Tokens

  /// Real servers give tokens for an hour, and take the one of their own configuration for good.
  @Test func theRegistrationTokenStandsInForOneThatIsRefused() async throws {
    let session = try await activated(token: Self.shared)
    service.takes.withLock { $0 = Self.shared }
    _ = try await session.sync().get()
    expectEqual(service.asked, ["configuration t", "configuration shared"])
    try await session.report(.available, deadline: fixture.deadline)
    let state = try await session.state()
    expect(state.tokenRefusedSince == nil && fixture.told.isEmpty)
    expect(await session.health().tokenValid)
    // It is shown to the configured server alone.
    let other = try fixture.session(service, server: ControlFixture.other, token: Self.shared)
    service.calls.withLock { $0 = [] }
    _ = await other.sync(isUrgent: true)
    expect(!service.asked.contains { $0.contains("shared") })
  }

  /// Two calls find it out at the same time: the second does not take the one that stands in for refused.
  @Test func callsAtTheSameTimeAgreeOnTheToken() async throws {
    let session = try await activated(token: Self.shared)
    service.takes.withLock { $0 = Self.shared }
    for _ in 0..<20 {
      async let first: Void = session.validate(deadline: fixture.deadline)
      async let second: Void = session.report(.available, deadline: fixture.deadline)
      async let third = session.sync()
      try await first
      try await second
      _ = try await third.get()
      expect(try await session.state().tokenRefusedSince == nil && fixture.told.isEmpty)
    }
    service.takes.withLock { $0 = ControlToken("another") }
    let first = Task { await session.sync(isUrgent: true) }
    let second = Task { try await session.validate(deadline: fixture.deadline) }
    await expectEqual(first.value.failure?.kind, .authentication)
    await #expect(throws: ControlFault.self) { try await second.value }
    expect(try await session.state().tokenRefusedSince != nil)
  }

  /// Somebody activates the station again while the service stands in: the new token is shown first.
  @Test func anotherActivationIsNotStoodInFor() async throws {
    let session = try await activated(token: Self.shared)
    service.takes.withLock { $0 = Self.shared }
    _ = try await session.sync().get()
    service.token.withLock { $0 = ControlToken("new") }
    let command = try fixture.session(service)
    _ = try await command.activate(ActivationCode(code: "Y"), renewing: true, deadline: fixture.deadline).get()
    service.takes.withLock { $0 = ControlToken("new") }
    service.calls.withLock { $0 = [] }
    _ = try await session.sync().get()
    expectEqual(service.asked, ["configuration new"])
    expect(try await session.state().tokenRefusedSince == nil)
  }

  /// What is renewed stays what it is.
  @Test func aCodeOfAnotherStationRenewsNothing() async throws {
    let session = try await activated()
    let before = try await session.state()
    service.given.withLock { $0 = "another-kiosk" }
    guard
      case .failure(let fault) = await session.activate(
        ActivationCode(code: "Y"), renewing: true, deadline: fixture.deadline)
    else {
      Issue.record("it became another station")
      return
    }
    expect(fault.mayBeUsed && fault.detail.contains("another-kiosk"))
    try await expectEqual(session.state().activation, before.activation)
  }

  @Test func whereNeitherIsTakenItIsToldAndBothAreTriedAgain() async throws {
    let session = try await activated(token: Self.shared)
    service.takes.withLock { $0 = ControlToken("another") }
    _ = await session.sync()
    expectEqual(service.asked, ["configuration t", "configuration shared"])
    expect(try await session.state().tokenRefusedSince != nil && fixture.told.count == 1)
    service.takes.withLock { $0 = ControlToken("t") }
    fixture.time.advance(by: .seconds(3_600))
    await session.watchToken()
    expect(try await session.state().tokenRefusedSince == nil)
    expectEqual(fixture.told.last, .tokenAccepted)
  }

  /// A server that gave none and wants one.
  @Test func aTokenThatIsWantedAndMissingIsTold() async throws {
    service.token.withLock { $0 = nil }
    let session = try await activated()
    service.takes.withLock { $0 = Self.shared }
    _ = await session.sync()
    guard case .tokenRefused(let words)? = fixture.told.first else {
      Issue.record("nothing was told: \(fixture.told)")
      return
    }
    expect(words.contains("control.registration"))
    let health = await session.health()
    expect(!health.tokenValid && !health.isHealthy)
    expect(health.words.contains { $0.contains("control.registration") })
    // Nothing is validated that is not there.
    service.calls.withLock { $0 = [] }
    let faults = await session.counters().faults
    await #expect(throws: ControlFault.self) { try await session.validate(deadline: fixture.deadline) }
    expectEqual(service.asked, [])
    await expectEqual(session.counters().faults, faults)
    // It is seen where one is wanted whether it goes without.
    service.takes.withLock { $0 = nil }
    fixture.time.advance(by: .seconds(3_600))
    await session.watchToken()
    expect(try await session.state().tokenRefusedSince == nil)
  }

  /// `kiosk validate` beside the service: who reads the service's log hears of it all the same, and once.
  @Test(arguments: [ControlFaultKind.network, .authentication])
  func whatACommandFindsOfTheTokenIsToldByTheServiceToo(itself: ControlFaultKind) async throws {
    let session = try await activated()
    let command = try fixture.session(service)
    service.validated.withLock { $0 = ControlFault(.authentication, "401", status: 401) }
    await #expect(throws: ControlFault.self) { try await command.validate(deadline: fixture.deadline) }
    expectEqual(fixture.told.count, 1)
    // What the service meets when it tries by itself makes no difference.
    service.validated.withLock { $0 = ControlFault(itself, "no", status: itself == .authentication ? 401 : nil) }
    fixture.notices.withLock { $0 = [] }
    for _ in 1...3 {
      await session.watchToken()
      fixture.time.advance(by: .seconds(2_200))
    }
    let refusals = fixture.told.filter { if case .tokenRefused = $0 { true } else { false } }
    expectEqual(refusals.count, 1)
    expectEqual(fixture.told, refusals)

    service.validated.withLock { $0 = nil }
    try await command.validate(deadline: fixture.deadline)
    fixture.notices.withLock { $0 = [] }
    await session.watchToken()
    await session.watchToken()
    expectEqual(fixture.told, [.tokenAccepted])
  }

  /// Somebody renewed it meanwhile: the service has not been seen to accept it before it did.
  @Test func aNewTokenIsToldToBeAcceptedOnceItIs() async throws {
    let session = try await activated()
    service.takes.withLock { $0 = ControlToken("new") }
    _ = await session.sync()
    expectEqual(fixture.told.count, 1)
    service.token.withLock { $0 = ControlToken("new") }
    _ = try await fixture.session(service).activate(
      ActivationCode(code: "Y"), renewing: true, deadline: fixture.deadline
    ).get()
    fixture.notices.withLock { $0 = [] }
    await session.watchToken()
    await session.watchToken()
    expectEqual(fixture.told, [.tokenAccepted])
  }

  @Test func aRegistrationTokenThatIsWrongIsToldAsThat() async throws {
    service.token.withLock { $0 = nil }
    let session = try await activated(token: ControlToken("wrong"))
    service.takes.withLock { $0 = Self.shared }
    _ = await session.sync()
    expect(await session.health().words.contains { $0.contains("scangate credential set") && !$0.contains("--again") })
  }

  // MARK: Records

  private func damage() throws {
    let file = fixture.state + "/records/control.sealed"
    var bytes = try #require(FileManager.default.contents(atPath: file))
    bytes[bytes.count - 1] ^= 1
    try bytes.write(to: URL(filePath: file))
  }

  /// An activation must not be lost because somebody sets a status.
  @Test func nothingIsWrittenOverADamagedRecord() async throws {
    let session = try await activated()
    try damage()
    let file = fixture.state + "/records/control.sealed"
    let before = FileManager.default.contents(atPath: file)
    await #expect(throws: SealFault.self) { try await session.setManualStatus(.lunch) }
    _ = await session.sync()
    _ = await session.activate(ActivationCode(code: "Y"), deadline: fixture.deadline)
    expectEqual(FileManager.default.contents(atPath: file), before)
    // By hand it is taken away.
    try await session.reset()
    expect(try await !session.state().isActivated)
    expect(try await session.activate(ActivationCode(code: "Z"), deadline: fixture.deadline).get().token != nil)
  }

  // MARK: Answers

  /// What cannot be read ends no maintenance, and makes guessing no easier.
  @Test func aPartThatIsNotSaidIsAsItWas() async throws {
    let session = try await activated()
    configure {
      $0.name = "North"
      $0.isStateTold = true
      $0.isMaintenanceTold = true
      $0.maintenance = .init(day: .daily, minute: 60, minutes: 30)
      $0.isLockOutTold = true
      $0.lockOut.attempts = 3
    }
    _ = try await session.sync().get()
    configure { $0.name = "South" }
    _ = try await session.sync().get()
    let kept = try #require(try await session.state().configuration)
    expect(kept.name == "South" && kept.maintenance != nil && kept.lockOut.attempts == 3)
    expectEqual(fixture.told.last, .configurationChanged(kept, ["name"]))
    configure {
      $0.name = "South"
      $0.isMaintenanceTold = true
    }
    _ = try await session.sync().get()
    expect(try await session.state().configuration?.maintenance == nil)
  }

  /// A service whose configuration fails hears every two minutes how the station is.
  @Test func theStatusIsToldWithoutAConfiguration() async throws {
    _ = try await activated()
    service.configured.withLock { $0 = .failure(ControlFault(.unknown, "a page", status: 200)) }
    try await fixture.work(service, saying: .available, for: .seconds(1_230))
    let told = service.asked.filter { $0 == "report available" }.count
    expect((10...14).contains(told), "\(told)")
  }

  /// One that fails is told again as a sync has it.
  @Test func aStatusThatFailsIsToldAgainAtOnce() async throws {
    _ = try await activated()
    let before = fixture.time.now()
    service.reported.withLock { $0 = ControlFault(.server, "500", status: 500) }
    service.atReport.withLock { [service] in
      $0.body = {
        if service.asked.filter({ $0.hasPrefix("report") }).count == 3 { service.reported.withLock { $0 = nil } }
      }
    }
    try await fixture.work(service, saying: .available, for: .seconds(30))
    expect(service.asked.filter { $0.hasPrefix("report") }.count >= 4)
    expect(fixture.time.now() - before < .seconds(120))
  }

  /// A server that asks for a quarter of an hour is left alone, however often the gate decides.
  @Test func whoAsksToBeLeftAloneIs() async throws {
    _ = try await activated()
    let busy = ControlFault(.server, "429", status: 429, retryAfter: .seconds(900))
    service.reported.withLock { $0 = busy }
    service.configured.withLock { $0 = .failure(busy) }
    try await fixture.work(service, saying: .available, for: .seconds(850))
    expect(service.asked.count <= 3, "\(service.asked)")
  }

  @Test(arguments: [
    (ControlFaultKind.network, SetUpRefusal.offline), (.authentication, .fault), (.configuration, .unknownStation),
  ]) func aStationThatCannotBeRegisteredIsToldWhy(kind: ControlFaultKind, refusal: SetUpRefusal) async throws {
    service.refusal.withLock { $0 = ActivationFault(.unknownStation, "KIOSK_NOT_FOUND") }
    service.registered.withLock { $0 = ControlFault(kind, "no") }
    let session = try fixture.session(service)
    guard case .failure(let fault) = await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline)
    else {
      Issue.record("it was activated")
      return
    }
    expectEqual(fault.refusal, refusal)
  }

  /// What ends asks nobody any more.
  @Test func anOfficeThatIsClosedConnectsNowhere() async throws {
    let session = try await activated()
    await session.close()
    service.calls.withLock { $0 = [] }
    _ = await session.sync(isUrgent: true)
    expectEqual(service.asked, [])
  }
}

extension Result {
  fileprivate var failure: Failure? { if case .failure(let fault) = self { fault } else { nil } }
}
