import Expectations
import Foundation
import ScanModel
import Synchronization
import Testing

/// Every command of the desk, and everything that a server, or what stands in its place, may answer to any of its calls.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DeskBadInputTests {
  private typealias Answer = DeskServer.Answer

  /// What reads, and what changes; with how many calls a change may be tried at most.
  static let reading: [[String]] = [
    ["events", "list"], ["events", "show", "456"], ["venues", "list"], ["venues", "show", "8"], ["talent", "list"],
    ["talent", "show", "8"], ["tickets", "search", "ann"], ["tickets", "search", "--event", "456"],
    ["checkins", "list", "--event", "456"],
  ]
  static let changing: [(words: [String], ways: Int)] = [
    (
      ["events", "create", "--name", "x", "--starts-at", "2026-12-01T20:00", "--timezone", "UTC", "--subdomain", "h"], 2
    ),
    (["events", "update", "456", "--name", "x"], 2), (["events", "delete", "456", "--yes"], 1),
    (["venues", "create", "--name", "x"], 1), (["venues", "update", "8", "--name", "x"], 2),
    (["venues", "delete", "8", "--yes"], 1), (["talent", "create", "--name", "x"], 1),
    (["talent", "update", "8", "--name", "x"], 2), (["talent", "delete", "8", "--yes"], 1),
    (["tickets", "issue", "--event", "456", "--name", "x", "--email", "x@example.org", "--ticket", "VIP=1"], 3),
    (["tickets", "refund", "1"], 3), (["tickets", "void", "1"], 3), (["tickets", "pay", "1"], 2),
    (["tickets", "unpay", "1"], 1), (["tickets", "use", "1", "--yes"], 1), (["tickets", "unuse", "1", "--yes"], 1),
    (["tickets", "delete", "1", "--yes"], 2),
    (["tickets", "reassign", "1", "--name", "x", "--email", "x@example.org"], 2), (["tickets", "note", "1", "x"], 1),
    (["checkins", "add", "--event", "456", "--name", "x"], 1),
  ]

  private static let hostile = "\u{1B}[2J\u{7}\u{202E}\u{0}\(DeskServer.key)\r\n\u{85}x"

  private static func hostileText() -> String {
    let text = (try? JSONSerialization.data(withJSONObject: [hostile])).map { String(decoding: $0, as: UTF8.self) }
    return String(text?.dropFirst().dropLast() ?? "\"\"")
  }

  /// What may come with 200 and be JSON.
  static let documents: [String] =
    [
      "null", "true", "7", #""x""#, "{}", "[]", "[[]]", #"{"data":null}"#, #"{"data":{}}"#, #"{"data":[]}"#,
      #"{"data":"x"}"#, #"{"data":[null,1,"x",[],{},{"id":null},{"id":[]},{"id":{}}]}"#, #"{"id":null}"#,
      #"{"id":{},"name":[]}"#,
      #"{"id":456,"name":{},"starts_at":7,"ends_at":[],"timezone":1,"tickets":"x","venue":[],"meta":7}"#,
      #"{"data":{"id":456,"name":[],"starts_at":{},"tickets":{"0":null},"venue":7,"schedules":{"a":1}},"meta":[]}"#,
      #"{"data":[{"id":456}],"meta":{"last_page":"x","pagination":[]}}"#,
      #"{"id":456,"name":null,"starts_at":"never","timezone":"Nowhere/Else","tickets":[{"id":{},"price":[],"sold":"x"}]}"#,
    ] + ["id", "name", "starts_at", "timezone", "status", "type"].map { #"{"id":456,"\#($0)":\#(hostileText())}"# }
    + [#"{"data":[{"id":1,"name":\#(hostileText()),"attendee_name":\#(hostileText()),"notes":\#(hostileText())}]}"#]

  /// What is no answer of the API at all.
  static let strangers: [(name: String, status: Int, body: String, type: String)] = [
    ("a page", 200, "<html>", "text/html"), ("a page that says it is JSON", 200, "<html>", "application/json"),
    ("half", 200, #"{"data":[{"id":1"#, "application/json"), ("nothing", 200, "", "application/json"),
    ("two of one name", 200, #"{"id":1,"id":2}"#, "application/json"),
    ("nested", 200, String(repeating: "[", count: 100_000), "application/json"),
    ("elsewhere", 301, "", "text/html"), ("elsewhere for now", 302, #"{"id":1}"#, "application/json"),
    ("a portal's refusal", 403, "<html>", "text/html"), ("a proxy", 502, "<html>", "text/html"),
    ("out of order", 500, #"{"message":"Server Error"}"#, "application/json"),
  ]

  /// Refusals in the API's own words.
  static let refusals: [(status: Int, body: String)] = [
    (400, #"{"error":"x"}"#), (401, #"{"error":"Unauthorized"}"#), (403, #"{"error":"Unauthorized"}"#),
    (403, #"{"message":"Unauthorized"}"#), (403, #"{"message":"Access denied"}"#), (404, #"{"error":"Not found"}"#),
    (409, #"{"message":"x"}"#), (422, #"{"message":"x","errors":{"name":["y"]}}"#),
    (422, #"{"message":"x","errors":[]}"#), (422, #"{"message":"x","errors":{"a":{},"b":[[]],"c":null}}"#),
    (422, #"{"error":"Validation failed","errors":"x"}"#), (423, #"{"error":"blocked"}"#),
    (429, #"{"error":"Rate limit exceeded"}"#),
  ]

  /// Whoever looks before a change finds this.
  private static let event =
    #"{"id":456,"name":"Gala","starts_at":"2026-12-01T19:00:00Z","timezone":"UTC","venue":{"subdomain":"h"},"tickets":[{"id":1,"type":"VIP","price":10}]}"#
  private static func look(_ request: DeskServer.Request) -> Answer {
    Answer(200, request.target.hasPrefix("/api/events") ? event : #"{"id":8,"name":"Hall"}"#)
  }

  /// Runs commands before servers that answer by `answer`, and hands over what came of each, with what was sent to change something.
  private func run(
    _ commands: [[String]], _ answer: @escaping @Sendable (DeskServer.Request) -> Answer?,
    _ body: ([String], Program.Result, [String]) -> Void
  ) async throws {
    let changes = Mutex<[String]>([])
    let server = try await DeskServer.start { request in
      if request.method != "GET" { changes.withLock { $0.append(request.line) } }
      return answer(request)
    }
    for words in commands {
      changes.withLock { $0 = [] }
      let undo = words.dropFirst().first == "update" ? ["--undo", server.folder.path + "/\(UUID().uuidString)"] : []
      let result = await DeskTerminal.run(
        words + undo + ["--server", server.address, "--key", "main"], key: DeskServer.key)
      let all = result.output + result.errors
      expect(!all.contains(DeskServer.key), "\(words): \(all)")
      let lines = all.split(separator: "\n")
      expect(lines.allSatisfy { $0.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) } }, "\(words): \(all)")
      let sent = changes.withLock { $0 }
      expectEqual(Set(sent).count, sent.count, "\(words) sent something twice: \(sent)")
      body(words, result, sent)
    }
    await server.end()
  }

  /// Of all commands a few each time, in a landing; which, goes round.
  private static func some(_ commands: [[String]], _ index: Int) -> [[String]] {
    let step = extent(landing: 9, release: 1)
    return commands.enumerated().filter { ($0.offset + index) % step == 0 }.map(\.element)
  }

  // MARK: Whatever is typed

  /// A shell's variable that is not set is an empty id: the call would be the one of all sales.
  @Test(arguments: ["", " ", ".", ".."]) func anIDThatIsNoneIsNotSent(id: String) async throws {
    let asked = Mutex(0)
    let commands = (Self.reading + Self.changing.map(\.words)).compactMap { words -> [String]? in
      let place = words.firstIndex(of: "--event").map { $0 + 1 }
      let isByID = ["1", "8", "456"].contains(words.dropFirst(2).first)
      guard let place = place ?? (isByID ? 2 : nil) else { return nil }
      return words.enumerated().map { $0.offset == place ? id : $0.element }
    }
    expectEqual(commands.count, 22)
    try await run(
      commands,
      { _ in
        asked.withLock { $0 += 1 }
        return Answer(200, #"{"id":1}"#)
      }
    ) { words, result, _ in
      expectEqual(result.status, 64, "\(words): \(result.output)\(result.errors)")
      expect(result.errors.contains("That is no id: nothing was sent."), "\(words): \(result.errors)")
    }
    expectEqual(asked.withLock { $0 }, 0)
  }

  // MARK: Whatever it tells

  @Test(arguments: documents.indices) func whatATolerantReaderMayMeetIsNoCrashAndNoKey(index: Int) async throws {
    let document = Self.documents[index]
    try await run(Self.some(Self.reading + Self.changing.map(\.words), index), { _ in Answer(200, document) }) {
      words, result, sent in
      expect([0, 1, 64, 65, 69, 76].contains(result.status), "\(words), \(document): \(result.status)")
      if result.status == 76 { expect(!sent.isEmpty, "\(words), \(document): \(result.errors)") }
      if result.status != 0 { expect(!result.errors.isEmpty, "\(words), \(document)") }
    }
    // The same where it comes as the answer to a change alone.
    try await run(
      Self.some(Self.changing.map(\.words), index), { $0.method == "GET" ? Self.look($0) : Answer(200, document) }
    ) { words, result, sent in
      expect([0, 1, 76].contains(result.status), "\(words), \(document): \(result.status) \(result.errors)")
      expectEqual(sent.count, 1, "\(words), \(document)")
    }
  }

  // MARK: What is no answer

  @Test(arguments: strangers.indices) func aStrangersWordLeavesAChangeOpen(index: Int) async throws {
    let (name, status, body, type) = Self.strangers[index]
    try await run(
      Self.some(Self.changing.map(\.words), index),
      { $0.method == "GET" ? Self.look($0) : Answer(status, body, type: type) }
    ) { words, result, sent in
      expectEqual(result.status, 76, "\(words), \(name): \(result.errors)")
      expectEqual(sent.count, 1, "\(words), \(name)")
      expect(result.output.isEmpty, "\(words), \(name): \(result.output)")
      expect(
        result.errors.contains("It was not sent again. See whether it was done: scangate eventschedule "),
        "\(words), \(name): \(result.errors)")
    }
    // What is looked at before one is told, and nothing is sent. Out of order it is asked again, which takes seconds.
    guard status < 500 else { return }
    try await run(
      Self.reading + Self.some(Self.changing.map(\.words), index), { _ in Answer(status, body, type: type) }
    ) {
      words, result, sent in
      expect([69, 76].contains(result.status), "\(words), \(name): \(result.status) \(result.errors)")
      expectEqual(result.status == 76, !sent.isEmpty, "\(words), \(name): \(result.errors)")
    }
  }

  @Test func whatIsCutLeavesAChangeOpen() async throws {
    try await run(Self.changing.map(\.words), { $0.method == "GET" ? Self.look($0) : nil }) { words, result, sent in
      expectEqual(result.status, 76, "\(words): \(result.errors)")
      expectEqual(sent.count, 1, "\(words)")
    }
  }

  /// More than any answer has.
  @Test func whatIsHugeIsNotRead() async throws {
    let huge = #"{"id":456,"x":""# + String(repeating: "x", count: 17 << 20) + #""}"#
    let changing = [["tickets", "refund", "1"], ["venues", "create", "--name", "x"]]
    try await run([["events", "list"], ["events", "show", "456"]] + changing, { _ in Answer(200, huge) }) {
      words, result, sent in
      expectEqual(result.status, sent.isEmpty ? 69 : 76, "\(words): \(result.errors)")
      expect(result.errors.contains("sent an answer of more than"), "\(words): \(result.errors)")
    }
  }

  // MARK: Refusals

  @Test(arguments: refusals.indices) func aRefusalIsToldAndEndsIt(index: Int) async throws {
    let (status, body) = Self.refusals[index]
    try await run(
      Self.some(Self.changing.map(\.words), index), { $0.method == "GET" ? Self.look($0) : Answer(status, body) }
    ) { words, result, sent in
      expectEqual(result.status, 1, "\(words), \(status): \(result.errors)")
      // The fork lets the buyer alone reassign: the organiser has another call.
      let isReassigned = status == 403 && words[1] == "reassign"
      expectEqual(sent.count, isReassigned ? 2 : 1, "\(words), \(status): \(sent)")
    }
    guard status != 429 else { return }
    try await run(Self.some(Self.reading, index), { _ in Answer(status, body) }) { words, result, _ in
      expectEqual(result.status, 1, "\(words), \(status): \(result.errors)")
    }
  }

  /// No call of any of its ways: each is tried once.
  @Test(arguments: [404, 405]) func whatIsNotThereIsTriedInEachWay(status: Int) async throws {
    let ways = Dictionary(uniqueKeysWithValues: Self.changing.map { ($0.words, $0.ways) })
    try await run(
      Self.changing.map(\.words),
      { request in
        if request.method == "GET" { return Self.look(request) }
        return status == 404 ? .noRoute : .noMethod(request)
      }
    ) { words, result, sent in
      expect([64, 69].contains(result.status), "\(words): \(result.status) \(result.errors)")
      expectEqual(sent.count, ways[words], "\(words): \(sent)")
    }
  }

  // MARK: Lists

  /// A list that is longer than anybody's is told page by page, within a minute's rate, and one that goes in circles ends.
  @Test func aMillionEventsAreTold() async throws {
    let (pages, size) = (10, extent(landing: 500, release: 100_000))
    let page = { @Sendable (number: Int) in
      let events = (0..<size).map { #"{"id":\#(number * size + $0),"name":"E"}"# }.joined(separator: ",")
      return Answer(200, #"{"data":[\#(events)],"meta":{"last_page":\#(pages)}}"#)
    }
    try await run(
      [["events", "list"]],
      { page($0.target.split(separator: "=").last.flatMap { Int($0) } ?? 1) }
    ) { _, result, _ in
      expectEqual(result.status, 0, "\(result.errors)")
      expectEqual(result.lines.count, 1 + pages * size)
    }
    let turn = Mutex(0)
    try await run(
      [["events", "list"], ["tickets", "search"], ["checkins", "list", "--event", "1"], ["venues", "list"]],
      { _ in
        // Two pages in turn, for ever.
        let number = turn.withLock { turn in
          turn += 1
          return turn % 2
        }
        return Answer(200, #"{"data":[{"id":\#(number),"name":"x"}],"meta":{"last_page":1000000}}"#)
      }
    ) { words, result, _ in
      expectEqual(result.status, 0, "\(words): \(result.errors)")
      expect(
        result.lines.count == 3 && result.errors.contains("told a page a second time"), "\(words): \(result.output)")
    }
  }
}
