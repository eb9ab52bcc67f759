import Expectations
import Foundation
import NIOHTTP1
import Testing

@testable import VenueServer

/// Accounts of those who buy, in each shape.
@Suite struct BookingsAccountTests {
  private static let password = "Sesame12"

  private func signUp(_ service: BookingVenue, _ email: String = "Zoe@Guests.example") async throws -> Reply {
    try await service.ask(
      .POST, "/api/auth/signup", #"{"email":" \#(email) ","password":"\#(Self.password)","name":"Zoë O'Neill"}"#)
  }

  // MARK: Signing up and in

  @Test func whoSignsUpIsSignedIn() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let reply = try await signUp(service)
        expectEqual(reply.status, shape == .real ? 201 : 200)
        let json = try reply.json
        expect(json["success"] == .bool(true) && json.string("user.email") == "zoe@guests.example")
        expectEqual(json.string("user.created_at"), shape == .real ? nil : "2026-01-31T18:40:00.000Z")
        expectEqual(json.string("user.role"), shape == .real ? "customer" : nil)
        let token = try #require(json.string("token"))
        expectEqual(token.split(separator: ".").count, shape == .real ? 3 : 1)
        let again = try await signUp(service, "zoe@guests.example")
        expectEqual(again.status, 409)
        try expectEqual(
          again.json,
          .object(["success": .bool(false), "error": .string("An account with this email already exists")]))
      }
    }
  }

  @Test func whatCannotSignUp() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape, change: { $0.noLimits = true }) { service, _ in
        let wanted: [(String, Int, String)] = [
          ("{}", 400, "Email, password, and name are required"),
          (#"{"email":"a@b.example","password":"Sesame12"}"#, 400, "Email, password, and name are required"),
          (#"{"email":7,"password":"Sesame12","name":"Zoë"}"#, 400, "Email, password, and name are required"),
          (#"{"email":"a@b","password":"Sesame12","name":"Zoë"}"#, 400, "Please provide a valid email address"),
          (#"{"email":"a b@c.d","password":"Sesame12","name":"Zoë"}"#, 400, "Please provide a valid email address"),
          (#"{"email":"a@b.c","password":"Sesame12","name":"Z"}"#, 400, "Name must be between 2 and 100 characters"),
          (#"{"email":"a@b.c","password":"sesame","name":"Zoë"}"#, 400, "Password requirements not met"),
          ("[]", 500, "An internal error occurred. Please try again later."),
          ("", 500, "An internal error occurred. Please try again later."),
        ]
        for (body, status, error) in wanted {
          let reply = try await service.ask(.POST, "/api/auth/signup", body)
          try expect(reply.status == status && reply.string("error") == error, "\(body)")
          try expectEqual(reply.json["success"], .bool(false))
        }
      }
    }
  }

  @Test func theRealTokenSaysWhoItIsOf() async throws {
    try await withBookings(.real) { service, _ in
      let reply = try await service.buyer()
      expectEqual(reply.status, 200)
      try expectEqual(reply.string("message"), "Signed in successfully")
      let parts = try #require(try reply.string("token")).split(separator: ".")
      let claims = try JSONDecoder().decode(JSON.self, from: Data(try #require(Base64URL.bytes(parts[1]))))
      expect(claims.string("iss") == "lastminutelive" && claims.string("aud") == "lastminutelive-mobile")
      try expect(claims.string("userId") == reply.string("user.id") && claims.string("role") == "customer")
      let (issued, ends) = (try #require(claims.integer("iat")), try #require(claims.integer("exp")))
      expectEqual(ends - issued, 7 * 86_400)
      let head = try JSONDecoder().decode(JSON.self, from: Data(try #require(Base64URL.bytes(parts[0]))))
      expectEqual(head.string("alg"), "HS256")
    }
  }

  @Test func aWrongPasswordAndAnUnknownAddressAreTheSame() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let unknown = try await service.ask(
          .POST, "/api/auth/signin", #"{"email":"x@y.example","password":"Sesame12"}"#)
        for reply in [try await service.buyer("wrong"), unknown] {
          expectEqual(reply.status, 401)
          try expectEqual(
            reply.json, .object(["success": .bool(false), "error": .string("Invalid email or password")]))
        }
        let empty = try await service.ask(.POST, "/api/auth/signin", #"{"email":"x@y.example"}"#)
        try expect(empty.status == 400 && empty.string("error") == "Email and password are required")
      }
    }
  }

  @Test func tenTriesInAQuarterOfAnHour() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, clock in
        for _ in 0..<9 { try await expectEqual(service.buyer("wrong").status, 401) }
        // A good one forgets the others.
        try await expectEqual(service.buyer().status, 200)
        for _ in 0..<10 { try await expectEqual(service.buyer("wrong").status, 401) }
        let refused = try await service.buyer()
        expectEqual(refused.status, shape == .real ? 429 : 200)
        guard shape == .real else { return }
        try expectEqual(refused.string("error"), "Too many signin attempts. Please try again later.")
        // The door is not concerned, and signing up is counted apart.
        try await expectEqual(service.signIn().status, 200)
        try await expectEqual(signUp(service).status, 201)
        clock.advance(seconds: 900)
        try await expectEqual(service.buyer().status, 200)
      }
    }
  }

  // MARK: Who one is

  @Test func aTokenIsLookedAt() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, clock in
        let bearer = try await service.bearer()
        let method: HTTPMethod = shape == .real ? .GET : .POST
        let other: HTTPMethod = shape == .real ? .POST : .GET
        try await expectEqual(service.ask(other, "/api/auth/verify", headers: [bearer]).status, 405)
        let reply = try await service.ask(method, "/api/auth/verify", headers: [bearer])
        expectEqual(reply.status, 200)
        try expectEqual(reply.string("user.email"), service.theatre.buyerEmail)
        try expectEqual("Bearer " + (reply.string("token") ?? ""), bearer.1)
        for (headers, error) in [
          ([], "No authentication token provided"), ([("Authorization", "Bearer x.y.z")], "Invalid or expired token"),
          ([("Authorization", bearer.1.dropLast() + "_")], "Invalid or expired token"),
        ] as [([(String, String)], String)] {
          let refused = try await service.ask(method, "/api/auth/verify", headers: headers)
          try expect(refused.status == 401 && refused.string("error") == error, "\(headers)")
        }
        clock.advance(seconds: 7 * 86_400)
        try await expectEqual(service.ask(method, "/api/auth/verify", headers: [bearer]).status, 401)
      }
    }
  }

  @Test func providersVouchForSomebody() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let (document, real) = (
          #"{"provider":"google","token":"a-token","email":"pia@guests.example","name":"Pia Lund"}"#,
          #"{"provider":"google","idToken":"a-token","user":{"id":"1","email":"pia@guests.example","name":"Pia Lund"}}"#
        )
        let other = try await service.ask(.POST, "/api/auth/social", shape == .real ? document : real)
        expectEqual(other.status, 400)
        try expect(other.string("error")?.hasPrefix("Missing required fields") == true)
        let reply = try await service.ask(.POST, "/api/auth/social", shape == .real ? real : document)
        expectEqual(reply.status, 200)
        try expect(reply.string("user.name") == "Pia Lund" && reply.string("token")?.isEmpty == false)
        let mine = shape == .real ? real : document
        let forged = try await service.ask(
          .POST, "/api/auth/social", mine.replacingOccurrences(of: "a-token", with: "forged"))
        expectEqual(forged.status, 401)
        let wrong = try await service.ask(
          .POST, "/api/auth/social", mine.replacingOccurrences(of: "google", with: "myspace"))
        try expect(wrong.status == 400 && wrong.string("error") == "Invalid provider. Must be google or apple")
      }
    }
  }

  // MARK: Mail

  @Test func anAddressIsVerified() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape, change: { $0.noLimits = true }) { service, _ in
        _ = try await signUp(service)
        func verify(_ token: String, _ email: String = "zoe@guests.example") async throws -> Reply {
          shape == .real
            ? try await service.ask(.GET, "/api/auth/verify-email?token=\(token)&email=\(email)")
            : try await service.ask(.POST, "/api/auth/verify-email", #"{"token":"\#(token)","email":"\#(email)"}"#)
        }
        let token = try #require(try await service.server.bookingMail(to: "zoe@guests.example").verify)
        try await expectEqual(verify("wrong").status, 400)
        try await expectEqual(verify(token, "x@y.example").status, 404)
        try await expectEqual(verify("").status, 400)
        let reply = try await verify(token)
        try expect(reply.status == 200 && reply.json["success"] == .bool(true))
        try await expectEqual(verify("wrong").string("message"), "Email address is already verified")
      }
    }
  }

  /// What the document has verify an address has the real server send another mail.
  @Test func thePostOfTheRealOneSendsAgain() async throws {
    try await withBookings(.real, change: { $0.noLimits = true }) { service, _ in
      _ = try await signUp(service)
      let first = try #require(try await service.server.bookingMail(to: "zoe@guests.example").verify)
      let reply = try await service.ask(
        .POST, "/api/auth/verify-email", #"{"token":"\#(first)","email":"zoe@guests.example"}"#)
      expectEqual(reply.status, 200)
      try expectEqual(reply.string("message"), "Verification email has been sent. Please check your inbox.")
      let second = try #require(try await service.server.bookingMail(to: "zoe@guests.example").verify)
      expect(first != second)
      let old = try await service.ask(.GET, "/api/auth/verify-email?token=\(first)&email=zoe%40guests.example")
      expectEqual(old.status, 400)
      let new = try await service.ask(.GET, "/api/auth/verify-email?token=\(second)&email=zoe%40guests.example")
      expectEqual(new.status, 200)
      // Who has an account is not told.
      let unknown = try await service.ask(.POST, "/api/auth/verify-email", #"{"email":"x@y.example"}"#)
      try expect(unknown.status == 200 && unknown.json["success"] == .bool(true))
    }
  }

  @Test func aPasswordIsReset() async throws {
    try await withBookings(.real, change: { $0.noLimits = true }) { service, clock in
      let email = service.theatre.buyerEmail
      for address in [email, "x@y.example"] {
        let reply = try await service.ask(.POST, "/api/auth/password-reset", #"{"email":"\#(address)"}"#)
        try expect(reply.status == 200 && reply.string("message")?.hasPrefix("If an account") == true)
      }
      let token = try #require(try await service.server.bookingMail(to: email).reset)
      func confirm(_ token: String, _ password: String) async throws -> Reply {
        try await service.ask(
          .PUT, "/api/auth/password-reset",
          #"{"email":"\#(email)","token":"\#(token)","newPassword":"\#(password)"}"#)
      }
      try await expectEqual(confirm("wrong", Self.password).status, 400)
      try await expectEqual(confirm(token, "weak").string("error"), "Password requirements not met")
      try await expectEqual(confirm(token, Self.password).status, 200)
      try await expectEqual(confirm(token, Self.password).status, 400)
      try await expectEqual(service.buyer(Self.password).status, 200)
      try await expectEqual(service.buyer().status, 401)
      // A token ends after an hour.
      _ = try await service.ask(.POST, "/api/auth/password-reset", #"{"email":"\#(email)"}"#)
      let late = try #require(try await service.server.bookingMail(to: email).reset)
      clock.advance(seconds: 3_600)
      try await expectEqual(confirm(late, Self.password).status, 400)
    }
  }

  @Test func mailsAreFew() async throws {
    try await withBookings(.real) { service, _ in
      for status in [200, 200, 200, 429] {
        let reply = try await service.ask(.POST, "/api/auth/password-reset", #"{"email":"x@y.example"}"#)
        expectEqual(reply.status, status)
      }
    }
  }

  @Test func theDocumentHasNoResetAndNoOtherAddresses() async throws {
    for shape in BookingShape.allCases {
      try await withBookings(shape) { service, _ in
        let reset = try await service.ask(.POST, "/api/auth/password-reset", #"{"email":"x@y.example"}"#)
        expectEqual(reset.status, shape == .real ? 200 : 404)
        for path in ["/api/auth", "/api/auth/guest", "/api/shows/a/b/c", "/api/venues/x/bookings"] {
          let reply = try await service.ask(.GET, path)
          expect(reply.status == 404 && reply.text.hasPrefix("<!DOCTYPE html>"), "\(path)")
        }
      }
    }
  }
}
