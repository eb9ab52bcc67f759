import StationSetUp
import Admission
import EventSchedule
import Expectations
import Foundation
import Gateway
import Glibc
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Sealing
import Testing
import TicketLists
import TicketSystemKit

/// Another ticket system costs its folder and a line here: nothing else of the house knows it.
@Suite(.timeLimit(.minutes(1))) struct CodeFileTests {
  private static let registry: [TicketSystemType] = [
    .eventSchedule,
    .codeFile,
    .codeCheck,
    .codeList,
  ]

  private let folder: String
  private var codes: String { folder + "/codes.txt" }
  private var desk: String { folder + "/desk" }

  init() throws {
    var template = Array((temporaryRoot + "/scangate-code-file-XXXXXX").utf8CString)
    folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    try "good-code 2\nslow-code < \(folder)/desk\n".write(toFile: codes, atomically: true, encoding: .utf8)
    expectEqual(mkfifo(folder + "/desk", 0o600), 0)
  }

  private func read(_ section: String) throws -> StationConfiguration {
    let text = """
      version: 1
      station: { name: bench }
      ticketSystems:
        main: \(section)
        other: { type: eventschedule, url: "http://127.0.0.1:9", apiKey: other }
      readers: { left: { type: wedge, match: { vendor: "0c2e" } }, right: { type: wedge, match: { vendor: "05e0" } } }
      gates:
        north: { readers: [left], ticketSystem: main }
        south: { readers: [right], ticketSystem: other }
      """
    return try ConfigurationFile.parse(
      text: text, file: "f", options: ConfigurationOptions(ticketSystems: Self.registry)
    ).configuration
  }

  private func refusal(_ section: String) -> String {
    do {
      _ = try read(section)
      return ""
    } catch {
      return "\(error)"
    }
  }

  @Test func behavesAsATicketSystemMust() async throws {
    let system = try #require(try read("{ type: codefile, file: \(codes) }").ticketSystems.first)
    expectEqual(system.address, "codefile \(codes)")
    let connection = try system.connect(
      credentials: CredentialResolver { name throws(SetupError) in throw SetupError("no \(name)") }, time: SystemTime())
    await expectEqual(suite(connection.face(nil)).failures(), [])
    await connection.close()
  }

  /// The same, asked in a way that changes nothing: nobody need find out what an unanswered request has done.
  @Test func oneThatOnlyReadsBehavesAsATicketSystemMust() async throws {
    let checked = CodeCheckTicketSystem(
      file: CodeFileTicketSystem(id: TicketSystemID("main"), path: codes, time: SystemTime()))
    await expectEqual(suite(checked).failures(), [])
  }

  /// The suite finds out who says that it only reads, and behaves otherwise.
  @Test func whoSaysSoMustKeepToIt() async throws {
    let file = CodeFileTicketSystem(id: TicketSystemID("main"), path: codes, time: SystemTime())
    let redeeming = await suite(CodeCheckTicketSystem(file: file, isTrue: false)).failures()
    expectEqual(redeeming.count { $0.hasPrefix("a request that only reads may have redeemed") }, 1, "\(redeeming)")
    let knowing = await suite(CodeCheckTicketSystem(file: file, found: .unused)).failures()
    expectEqual(knowing.count { $0.hasPrefix("a system that only reads says who was admitted") }, 2, "\(knowing)")
  }

  /// No request, and nobody else who knows who went in: the list says who may, the ledger who has.
  @Test func aListIsTheWholeAnswer() async throws {
    try "good-code 2\nslow-code 1\n".write(toFile: codes, atomically: true, encoding: .utf8)
    let system = try #require(try read("{ type: codelist, file: \(codes) }").ticketSystems.first)
    let key = SealKey.random().key
    let stored = try StoredTicketList(
      TicketListPlace(state: folder, system: system.id, server: system.address), key: key)
    let clock = ClockTrust(time: SystemTime(), isDisciplined: { true })
    let connection = try system.connect(
      list: ListOnBoard(of: system.id, stored, maxAge: .seconds(60)) { clock.now() },
      credentials: CredentialResolver { name throws(SetupError) in throw SetupError("no \(name)") }, time: SystemTime())
    let toy = try #require(connection.face(nil) as? CodeListTicketSystem)
    // Without a list it says so before the first guest.
    guard case .fault(.outOfService, _) = await toy.reach(deadline: SystemTime().now()) else {
      return expect(false, "no list, and no fault")
    }
    try await toy.refresh()
    let suite = TicketSystemConformance(
      system: toy, goodCode: Code("good-code"), unknownCode: Code("no-such-code"), time: SystemTime())
    await expectEqual(suite.failures(), [])
    // From here on it could not be asked.
    try FileManager.default.removeItem(atPath: codes)
    let journal = MemoryJournal()
    func present(_ code: String, boot: String) async throws -> AttemptDecision {
      let keeper = LedgerKeeper(
        server: system.address,
        dependencies: LedgerDependencies(
          journal: journal, key: key, boot: BootID(boot), clock: clock, loop: try GateThreads.next(),
          list: { _, _ in stored }), time: SystemTime(), events: EventHub())
      let scan = Scan(
        gate: GateID("north"), reader: ReaderID("left"), code: Code(code), readAt: SystemTime().now())
      return await keeper.decide(
        scan, key: TicketKey(scan.code.bytes), system: toy, deadline: SystemTime().now() + .seconds(20), mayAsk: true
      ).decision
    }
    for admitted in 1...2 {
      let decision = try await present("good-code", boot: "boot \(admitted)")
      expect(decision.verdict == .admit && decision.admitted == admitted && decision.allowance == 2)
      expect(decision.details?.eventID == "evening" && decision.details?.kind == "stalls")
    }
    let third = try await present("good-code", boot: "boot 3")
    expect(third.verdict == .refuse(.alreadyUsed) && third.firstUse?.gate == GateID("north"))
    try await expectEqual(present("no-such-code", boot: "boot 3").verdict, .refuse(.notFound))
    await connection.close()
  }

  /// A moment needs a clock that is believed, and a list is good for a time.
  @Test func aListDecidesOnlyWhatItCan() async throws {
    let now = SystemTime().wall()
    func answer(
      _ ticket: ListedTicket?, age: Duration? = .seconds(10), isTrusted: Bool = true
    ) async -> AttemptOutcome? {
      let list = ListOnBoard(
        of: TicketSystemID("main"), FixedList(ticket: ticket, asOf: now - (age ?? .zero), age: isTrusted ? nil : age),
        maxAge: .seconds(60)
      ) { JournalTime(wall: now, monotonic: MonotonicTime(nanoseconds: 5), isTrusted: isTrusted) }
      return await list.outcome(
        of: AttemptRequest(
          attempt: AttemptID(), scan: ScanID(), code: Code("a"), deadline: MonotonicTime(nanoseconds: 9)))
    }
    let later = now + .seconds(60)
    let dated = ListedTicket(status: .valid, from: now - .seconds(1), until: later, quantity: 3)
    await expectEqual(
      answer(dated)?.answer,
      .valid(
        Entitlement(
          quantity: 3, ends: later, details: TicketDetails(date: .span(now - .seconds(1)..<later)))))
    for (ticket, reason) in [
      (ListedTicket(status: .valid, from: later), RefuseReason.tooEarly),
      (ListedTicket(status: .valid, until: now), .tooLate), (ListedTicket(status: .unpaid), .unpaid),
      (ListedTicket(status: .used, from: later), .alreadyUsed),
    ] {
      let outcome = await answer(ticket)
      let detail = "By the list on board, 0 min old.\(ticket.words(for: reason))"
      expectEqual(outcome?.answer, .refused(reason, detail: detail))
      expect(outcome?.fate == .answered && outcome?.mayHaveRedeemed == false)
    }
    expect(await answer(nil) == nil)
    for (outcome, reason) in [
      (await answer(dated, age: .seconds(90)), UndecidedReason.outOfService),
      (await answer(dated, isTrusted: false), .clockWrong),
      (await answer(ListedTicket(status: .valid), age: nil, isTrusted: false), .clockWrong),
    ] {
      guard case .undecided(reason, _)? = outcome?.answer, outcome?.fate == .notSent else {
        expect(false, "\(reason): \(String(describing: outcome))")
        continue
      }
    }
    guard case .valid? = await answer(ListedTicket(status: .valid), isTrusted: false)?.answer else {
      return expect(false, "what needs no clock asks none")
    }
  }

  /// It may have been sold since: that it is none is said by a list alone that was told of all tickets, and not long ago.
  @Test func whatAListDoesNotNameIsNoTicketOnlyWhereItIsWhole() async throws {
    let now = SystemTime().wall()
    func answer(all age: Duration?, isTrusted: Bool = true) async -> AttemptOutcome? {
      let any = ListAge(asOf: now, running: .zero)
      let list = ListOnBoard(
        of: TicketSystemID("main"),
        UnnamingList(finding: .unnamed(all: age.map { ListAge(asOf: now - $0, running: $0) }, any: any)),
        maxAge: .seconds(60)
      ) { JournalTime(wall: now, monotonic: MonotonicTime(nanoseconds: 5), isTrusted: isTrusted) }
      return await list.outcome(
        of: AttemptRequest(
          attempt: AttemptID(), scan: ScanID(), code: Code("a"), deadline: MonotonicTime(nanoseconds: 9)))
    }
    for isTrusted in [true, false] {
      expect(await answer(all: .seconds(60), isTrusted: isTrusted) == nil)
      for age in [nil, Duration.seconds(61)] {
        guard case .undecided(.outOfService, let detail)? = await answer(all: age, isTrusted: isTrusted)?.answer else {
          expect(false, "\(String(describing: age))")
          continue
        }
        expect(detail?.contains("may have been sold since") == true, "\(detail ?? "")")
      }
    }
  }

  private func suite(_ system: any TicketSystem) -> TicketSystemConformance {
    TicketSystemConformance(
      system: system, goodCode: Code("good-code"), unknownCode: Code("no-such-code"), slowCode: Code("slow-code"),
      release: { try? "1".write(toFile: desk, atomically: false, encoding: .utf8) }, time: SystemTime())
  }

  @Test func itsSectionIsReadAsOthersAre() throws {
    expectEqual(
      refusal("{ type: codefile, file: codes.txt }"),
      "f:4:33: \"ticketSystems.main.file\" cannot be \"codes.txt\"; write a path")
    expectEqual(
      refusal("{ type: codefile }"),
      "f:4:3: the key \"file\" is missing in \"ticketSystems.main\"; add file: /srv/codes.txt")
    expectEqual(
      refusal("{ type: codefil, file: /a }"),
      "f:4:17: \"ticketSystems.main.type\" cannot be \"codefil\"; did you mean \"codefile\"?")
    expectEqual(
      refusal("{ type: none, file: /a }"),
      "f:4:17: \"ticketSystems.main.type\" cannot be \"none\"; known are eventschedule, codefile, codecheck, codelist")
    let sections = ConfigurationFile.schema(options: ConfigurationOptions(ticketSystems: Self.registry)).map(\.path)
    expect(sections.contains("ticketSystems.<name>") && sections.contains("ticketSystems.<name>, type codefile"))
  }

  /// Each type says for how long "once" may hold, and for how long it does where the file says nothing.
  @Test func aTypeSaysWhichScopesItTakes() throws {
    func scope(_ section: String) throws -> TicketScope? { try read(section).ticketSystems.first?.scope }
    try expectEqual(scope("{ type: codecheck, file: /a }"), .every(.seconds(600)))
    try expectEqual(scope("{ type: codecheck, file: /a, interval: 1 min }"), .every(.seconds(60)))
    try expectEqual(scope("{ type: codecheck, file: /a, scope: every, interval: 24 h }"), .every(.seconds(86_400)))
    try expectEqual(
      scope("{ type: codecheck, file: /a, scope: perDay, dayBegins: 3 }"), .perDay(begins: .seconds(10_800)))
    try expectEqual(scope("{ type: codefile, file: /a }"), .once)
    try expectEqual(scope("{ type: codefile, file: /a, scope: perEvent, event: gala }"), .perEvent("gala"))
    expectEqual(
      refusal("{ type: codecheck, file: /a, scope: once }"),
      "f:4:45: \"ticketSystems.main.scope\" cannot be \"once\"; write every or perDay")
    for type in ["codefile, file: /a", "eventschedule, url: 'https://a.example', apiKey: a"] {
      expect(
        refusal("{ type: \(type), scope: every }").hasSuffix(
          ": \"ticketSystems.main.scope\" cannot be \"every\"; write once or perDay or perEvent or untilExit"))
      expect(refusal("{ type: \(type), interval: 15 min }").contains("unknown key \"interval\""))
    }
    for time in ["59 s", "30 s", "25 h", "0 min"] {
      expect(refusal("{ type: codecheck, file: /a, interval: \(time) }").contains("\"ticketSystems.main.interval\""))
    }
    expectEqual(
      refusal("{ type: codecheck, file: /a, scope: perDay, interval: 15 min }"),
      "f:4:53: interval belongs to scope: every; write scope: every, or remove interval")
  }

  /// What a section has read goes back to the type that read it; were it another's, that is said.
  @Test func settingsOfAnotherTypeAreRefused() throws {
    let systems = try read("{ type: codefile, file: \(codes) }").ticketSystems
    #expect(throws: SetupError("Ticket system main: nothing here speaks eventschedule.")) {
      _ = try TicketSystemType.eventSchedule.connect(
        systems[0].id, systems[0].settings, credentials: CredentialResolver { _ throws(SetupError) in "" },
        time: SystemTime())
    }
    expectEqual(TicketSystemType.codeFile.budget(of: systems[1].settings), nil)
    expectEqual(systems.map(\.budget), [nil, 60])
  }

  @Test func aStationIsPutTogetherAndAsksIt() async throws {
    let station = try read("{ type: codefile, file: \(codes) }")
    var alone = station
    alone.ticketSystems.removeLast()
    let findings = await OnlineCheck.findings(
      on: EnrolmentBook.Completed(configuration: alone),
      credentials: CredentialResolver { _ throws(SetupError) in "a-key-of-some-length" })
    expectEqual(findings.map(\.line), ["ticketSystems.main: \(codes) answers."])
    let made = try await ConfiguredStation.make(
      station, outputs: .own, credentials: CredentialResolver { _ throws(SetupError) in "a-key-of-some-length" },
      memory: StationMemory(
        dependencies: LedgerDependencies(
          journal: MemoryJournal(), key: SealKey.random().key, boot: BootID("boot 1"),
          clock: ClockTrust(time: SystemTime()), loop: try GateThreads.next())),
      events: EventHub()
    ) { _, _ in }
    await made.discard()
  }
}

/// A list that says the same of every code.
private struct FixedList: TicketList {
  let ticket: ListedTicket?
  let asOf: WallTime
  let age: Duration?

  func find(_ code: Code) throws(TicketListFault) -> ListFinding? { ListFinding(ticket, in: state()) }

  func state() -> TicketListState? { TicketListState(asOf: asOf, count: 1, age: age) }
}

/// A list that names nothing.
private struct UnnamingList: TicketList {
  let finding: ListFinding

  func find(_ code: Code) -> ListFinding? { finding }

  func state() -> TicketListState? { nil }
}
