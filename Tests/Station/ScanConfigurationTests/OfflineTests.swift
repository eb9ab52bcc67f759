import Expectations
import ScanModel
import Testing
import TicketSystemKit

@testable import ScanConfiguration

/// What a gate does offline, as the file says it.
@Suite struct OfflineTests {
  private func reading(_ text: String) throws -> ConfigurationFile.Reading {
    try ConfigurationFile.parse(text: text, file: "f", options: testOptions)
  }

  private func offline(_ more: String) throws -> OfflinePolicy {
    try #require(try reading(goodFile + more).configuration.gates.first).offline
  }

  private func warnings(_ more: String) throws -> [String] {
    try reading(goodFile + more).warnings.map { String($0.description.dropFirst(2)) }
  }

  @Test func readsEveryKey() throws {
    let offline = try offline(
      "    offline: { policy: list, after: 2.5 s, rateLimited: true, untrustedClock: ignoreDay, durableWithin: 5 s }\n")
    var expected = OfflinePolicy()
    expected.rule = .list
    expected.after = .milliseconds(2_500)
    expected.rateLimited = true
    expected.untrustedClock = .ignoreDay
    expected.durableWithin = .seconds(5)
    expectEqual(offline, expected)
    try expectEqual(self.offline("    offline: { policy: admitAndQueue, most: 100000 }\n").most, 100_000)
  }

  /// Nobody waits longer than the gate lets anybody wait, whoever wrote which of the two.
  @Test func theWaitEndsWithTheDeadline() throws {
    try expectEqual(offline("").after, .seconds(1))
    try expectEqual(offline("    deadline: 400 ms\n").after, .milliseconds(400))
    let list = "    offline: { policy: list }\n"
    try expectEqual(offline(list).after, .seconds(1))
    try expectEqual(offline(list + "    deadline: 400 ms\n").after, .milliseconds(400))
    try expectEqual(offline("    deadline: 1 s\n    offline: { policy: list, after: 1 s }\n").after, .seconds(1))
  }

  @Test func anyCodeThatOpensIsADoubt() throws {
    let open = "    offline: { policy: admitAndQueue }\n"
    let doubt =
      "12:24: any code opens \"gates.north\" while its ticket system is offline; say in accept how your tickets look: "
      + "pattern, or minLength and maxLength"
    // What the ticket system's codes look like bounds them.
    try expectEqual(warnings(open), [])
    try expectEqual(warnings(open + "    accept: { alphabet: digits }\n"), [doubt])
    for bound in ["pattern: \"[0-9]{12}\"", "minLength: 12", "maxLength: 12"] {
      try expectEqual(warnings(open + "    accept: { \(bound) }\n"), [], "\(bound)")
    }
    try expectEqual(warnings("    offline: { policy: list }\n"), [])
    try expectEqual(warnings("    offline: { policy: refuse }\n"), [])
  }

  @Test func provisionalMustNotLookLikeAdmit() throws {
    func found(_ signals: String, policy: String = "list") throws -> [String] {
      try warnings("    offline: { policy: \(policy) }\n    signals: { \(signals) }\n")
    }
    try expectEqual(found("provisional: { green: [1 s] }"), [])
    try expectEqual(found("admit: { green: [2 s] }, provisional: { green: [1 s] }"), [])
    try expectEqual(
      found("admit: { green: [2 s] }"),
      [
        "12:24: signals has a pattern for admit and none for provisional, which plays the built-in one; add provisional to "
          + "signals, unlike admit, so that staff tell them apart"
      ])
    try expectEqual(
      found("admit: { green: [2 s] }, provisional: { green: [2 s] }"),
      [
        "12:24: the signals admit and provisional are alike: staff cannot tell them apart; give provisional a rhythm of its "
          + "own"
      ])
    try expectEqual(found("admit: { green: [2 s] }", policy: "refuse"), [])
  }

