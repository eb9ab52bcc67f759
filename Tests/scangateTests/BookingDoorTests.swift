import Bookings
import Expectations
import Foundation
import LinuxIO
import ScanModel
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport

/// `scangate booking doorlist|check`: the service by a script, staff of a configured system, and the ration of the station.
@Suite struct BookingDoorTests {
  static let cookie = "session-of-the-door-1a2b3c"

  /// A door: the service, and the station's terminal. Each has a venue of its own, for a process counts calls by server.
  private struct Bench {
    let server: DeskServer
    let terminal: BookingTerminal

    static func open(
      rows: String = Self.rows, validate: DeskServer.Answer? = nil, _ body: (Bench) async throws -> Void
    ) async throws {
      let server = try await DeskServer.start { request in
        switch request.line {
        case "POST /api/venue-auth-new":
          return request.member("password") as? String == BookingService.password
            && request.member("venueSlug") as? String == "hamilton"
            ? .init(
              200, #"{"success":true}"#,
              type: "application/json\r\nSet-Cookie: venue-session=\(BookingDoorTests.cookie); Path=/venue; HttpOnly")
            : .init(401, #"{"success":false,"error":"Invalid credentials"}"#)
        case "GET /api/venues/v1/bookings/today": return .init(200, rows)
        case "POST /api/venues/v1/validate":
          return validate
            ?? (request.member("validationCode") as? String == BookingService.code
              ? .init(200, BookingDoorTests.booking.replacing("seatCount", with: "seats"))
              : .init(404, #"{"error":"Invalid verification code or ticket not found"}"#))
        default: return .noRoute
        }
      }
      let zone = try #require(ZoneRules.named("Europe/London"))
      let position = SourcePosition(file: "scangate.yaml", line: 4, column: 5)
      let system = BookingsSection.System(
        url: try ServerAddress(server.address), urlPosition: position,
        venue: .init(id: "v1", slug: "hamilton", zone: zone, zoneName: "Europe/London"),
        staff: .init(
          email: "door@example.org", password: CredentialReference(name: "theatre-door", position: position)),
        origin: try ServerAddress("https://lastminutelive.com"))
      let terminal = BookingTerminal(
        hiding: [BookingDoorTests.cookie, BookingService.password, BookingService.code], system: system)
      var outcome = Result<Void, any Error>.success(())
      do {
        try await body(Bench(server: server, terminal: terminal))
      } catch {
        outcome = .failure(error)
      }
      await server.end()
      try outcome.get()
    }

    private static let rows = "[\(BookingDoorTests.booking),\(BookingDoorTests.matinee),{\"booking\":{}}]"
  }

  static let booking = row("b1", BookingService.code, "8f14e45f", "19:30:00")
  private static let matinee = row("b2", "MAT1NEE2", "a1", "14:30:00")

  private static func row(_ id: String, _ code: String, _ show: String, _ time: String) -> String {
    #"{"booking":{"id":"\#(id)","validationCode":"\#(code)","status":"confirmed","customerName":"Ada Brandt"},"show":{"id":"\#(show)","title":"The Tempest","date":"2026-12-01","time":"\#(time)"},"seatCount":4}"#
  }

  @Test func doorList() async throws {
    try await Bench.open { bench in
      let result = await bench.terminal.run(["doorlist"])
      expectStatus(result, 0)
      expectEqual(bench.server.lines, ["POST /api/venue-auth-new", "GET /api/venues/v1/bookings/today"])
      expectEqual(result.lines.count, 3)
      expect(result.lines[1].hasPrefix("2026-12-01 14:30") && result.lines[2].hasPrefix("2026-12-01 19:30"))
      expect(result.lines[2].contains("Ada Brandt") && result.lines[2].contains("…ZX4B"), "\(result.output)")
      expect(result.errors.contains("1 of 3 could not be read"), "\(result.errors)")
      // Venue routes are never a telephone's, and come from the website.
      for request in bench.server.requests {
        expect(!request.contains("mobile") && !request.contains("userAgent"), "\(request)")
        expect(request.contains("Origin: https://lastminutelive.com\r\n"), "\(request)")
      }
      let one = await bench.terminal.run(["doorlist", "--show", "a1", "--json"])
      expectEqual(one.objects.compactMap { $0["booking"] as? String }, ["b2"])
      expectEqual(one.objects.first?["code"] as? String, "…NEE2")
    }
  }

  /// Three lists in 15 minutes, whatever process asks: the fourth is not sent, and says when.
  @Test func theRation() async throws {
    try await Bench.open { bench in
      for _ in 1...3 { await expectStatus(bench.terminal.run(["doorlist"]), 0) }
      let fourth = await bench.terminal.run(["doorlist"])
      expectStatus(fourth, 69)
      expect(fourth.errors.contains("again in 15 min"), "\(fourth.errors)")
      expectEqual(bench.server.lines.count { $0.hasPrefix("GET") }, 3)
      for _ in 1...2 { await expectStatus(bench.terminal.run(["check", BookingService.code]), 0) }
      await expectStatus(bench.terminal.run(["check", BookingService.code]), 69)
      expectEqual(bench.server.lines.count { $0.hasSuffix("/validate") }, 2)
      expect(bench.terminal.records.withLock { $0.keys.contains { $0.hasPrefix("bookings.calls.") } })
    }
  }

  @Test func twoWithOneCode() async throws {
    let rows = "[\(Self.booking),\(Self.booking.replacing("\"b1\"", with: "\"b9\"")),\(Self.booking)]"
    try await Bench.open(rows: rows) { bench in
      let result = await bench.terminal.run(["doorlist"])
      expectEqual(result.lines.count, 3)
      expect(result.errors.contains("(…ZX4B): neither admits"), "\(result.errors)")
    }
  }

