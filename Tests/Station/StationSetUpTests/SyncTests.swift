import StationSetUp
import Expectations
import ScanModel
import ScanTesting
import Sealing
import Synchronization
import Testing

@testable import Gateway

/// Configuration, status and token of an activated station.
@Suite struct SyncTests {
  private let fixture: ControlFixture
  private let service = WrittenService()
  private let session: ControlSession

  init() async throws {
    fixture = try ControlFixture()
    session = try fixture.session(service)
    _ = try await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline).get()
    service.calls.withLock { $0 = [] }
    fixture.notices.withLock { $0 = [] }
  }

  private static let refused = ControlFault(.authentication, "401", status: 401)

  @Test func aConfigurationThatChangedIsToldByWhatChanged() async throws {
    var new = ControlConfiguration()
    new.name = "North"
    new.texts = ["welcomeMessage": "Hello"]
    service.configured.withLock { $0 = .success(new) }
    try await expectEqual(session.sync().get(), new)
    expectEqual(fixture.told, [.configurationChanged(new, ["name", "texts"])])
    try await expectEqual(session.sync().get(), new)
    expectEqual(fixture.told.count, 1)
    await expectEqual(session.counters().changes, 2)
  }

  @Test(arguments: ControlFaultKind.allCases) func aFaultLeavesTheConfigurationInPlace(kind: ControlFaultKind)
    async throws
  {
    let before = try await session.state()
    service.configured.withLock { $0 = .failure(ControlFault(kind, "no")) }
    await expectEqual(session.sync(), .failure(ControlFault(kind, "no")))
    let after = try await session.state()
    expect(after.configuration == before.configuration && after.activation == before.activation)
    let tries = service.asked.filter { $0.hasPrefix("configuration") }
    switch kind {
    case .network, .server: expectEqual(tries.count, 4)
    case .configuration: expectEqual(tries, ["configuration t", "configuration t refreshing"])
    case .authentication, .unknown: expectEqual(tries.count, 1)
    }
    expectEqual(service.asked.filter { $0 == "health" }.count, (kind == .server ? 3 : 0))
    await expectEqual(session.counters().faults[kind.rawValue], UInt64(tries.count))
  }

  @Test func callsAtTheSameTimeAreOne() async throws {
    let (held, letGo) = AsyncStream<Void>.makeStream()
    let (entries, enter) = AsyncStream<Void>.makeStream()
    service.atConfiguration.withLock { $0.body = { for await _ in held {} } }
    let syncs = (0..<3).map { _ in Task { await session.sync { enter.yield() } } }
    var entered = entries.makeAsyncIterator()
    for _ in syncs { await entered.next() }
    letGo.finish()
    for sync in syncs { await expectEqual(sync.value, .success(ControlConfiguration())) }
    expectEqual(service.asked.filter { $0.hasPrefix("configuration") }.count, 1)
  }

  @Test func whoeverWantsTheNewestIsNotGivenAnAnswerToLess() async throws {
    async let usual = session.sync()
    async let newest = session.sync(refreshing: true)
    async let another = session.sync(refreshing: true)
    _ = await [usual, newest, another]
    expect(service.asked.contains("configuration t refreshing"))
  }

  @Test func aTokenThatIsRefusedIsNotShownAgainUntilItIsDueAndChangesNothingElse() async throws {
    service.configured.withLock { $0 = .failure(Self.refused) }
    service.validated.withLock { $0 = Self.refused }
    service.reported.withLock { $0 = Self.refused }
    _ = await session.sync()
    let state = try await session.state()
    expectEqual(state.tokenRefusedSince, fixture.time.wall())
    expect(state.isActivated)
    expectEqual(fixture.told.count, 1)
    let before = service.asked.count
    _ = await session.sync()
    await #expect(throws: ControlFault.self) { try await session.report(.available, deadline: fixture.deadline) }
    await session.watchToken()
    expectEqual(service.asked.count, before)
    // The waits grow.
    for _ in 0..<20 {
      fixture.time.advance(by: .seconds(2_161))
      await session.watchToken()
    }
    expectEqual(service.asked.count, before + 20)
    fixture.time.advance(by: .seconds(60))
    await session.watchToken()
    expectEqual(service.asked.count, before + 20)
    // Somebody who asks by hand is answered.
    _ = await session.sync(isUrgent: true)
    expectEqual(service.asked.count, before + 21)

    service.validated.withLock { $0 = nil }
    fixture.time.advance(by: .seconds(2_200))
    await session.watchToken()
    expect(try await session.state().tokenRefusedSince == nil)
    expectEqual(fixture.told.last, .tokenAccepted)
    expect(try await session.state().isActivated)
  }

  @Test func theEndOfATokenIsToldBeforeAndOnce() async throws {
    let end = fixture.time.wall() + .seconds(3_600)
    try await session.reset()
    service.expires.withLock { $0 = end }
    _ = try await session.activate(ActivationCode(code: "Y"), deadline: fixture.deadline).get()
    fixture.notices.withLock { $0 = [] }
    fixture.time.advance(by: .seconds(3_000))
    await session.watchToken()
    expectEqual(fixture.told, [])
    // A tenth of its life.
    fixture.time.advance(by: .seconds(241))
    await session.watchToken()
    await session.watchToken()
    expectEqual(fixture.told, [.tokenExpiring(end)])
    service.validated.withLock { $0 = ControlFault(.network, "gone") }
    fixture.time.advance(by: .seconds(360))
    await session.watchToken()
    await session.watchToken()
    expectEqual(fixture.told, [.tokenExpiring(end), .tokenExpired(end)])
    await expectEqual(session.health().tokenValid, false)
    expect(try await session.state().isActivated)
  }

  /// It is the service's clock that counts.
  @Test func aClockThatIsOffByADayEndsNoTokenThatTheServiceAccepts() async throws {
    try await session.reset()
    service.expires.withLock { $0 = fixture.time.wall() + .seconds(3_600) }
    _ = try await session.activate(ActivationCode(code: "Y"), deadline: fixture.deadline).get()
    fixture.time.advance(by: .seconds(86_400))
    _ = await session.sync()
    fixture.notices.withLock { $0 = [] }
    await session.watchToken()
    let health = await session.health(asking: fixture.deadline)
    expect(health.isHealthy)
    expectEqual(health.words, [])
    expectEqual(fixture.told, [])
    // The next process knows it too.
    expect(await (try fixture.session(service)).health().tokenValid)
  }

  @Test func healthIsWhatTheDocumentSays() async throws {
    var health = await session.health(asking: fixture.deadline)
    expect(health.serverConnected && health.tokenValid && health.configCurrent && health.isHealthy)
    fixture.time.advance(by: .seconds(3_601))
    health = await session.health(asking: fixture.deadline)
    expect(health.serverConnected && health.tokenValid && !health.configCurrent)
    expectEqual(health.configAge, .seconds(3_601))
    service.well.withLock { $0 = ControlFault(.server, "starting", status: 503) }
    health = await session.health(asking: fixture.deadline)
    expect(!health.serverConnected && health.words.contains("starting"))
    service.well.withLock { $0 = nil }
    service.validated.withLock { $0 = Self.refused }
    health = await session.health(asking: fixture.deadline)
    expect(health.serverConnected && !health.tokenValid)
    try await session.reset()
    health = await session.health()
    expect(!health.tokenValid && !health.configCurrent && !health.isHealthy)
  }

  @Test func whatIsSetByHandComesFirstAndOutlivesTheProcess() async throws {
    try await session.setManualStatus(.lunch)
    let next = try fixture.session(service)
    try await next.report(.available, deadline: fixture.deadline)
    expectEqual(service.asked.last, "report lunch by hand")
    try await next.setManualStatus(nil)
    try await session.report(.inUse, deadline: fixture.deadline)
    expectEqual(service.asked.last, "report in-use")
  }

  @Test func whatTwoProcessesCountIsAdded() async throws {
    let next = try fixture.session(service)
    _ = await session.sync()
    _ = await next.sync()
    await next.close()
    await session.close()
    let counters = try await fixture.session(service).counters()
    expectEqual(counters.activations, 1)
    expectEqual(counters.configurations, 3)
    expectEqual(counters.requests["configuration"]?.count, 3)
    expect(counters.requests["configuration"]?.succeeded != nil)
  }

  @Test func anotherProcessesChangeIsSeen() async throws {
    let next = try fixture.session(service)
    _ = try await next.state()
    try await session.setManualStatus(.brb)
    try await expectEqual(next.state().manualStatus, .brb)
    try await session.reset()
    expect(try await !next.state().isActivated)
  }

  @Test func workTellsStatusesAndKeepsTheConfigurationCurrent() async throws {
    try await fixture.work(service, saying: .inUse, for: .seconds(3_600))
    let fetches = service.asked.filter { $0.hasPrefix("configuration") }.count
    let reports = service.asked.filter { $0 == "report in-use" }.count
    // Every 5 minutes, and every 2 minutes.
    expect((8...14).contains(fetches), "\(fetches)")
    expect((22...50).contains(reports), "\(reports)")
  }

  /// A service that was out of its mind may have changed its mind, too: what it says is not left for the whole interval.
  @Test(arguments: [ControlFaultKind.unknown, .server, .configuration, .network])
  func aFaultOfAStatusHasTheConfigurationFetchedSoon(kind: ControlFaultKind) async throws {
    let service = service
    let fixture = fixture
    // Well for the first configuration, out of order for the first status, and well from then on.
    let failed = Mutex<MonotonicTime?>(nil)
    let fetches = Mutex<Int>(0)
    service.atReport.withLock {
      $0.body = {
        guard service.asked.filter({ $0.hasPrefix("report") }).count >= 2, failed.withLock({ $0 }) == nil else {
          return
        }
        failed.withLock { $0 = fixture.time.now() }
        fetches.withLock { $0 = service.asked.filter { $0.hasPrefix("configuration") }.count }
        service.reported.withLock { $0 = nil }
      }
    }
    service.reported.withLock { $0 = ControlFault(kind, "a page") }
    try await fixture.work(service, saying: .available, for: .seconds(220))
    expect(failed.withLock { $0 } != nil)
    expect(service.asked.filter { $0.hasPrefix("configuration") }.count > fetches.withLock { $0 }, "\(service.asked)")
  }

  @Test func aStatusThatIsRefusedSaysNothingOfATokenThatIsAccepted() async throws {
    service.reported.withLock { $0 = Self.refused }
    await #expect(throws: Self.refused) { try await session.report(.available, deadline: fixture.deadline) }
    expectEqual(service.asked, ["report available", "validate"])
    expect(try await session.state().tokenRefusedSince == nil)
    expectEqual(fixture.told, [])
    service.validated.withLock { $0 = Self.refused }
    await #expect(throws: Self.refused) { try await session.report(.available, deadline: fixture.deadline) }
    expect(try await session.state().tokenRefusedSince != nil)
    expectEqual(fixture.told.count, 1)
  }

  @Test func aConfigurationThatAnotherProcessFetchedIsCurrent() async throws {
    let next = try fixture.session(service)
    fixture.time.advance(by: .seconds(3_601))
    expect(await !session.health().configCurrent)
    _ = await next.sync(isUrgent: true)
    expect(await session.health().configCurrent)
  }

  @Test func whereThereIsNoTokenNoneIsRefused() async throws {
    let fixture = try ControlFixture()
    let service = WrittenService()
    service.token.withLock { $0 = nil }
    let session = try fixture.session(service)
    _ = try await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline).get()
    service.validated.withLock { $0 = ControlFault(.authentication, "no token", wasSent: false) }
    _ = try? await session.validate(deadline: fixture.deadline)
    expect(try await session.state().tokenRefusedSince == nil)
    _ = try await session.sync().get()
  }

  @Test func aFaultThatEndedIsToldToBeOverAndTheNextOneAnew() async throws {
    let fixture = try ControlFixture()
    let service = WrittenService()
    let session = try fixture.session(service)
    _ = try await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline).get()
    let fault = ControlFault(.unknown, "a page")
    func told(_ notice: ControlNotice) -> Int { fixture.told.count { $0 == notice } }
    for round in 1...2 {
      service.configured.withLock { $0 = .failure(fault) }
      for _ in 1...2 { _ = await session.sync(isUrgent: true) }
      expectEqual(told(.fault(fault)), round)
      service.configured.withLock { $0 = .success(ControlConfiguration()) }
      for _ in 1...2 { _ = try await session.sync(isUrgent: true).get() }
      expectEqual(told(.answers), round)
    }
  }
}

extension ControlSession {
  /// Tells when it is on the session's thread: from there to where it joins another one nothing else runs.
  fileprivate func sync(entering: @Sendable () -> Void) async -> Result<ControlConfiguration, ControlFault> {
    entering()
    return await sync()
  }
}