  @Test func keysOfAnotherPolicyAreDoubted() throws {
    try expectEqual(
      warnings("    offline: { most: 50, after: 1 s }\n"),
      [
        "12:16: most has no effect with policy: refuse; write policy: admitAndQueue, or remove most",
        "12:26: after has no effect with policy: refuse; write policy: admitAndQueue or policy: list, or remove after",
      ])
    try expectEqual(
      warnings("    offline: { policy: list, most: 50, untrustedClock: undecided }\n"),
      [
        "12:30: most has no effect with policy: list; write policy: admitAndQueue, or remove most"
      ])
    try expectEqual(
      warnings(
        "    accept: { minLength: 9 }\n    offline: { policy: admitAndQueue, most: 5, untrustedClock: undecided }\n"),
      [
        "13:48: untrustedClock has no effect with policy: admitAndQueue; write policy: list, or remove untrustedClock"
      ])
  }

  // MARK: The list

  @Test(arguments: [
    ("{ refresh: 10 min }", Duration.seconds(600)), ("{ maxAge: 2 h, refresh: 1 min }", .seconds(60)),
    ("{ refresh: 24 h }", .seconds(86_400)), ("{ maxAge: 2 h }", nil),
  ]) func readsHowOftenAListIsRefreshed(text: String, refresh: Duration?) throws {
    let text = goodFile.replacing("main.key }", with: "main.key, list: \(text) }")
    try expectEqual(reading(text).configuration.ticketSystems.first?.list.refresh, refresh)
  }

  @Test(arguments: ["59 s", "25 h", "0", "often"]) func refreshesNeitherAllTheTimeNorNever(text: String) throws {
    let text = goodFile.replacing("main.key }", with: "main.key, list: { refresh: \(text) } }")
    #expect(throws: (any Error).self) { try reading(text) }
  }

  private func maxAge(_ text: String) throws -> Duration? {
    let text = goodFile.replacing("main.key }", with: "main.key, list: { maxAge: \(text) } }")
    return try reading(text).configuration.ticketSystems.first?.list.maxAge
  }

  @Test(arguments: [
    ("24 h", Duration.seconds(86_400)), ("1min", .seconds(60)), ("90 min", .seconds(5_400)), ("0.5 h", .seconds(1_800)),
    ("1.5 d", .seconds(129_600)), ("366 d", .seconds(366 * 86_400)),
  ]) func readsAges(text: String, age: Duration) throws {
    try expectEqual(maxAge(text), age)
  }

  @Test(arguments: [
    "24", "59 s", "0.5 min", "0 h", "366.001 d", "999999999.999 d", "1 w", "1 H", "h", "-1 h", "1 h 30 min", "",
  ]) func refusesOtherAges(text: String) {
    #expect(throws: ConfigurationErrors.self) { try maxAge(text) }
  }

  // MARK: Clocks that are apart

  private func offset(_ text: String) throws -> Duration? {
    let text = goodFile.replacing("main.key }", with: "main.key, recordOffset: \(text) }")
    return try reading(text).configuration.ticketSystems.first?.recordOffset
  }

  @Test(arguments: [
    ("-3 s", Duration.seconds(-3)), ("3s", .seconds(3)), ("0 s", .zero), ("-0.5 min", .seconds(-30)),
    ("-250 ms", .milliseconds(-250)), ("-1440 min", .seconds(-86_400)), ("86400 s", .seconds(86_400)),
  ]) func readsOffsets(text: String, offset: Duration) throws {
    try expectEqual(self.offset(text), offset)
  }

  @Test(arguments: ["-3", "3", "--3 s", "+3 s", "- 3 s", "-1441 min", "999999999.999 min", "-1 h", "s", "-", ""])
  func refusesOtherOffsets(text: String) {
    #expect(throws: ConfigurationErrors.self) { try offset(text) }
  }

