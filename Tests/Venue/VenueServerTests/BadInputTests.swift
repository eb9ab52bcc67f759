import Expectations
import NIOCore
import NIOHTTP1
import Testing

@testable import VenueServer

@Suite struct BadInputTests {
  @Test func aMissingCodeIsExplainedToThoseWhoAcceptJSON() async throws {
    try await withVenue { venue in
      let required = #"{"message":"The code field is required.","errors":{"code":["The code field is required."]}}"#
      for body in [
        "", "{}", "[]", "null", "7", "\"x\"", "{", #"{"code":null}"#, #"{"code":"  "}"#, #"{"ticket_code":""}"#,
      ] {
        let reply = try await venue.post(body)
        expectEqual(reply.status, 422, "\(body)")
        expectEqual(reply.text, required, "\(body)")
      }
      let wrong = try await venue.post(#"{"code":{"a":1},"sale_ticket_id":"x1","seat_number":5}"#)
      expectEqual(wrong.status, 422)
      try expectEqual(wrong.string("message"), "The code field must be a string. (and 2 more errors)")
      try expectEqual(wrong.string("errors.sale_ticket_id.0"), "The sale ticket id field must be an integer.")
      try expectEqual(wrong.string("errors.seat_number.0"), "The seat number field must be a string.")
      let long = String(repeating: "ü", count: 256)
      let seat = try await venue.post(#"{"code":"abc","seat_number":"\#(long)"}"#)
      try expectEqual(seat.string("message"), "The seat number field must not be greater than 255 characters.")
    }
  }

  @Test func withoutAnAcceptHeaderTheAnswerIsARedirect() async throws {
    try await withVenue { venue in
      for accept in [nil, "*/*", "text/html, application/json"] {
        let headers = [("X-API-Key", try venue.key()), ("Content-Type", "application/json")]
        let reply = try await venue.request(
          .POST, "/api/tickets/scan", headers: headers + (accept.map { [("Accept", $0)] } ?? []),
          body: [ByteBuffer(string: "{}")])
        expectEqual(reply.status, 302)
        expectEqual(reply.headers["Location"], [venue.address.url + "/"])
        expectEqual(reply.headers["Content-Type"].first?.hasPrefix("text/html"), true)
      }
    }
  }

  @Test func codesAreTrimmedAndFormsRead() async throws {
    try await withVenue { venue in
      let code = try venue.code(.entry)
      try await expectEqual(venue.post(#"{"code":" \#(code)\r\n"}"#).status, 201)
      for (type, status) in [("application/x-www-form-urlencoded", 201), ("text/plain", 302), ("", 302)] {
        let reply = try await venue.request(
          .POST, "/api/tickets/scan", headers: [("X-API-Key", try venue.key()), ("Content-Type", type)],
          body: [ByteBuffer(string: "ticket_code=\(code)")])
        expectEqual(reply.status, status, "\(type)")
      }
    }
  }

  @Test func eitherNameOfTheFieldWillDo() async throws {
    try await withVenue { venue in
      let code = try venue.code(.entry)
      for body in [
        #"{"code":"\#(code)"}"#, #"{"ticket_code":"\#(code)"}"#, #"{"code":"\#(code)","ticket_code":"other"}"#,
        #"{"code":null,"ticket_code":"\#(code)","location":"door-1","sale_ticket_id":null}"#,
      ] {
        try await expectEqual(venue.post(body).status, 201, "\(body)")
      }
    }
  }

  @Test(arguments: [UInt64(11), 5_000]) func noiseIsRefusedAndTheVenueLivesOn(seed: UInt64) async throws {
    try await withVenue(VenueConfiguration(noLimits: true)) { venue in
      var random = SecretSource(number: seed)
      for _ in 0..<60 {
        let noise = (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let reply = try await venue.request(
          .POST, "/api/tickets/scan",
          headers: [
            ("X-API-Key", try venue.key()), ("Content-Type", "application/json"), ("Accept", "application/json"),
          ],
          body: [ByteBuffer(bytes: noise)])
        expectEqual(reply.status, 422)
      }
      try await expectEqual(venue.scan(try venue.code(.entry)).status, 201)
    }
  }

  @Test func deepAndOddJSONIsRefused() async throws {
    try await withVenue { venue in
      let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
      let nested = String(repeating: #"{"code":"#, count: 50_000)
      for body in [
        deep, nested, #"{"code":\#(deep)}"#, #"{"code":1e999}"#, #"{"code":true}"#, #"{"code":"\ud800"}"#,
        #"{"code":"a","sale_ticket_id":99999999999999999999999}"#, #"{"code":"a","sale_ticket_id":1.5}"#,
        #"{"code":"a","sale_ticket_id":[1]}"#,
      ] {
        try await expectEqual(venue.post(body).status, 422, "\(body.prefix(40))")
      }
      let controls = try await venue.post(#"{"code":"\u0000\u001b[2J\uffff"}"#)
      expectEqual(controls.text, #"{"error":"Ticket not found"}"#)
      expect(try await venue.server.book().isEmpty)
    }
  }

  @Test func aBodyOfTenMegabytesIsTooLarge() async throws {
    try await withVenue { venue in
      let large = ByteBuffer(repeating: 0x61, count: 10_000_000)
      let headers = [
        ("X-API-Key", try venue.key()), ("Content-Type", "application/json"), ("Accept", "application/json"),
      ]
      let announced = try await venue.request(.POST, "/api/tickets/scan", headers: headers, body: [large])
      expectEqual(announced.status, 413)
      expectEqual(announced.text, #"{"message":"The POST data is too large."}"#)
      let chunks = Array(repeating: ByteBuffer(repeating: 0x61, count: 1_000_000), count: 10)
      let streamed = try await venue.request(.POST, "/api/tickets/scan", headers: headers, body: chunks)
      expectEqual(streamed.status, 413)
      expectEqual(streamed.headers["Date"].count, 1)
      try await expectEqual(venue.scan(try venue.code(.entry)).status, 201)
    }
  }

  @Test func unknownRoutesAndWrongMethodsNeedNoKey() async throws {
    try await withVenue { venue in
      for path in ["/", "/api", "/api/tickets/1", "/api/tickets/scan/more", "/ticket/view/a/b"] {
        let reply = try await venue.request(.POST, path, headers: [])
        // A GET route exists for none of these but the list.
        expectEqual(reply.status, 404, "\(path)")
        try expectEqual(reply.string("message")?.isEmpty, false)
        expectEqual(reply.headers["Date"].count, 1)
      }
      let cases: [(HTTPMethod, String, String)] = [
        (.GET, "/api/tickets/scan", "POST"), (.DELETE, "/api/tickets/5/scan", "POST"), (.POST, "/api/tickets", "GET"),
      ]
      for (method, path, allowed) in cases {
        let reply = try await venue.request(method, path, headers: [])
        expectEqual(reply.status, 405, "\(path)")
        expectEqual(reply.headers["Allow"], [allowed])
        try expectEqual(reply.string("message")?.contains("method is not supported"), true)
      }
    }
  }
}
