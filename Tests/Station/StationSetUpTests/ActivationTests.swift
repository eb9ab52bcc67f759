@testable import StationSetUp
import ControlTesting
import Expectations
import Foundation
import ScanModel
import ScanTesting
import Sealing
import Synchronization
import Testing

@testable import Gateway

/// A station is activated once, and what it was given is kept before it is told.
@Suite struct ActivationTests {
  private let fixture: ControlFixture

  init() throws { fixture = try ControlFixture() }

  @Test func whatWasGivenIsThereForTheNextProcess() async throws {
    let service = fixture.service(.token)
    service.make("A1B2C3D4")
    let session = try fixture.session(service)
    let given = try await session.activate(ActivationCode(code: "A1B2C3D4"), deadline: fixture.deadline).get()
    expect(given.token != nil)
    let next = try await fixture.session(service).state()
    expectEqual(next.activation, given)
    expect(next.attempted == nil)
    expectEqual(next.configuration?.name, "North")
    expectEqual(next.stationID, given.kioskID)
    expect(StationUUID.isOne(next.stationID))
    for name in try FileManager.default.subpathsOfDirectory(atPath: fixture.state) {
      guard let bytes = FileManager.default.contents(atPath: "\(fixture.state)/\(name)") else { continue }
      expect(bytes.range(of: Data("token-".utf8)) == nil)
      expect(bytes.range(of: Data("A1B2C3D4".utf8)) == nil)
    }
  }

