import StationSetUp
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
import TicketSystemKit

/// Another ticket system costs its folder and a line here: nothing else of the house knows it.
@Suite(.timeLimit(.minutes(1))) struct CodeFileTests {
  private static let registry: [TicketSystemType] = [
    .eventSchedule,
    .codeFile,
    .codeCheck,
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
      credentials: { name throws(SetupError) in throw SetupError("no \(name)") }, time: SystemTime())
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
      "f:4:17: \"ticketSystems.main.type\" cannot be \"none\"; known are eventschedule, codefile, codecheck")
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
        systems[0].id, systems[0].settings, credentials: { _ throws(SetupError) in "" }, time: SystemTime())
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
      credentials: { _ throws(SetupError) in "a-key-of-some-length" })
    expectEqual(findings.map(\.line), ["ticketSystems.main: \(codes) answers."])
    let made = try await ConfiguredStation.make(
      station, outputs: .own, credentials: { _ throws(SetupError) in "a-key-of-some-length" },
      memory: StationMemory(
        dependencies: LedgerDependencies(
          journal: MemoryJournal(), key: SealKey.random().key, boot: BootID("boot 1"),
          clock: ClockTrust(time: SystemTime()), loop: try GateThreads.next())),
      events: EventHub()
    ) { _, _ in }
    await made.discard()
  }
}
