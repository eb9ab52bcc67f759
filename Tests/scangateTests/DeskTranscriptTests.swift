import Expectations
import Foundation
import Synchronization
import Testing
import VenueServer

/// Every command at event servers, as `docs/eventschedule-transcript.md` shows it; `UPDATE_DOCS=1` writes that anew.
@Suite struct DeskTranscriptTests {
  @Test func theDocumentShowsWhatTheCommandsPrint() async throws {
    try TranscriptDocument.expect(try await Transcript.record(), in: "docs/eventschedule-transcript.md")
  }
}

/// An organiser's evening.
private final class Transcript {
  private typealias Answer = DeskServer.Answer

  private let server: DeskServer
  private var text = """
    # Event servers: every command

    Written by a test from what the commands print: first a technician connects the embedded venue, which passes for a server that follows the
    document; then an organiser works at a server of the real shape; the last part is the document's again. What standard error shows is marked
    by `!`, an exit status other than 0 is told after the output. The server is the only one of the configuration: where there are several,
    `--system` says which.

    """

  private init(_ server: DeskServer) { self.server = server }

  static func record() async throws -> String {
    let events = RealEvents(isPlain: true)
    let isLost = Mutex(false)
    let server = try await DeskServer.start { request in
      if isLost.withLock({ $0 }), request.method != "GET" { return nil }
      return real(request, events)
    }
    let transcript = Transcript(server)
    do {
      transcript.text += try await connected()
      try await transcript.play { lost in isLost.withLock { $0 = lost } }
    } catch {
      await server.end()
      throw error
    }
    await server.end()
    return try await transcript.text + documented()
  }

  /// A technician's commands, as they print at the venue.
  private static func connected() async throws -> String {
    var text = "\n## Connecting a server\n"
    try await DeskBench.open(.document) { bench in
      func run(_ words: [String], key: String? = nil) async throws {
        let result = try await bench.program(words, input: key ?? "")
        let shown = TranscriptDocument.line(["scangate", "eventschedule"] + words)
        let block = TranscriptDocument.block(shown, result, typed: key == nil ? nil : "the key")
        text += "\n```\n\(block)```\n"
      }
      try await run(["connect", bench.venue.url, "--name", "theatre"], key: "not-the-right-key")
      try await run(["connect", bench.venue.url, "--name", "theatre"], key: bench.key)
      try await run(["instances"])
      try await run(["verify"])
      try await run(["branding"])
      try await run(["branding", "--json"])
      try await run(["key", "set", "theatre"], key: "not-the-right-key")
      try await run(["key", "set", "theatre"], key: bench.key)
      try await run(["key", "remove", "theatre"])
      try await run(["instances"])
      try await run(["verify", "theatre"])
      try await run(["forget", "theatre"])
      try await run(["forget", "theatre", "--yes"])
      text = text.replacing(bench.venue.url, with: "https://events.example.org")
        .replacing(bench.venue.url.dropFirst("http://".count), with: "events.example.org:443")
    }
    return text
  }

