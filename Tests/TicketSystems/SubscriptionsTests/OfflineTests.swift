import Admission
import Expectations
import ScanModel
import ScanTesting
import ScriptedHTTP
import Synchronization
import Testing
import TicketLists

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
    let process: MemberStation

    var time: MovableTime { process.time }
    var journal: MemoryJournal { process.disk.journal }
    var stored: StoredTicketList { process.stored }
    var ahead: WallTime { process.ahead }

    init(tiers: [SubscriptionTier] = [], freshFor: Duration = .seconds(86_400)) async throws {
      server = members.server()
      process = try await MemberStation(
        asking: "http://localhost:\(try await server.start())", time: MovableTime(), disk: .init(), tiers: tiers,
        freshFor: freshFor)
    }

    func present(_ code: String) async -> AttemptDecision { await process.present(code) }

    /// Takes a list on board, true as of now.
    func take(_ tickets: ToldTicket...) throws {
      let work = try TicketImport(
        TicketImport.Settings(
          place: process.place, key: process.disk.key, recognise: { PassReader.listedCode(SignedPass.ownForm(of: $0)) },
          zone: { _, _, _ in nil }))
      for ticket in tickets { try work.add(ticket) }
      let report = try work.finish(asOf: time.wall(), imported: time.wall())
      expectEqual(report.refusal, nil)
    }

    /// The network goes, and whoever asks has found out.
    func away(_ isAway: Bool) { members.state.withLock { $0.isAway = isAway } }

    func close() async {
      await process.close()
      await server.stop()
    }
  }

  private func pass(_ id: String, _ station: Station) throws -> String {
    try signedPass(id, at: station.time.wall())
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

  // MARK: A list that was brought

  private func listed(
    _ code: String, until: WallTime? = nil, tier: String? = "premium", status: ListedTicket.Status = .valid
  ) -> ToldTicket {
    ToldTicket(code: code, isWholeSale: false, status: status, until: until, kind: tier)
  }

  /// A member who was never here passes by it, in whatever form; whom it does not name, or names of another tier, does not.
  @Test func aListNamesMembersWhoWereNeverHere() async throws {
    let station = try await Station(tiers: [.premium])
    let (standard, untold) = ("1000000619244064", "1000000619244065")
    try station.take(
      listed(pass(Self.member, station), until: station.ahead),
      listed(standard, until: station.ahead, tier: "standard"),
      listed(untold, until: station.ahead, tier: nil))
    station.away(true)
    for id in [standard, untold, Self.stranger] {
      let turned = await station.present(id)
      expect(turned.verdict != .admit, "\(turned)")
    }
    let known = await station.present(Self.member)
    expect(known.verdict == .admit && known.isProvisional, "\(known)")
    try await expectEqual(station.present(pass(Self.member, station)).verdict, .refuse(.tooSoon))
    await station.close()
  }

  /// It may have been renewed since the list was made: who is valid is not refused.
  @Test func anEndThatAListTellsIsNoRefusal() async throws {
    let station = try await Station()
    try station.take(
      listed(Self.member, until: station.time.wall() + .seconds(20)), listed(Self.stranger, status: .cancelled))
    station.away(true)
    station.time.advance(by: .seconds(21))
    let ended = await station.present(Self.member)
    expect(
      ended.verdict == .undecided(.unreachable) && ended.detail?.contains("Whether that was put off") == true,
      "\(ended)")
    // What it says outright counts.
    await expectEqual(station.present(Self.stranger).verdict, .refuse(.cancelled))
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