  @Test func aStationThatIsNotKnownIsRegisteredOnceAndTriedAgain() async throws {
    let service = WrittenService()
    service.refusal.withLock { $0 = ActivationFault(.unknownStation, "KIOSK_NOT_FOUND") }
    let session = try fixture.session(service)
    let result = await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline)
    expectEqual(result, .failure(ActivationFault(.unknownStation, "KIOSK_NOT_FOUND")))
    expectEqual(service.asked, ["activate X", "register -", "activate X"])
  }

  /// Some servers take a station that they do not know, and have nothing for it then.
  @Test func whereATokenRegistersItComesBeforeTheCode() async throws {
    let service = WrittenService()
    service.refusal.withLock { $0 = ActivationFault(.unknownStation, "KIOSK_NOT_FOUND") }
    let session = try fixture.session(service, token: ControlToken("shared"))
    _ = await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline)
    expectEqual(service.asked, ["register shared", "activate X"])
    // Another server is shown no token, and a code's own kiosk is nobody's to register.
    _ = await session.activate(
      ActivationCode(code: "Y", kioskID: "another"), at: ControlFixture.other, deadline: fixture.deadline)
    expectEqual(service.asked.dropFirst(2).first, "activate Y")
  }

  @Test(arguments: SetUpRefusal.allCases) func aCertainRefusalLeavesNoAttemptAndCounts(refusal: SetUpRefusal)
    async throws
  {
    let service = WrittenService()
    service.refusal.withLock { $0 = ActivationFault(refusal, "no") }
    let session = try fixture.session(service)
    _ = await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline)
    let state = try await session.state()
    expect(!state.isActivated && state.attempted == nil)
    await expectEqual(session.counters().refusals, [refusal.rawValue: 1])
  }

  /// Whatever the service serves: that proves no code.
  @Test(arguments: [nil, ControlToken("shared")]) func anAnswerThatIsLostActivatesNothingAndANewCodeDoes(
    token: ControlToken?
  ) async throws {
    let service = WrittenService()
    let lost = ActivationFault(.offline, "no answer", kind: .network, mayBeUsed: true)
    service.refusal.withLock { $0 = lost }
    let session = try fixture.session(service, token: token)
    let id = try await session.state().stationID
    var own = ControlConfiguration()
    own.id = id
    service.configured.withLock { [own] in $0 = .success(own) }
    await expectEqual(session.activate(ActivationCode(code: "X"), deadline: fixture.deadline), .failure(lost))
    service.refusal.withLock { $0 = ActivationFault(.used, "used") }
    _ = await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline)
    _ = await session.activate(ActivationCode(code: "X", kioskID: "another"), deadline: fixture.deadline)
    try await fixture.work(service, token: token, for: .seconds(300))
    expectEqual(service.asked.filter { !$0.hasPrefix("register") }, ["activate X", "activate X", "activate X"])
    let state = try await session.state()
    expect(!state.isActivated && state.attempted != nil)
    expect(await session.health().words.contains { $0.contains("answer was lost") })
    service.refusal.withLock { $0 = nil }
    try await expectEqual(session.activate(ActivationCode(code: "Y"), deadline: fixture.deadline).get().kioskID, id)
    expect(try await session.state().attempted == nil)
  }

  @Test func aResetForgetsAnAttemptAndNobodyIsAsked() async throws {
    let service = WrittenService()
    service.refusal.withLock { $0 = ActivationFault(.offline, "no answer", mayBeUsed: true) }
    let session = try fixture.session(service)
    _ = await session.activate(ActivationCode(code: "X"), at: ControlFixture.other, deadline: fixture.deadline)
    try await session.reset()
    try await fixture.work(service, for: .seconds(300))
    // Its connection is let go of: codes can name servers without end.
    expectEqual(service.asked, ["activate X", "close"])
    let state = try await session.state()
    expect(!state.isActivated && state.attempted == nil)
  }

  /// What another process does while the service is asked counts: an activation that came first, or a reset.
  @Test(arguments: [true, false]) func whatCameWhileItWasAskedIsNotReplaced(isActivation: Bool) async throws {
    let first = WrittenService()
    let second = WrittenService()
    second.token.withLock { $0 = ControlToken("second") }
    let session = try fixture.session(first)
    let another = try fixture.session(second)
    let deadline = fixture.deadline
    first.meanwhile.withLock {
      $0.body = {
        if isActivation {
          _ = await another.activate(ActivationCode(code: "Y"), at: ControlFixture.other, deadline: deadline)
        } else {
          try? await another.reset()
        }
      }
    }
    let result = await session.activate(ActivationCode(code: "X"), deadline: deadline)
    #expect(throws: ActivationFault.self) { try result.get() }
    guard case .failure(let fault) = result else { return }
    expect(fault.mayBeUsed && fault.detail.contains("came first"))
    let state = try await session.state()
    expectEqual(state.activation?.token, (isActivation ? ControlToken("second") : nil))
    expect(state.attempted == nil)
  }

  @Test func aRecordThatIsDamagedIsNotTakenForNone() async throws {
    let service = WrittenService()
    _ = try await fixture.session(service).activate(ActivationCode(code: "X"), deadline: fixture.deadline).get()
    let path = fixture.store.path(of: "control")
    var bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(filePath: path))
    let session = try fixture.session(service)
    await #expect(throws: SealFault.self) { try await session.state() }
    // Nothing has replaced it, and a reset does.
    try expectEqual([UInt8](Data(contentsOf: URL(filePath: path))), bytes)
    try await session.reset()
    expect(try await !session.state().isActivated)
  }

  @Test func aRefusalOfANewCodeLeavesAnAttemptBeforeItOpen() async throws {
    let service = WrittenService()
    service.refusal.withLock { $0 = ActivationFault(.offline, "no answer", mayBeUsed: true) }
    service.configured.withLock { $0 = .failure(ControlFault(.network, "gone")) }
    let session = try fixture.session(service)
    _ = await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline)
    service.refusal.withLock { $0 = ActivationFault(.wrong, "no") }
    _ = await session.activate(ActivationCode(code: "Y"), deadline: fixture.deadline)
    expect(try await session.state().attempted != nil)
  }

  @Test func theRegistrationTokenIsShownToTheConfiguredServerAlone() async throws {
    let service = WrittenService()
    service.token.withLock { $0 = nil }
    let session = try fixture.session(service, token: ControlToken("shared"))
    _ = try await session.activate(ActivationCode(code: "X"), at: ControlFixture.other, deadline: fixture.deadline)
      .get()
    try await session.register(deadline: fixture.deadline)
    expect(!service.asked.contains { $0.contains("shared") })
    try await session.reset()
    _ = try await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline).get()
    expectEqual(service.asked.last, "configuration shared refreshing")
  }

  @Test func aConfigurationThatCannotBeHadUndoesNothing() async throws {
    let service = WrittenService()
    service.configured.withLock { $0 = .failure(ControlFault(.server, "503")) }
    let session = try fixture.session(service)
    _ = try await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline).get()
    expect(try await session.state().isActivated)
    // Somebody waits at the scanner.
    expectEqual(service.asked, ["activate X", "configuration t refreshing"])
  }

  @Test func oneThatIsActivatedIsSoOnceUnlessItIsRenewedByHand() async throws {
    let service = WrittenService()
    let session = try fixture.session(service)
    let first = try await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline).get()
    let again = await session.activate(ActivationCode(code: "Y"), deadline: fixture.deadline)
    #expect(throws: ActivationFault.self) { try again.get() }
    expect(!service.asked.contains("activate Y"))
    let renewed = try await session.activate(ActivationCode(code: "Z"), renewing: true, deadline: fixture.deadline)
      .get()
    expectEqual(renewed.kioskID, first.kioskID)
  }

  @Test func aStationIsRenewedAtItsServerAndAsItselfAlone() async throws {
    let service = WrittenService()
    let session = try fixture.session(service)
    let given = try await session.activate(
      ActivationCode(code: "X"), at: ControlFixture.other, deadline: fixture.deadline
    ).get()
    service.calls.withLock { $0 = [] }
    for (code, server) in [
      (ActivationCode(code: "Y"), ControlFixture.server), (ActivationCode(code: "Y", kioskID: "another"), nil),
      (ActivationCode(code: "Y", kioskID: "another"), ControlFixture.other),
    ] {
      let result = await session.activate(code, at: server, renewing: true, deadline: fixture.deadline)
      guard case .failure(let fault) = result else {
        Issue.record("renewed")
        continue
      }
      expect(fault.detail.contains("scangate kiosk reset") && !fault.mayBeUsed)
    }
    expectEqual(service.asked, [])
    // Not at the configured one, which did not activate it.
    _ = try await session.activate(
      ActivationCode(code: "Z", kioskID: given.kioskID), renewing: true, deadline: fixture.deadline
    ).get()
    try await expectEqual(session.state().server, ControlFixture.other)
  }

  @Test func onlyTheStationsOwnIDIsRegistered() async throws {
    let service = WrittenService()
    service.refusal.withLock { $0 = ActivationFault(.unknownStation, "KIOSK_NOT_FOUND") }
    let session = try fixture.session(service, token: ControlToken("shared"))
    let code = ActivationCode(code: "X", kioskID: "another")
    _ = await session.activate(code, deadline: fixture.deadline)
    expectEqual(service.asked, ["activate X"])
    service.refusal.withLock { $0 = nil }
    _ = try await session.activate(code, deadline: fixture.deadline).get()
    try await session.register(deadline: fixture.deadline)
    expectEqual(service.registeredIDs.withLock { $0 }, [try await session.state().stationID])
  }

  @Test func aResetStationIsANewOne() async throws {
    let session = try fixture.session(WrittenService())
    let first = try await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline).get()
    try await session.reset()
    let state = try await session.state()
    expect(!state.isActivated && state.configuration == nil && state.stationID != first.kioskID)
    await expectEqual(session.counters(), ControlCounters())
  }

  @Test func whereNothingCanBeKeptNothingIsSent() async throws {
    let service = WrittenService()
    let session = try fixture.session(service)
    _ = FileManager.default.createFile(atPath: "\(fixture.state)/records", contents: nil)
    let result = await session.activate(ActivationCode(code: "X"), deadline: fixture.deadline)
    guard case .failure(let fault) = result else {
      Issue.record("activated")
      return
    }
    expect(fault.refusal == .fault && !fault.mayBeUsed)
    expectEqual(service.asked, [])
  }

  /// Power is cut at each moment: afterwards the station works, or can be activated again; never neither.
  @Test(arguments: [FolderService.Gift.token, .activity], FolderService.Moment.allCases)
  func aCutOfPowerLeavesTheStationWorkingOrReadyForACode(
    gift: FolderService.Gift, moment: FolderService.Moment
  ) async throws {
    let service = fixture.service(gift)
    service.make("FIRST111")
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let child = URL(filePath: own).deletingLastPathComponent().appending(path: "control-child")
    let status = try await runProgram(
      child.path, [fixture.state, fixture.books, gift.rawValue, "FIRST111", moment.rawValue])
    expectEqual(status, SIGKILL)

    try await fixture.work(service, for: .seconds(120))
    let session = try fixture.session(service)
    let state = try await session.state()
    switch moment {
    case .beforeActivation:
      expect(!state.isActivated && state.attempted != nil)
      _ = try await session.activate(ActivationCode(code: "FIRST111"), deadline: fixture.deadline).get()
    case .afterActivation:
      // Nobody kept the answer: not what was in it, nor that it was a yes.
      expect(!state.isActivated && state.attempted != nil)
      let again = await session.activate(ActivationCode(code: "FIRST111"), deadline: fixture.deadline)
      #expect(throws: ActivationFault(.used, "The code was used before.")) { try again.get() }
      service.make("SECOND22")
      _ = try await session.activate(ActivationCode(code: "SECOND22"), deadline: fixture.deadline).get()
    case .beforeConfiguration, .afterConfiguration:
      expect(state.isActivated)
    }
    try await expectEqual(session.sync(isUrgent: true).get().name, "North")
    expect(try await session.state().attempted == nil)
  }
}
