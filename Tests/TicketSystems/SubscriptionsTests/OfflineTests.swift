import Admission
import Calls
import Expectations
import Foundation
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import ScriptedHTTP
import Sealing
import Synchronization
import Testing
import TicketLists
import TicketSystemKit
import TicketTransport

@testable import Gateway
@testable import Subscriptions

/// A gate with its ledger, real HTTP, and the file of what was checked: while the service answers, while it does not, and afterwards.
@Suite(.timeLimit(.minutes(1))) struct OfflineTests {
  private static let member = "1000000619244062", stranger = "1000000619244063"

  /// The service: what it knows, and whether it is there.
  private final class Members: Sendable {
    struct State {
      var answers: [String: String] = [:]
      var isAway = false
    }
    let state = Mutex(State())

    func say(_ id: String, _ answer: String) { state.withLock { $0.answers[id] = answer } }
    func tell(_ id: String, ends: WallTime, tier: String = "premium", now: WallTime) {
      say(id, Wire.response("200 OK", Wire.subscription(id, ends: ends, tier: tier), date: now))
    }

    func server() -> ScriptedServer {
      ScriptedServer { _, request, connection in
        let answer = self.state.withLock { state -> String? in
          if state.isAway { return nil }
          if request.contains("page=") { return Wire.response("401 Unauthorized", #"{"message":"Missing X-User-Id"}"#) }
          return state.answers.first { request.contains($0.key) }?.value
            ?? Wire.response("404 Not Found", #"{"message":"Not Found"}"#)
        }
        if let answer { connection.send(answer) } else { connection.close() }
      }
    }
  }

  private struct Station {
    let members = Members()
    let server: ScriptedServer
    let transport: HTTPTransport
    let time = MovableTime()
    let journal = MemoryJournal()
    let stored: StoredTicketList
    let keeper: LedgerKeeper
    let gate: SubscriptionsTicketSystem
    let hub = EventHub()
    var policy = OfflinePolicy()

    init(tiers: [SubscriptionTier] = [], freshFor: Duration = .seconds(86_400)) async throws {
      let id = TicketSystemID("members")
      server = members.server()
      let url = try ServerAddress("http://localhost:\(try await server.start())")
      transport = try HTTPTransport(server: url, time: time)
      let client = SubscriptionsClient(
        transport: transport, token: try Secret("test-token"), budget: .init(limit: 1_000, model: .window),
        recheck: .zero,
        time: time)
      let folder = temporaryRoot + "/members-\(UUID())"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let key = SealKey.random().key
      let stored = try StoredTicketList(
        TicketListPlace(state: folder, system: id, server: "subscriptions \(url)"), key: key)
      self.stored = stored
      let clock = ClockTrust(time: time, isDisciplined: { true })
      keeper = LedgerKeeper(
        server: "subscriptions \(url)",
        dependencies: LedgerDependencies(
          journal: journal, key: key, boot: BootID("boot 1"), clock: clock, loop: try GateThreads.next(),
          list: { _, _ in stored }),
        scope: .every(.seconds(900)), time: time, events: hub)
      let place = SourcePosition(file: "f", line: 1, column: 1)
      let settings = SubscriptionsSection.System(
        url: url, urlPosition: place, accessToken: CredentialReference(name: "ftc", position: place),
        environment: .production, passes: .init(codes: .both), freshFor: freshFor, renewalGrace: .zero, recheck: .zero,
        allowPlainHTTP: false)
      gate = SubscriptionsTicketSystem(
        id: id, client: client, reader: PassReader(codes: .both, files: try passFiles()), settings: settings,
        gate: .init(tiers: tiers),
        list: ListOnBoard(of: id, stored, maxAge: .seconds(60), freshFor: freshFor) { clock.now() })
      policy.rule = .list
      // Who is away says so at once: nothing here waits for it.
      policy.after = .seconds(20)
      policy.freshFor = freshFor
      _ = await keeper.takeUp([], asker: gate)
    }

    var ahead: WallTime { time.wall() + .seconds(30 * 86_400) }

    func present(
      _ code: String, at gate: SubscriptionsTicketSystem? = nil, named name: String = "lounge"
    ) async -> AttemptDecision {
      let face = gate ?? self.gate
      let own = face.recognise(Code(code)).code
      guard case .proceed(let key) = face.examine(own, at: time.wall()) else {
        return AttemptDecision(verdict: .refuse(.notGenuine))
      }
      let scan = Scan(gate: GateID(name), reader: ReaderID("door"), code: own, readAt: time.now())
      return await keeper.decide(
        scan, key: key, system: face, deadline: time.now() + .seconds(20), mayAsk: true, offline: policy
      ).decision
    }

    /// The network goes, and whoever asks has found out.
    func away(_ isAway: Bool) { members.state.withLock { $0.isAway = isAway } }

    func close() async {
      await transport.close()
      await server.stop()
    }
  }

  private func pass(_ id: String, _ station: Station) throws -> String {
    try SignedPass.text(
      #require(SubscriptionID(id)), notBefore: station.time.wall() - .seconds(60),
      ends: station.time.wall() + .seconds(60 * 86_400), by: passKey)
  }

  @Test func onceInAQuarterOfAnHourInWhateverForm() async throws {
    let station = try await Station()
    station.members.tell(Self.member, ends: station.ahead, now: station.time.wall())
    let signed = try pass(Self.member, station)
    await expectEqual(station.present(signed).verdict, .admit)
    let asked = station.server.requests.count
    for code in [signed, signed.lowercased(), Self.member, try pass(Self.member, station)] {
      let handedBack = await station.present(code)
      expectEqual(handedBack.verdict, .refuse(.tooSoon))
      expectEqual(handedBack.firstUse?.gate, GateID("lounge"))
    }
    expectEqual(station.server.requests.count, asked)
    station.time.advance(by: .seconds(901))
    station.members.tell(Self.member, ends: station.ahead, now: station.time.wall())
    await expectEqual(station.present(signed).verdict, .admit)
    await station.close()
  }

  @Test func aKnownPassIsProvisionalAndAnUnknownOneIsNot() async throws {
    let station = try await Station()
    station.members.tell(Self.member, ends: station.ahead, now: station.time.wall())
    await expectEqual(station.present(Self.member).verdict, .admit)
    station.away(true)
    station.time.advance(by: .seconds(3_600))
    for code in [Self.stranger, try pass(Self.stranger, station)] {
      let unknown = await station.present(code)
      expect(
        unknown.verdict == .undecided(.unreachable) && unknown.detail?.contains("does not name the ticket") == true,
        "\(unknown)")
    }
    // By its signed form, too: it is one pass.
    let known = await station.present(try pass(Self.member, station))
    expect(known.verdict == .admit && known.isProvisional, "\(known)")
    await expectEqual(station.present(Self.member).verdict, .refuse(.tooSoon))
    await station.close()
  }

  @Test func itIsKnownNoLongerThanItIsFresh() async throws {
    let station = try await Station(freshFor: .seconds(7_200))
    station.members.tell(Self.member, ends: station.ahead, now: station.time.wall())
    await expectEqual(station.present(Self.member).verdict, .admit)
    station.away(true)
    station.time.advance(by: .seconds(7_205))
    let late = await station.present(Self.member)
    expect(late.verdict == .undecided(.unreachable) && late.detail?.contains("2 h ago") == true, "\(late)")
    await station.close()
  }

  @Test func norLongerThanTheSubscriptionRuns() async throws {
    let station = try await Station()
    station.members.tell(Self.member, ends: station.time.wall() + .seconds(1_000), now: station.time.wall())
    await expectEqual(station.present(Self.member).verdict, .admit)
    station.away(true)
    station.time.advance(by: .seconds(1_001))
    expect(await station.present(Self.member).verdict == .undecided(.unreachable))
    await station.close()
  }

  @Test func aBadAnswerForgetsIt() async throws {
    let station = try await Station()
    station.members.tell(Self.member, ends: station.ahead, now: station.time.wall())
    await expectEqual(station.present(Self.member).verdict, .admit)
    station.time.advance(by: .seconds(901))
    station.members.say(Self.member, Wire.response("404 Not Found", #"{"message":"Not Found"}"#))
    await expectEqual(station.present(Self.member).verdict, .refuse(.notFound))
    await expectEqual(try station.stored.find(Code(Self.member)), nil)
    station.away(true)
    station.time.advance(by: .seconds(60))
    expect(await station.present(Self.member).verdict != .admit)
    await station.close()
  }

  @Test func aRefusedTokenOpensNothingOffline() async throws {
    let station = try await Station()
    station.members.tell(Self.member, ends: station.ahead, now: station.time.wall())
    await expectEqual(station.present(Self.member).verdict, .admit)
    station.time.advance(by: .seconds(901))
    station.members.say(Self.member, Wire.response("403 Forbidden", #"{"message":"Invalid access token"}"#))
    await expectEqual(station.present(Self.member).verdict, .undecided(.keyRefused))
    station.away(true)
    station.time.advance(by: .seconds(901))
    await expectEqual(station.present(Self.member).verdict, .undecided(.keyRefused))
    await station.close()
  }

  /// What it was yesterday bars nobody today.
  @Test func anUpgradeOpensTheGateOfItsTierAtOnce() async throws {
    let station = try await Station(tiers: [.premium])
    station.members.tell(Self.member, ends: station.ahead, tier: "standard", now: station.time.wall())
    await expectEqual(station.present(Self.member).verdict, .refuse(.wrongKind))
    // Refusals are remembered for some seconds.
    station.time.advance(by: .seconds(30))
    station.members.tell(Self.member, ends: station.ahead, now: station.time.wall())
    await expectEqual(station.present(Self.member).verdict, .admit)
    station.time.advance(by: .seconds(901))
    station.members.tell(Self.member, ends: station.ahead, tier: "standard", now: station.time.wall())
    await expectEqual(station.present(Self.member).verdict, .refuse(.wrongKind))
    await station.close()
  }

  @Test func offlineTheTierIsThatOfTheLastCheck() async throws {
    let station = try await Station(tiers: [.premium])
    for (id, tier) in [(Self.member, "premium"), (Self.stranger, "standard")] {
      station.members.tell(id, ends: station.ahead, tier: tier, now: station.time.wall())
      _ = await station.present(id)
    }
    station.away(true)
    station.time.advance(by: .seconds(1_800))
    expect(await station.present(Self.member).isProvisional)
    expect(await station.present(Self.stranger).verdict != .admit)
    await station.close()
  }

  // MARK: Telling

  private func provisional(_ station: Station) async throws {
    station.members.tell(Self.member, ends: station.ahead, now: station.time.wall())
    await expectEqual(station.present(Self.member).verdict, .admit)
    station.away(true)
    station.time.advance(by: .seconds(901))
    expect(await station.present(Self.member).isProvisional)
  }

  private func endings(_ station: Station) -> [ToldAdmission.Ending] {
    station.journal.facts.compactMap { if case .told(let told) = $0 { told.ending } else { nil } }
  }

  /// Returns once what is owed was told.
  private func told(_ station: Station) async {
    station.away(false)
    // Somebody else presents a pass, and so finds out that it answers.
    while endings(station).isEmpty {
      station.time.advance(by: .seconds(20))
      _ = await station.present(Self.stranger)
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  @Test func aProvisionalAdmissionIsToldByCheckingAgain() async throws {
    let station = try await Station()
    try await provisional(station)
    await told(station)
    expectEqual(endings(station), [.confirmed])
    await station.close()
  }

  /// It ended after the admission: that says nothing against it.
  @Test func whatEndedSinceIsNoConflict() async throws {
    let station = try await Station()
    try await provisional(station)
    let admitted = station.time.wall()
    station.time.advance(by: .seconds(3_600))
    station.members.tell(Self.member, ends: admitted + .seconds(600), now: station.time.wall())
    await told(station)
    expectEqual(endings(station), [.confirmed])
    await station.close()
  }

  @Test func whatHadEndedAtTheAdmissionIsAConflict() async throws {
    let station = try await Station()
    try await provisional(station)
    let admitted = station.time.wall()
    station.time.advance(by: .seconds(3_600))
    station.members.tell(Self.member, ends: admitted - .seconds(600), now: station.time.wall())
    await told(station)
    expectEqual(endings(station), [.contradicted])
    await station.close()
  }
}
