import Expectations
import Foundation
import Testing
import VenueServer

/// What holds for all that the desk asks, at a real venue in each shape: refusals in its words, answers that are lost, bad days; and how
/// a technician connects it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct DeskRuleShapeTests {
  private static let holder = "Ruth Vidal"
  private static let primary: [ServerShape: String] = [.document: "#007AFF", .planify: "#1F2937"]

  // MARK: Refusals

  /// What the venue does wrong with whatever is asked, how a change ends, and what is said.
  static let bad: [(text: String, status: Int32, words: String)] = [
    ("status=401", 1, "does not know our API key"), ("status=403", 1, "does not let our API key do that (403)"),
    ("status=422", 1, "does not take it (422)"), ("status=423", 1, "15 minutes"), ("status=404", 69, "has no "),
    ("status=405", 69, "has no "), ("status=500", 76, "out of order (500"), ("status=502", 76, "out of order (502"),
    ("html", 76, "not as JSON"), ("redirect", 76, "wants to send us elsewhere (302)"),
    ("json=cut", 76, "It was not sent again."), ("json=deep", 76, "It was not sent again."),
    ("json=huge", 76, "more than 256 KiB"), ("close=before", 76, "gave no answer"),
    ("close=midway", 76, "broke off in the middle"), ("reset=after", 76, "gave no answer"),
  ]

  @Test(arguments: ServerShape.allCases) func whateverComesOfAChangeIsToldAndNothingIsSentTwice(
    shape: ServerShape
  ) async throws {
    try await DeskBench.open(shape) { bench in
      let id = try await bench.saleID(Self.holder)
      // What takes a processor long to make, and is the same in each shape, once.
      for bad in Self.bad where shape == .document || !["json=huge", "json=deep"].contains(bad.text) {
        try bench.misbehave(bad.text)
        let change = try await bench.run(["tickets", "refund", id])
        expectEqual(change.status, bad.status, "\(bad.text): \(change.output)\(change.errors)")
        expect(change.output.isEmpty && change.errors.contains(bad.words), "\(bad.text): \(change.errors)")
        // The document's call is tried first, and only that there is none leads to another: what is no JSON is not spoilt.
        let isNoCall = bad.text == "status=404" || bad.text == "status=405"
        let most = isNoCall || bad.text.hasPrefix("json=") ? 3 : 1
        expect((isNoCall ? 3 : 1)...most ~= bench.counted, "\(bad.text), \(bench.counted): \(change.errors)")
        if bad.status == 76 { expect(change.errors.contains("See whether it was done: "), "\(change.errors)") }
      }
    }
  }

  /// What a person is told of what the server says instead: what happened, and what is to be done; the server in any case.
  static let said: [(status: Int, happened: String, look: String?, change: String)] = [
    (401, "does not know our API key (401): “", credential, credential),
    (403, "does not let our API key do that (403): “", allowed, allowed),
    (404, "(404). It cannot do that", address, address),
    // In its own words, and field by field where it names them.
    (422, "does not take it (422)", "“The given data was invalid.”", "“The given data was invalid.”"),
    (423, "blocks our API key for 15 minutes after too many failures (423).", credential, credential),
    // Whoever looks waits until a rate that is spent comes back, and asks three times of what is out of order.
    (429, "gets more requests than it allows (429).", nil, "Try again in a minute."),
    (500, "is out of order (500: “Server Error”).", "Try again in a while.", seen),
    (502, "is out of order (502", nil, seen), (503, "is out of order (503", nil, seen),
    (504, "is out of order (504", nil, seen),
  ]
  private static let allowed = ". Use a key of somebody who may."
  private static let address = ", or is not the server that was meant: check --server."
  private static let credential = "Put the right key in with: scangate credential set main"
  private static let seen = "It was not sent again. See whether it was done: scangate eventschedule tickets search"

  @Test(arguments: ServerShape.allCases) func eachRefusalSaysWhatHappenedWhereAndWhatToDo(
    shape: ServerShape
  ) async throws {
    try await DeskBench.open(shape) { bench in
      let host = bench.venue.url.replacing("http://", with: "")
      let id = try await bench.saleID(Self.holder)
      for said in Self.said {
        try bench.misbehave("status=\(said.status)")
        for (words, cure) in [(["venues", "list"], said.look), (["tickets", "refund", id], said.change)] {
          guard let cure else { continue }
          let result = try await bench.run(words)
          expect(result.status != 0 && result.output.isEmpty, "\(words), \(said.status): \(result.output)")
          expect(
            result.errors.contains("scangate: \(host) ") && result.errors.contains(said.happened)
              && result.errors.contains(cure), "\(words), \(said.status): \(result.errors)")
        }
      }
    }
  }

  /// What changes nothing is asked again before it is given up, and half of an answer is none of it.
  @Test(
    arguments: [
      ("status=401", 1, "does not know our API key", 1), ("status=403", 1, "does not let our API key", 1),
      ("status=404", 69, "has no ", 1), ("html", 69, "not as JSON", 1), ("redirect", 69, "elsewhere (302)", 1),
      ("json=cut", 69, "not as JSON", 1), ("json=deep", 69, "not as JSON", 1),
      ("status=500", 69, "out of order (500", 3),
      ("close=midway", 69, "broke off", 3), ("reset=after", 69, "gave no answer", 3),
    ] as [(String, Int32, String, Int)])
  func whateverComesOfALookIsTold(text: String, status: Int32, words: String, times: Int) async throws {
    try await DeskBench.open(.planify) { bench in
      try bench.misbehave(text)
      let list = try await bench.run(["events", "list"])
      expectEqual(list.status, status, "\(list.output)\(list.errors)")
      expect(list.output.isEmpty && list.errors.contains(words), "\(list.output)\(list.errors)")
      expect(!list.errors.contains("may have done"), "\(list.errors)")
      expectEqual(bench.counted, times, "\(list.errors)")
    }
  }

  /// Values of other types, in all that is told: what can be read is shown, the rest is missing, and nothing is made of it.
  @Test(arguments: ServerShape.allCases) func valuesOfOtherTypesAreNothing(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let (event, sale) = (try await bench.eventID("Hall A 20:00"), try await bench.saleID(Self.holder))
      try bench.misbehave("json=types")
      for words in [
        ["events", "list"], ["events", "list", "--json"], ["events", "show", event], ["tickets", "search"],
        ["events", "update", event, "--name", "x", "--undo", bench.file("undo.json")],
        ["events", "delete", event, "--yes"], ["tickets", "refund", sale], ["venues", "list"],
        ["checkins", "list", "--event", event],
      ] {
        let result = try await bench.run(words)
        expect([0, 1, 65, 69, 76].contains(result.status), "\(words): \(result.status) \(result.errors)")
      }
    }
  }

  /// Each refuses in words of its own, which are told.
  @Test(arguments: [
    (ServerShape.document, "Access denied"), (.planify, "Access denied"),
    (.upstream, "API usage is limited to Pro accounts"),
  ])
  func aKeyThatMayNotIsTold(shape: ServerShape, words: String) async throws {
    try await DeskBench.open(shape) { bench in
      try bench.misbehave("status=403")
      let result = try await bench.run(["tickets", "refund", "1"])
      expect(result.status == 1 && result.errors.contains("(403): “\(words)”"), "\(result.errors)")
    }
  }

  /// A rate that is spent is waited for; one that stays so is told.
  @Test func aSpentRateIsWaitedFor() async throws {
    try await DeskBench.open(.planify) { bench in
      try bench.misbehave("status=429,retry-after=1s,next=1")
      let list = try await bench.run(["events", "list"])
      expectEqual(list.status, 0, "\(list.errors)")
      expectEqual(bench.counted, 1)
    }
  }

  // MARK: Answers that are lost

  /// What was done and not answered is done once; the words name what shows it.
  @Test(arguments: ServerShape.allCases) func aLostAnswerIsDoneOnce(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let id = try await bench.saleID(Self.holder)
      let event = try await bench.eventID("Hall A 20:00")
      // At the servers of their own the first ways are refused; only the last one's answer is to be lost.
      func lose(_ ways: Int, _ words: [String]) async throws {
        try bench.misbehave((0..<ways - 1).map { _ in "status=405,next=1" } + ["close=after"])
        let result = try await bench.run(words)
        expectEqual(result.status, 76, "\(words): \(result.output)\(result.errors)")
        expect(result.errors.contains("scangate eventschedule "), "\(result.errors)")
        expectEqual(bench.venue.server.misbehaviours.map(\.hits), Array(repeating: 1, count: ways), "\(words)")
        try bench.misbehave()
      }
      try await lose(shape == .document ? 1 : shape == .planify ? 2 : 3, ["tickets", "refund", id])
      try await expectEqual(bench.status(of: Self.holder), ["refunded"])
      if shape != .upstream {
        try await lose(1, ["checkins", "add", "--event", event, "--name", "Ann"])
        try await expectEqual(bench.objects(["checkins", "list", "--event", event]).count, 1)
        try await lose(1, ["venues", "create", "--name", "Hall C"])
        try await expectEqual(bench.objects(["venues", "list"]).count, 3)
      }
      if shape == .document {
        let words = ["--name", "New", "--starts-at", "2025-12-18T20:00", "--timezone", "Europe/Berlin"]
        try await lose(1, ["events", "create"] + words)
        try await expectEqual(bench.objects(["events", "list"]).count { $0["name"] as? String == "New" }, 1)
      }
    }
  }

  // MARK: Connecting

  private func connect(_ bench: DeskBench, _ more: [String] = [], key: String? = nil) async throws -> Program.Result {
    try await bench.program(["connect", bench.venue.url, "--name", "theatre"] + more, input: key ?? bench.key)
  }

  @Test(arguments: ServerShape.allCases) func aServerIsConnectedAndForgotten(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      let connected = try await connect(bench)
      expectEqual(connected.status, 0, "\(connected.errors)")
      let found: [ServerShape: String] = [
        .document: "/.well-known/eventschedule.json", .planify: "/.well-known/planify.json",
        .upstream: "tells nothing of itself",
      ]
      for words in [
        found[shape] ?? "?", "API        \(bench.venue.url)/api", "Hall A 20:00", "    url: \(bench.venue.url)\n",
      ] {
        expect(connected.output.contains(words), "\(words): \(connected.output)")
      }
      let listed = try await bench.program(["instances", "--json"])
      let object = try #require(try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [String: Any])
      expectEqual(object["api"] as? String, bench.venue.url)
      expectEqual(object["discovery"] is NSNull, shape == .upstream, "\(object)")
      for words in [["verify"], ["verify", "theatre"]] { try await expectEqual(bench.program(words).status, 0) }

      try await expectEqual(bench.program(["key", "remove", "theatre"]).status, 0)
      try await expectEqual(bench.program(["verify"]).status, 69)
      try await expectEqual(bench.program(["key", "set", "theatre"], input: "another-key-of-a-length").status, 69)
      try await expectEqual(bench.program(["key", "set", "theatre"], input: bench.key).status, 0)
      try await expectEqual(bench.program(["verify"]).status, 0)
      try await expectEqual(bench.program(["forget", "theatre", "--yes"]).status, 0)
      try await expect(bench.program(["instances"]).output.contains("No server is connected"))
    }
  }

  @Test(arguments: ServerShape.allCases) func itsLookIsFound(shape: ServerShape) async throws {
    try await DeskBench.open(shape) { bench in
      try await expectEqual(connect(bench).status, 0)
      let shown = try await bench.program(["branding", "--json"])
      expectEqual(shown.status, 0, "\(shown.errors)")
      let look = try #require(try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any])
      for name in ["primary_hex", "on_primary_hex"] {
        expect((look[name] as? String)?.contains(/^#[0-9A-F]{6}$/) == true, "\(look)")
      }
      // Where a server tells nothing of it, it is the usual one.
      expectEqual(look["primary_hex"] as? String, shape == .upstream ? "#1F2937" : Self.primary[shape], "\(look)")
    }
  }

  /// Whatever comes in a document's place, the key goes nowhere else and a server that does not know it is not connected.
  @Test(arguments: [
    "html", "redirect", "status=500", "json=cut", "json=deep", "json=huge", "close=midway", "status=403", "status=404",
  ])
  func aServerThatIsNoneIsNotConnected(text: String) async throws {
    try await DeskBench.open(.document) { bench in
      try bench.misbehave(text)
      let result = try await connect(bench)
      expectEqual(result.status, 69, "\(result.output)\(result.errors)")
      try await expect(bench.program(["instances"]).output.contains("No server is connected"))
      let credentials = try await Program.run(["credential", "list", "--state", bench.state])
      expect(!credentials.output.contains("theatre"), "\(credentials.output)")
    }
  }
}
