import Expectations
import NIOHTTP1
import Testing

@testable import VenueServer

/// Bad days of what an organiser asks for, in each shape; scans are spared.
@Suite struct DeskMannersTests {
  @Test func statusesHaveTheWordsOfTheShape() async throws {
    let wanted: [(ServerShape, Int, String)] = [
      (.document, 401, #"{"error":"Unauthorized"}"#), (.planify, 401, #"{"error":"Invalid API key"}"#),
      (.planify, 403, #"{"message":"Access denied"}"#),
      (.upstream, 403, #"{"error":"API usage is limited to Pro accounts"}"#),
      (.planify, 404, #"{"message":"The route api\/events could not be found."}"#),
      (
        .planify, 405,
        #"{"message":"The GET method is not supported for route api\/events. Supported methods: OPTIONS."}"#
      ),
      (.document, 422, #"{"message":"The given data was invalid.","errors":[]}"#),
      (.document, 429, #"{"error":"Rate limit exceeded"}"#),
    ]
    for (shape, status, text) in wanted {
      try await withDesk(shape, misbehaviours: ["status=\(status),on=desk"]) { venue in
        let reply = try await venue.ask(.GET, "/api/events")
        expectEqual(reply.status, status)
        expectEqual(reply.text, text, "\(shape)")
        guard shape != .upstream else { return }
        try await expectEqual(venue.scan(try venue.ticket("Hall A 20:00", "VIP").code).status, 201)
      }
    }
  }

  @Test func discoveryMeetsThemToo() async throws {
    try await withDesk(.document, misbehaviours: ["redirect=https://elsewhere.example/,on=desk"]) { venue in
      let reply = try await venue.request(.GET, "/.well-known/eventschedule.json", headers: [])
      expect(reply.status == 302 && reply.headers["Location"] == ["https://elsewhere.example/"])
    }
  }

  /// What was lost on the way back was done.
  @Test func aLostAnswerWasCarriedOut() async throws {
    try await withDesk(.planify, misbehaviours: ["close=after,on=desk,next=1"]) { venue in
      let id = try venue.eventID("Hall A 20:00")
      let body = #"{"event_id":\#(id),"attendee_name":"Ada"}"#
      await #expect(throws: (any Error).self) { try await venue.ask(.POST, "/api/checkins", body) }
      try await expectEqual(venue.ask(.GET, "/api/checkins?event_id=\(id)").json["data"]?.count, 1)
    }
  }

  @Test func valuesAreOfOtherTypes() async throws {
    try await withDesk(.planify, misbehaviours: ["json=types,on=desk"]) { venue in
      let reply = try await venue.ask(.GET, "/api/events")
      try expectEqual(reply.string("meta.total"), "5")
      try expectEqual(reply.json["data.0.name"], .null)
      try expectEqual(reply.json["data.0.members"], .object([:]))
      try expectEqual(reply.integer("data.0.has_password"), 0)
    }
  }

  @Test func pagesNeverEnd() async throws {
    for shape in [ServerShape.document, .planify] {
      try await withDesk(shape, misbehaviours: ["json=pages,on=desk"]) { venue in
        let first = try await venue.ask(.GET, "/api/events?per_page=2&page=1")
        let later = try await venue.ask(.GET, "/api/events?per_page=2&page=77")
        try expectEqual(later.json["data"], first.json["data"])
        let (current, last) =
          shape == .document
          ? ("meta.pagination.current_page", "meta.pagination.total_pages") : ("meta.current_page", "meta.last_page")
        try expectEqual(later.integer(current), 77)
        try expectEqual(later.integer(last), 78)
      }
    }
  }

  @Test func bodiesThatAreNothingAreRefusedInWords() async throws {
    for shape in ServerShape.allCases {
      try await withDesk(shape) { venue in
        for route in DeskRoutes.all(shape) where route.ability != .view {
          let path = route.path.replacing(":id", with: "1").replacing(":sale", with: "1")
          let deep = String(repeating: "[", count: 20_000)
          for body in ["", "null", "[]", "17", "{\"name\":{\"a\":[1e999]},\"event_id\":9e99,\"tickets\":7}", deep] {
            let reply = try await venue.ask(HTTPMethod(rawValue: "\(route.method)"), path, body)
            expect((200..<500).contains(reply.status), "\(shape) \(route.method) \(path): \(reply.status)")
          }
        }
      }
    }
  }
}