  @Test func aFullListIsSaidToBeCut() async throws {
    let rows = (1...100).map { Self.row("b\($0)", "CODE\(1_000 + $0)", "a1", "19:30") }
    try await Bench.open(rows: "[\(rows.joined(separator: ","))]") { bench in
      let result = await bench.terminal.run(["doorlist"])
      expectEqual(result.lines.count, 101)
      expect(result.errors.contains("tells 100 at most"), "\(result.errors)")
    }
  }

  @Test(arguments: ["", "LML-", " "]) func check(prefix: String) async throws {
    try await Bench.open { bench in
      let result = await bench.terminal.run(["check", prefix + BookingService.code.lowercased()])
      expectStatus(result, 0)
      expect(result.output.contains("valid: “The Tempest”, 2026-12-01 19:30, 4 seats, Ada Brandt"), "\(result.output)")
      expect(result.output.contains("List on board  there is none"), "\(result.output)")
      expectEqual(bench.server.lines, ["POST /api/venue-auth-new", "POST /api/venues/v1/validate"])
    }
  }

  @Test func aCodeThatIsNoBookings() async throws {
    try await Bench.open { bench in
      let result = await bench.terminal.run(["check", "NOSUCH77", "--json"])
      expectStatus(result, 1)
      expectEqual(result.objects.first?["code"] as? String, "…CH77")
      for code in ["PROCESSING", "ERROR", "abc", "ORDER:1", #"{"bookingId":"x"}"#] {
        await expectStatus(bench.terminal.run(["check", code]), 65)
      }
      expectEqual(bench.server.lines.count, 2)
    }
  }

  @Test(arguments: [(200, "<html>", "text/html"), (403, #"{"error":"Insufficient permissions"}"#, "application/json")])
  func aServiceThatDoesNotSay(status: Int, body: String, type: String) async throws {
    try await Bench.open(validate: .init(status, body, type: type)) { bench in
      await expectStatus(bench.terminal.run(["check", BookingService.code]), 69)
    }
  }
}
