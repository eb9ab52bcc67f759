import Expectations
import Foundation
import ScanModel
import Synchronization
import Testing

/// `scangate eventschedule events|venues|talent|tickets|checkins`, against servers of both shapes.
@Suite struct DeskCommandTests {
  private typealias Answer = DeskServer.Answer

  /// Runs `body` with a server; no key and nothing that steers a terminal is ever in what commands print.
  private func withServer(
    _ answer: @escaping @Sendable (DeskServer.Request) -> DeskServer.Answer?, _ body: (DeskServer) async throws -> Void
  ) async throws {
    let server = try await DeskServer.start(answer)
    do {
      try await body(server)
    } catch {
      await server.end()
      throw error
    }
    await server.end()
  }

  private func expectClean(_ result: Program.Result, line: Int = #line) {
    let all = result.output + result.errors
    expect(!all.contains(DeskServer.key), "line \(line): \(all)")
    expect(
      all.split(separator: "\n").allSatisfy { $0.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) } },
      "line \(line): \(all)")
  }

  // MARK: Reading

  private static let list =
    #"{"data":[{"id":456,"name":"Concert","starts_at":"2026-12-01T19:00:00Z","timezone":"Europe/Berlin","venue":{"name":"Hall A"}}],"meta":{"pagination":{"current_page":1,"last_page":1}}}"#

  @Test func eventsAreListedInTheDocumentsShape() async throws {
    try await withServer({ _ in Answer(200, Self.list) }) { server in
      let result = try await server.run(["events", "list"])
      expectEqual(result.status, 0, "\(result.errors)")
      expectEqual(
        result.lines, ["ID   STARTS            NAME     VENUE", "456  2026-12-01 20:00  Concert  Hall A"])
      let zoned = try await server.run(["events", "list", "--zone", "Asia/Tokyo"])
      expect(zoned.output.contains("2026-12-02 04:00"), "\(zoned.output)")
      expectEqual(server.lines[0], "GET /api/events?per_page=500&page=1")
      expect(server.requests[0].contains("X-API-Key: \(DeskServer.key)\r\n"))
    }
  }

  @Test func eventsAreListedInTheRealShapeAndNothingSteersATerminal() async throws {
    let events = RealEvents()
    try await withServer({ events.answer($0) }) { server in
      let result = try await server.run(["events", "list"])
      expectEqual(result.status, 0, "\(result.errors)")
      expect(result.lines[1].hasPrefix("Mzg5NzM0  2026-12-01 20:00  Concert"), "\(result.output)")
      expectClean(result)
      let json = try await server.run(["events", "list", "--json"])
      expectClean(json)
      let lines = json.lines.compactMap {
        try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
      }
      expectEqual(lines.count, 2)
      expectEqual(lines[0]["starts_at"] as? String, "2026-12-01T19:00:00Z")
      expectEqual(lines[0]["ends_at"] as? String, "2026-12-01T22:00:00Z")
      expect(lines[0]["members"] is [String: Any])
      expectEqual((lines[0]["tickets"] as? [[String: Any]])?[0]["price"] as? String, "10.000")
    }
  }

  @Test func oneEventIsShownByItsCallOrByTheList() async throws {
    try await withServer({
      $0.target == "/api/events/456" ? Answer(200, #"{"id":456,"name":"Concert"}"#) : .noRoute
    }) { server in
      let result = try await server.run(["events", "show", "456"])
      expectEqual(result.lines[1], "Name    Concert", "\(result.errors)")
      expectEqual(server.lines.count, 1)
    }
    let events = RealEvents()
    for id in ["456", "Mzg5NzM0"] {
      try await withServer({ events.answer($0) }) { server in
        let result = try await server.run(["events", "show", id])
        expectEqual(result.status, 0, "\(result.errors)")
        expect(result.output.contains("VIP (Mzg5Mzgw): 25.000, 2 of 10 sold"), "\(result.output)")
        expectEqual(server.lines, ["GET /api/events/\(id)", "GET /api/events?per_page=500&page=1"])
        let missing = try await server.run(["events", "show", "999"])
        expectEqual(missing.status, 1)
        expect(missing.errors.contains("lists no event 999"), "\(missing.errors)")
      }
    }
  }

  @Test func aTicketThatIsNotFoundIsNotAskedForInAnotherWay() async throws {
    try await withServer({ _ in Answer(404, #"{"error":"Event not found"}"#) }) { server in
      let result = try await server.run(["events", "show", "5"])
      expectEqual(result.status, 1)
      expect(result.errors.contains("(404): “Event not found”"), "\(result.errors)")
      let refund = try await server.run(["tickets", "refund", "5"])
      expectEqual(refund.status, 1)
      expectEqual(server.lines, ["GET /api/events/5", "POST /api/tickets/5/refund"])
    }
  }

  @Test(arguments: ["venues", "talent"]) func profilesAreListedShownMadeChangedAndDeleted(kind: String) async throws {
    let name = Mutex("Hall A")
    try await withServer({ request in
      let one = #"{"id":8,"name":"\#(name.withLock { $0 })","city":"Bonn","subdomain":"hall-a","email":null}"#
      switch request.method {
      case "GET" where request.target.hasPrefix("/api/\(kind)?"): return Answer(200, #"{"data":[\#(one)]}"#)
      case "GET": return Answer(200, one)
      case "POST": return Answer(201, #"{"id":9,"name":"Hall B"}"#)
      case "PUT":
        name.withLock { $0 = request.member("name") as? String ?? "" }
        return Answer(200, one)
      default: return Answer(200, #"{"message":"deleted"}"#)
      }
    }) { server in
      let list = try await server.run([kind, "list"])
      expectEqual(list.lines, ["ID  NAME    PLACE", "8   Hall A  Bonn"], "\(list.errors)")
      let shown = try await server.run([kind, "show", "8"])
      expect(shown.output.contains("City       Bonn"), "\(shown.output)")
      let made = try await server.run(
        [kind, "create", "--name", "Hall B", "--data", "-"], input: #"{"name":"x","phone":"1"}"#)
      expectEqual(made.status, 0, "\(made.errors)")
      expect(server.requests.last?.hasSuffix(#"{"name":"Hall B","phone":"1"}"#) == true)
      let undo = server.folder.path + "/undo.json"
      let changed = try await server.run([kind, "update", "8", "--name", "Hall C", "--undo", undo])
      expectEqual(changed.status, 0, "\(changed.errors)")
      expect(changed.errors.contains(#"name: "Hall A" -> "Hall C""#), "\(changed.errors)")
      expectEqual(try String(contentsOfFile: undo, encoding: .utf8), #"{"city":"Bonn","name":"Hall A"}"# + "\n")
      let unasked = try await server.run([kind, "delete", "8"])
      expectEqual(unasked.status, 64)
      expect(!server.lines.contains { $0.hasPrefix("DELETE") })
      let deleted = try await server.run([kind, "delete", "8", "--yes"])
      expectEqual(deleted.status, 0, "\(deleted.errors)")
      expectEqual(server.lines.last, "DELETE /api/\(kind)/8")
    }
  }

  @Test func salesAreSearchedPageByPage() async throws {
    try await withServer({ request in
      let page = request.target.hasSuffix("page=1") ? 1 : 2
      return Answer(
        200,
        #"{"data":[{"id":\#(page),"status":"paid","name":"Ann","tickets":[{"quantity":2,"usage_status":"used"}],"secret":"wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl"}],"meta":{"current_page":\#(page),"last_page":2}}"#
      )
    }) { server in
      let result = try await server.run(["tickets", "search", "--event", "Mzg5NzM0", "ann & co"])
      expectEqual(result.lines.count, 3, "\(result.output)\(result.errors)")
      expectEqual(
        server.lines,
        (1...2).map { "GET /api/tickets?event_id=456&query=ann%20%26%20co&page=\($0)" })
      let json = try await server.run(["tickets", "search", "--json"])
      expectEqual(json.lines.count, 2)
      expect(!json.output.contains("wk8wf"), "\(json.output)")
    }
  }

  @Test func aListThatComesAgainEnds() async throws {
    try await withServer({ _ in Answer(200, #"{"data":[{"id":1,"status":"paid"}],"meta":{"last_page":1000000}}"#) }) {
      server in
      let result = try await server.run(["tickets", "search"])
      expectEqual(result.lines.count, 2)
      expect(result.errors.contains("told a page a second time"), "\(result.errors)")
      expectEqual(server.lines.count, 2)
    }
  }

  @Test func checkInsAreListedFollowedAndAdded() async throws {
    let polls = Mutex(0)
    try await withServer({ request in
      if request.method == "POST" {
        return Answer(201, #"{"id":3,"event_id":456,"attendee_name":"Cy"}"#)
      }
      let number = polls.withLock {
        $0 += 1
        return $0
      }
      let first = #"{"id":1,"attendee_name":"Ann","checked_in_at":"2026-12-01T19:00:00+00:00"}"#
      let second = #"{"id":2,"attendee_name":"Bo","checked_in_at":"2026-12-01T19:00:05+00:00"}"#
      switch number {
      case 1, 2: return Answer(200, #"{"data":[\#(first)]}"#)
      case 3: return Answer(200, #"{"data":[\#(second),\#(first)]}"#)
      default: return Answer(403, #"{"message":"Unauthorized"}"#)
      }
    }) { server in
      let list = try await server.run(["checkins", "list", "--event", "456"])
      expectEqual(list.lines.last, "1   2026-12-01 19:00:00  Ann", "\(list.errors)")
      let followed = try await server.run(["checkins", "follow", "--event", "Mzg5NzM0", "--interval", "1"])
      expectEqual(
        followed.lines,
        ["ID  TIME                 NAME  NOTES", "1   2026-12-01 19:00:00  Ann", "2   2026-12-01 19:00:05  Bo"])
      expectEqual(followed.status, 1)
      let added = try await server.run(["checkins", "add", "--event", "Mzg5NzM0", "--name", "Cy", "--notes", "late"])
      expectEqual(added.output, "The check-in 3 is in the log.\n")
      expect(server.requests.last?.hasSuffix(#"{"attendee_name":"Cy","event_id":456,"notes":"late"}"#) == true)
    }
  }

  @Test func aServerThatTellsOurKeyIsNotRepeated() async throws {
    let key = DeskServer.key
    let event = #"{"id":"\#(key)","name":"\#(key)","timezone":"\#(key)","venue":{"id":"\#(key)"},"\#(key)":"\#(key)"}"#
    try await withServer({ request in
      request.method == "GET"
        ? Answer(200, request.target.hasPrefix("/api/events?") ? #"{"data":[\#(event)]}"# : event)
        : Answer(422, #"{"message":"\#(key)","errors":{"\#(key)":["\#(key)"]}}"#)
    }) { server in
      for arguments in [
        ["events", "list"], ["events", "list", "--json"], ["events", "show", "1"], ["events", "show", "1", "--json"],
        ["events", "delete", "1", "--yes"], ["tickets", "refund", "1"], ["events", "update", "1", "--name", "x"],
      ] { expectClean(try await server.run(arguments)) }
    }
  }

  // MARK: What changes

  @Test(
    arguments: [
      ("refund", "/refund", "refund", "refunded"), ("void", "/void", "cancel", "cancelled"),
      ("pay", nil, "mark_paid", "paid"), ("unpay", nil, "mark_unpaid", "unpaid"), ("use", nil, "mark_used", "paid"),
      ("unuse", nil, "mark_unused", "paid"), ("delete", nil, "delete", "paid"),
    ] as [(String, String?, String, String)])
  func salesAreChangedInBothWays(command: String, path: String?, action: String, state: String) async throws {
    let asks = ["use", "unuse", "delete"].contains(command)
    let arguments = ["tickets", command, "123"] + (asks ? ["--yes"] : [])
    try await withServer({ request in
      request.method == "PATCH" ? Answer(200, #"{"data":{"id":123,"status":"\#(state)"}}"#) : .noRoute
    }) { server in
      if asks {
        let unasked = try await server.run(["tickets", command, "123"])
        expectEqual(unasked.status, 64)
        expect(unasked.errors.contains("add --yes"), "\(unasked.errors)")
        expectEqual(server.lines, [])
      }
      let result = try await server.run(arguments)
      expectEqual(result.status, 0, "\(result.errors)")
      expectEqual(
        server.lines, (path.map { ["POST /api/tickets/123\($0)"] } ?? []) + ["PATCH /api/tickets/123"])
      expect(server.requests.last?.hasSuffix(#"{"action":"\#(action)"}"#) == true)
      if path != nil {
        expect(result.errors.contains("By PATCH /api/tickets/123 ("), "\(result.errors)")
        expect(result.errors.contains("moves no money"), "\(result.errors)")
      }
      let json = try await server.run(arguments + ["--json"])
      expectEqual(json.output, #"{"id":123,"status":"\#(state)"}"# + "\n")
    }
    guard let path else { return }
    try await withServer({ _ in Answer(200, #"{"id":"123","status":"\#(state)"}"#) }) { server in
      let result = try await server.run(arguments)
      expectEqual(result.status, 0, "\(result.errors)")
      expectEqual(server.lines, ["POST /api/tickets/123\(path)"])
      expect(result.errors.contains("By POST /api/tickets/123\(path)."), "\(result.errors)")
    }
  }

  @Test func theOriginalProjectsSalesAreChanged() async throws {
    let sale =
      #"{"id":"kX9aQ2","event_id":"Zb3","event_name":"Gala","name":"Ann","status":"paid","tickets":[{"quantity":2}]}"#
    try await withServer({ request in
      guard request.target.hasPrefix("/api/sales") else { return .noRoute }
      return request.method == "GET"
        ? Answer(200, #"{"data":[\#(sale)],"meta":{"last_page":1}}"#)
        : Answer(200, #"{"data":{"id":"kX9aQ2","status":"refunded"}}"#)
    }) { server in
      let list = try await server.run(["tickets", "search", "--event", "Zb3", "ann"])
      expectEqual(list.lines.count, 2, "\(list.errors)")
      let none = try await server.run(["tickets", "search", "bob"])
      expectEqual(none.lines, [])
      let refund = try await server.run(["tickets", "refund", "kX9aQ2"])
      expectEqual(refund.status, 0, "\(refund.errors)")
      expectEqual(
        server.lines.suffix(3),
        ["POST /api/tickets/kX9aQ2/refund", "PATCH /api/tickets/kX9aQ2", "PUT /api/sales/kX9aQ2"])
      expect(server.requests.last?.hasSuffix(#"{"action":"refund"}"#) == true)
      let deleted = try await server.run(["tickets", "delete", "kX9aQ2", "--yes"])
      expectEqual(deleted.status, 0, "\(deleted.errors)")
      expectEqual(server.lines.last, "DELETE /api/sales/kX9aQ2")
    }
  }

  private static let done = [
    ["refund"], ["void"], ["pay"], ["unpay"], ["use", "--yes"], ["unuse", "--yes"], ["delete", "--yes"],
    ["note", "late"], ["reassign", "--name", "Bo", "--email", "bo@example.org"],
  ]

  /// Money is concerned: what says nothing, or speaks of another sale, says not that it was done.
  @Test(
    arguments: [
      "{}", "[]", "null", "7", #"{"data":{}}"#, #"{"data":[]}"#, #"{"status":"refunded"}"#, #"{"id":null}"#,
      #"{"data":{"sale_id":456008,"status":"refunded","note":"late"}}"#,
    ], [200, 201])
  func anAnswerThatDoesNotNameTheSaleLeavesItOpen(body: String, status: Int) async throws {
    try await withServer({ _ in Answer(status, body) }) { server in
      for words in Self.done {
        let result = await DeskTerminal.run(
          ["tickets", words[0], "456007"] + words.dropFirst() + ["--server", server.address, "--key", "main"],
          key: DeskServer.key)
        expectEqual(result.status, 76, "\(words): \(result.output)\(result.errors)")
        expect(
          result.output.isEmpty
            && result.errors.contains("See whether it was done: scangate eventschedule tickets search"),
          "\(words): \(result.output)\(result.errors)")
      }
      expectEqual(server.lines.count, Self.done.count)
    }
  }

  @Test func anotherSaleIsNotTheOneThatWasMeant() async throws {
    try await withServer({ _ in Answer(200, #"{"data":{"id":456008,"status":"refunded"}}"#) }) { server in
      let result = try await server.run(["tickets", "refund", "456007"])
      expectEqual(result.status, 76, "\(result.output)\(result.errors)")
      expect(result.errors.contains("but speaks of another sale. It may have done it."), "\(result.errors)")
      expectEqual(server.lines, ["POST /api/tickets/456007/refund"])
    }
  }

  /// Both spellings of its id are the sale; 204 has nothing to name; who deletes or notes something may get a message alone.
  @Test func aSaleThatIsNamedInItsWayIsDone() async throws {
    var saying: [(words: [String], status: Int, body: String)] = [
      (["refund"], 200, #"{"data":{"id":"Mzg5NDAx","status":"refunded"}}"#), (["refund"], 200, #"{"sale_id":123}"#),
      (["delete", "--yes"], 200, #"{"data":{"message":"Sale deleted successfully"}}"#),
      (["note", "late"], 201, #"{"message":"Added","data":{"id":7,"note":"late","created_at":"x"}}"#),
      (
        ["reassign", "--name", "Bo", "--email", "bo@example.org"], 200,
        #"{"message":"Reassigned","data":{"id":123,"new_holder_name":"Bo"}}"#
      ),
    ]
    for words in Self.done { saying.append((words, 204, "")) }
    for (words, status, body) in saying {
      // The original deletes by its list of sales.
      try await withServer({
        words[0] == "delete" && status == 200 && $0.method == "PATCH" ? .noRoute : Answer(status, body)
      }) { server in
        let result = await DeskTerminal.run(
          ["tickets", words[0], "123"] + words.dropFirst() + ["--server", server.address, "--key", "main"],
          key: DeskServer.key)
        expectEqual(result.status, 0, "\(words), \(body): \(result.errors)")
      }
    }
  }

  @Test func aStateThatIsAnotherIsTold() async throws {
    try await withServer({ _ in Answer(200, #"{"data":{"id":123,"status":"paid"}}"#) }) { server in
      let result = try await server.run(["tickets", "refund", "123"])
      expectEqual(result.status, 1)
      expect(result.errors.contains("tells that the sale 123 is “paid”"), "\(result.errors)")
    }
  }

  /// Whatever becomes of an answer, a change is sent once, and its status is one of its own.
  @Test(arguments: [nil, 500, 502, 408, 302, 200, 403, 429] as [Int?])
  func aLostAnswerIsNotSentAgain(status: Int?) async throws {
    try await withServer({ _ in status.map { Answer($0, "<html>", type: "text/html") } }) { server in
      let result = try await server.run(["tickets", "refund", "123"])
      expectEqual(result.status, 76, "\(result.errors)")
      expectEqual(server.lines, ["POST /api/tickets/123/refund"])
      expect(
        result.errors.contains("It was not sent again. See whether it was done: scangate eventschedule tickets search"),
        "\(result.errors)")
      expectClean(result)
    }
  }

  @Test(
    arguments: [
      (401, #"{"error":"Unauthorized"}"#, "does not know our API key"),
      (403, #"{"error":"Unauthorized"}"#, "does not let our API key do that (403): “Unauthorized”"),
      (403, #"{"message":"Access denied"}"#, "“Access denied”. Use a key of somebody who may."),
      (
        404, #"{"error":"Ticket not found"}"#,
        "has nothing of that name (404): “Ticket not found”. It may be gone: look it up."
      ),
      (422, #"{"message":"Bad","errors":{"action":["unknown"]}}"#, "action: unknown"),
      (423, #"{"error":"API key temporarily blocked"}"#, "15 minutes"),
      (429, #"{"error":"Rate limit exceeded"}"#, "more requests than it allows"),
      (409, #"{"error":"sesame-open-the-door-7 \u001b[2J is no key"}"#, "(409)"),
    ])
  func refusalsAreToldAndNothingElseIsTried(status: Int, body: String, words: String) async throws {
    try await withServer({ _ in Answer(status, body) }) { server in
      let result = try await server.run(["tickets", "refund", "123"])
      expectEqual(result.status, 1, "\(result.errors)")
      expect(result.errors.contains(words), "\(result.errors)")
      expectEqual(server.lines.count, 1)
      expectClean(result)
    }
  }

  @Test func aBuyersCallThatIsRefusedIsDoneByTheOrganisers() async throws {
    try await withServer({ request in
      request.method == "POST"
        ? Answer(403, #"{"error":"Unauthorized"}"#) : Answer(200, #"{"data":{"id":123,"name":"Bo"}}"#)
    }) { server in
      let result = try await server.run(["tickets", "reassign", "123", "--name", "Bo", "--email", "bo@example.org"])
      expectEqual(result.output, "The sale 123 is Bo's now.\n", "\(result.errors)")
      expectEqual(server.lines, ["POST /api/tickets/123/reassign", "PATCH /api/tickets/123"])
      expect(server.requests[0].hasSuffix(#"{"new_holder_email":"bo@example.org","new_holder_name":"Bo"}"#))
      expect(server.requests[1].hasSuffix(#"{"email":"bo@example.org","name":"Bo"}"#))
      let note = try await server.run(["tickets", "note", "123", "at the door"])
      expectEqual(note.status, 1)
      expectEqual(server.lines.last, "POST /api/tickets/123/notes")
    }
  }

  // MARK: Events

  @Test func aRenameMovesNothing() async throws {
    let events = RealEvents()
    try await withServer({ events.answer($0) }) { server in
      let undo = server.folder.path + "/undo.json"
      let result = try await server.run(["events", "update", "456", "--name", "Gala", "--undo", undo])
      expectEqual(result.status, 0, "\(result.errors)")
      expect(result.errors.contains(#"name: "Concert" -> "Gala""#), "\(result.errors)")
      expect(result.errors.contains("By PATCH /api/events/Mzg5NzM0 ("), "\(result.errors)")
      expect(result.output.contains("Starts       2026-12-01 20:00 Europe/Berlin"), "\(result.output)")
      expect(result.output.contains("VIP (Mzg5Mzgw): 25.000, 2 of 10 sold"), "\(result.output)")
      let patches = server.lines.filter { $0.hasPrefix("PATCH") }
      expectEqual(patches.count, 1)
      let back = try await server.run(
        ["events", "update", "456", "--data", undo, "--undo", undo + ".2", "--json"])
      expectEqual(back.status, 0, "\(back.errors)")
      expect(back.output.contains(#""name":"Concert""#), "\(back.output)")
      let again = try await server.run(["events", "update", "456", "--data", undo])
      expect(again.errors.contains("Nothing would change"), "\(again.errors)")
      expectEqual(server.lines.filter { $0.hasPrefix("PATCH") }.count, 2)
    }
  }

  @Test(arguments: ["description", "venue_id", "starts_at", "members"])
  func whatAServerLosesIsTold(what: String) async throws {
    let events = RealEvents(loses: what)
    try await withServer({ events.answer($0) }) { server in
      let undo = server.folder.path + "/undo.json"
      let result = try await server.run(["events", "update", "456", "--name", "Gala", "--undo", undo])
      // Members that were none are none.
      expectEqual(result.status, what == "members" ? 0 : 1, "\(result.errors)")
      if what != "members" {
        expect(result.errors.contains("not as it should be: \(what): "), "\(result.errors)")
        expect(result.errors.contains("events update Mzg5NzM0 --data \(undo)"), "\(result.errors)")
      }
    }
  }

  @Test func aKeyThatIsMisspeltIsNoChange() async throws {
    let events = RealEvents()
    try await withServer({
      $0.target.hasPrefix("/api/venues") ? Answer(200, #"{"id":8,"name":"Hall A"}"#) : events.answer($0)
    }) { server in
      for words in [["events", "update", "456"], ["venues", "update", "8"]] {
        let undo = server.folder.path + "/\(words[0]).json"
        let result = try await server.run(words + ["--data", "-", "--undo", undo], input: #"{"nmae":"x"}"#)
        expectEqual(result.status, 1, "\(words): \(result.output)\(result.errors)")
        expect(result.errors.contains(#"not as it should be: nmae: "x" -> nothing"#), "\(words): \(result.errors)")
        expect(result.errors.contains("is not what was sent"), "\(words): \(result.errors)")
      }
    }
  }

  @Test func typesOfTicketsGoOnlyWhereThatIsWanted() async throws {
    let events = RealEvents()
    try await withServer({ events.answer($0) }) { server in
      let data = #"{"tickets":[{"id":101,"type":"Standard","price":"10.000","quantity":100}]}"#
      let arguments = ["events", "update", "456", "--data", "-", "--undo", server.folder.path + "/undo.json"]
      let unasked = try await server.run(arguments, input: data)
      expectEqual(unasked.status, 64)
      expect(unasked.errors.contains("ticket type that goes: VIP"), "\(unasked.errors)")
      expect(!server.lines.contains { !$0.hasPrefix("GET") })
      let asked = try await server.run(arguments + ["--yes"], input: data)
      expectEqual(asked.status, 0, "\(asked.errors)")
      expect(!asked.output.contains("VIP"), "\(asked.output)")
    }
  }

  @Test func theDocumentsUpdateIsTakenFirst() async throws {
    let event = Mutex(
      #"{"id":456,"name":"Concert","starts_at":"2026-12-01T19:00:00Z","ends_at":"2026-12-01T22:00:00Z","tickets":[{"id":1,"type":"A","price":10}]}"#
    )
    try await withServer({ request in
      if request.method == "PUT" { event.withLock { $0 = #"{"id":456,"# + request.body.dropFirst() } }
      return Answer(200, event.withLock { $0 })
    }) { server in
      let undo = server.folder.path + "/undo.json"
      let result = try await server.run(
        ["events", "update", "456", "--starts-at", "2026-12-01T20:30:00Z", "--undo", undo])
      expectEqual(result.status, 0, "\(result.errors)")
      expectEqual(server.lines, ["GET /api/events/456", "PUT /api/events/456", "GET /api/events/456"])
      expect(
        server.requests[1].hasSuffix(
          #"{"ends_at":"2026-12-01T23:30:00Z","name":"Concert","starts_at":"2026-12-01T20:30:00Z","tickets":[{"id":1,"price":10,"type":"A"}]}"#
        ), "\(server.requests[1])")
    }
  }

  /// What is looked at before a change cannot have changed anything, and neither has the command that ends there.
  @Test func aChangeThatEndsAtItsFirstLookSaysThatNothingWasChanged() async throws {
    try await withServer({ $0.method == "GET" ? nil : Answer(200, "{}") }) { server in
      for words in [
        ["events", "update", "456", "--name", "Gala"], ["events", "delete", "456", "--yes"],
      ] {
        let result = try await server.run(words)
        expectEqual(result.status, 69, "\(words): \(result.errors)")
        expect(result.errors.contains("gave no answer. Nothing was changed."), "\(words): \(result.errors)")
        expect(!result.errors.contains("may have"), "\(words): \(result.errors)")
      }
      expect(!server.lines.contains { !$0.hasPrefix("GET") })
    }
  }

  @Test func nothingIsSentWithoutTheFormerEventKept() async throws {
    let events = RealEvents()
    try await withServer({ events.answer($0) }) { server in
      let undo = server.folder.path + "/undo.json"
      try Data("mine".utf8).write(to: URL(filePath: undo))
      let result = try await server.run(["events", "update", "456", "--name", "Gala", "--undo", undo])
      expectEqual(result.status, 74)
      expect(!server.lines.contains { !$0.hasPrefix("GET") })
      expectEqual(try String(contentsOfFile: undo, encoding: .utf8), "mine")
    }
  }

  @Test func eventsAreMadeInBothWays() async throws {
    let options = ["--name", "New", "--starts-at", "2026-12-01T20:00", "--timezone", "Europe/Berlin"]
    try await withServer({ _ in
      Answer(201, #"{"id":9,"name":"New","starts_at":"2026-12-01T19:00:00Z"}"#)
    }) { server in
      let result = try await server.run(["events", "create"] + options)
      expectEqual(result.output, "The event 9 is there.\n", "\(result.errors)")
      expectEqual(server.lines, ["POST /api/events"])
      expect(server.requests[0].contains(#""starts_at":"2026-12-01T19:00:00Z""#))
      let unnamed = try await server.run(["events", "create", "--name", "New", "--starts-at", "2026-12-01T20:00"])
      expectEqual(unnamed.status, 64)
    }
    let events = RealEvents()
    try await withServer({ request in
      request.target.hasPrefix("/api/venues")
        ? Answer(200, #"{"id":8,"name":"Hall A","subdomain":"hall-a"}"#) : events.answer(request)
    }) { server in
      let nowhere = try await server.run(["events", "create"] + options)
      expectEqual(nowhere.status, 64)
      expect(nowhere.errors.contains("name it by --subdomain"), "\(nowhere.errors)")
      let result = try await server.run(["events", "create", "--venue", "8"] + options)
      expectEqual(result.output, "The event Mzg5NzM2 is there.\n", "\(result.errors)")
      expectEqual(
        server.lines.suffix(4),
        ["POST /api/events", "GET /api/venues/8", "GET /api/schedules/hall-a", "POST /api/events/hall-a"])
      expect(server.requests.last?.contains(#""starts_at":"2026-12-01 20:00:00""#) == true)
      expect(server.requests.last?.contains(#""venue_id":"Mzg5Mjg2""#) == true)
    }
    try await withServer({ _ in
      Answer(201, #"{"data":{"id":9,"name":"New","starts_at":"2026-12-01 20:00:00"}}"#)
    }) { server in
      let moved = try await server.run(["events", "create"] + options)
      expectEqual(moved.status, 1)
      expect(moved.errors.contains("starts at 2026-12-01T20:00:00Z, not at 2026-12-01T19:00:00Z"), "\(moved.errors)")
    }
  }

  @Test func anEventIsDeletedByTheIDThatIsTold() async throws {
    let events = RealEvents()
    try await withServer({ events.answer($0) }) { server in
      let result = try await server.run(["events", "delete", "456", "--yes"])
      expectEqual(
        result.output, "The event Mzg5NzM0 (2026-12-01 20:00, Concert, Hall A) is deleted.\n", "\(result.errors)")
      expectEqual(server.lines.last, "DELETE /api/events/Mzg5NzM0")
    }
  }

  @Test func ticketsAreIssuedInBothWays() async throws {
    let options = [
      "tickets", "issue", "--event", "456", "--name", "Ann", "--email", "ann@example.org", "--ticket", "vip=2",
    ]
    let events = RealEvents()
    try await withServer({ request in
      request.target.hasSuffix("/checkout")
        ? Answer(201, #"{"data":{"id":"Mzg5NDAx","status":"unpaid","payment_method":"cash"}}"#)
        : request.target.hasPrefix("/api/tickets") ? .noMethod(request) : events.answer(request)
    }) { server in
      let result = try await server.run(options)
      expectEqual(result.output, "Issued: sale Mzg5NDAx, “unpaid”.\n", "\(result.errors)")
      expect(result.errors.contains("It tells no code."), "\(result.errors)")
      expectEqual(server.lines.suffix(2), ["POST /api/tickets", "POST /api/events/hall-a/checkout"])
      expect(
        server.requests.last?.hasSuffix(
          #"{"email":"ann@example.org","event_date":"2026-12-01","name":"Ann","tickets":{"Mzg5Mzgw":2}}"#) == true,
        "\(server.requests.last ?? "")")
      let unknown = try await server.run(options + ["--ticket", "Box=1"])
      expectEqual(unknown.status, 64)
      expect(unknown.errors.contains("no ticket type “Box”; it has: Standard"), "\(unknown.errors)")
    }
  }

  // MARK: Where it works

  @Test func theConfigurationNamesTheServer() async throws {
    try await withServer({ _ in Answer(200, Self.list) }) { server in
      let file = server.folder.path + "/scangate.yaml"
      func write(_ systems: String) throws {
        let text = """
          version: 1
          station: { name: door }
          ticketSystems: \(systems)
          readers:
            scanner: { type: wedge, match: { vendor: "0c2e", product: "0901" }, keymap: us }
          gates:
            north: { readers: [scanner], ticketSystem: main, outputs: { green: { led: "gate:green:pass" } } }
          """
        try Data(text.utf8).write(to: URL(filePath: file))
      }
      let main = #"main: { type: eventschedule, url: "\#(server.address)", apiKey: main }"#
      try write("{ \(main) }")
      let at = ["--config", file, "--state", server.folder.path + "/state"]
      for system in [[], ["--system", "main"]] {
        let result = try await Program.run(["eventschedule", "events", "list"] + system + at)
        expectEqual(result.status, 0, "\(result.errors)")
        expectEqual(result.lines.count, 2)
      }
      let unknown = try await Program.run(["eventschedule", "events", "list", "--system", "other"] + at)
      expectEqual(unknown.status, 64)
      try write("{ \(main), more: { type: eventschedule, url: \"https://e.example\", apiKey: main } }")
      let several = try await Program.run(["eventschedule", "events", "list"] + at)
      expectEqual(several.status, 64)
      expect(several.errors.contains("say which by --system (main, more)"), "\(several.errors)")
    }
  }

  @Test(arguments: [
    ["--server", "https://e.example"], ["--key", "main"],
    ["--server", "https://e.example", "--key", "k", "--system", "m"],
    ["--server", "http://e.example", "--key", "main"], ["--zone", "Nowhere/Else"],
  ])
  func aServerIsNamedOnce(arguments: [String]) async throws {
    let result = try await Program.run(["eventschedule", "events", "list"] + arguments)
    expectEqual(result.status, 64, "\(result.errors)")
  }

  @Test func noKeyNoRequest() async throws {
    try await withServer({ _ in Answer(200, Self.list) }) { server in
      let result = try await Program.run([
        "eventschedule", "events", "list", "--server", server.address, "--key", "other", "--state",
        server.folder.path + "/state",
      ])
      expectEqual(result.status, 69)
      expect(result.errors.contains("there is no credential other"), "\(result.errors)")
      expectEqual(server.lines, [])
    }
  }

  @Test(
    arguments: [
      Answer(200, "<html>", type: "text/html"), Answer(200, "{"), Answer(200, "[[["), Answer(200, "7"),
      Answer(200, #"{"data":7}"#), Answer(301, ""), Answer(200, #"{"data":[{"id":1}],"data":[]}"#),
      Answer(200, String(repeating: "[", count: 100_000)), Answer(404, "<html>", type: "text/html"),
    ] as [DeskServer.Answer])
  func noListIsNone(answer: DeskServer.Answer) async throws {
    try await withServer({ _ in answer }) { server in
      let result = try await server.run(["events", "list"])
      expectEqual(result.status, 69, "\(result.errors)")
      expectEqual(result.output, "")
      expectClean(result)
    }
  }

  /// A list of which nothing can be read is not an empty one.
  @Test(arguments: [["events", "list"], ["tickets", "search", "--json"], ["checkins", "list", "--event", "1"]])
  func aListOfWhichNothingCanBeReadIsNone(words: [String]) async throws {
    let body = Mutex(#"{"data":[{"name":"Gala"},7,{"id":{}}]}"#)
    try await withServer({ _ in Answer(200, body.withLock { $0 }) }) { server in
      let result = try await server.run(words)
      expectEqual(result.status, 69, "\(result.errors)")
      expect(
        result.output.isEmpty && result.errors.contains("none of 3 has an id."), "\(result.output)\(result.errors)")
      body.withLock { $0 = #"{"data":[{"id":1},7]}"# }
      let some = try await server.run(words)
      expectEqual(some.status, 0, "\(some.errors)")
      expect(!some.output.isEmpty && some.errors.contains("1 could not be read"), "\(some.output)\(some.errors)")
      body.withLock { $0 = #"{"data":[]}"# }
      expectEqual(try await server.run(words).status, 0)
    }
  }

  @Test func dataThatIsNoneIsRefused() async throws {
    try await withServer({ _ in Answer(200, #"{"id":1,"name":"x"}"#) }) { server in
      for input in ["", "[]", "{", "7", #"{"a":1,"a":2}"#] {
        let result = try await server.run(["venues", "update", "1", "--data", "-"], input: input)
        expectEqual(result.status, 65, "\(input): \(result.errors)")
      }
      let nothing = try await server.run(["venues", "update", "1"])
      expectEqual(nothing.status, 64)
      expect(!server.lines.contains { !$0.hasPrefix("GET") })
    }
  }
}