  @Test func withoutAnOffsetThereIsNone() throws {
    try expectEqual(reading(goodFile).configuration.ticketSystems.first?.recordOffset, .zero)
  }

  @Test func aListWithoutKeysIsTheUsualOne() throws {
    let text = goodFile.replacing("main.key }", with: "main.key, list: {} }")
    try expectEqual(reading(text).configuration.ticketSystems.first?.list, TicketListConfiguration())
  }

  // MARK: What a type of ticket system says of its list

  /// A toy of which the list is the answer, and whose codes anybody can guess.
  private enum Guessed: TicketSystemSection {
    struct System: Sendable {}
    struct Gate: Sendable {}
    static let type = "guessed"
    static let systemSchema = SectionSchema("ticketSystems.<name>, type guessed", keys: [])
    static let gateSchema = SectionSchema("gates.<name>.ticket, type guessed", keys: [])
    static let listAge = Duration.seconds(12 * 3_600)
    static let mayOpenByForm = false
    static func readSystem(_ reader: SectionReader) -> System? { System() }
    static func readGate(_ reader: SectionReader) -> Gate? { Gate() }
  }

  private func guessed(_ list: String, policy: String = "list") -> (text: String, options: ConfigurationOptions) {
    let toy = TicketSystemType(Guessed.self, example: [], server: { _ in "here" }) {
      (_, _, _, _, _, _) throws(SetupError) in throw SetupError("nothing to connect to")
    }
    let text = goodFile.replacing(
      "{ type: eventschedule, url: \"https://tickets.example.org\", apiKeyFile: /etc/scangate/keys/main.key }",
      with: "{ type: guessed\(list) }")
    return (
      text + "    offline: { policy: \(policy) }\n", ConfigurationOptions(ticketSystems: [toy])
    )
  }

  @Test func eachTypeSaysHowOldItsListMayBeAtFirst() throws {
    func list(_ text: String) throws -> TicketListConfiguration? {
      let (text, options) = guessed(text)
      return try ConfigurationFile.parse(text: text, file: "f", options: options).configuration.ticketSystems.first?
        .list
    }
    for text in ["", ", list: {}", ", list: { details: true }"] {
      try expectEqual(list(text)?.maxAge, .seconds(12 * 3_600), "\(text)")
    }
    try expectEqual(list(", list: { maxAge: 2 h }")?.maxAge, .seconds(7_200))
    try expectEqual(reading(goodFile).configuration.ticketSystems.first?.list.maxAge, .seconds(24 * 3_600))
  }

  @Test func detailsAreKeptWhereTheFileSaysSo() throws {
    func keeps(_ text: String) throws -> Bool? {
      let text = goodFile.replacing("main.key }", with: "main.key, list: \(text) }")
      return try reading(text).configuration.ticketSystems.first?.list.keepsDetails
    }
    try expectEqual(reading(goodFile).configuration.ticketSystems.first?.list.keepsDetails, false)
    try expectEqual(keeps("{ refresh: 5 min, maxAge: 12 h, details: true }"), true)
    try expectEqual(keeps("{ details: false }"), false)
    #expect(throws: ConfigurationErrors.self) { try keeps("{ details: sealed }") }
  }

  @Test func codesThatAnybodyCanGuessOpenNothingByTheirForm() throws {
    let (text, options) = guessed("", policy: "admitAndQueue")
    let found = errors(in: text, options: options)
    expect(found.count == 1 && found[0].hasPrefix("12:24: "), "\(found)")
    expect(found.first?.contains("neither signed nor hard to guess") == true, "\(found)")
    expect(found.first?.contains("write policy: list") == true, "\(found)")
    for policy in ["list", "refuse"] {
      let (text, options) = guessed("", policy: policy)
      expectEqual(errors(in: text, options: options), [], "\(policy)")
    }
    // Of others it is nothing but a doubt.
    try expectEqual(warnings("    offline: { policy: admitAndQueue }\n"), [])
  }
}