  private static func documented() async throws -> String {
    let event = Mutex(
      #"{"id":456,"name":"Concert","starts_at":"2026-12-01T19:00:00Z","ends_at":"2026-12-01T22:00:00Z","timezone":"Europe/Berlin","tickets":[{"id":101,"type":"Standard","price":10,"quantity":100}]}"#
    )
    let server = try await DeskServer.start { request in
      switch (request.method, request.target) {
      case ("GET", "/api/events/456"): return Answer(200, event.withLock { $0 })
      case ("PUT", _):
        event.withLock { $0 = #"{"id":456,"# + request.body.dropFirst() }
        return Answer(200, event.withLock { $0 })
      case ("POST", "/api/tickets"):
        return Answer(201, #"{"id":124,"status":"paid","ticket_code":"wk8wfyzjrbrdv5rxvjxjzpx9ggum6uxl"}"#)
      case ("POST", "/api/tickets/124/refund"): return Answer(200, #"{"id":124,"status":"refunded"}"#)
      default: return .noRoute
      }
    }
    let transcript = Transcript(server)
    transcript.text = ""
    do {
      transcript.chapter("A server that follows the document")
      try await transcript.run(
        ["events", "update", "456", "--starts-at", "2026-12-01T20:30", "--undo", "concert.json"])
      try await transcript.run([
        "tickets", "issue", "--event", "456", "--name", "Ann", "--email", "ann@example.org", "--ticket", "standard=1",
        "--json",
      ])
      try await transcript.run(["tickets", "refund", "124", "--json"])
    } catch {
      await server.end()
      throw error
    }
    await server.end()
    return transcript.text
  }

  // MARK: The server

  private static let venue =
    #"{"id":8,"name":"Hall A","city":"Bonn","email":null,"timezone":"Europe/Berlin","subdomain":"hall-a"}"#

  private static func real(_ request: DeskServer.Request, _ events: RealEvents) -> DeskServer.Answer {
    let path = request.target.split(separator: "?")[0].split(separator: "/").dropFirst().map(String.init)
    switch (path.first, path.count) {
    case ("events", 3): return Answer(201, #"{"data":{"id":"Mzg5NDAx","status":"unpaid","payment_method":"cash"}}"#)
    case ("events", _): return events.answer(request)
    case ("venues", 1), ("talent", 1):
      return request.method == "GET"
        ? Answer(200, #"{"data":[\#(venue)]}"#) : Answer(201, #"{"id":9,"name":"Hall B"}"#)
    case ("venues", 2), ("talent", 2):
      switch request.method {
      case "GET": return Answer(200, events.profile(venue))
      case "PUT":
        events.rename(request.member("name") as? String)
        return Answer(200, events.profile(venue))
      default: return Answer(200, #"{"message":"Venue deleted successfully"}"#)
      }
    case ("tickets", 1) where request.method == "GET":
      return Answer(
        200,
        #"{"data":[{"id":123,"status":"paid","name":"Ann Lee","email":"ann@example.org","event_id":456,"event":{"id":"Mzg5NzM0","name":"Concert"},"tickets":[{"id":789,"ticket_id":102,"quantity":2,"usage_status":"unused"}]}],"meta":{"current_page":1,"last_page":1}}"#
      )
    case ("tickets", 2) where request.method == "PATCH":
      let states = [
        "refund": "refunded", "cancel": "cancelled", "mark_unpaid": "unpaid", "mark_paid": "paid",
      ]
      let state = states[request.member("action") as? String ?? ""] ?? "paid"
      return Answer(200, #"{"data":{"id":123,"status":"\#(state)","name":"Bo Kay"}}"#)
    case ("tickets", 3) where path[2] == "reassign" || path[2] == "notes":
      return Answer(403, #"{"error":"Unauthorized"}"#)
    case ("checkins", 1):
      return request.method == "GET"
        ? Answer(
          200,
          #"{"data":[{"id":1,"event_id":456,"attendee_name":"Ann Lee","checked_in_at":"2026-12-01T18:45:00+00:00","notes":"gate=north"}]}"#
        ) : Answer(201, #"{"id":2,"event_id":456,"attendee_name":"Cy"}"#)
    default: return .noRoute
    }
  }

  // MARK: The evening

  private func play(lose: (Bool) -> Void) async throws {
    chapter("Events")
    try await run(["events", "list"])
    try await run(["events", "show", "456"])
    try await run(["events", "show", "456", "--zone", "Asia/Tokyo", "--json"])
    try await run([
      "events", "create", "--venue", "8", "--name", "Matinee", "--starts-at", "2026-12-02T15:00", "--timezone",
      "Europe/Berlin",
    ])
    chapter("Changing an event")
    try await run(["events", "update", "456", "--name", "Concert, sold out", "--undo", "concert.json"])
    try await run(["events", "update", "456", "--data", "concert.json", "--undo", "sold-out.json"])
    try await run(
      ["events", "update", "456", "--data", "-"],
      typing: #"{"tickets":[{"id":101,"type":"Standard","price":"10.000","quantity":100}]}"#)
    try await run(["events", "delete", "457"])
    try await run(["events", "delete", "457", "--yes"])
    chapter("Venues and talent")
    try await run(["venues", "list"])
    try await run(["venues", "show", "8"])
    try await run(["venues", "create", "--name", "Hall B"])
    try await run(["venues", "update", "8", "--name", "Great hall", "--undo", "hall.json"])
    try await run(["venues", "delete", "8", "--yes"])
    for command in [
      ["list"], ["show", "8"], ["create", "--name", "The Trio"],
      ["update", "8", "--name", "Hall A", "--undo", "trio.json"],
      ["delete", "8", "--yes"],
    ] { try await run(["talent"] + command) }
    chapter("Tickets")
    try await run(["tickets", "search", "ann"])
    try await run(["tickets", "search", "--event", "456", "--json"])
    try await run([
      "tickets", "issue", "--event", "456", "--name", "Ann Lee", "--email", "ann@example.org", "--ticket", "VIP=2",
    ])
    for command in ["refund", "void", "pay", "unpay"] { try await run(["tickets", command, "123"]) }
    try await run(["tickets", "use", "123"])
    for command in ["use", "unuse", "delete"] { try await run(["tickets", command, "123", "--yes"]) }
    try await run(["tickets", "reassign", "123", "--name", "Bo Kay", "--email", "bo@example.org"])
    try await run(["tickets", "note", "123", "Comes later"])
    chapter("An answer that is lost")
    lose(true)
    try await run(["tickets", "refund", "123"])
    lose(false)
    chapter("Check-ins")
    try await run(["checkins", "list", "--event", "456"])
    try await run(["checkins", "add", "--event", "456", "--name", "Cy"])
  }

  private func chapter(_ title: String) { text += "\n## \(title)\n" }

  private func run(_ arguments: [String], typing input: String? = nil) async throws {
    let files = arguments.map { $0.hasSuffix(".json") ? server.folder.path + "/" + $0 : $0 }
    let result = try await server.run(files, input: input ?? "", zone: "UTC-1")
    let shown = TranscriptDocument.line(["scangate", "eventschedule"] + arguments)
    let block = TranscriptDocument.block(input.map { "echo '\($0)' | \(shown)" } ?? shown, result).replacing(
      server.folder.path + "/", with: ""
    )
    .replacing("127.0.0.1:\(server.port)", with: "events.example.org:443")
    text += "\n```\n\(block)```\n"
  }
}
