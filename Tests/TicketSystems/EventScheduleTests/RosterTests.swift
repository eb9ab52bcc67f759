@testable import EventSchedule
import Expectations
import LinuxIO
import ScanModel
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport

/// All sales as a roster of tickets.
@Suite struct RosterTests {
  private func page(
    _ body: String, number: Int = 1, status: String = "200 OK"
  ) async throws -> Result<RosterPage, TicketListFault> {
    let venue = try await Venue.open(ScriptedServer(answer: Answers.response(status, body)))
    let result: Result<RosterPage, TicketListFault>
    do throws(TicketListFault) {
      result = .success(try await EventScheduleRoster(client: venue.client, pageSize: 7).page(number))
    } catch {
      result = .failure(error)
    }
    expect(venue.server.requests.allSatisfy { $0.hasPrefix("GET /api/sales?page=\(number)&per_page=7 ") })
    await venue.close()
    return result
  }

  // MARK: A day

  private func day(_ answer: String) async throws -> Result<RosterPage?, TicketListFault> {
    let venue = try await Venue.open(ScriptedServer(answer: answer))
    let result: Result<RosterPage?, TicketListFault>
    do throws(TicketListFault) {
      result = .success(
        try await EventScheduleRoster(client: venue.client, pageSize: 7).page(2, of: CivilDay(number: 20_000)))
    } catch {
      result = .failure(error)
    }
    expect(venue.server.requests.allSatisfy { $0.hasPrefix("GET /api/sales?event_date=2024-10-04&page=2&per_page=7 ") })
    expectEqual(venue.server.requests.count, 1)
    await venue.close()
    return result
  }

  @Test func aDayIsAskedForByItsDate() async throws {
    let body =
      #"{"data":[{"id":1,"event_id":456,"event_date":"2024-10-04","status":"paid","secret":"S"}],"meta":{"current_page":2,"last_page":3}}"#
    let page = try #require(try await day(Answers.response("200 OK", body)).get())
    expect(page.hasMore && page.tickets.map(\.code) == ["S"])
    expectEqual(page.tickets.first?.eventID, "456")
    expectEqual(page.tickets.first?.day, "2024-10-04")
  }

  /// No trying again changes that.
  @Test(arguments: [
    ("404 Not Found", #"{"message":"Not found"}"#), ("405 Method Not Allowed", ""), ("404 Not Found", "<html>"),
    ("403 Forbidden", #"{"error":"This feature requires Pro"}"#), ("403 Forbidden", #"{"message":"Access denied"}"#),
  ]) func aServerWithoutListsOfDaysHasNone(status: String, body: String) async throws {
    try expectEqual(await day(Answers.response(status, body)).get(), nil)
  }

  @Test(arguments: [
    ("403 Forbidden", "<html>blocked</html>"), ("200 OK", "<html>"), ("200 OK", #"{"data":{}}"#),
    ("401 Unauthorized", #"{"error":"Invalid API key"}"#),
    ("302 Found", ""), ("200 OK", #"{"data":[],"meta":{"current_page":1,"last_page":1}}"#),
  ]) func whatIsNoListIsAFault(status: String, body: String) async throws {
    guard case .failure = try await day(Answers.response(status, body)) else {
      return unexpected("a page of \(status)")
    }
  }

  /// By the clocks of where the event is, whatever this machine's say.
  @Test(arguments: [
    ("America/New_York", "2026-03-08", 23), ("America/New_York", "2026-11-01", 25),
    ("Pacific/Auckland", "2026-04-05", 25),
    ("Pacific/Auckland", "2026-09-27", 23), ("Europe/Berlin", "2026-06-01", 24),
  ]) func aDayIsTheEventsOwn(name: String, date: String, hours: Int64) async throws {
    let day = try #require(CivilDay(iso8601: date))
    let server = ScriptedServer { _, request, connection in
      let events =
        #"{"data":[{"id":"Mzg5NzM0","timezone":"\#(name)","tickets":[{"id":12,"type":"VIP"},{"id":13,"type":"Floor"}]}]}"#
      let sales =
        #"{"data":[{"id":1,"event_id":456,"event_date":"\#(date)","status":"paid","secret":"S","tickets":["#
        + #"{"ticket_id":12,"entries":[{"secret":"E"}]},{"ticket_id":13,"entries":[{"secret":"F"}]},"#
        + #"{"ticket_id":13,"type":"Lawn","entries":[{"secret":"G"}]}]},"#
        + #"{"id":2,"event_id":457,"event_date":"\#(date)","status":"paid","secret":"T","tickets":[{"ticket_id":"Mzg5Mjkw"}]}]}"#
      connection.send(Answers.response("200 OK", request.hasPrefix("GET /api/events") ? events : sales))
    }
    let venue = try await Venue.open(server)
    let time = SystemTime()
    let directory = EventDirectory(client: venue.client, book: EventBook(time: time), time: time)
    let page = try #require(
      try await EventScheduleRoster(client: venue.client, directory: directory, time: time).page(1, of: day))
    directory.stop()
    await venue.close()
    let first = try #require(page.tickets.first)
    let zone = try #require(ZoneRules.named(name))
    expectEqual(first.from, WallTime(seconds: zone.time(local: day.number * 86_400)))
    expectEqual(first.until.flatMap { until in first.from.map { until - $0 } }, .seconds(hours * 3_600))
    expectEqual(page.tickets.map(\.kind), [nil, "VIP", "Floor", "Lawn", "VIP"])
    // Of another event no zone is told.
    expect(page.tickets.last?.from == nil && page.tickets.last?.day == date)
  }

  // MARK: Tickets

  private func tickets(_ sale: String) async throws -> [ToldTicket] {
    try await page(#"{"data":[\#(sale)],"meta":{"current_page":1,"last_page":1}}"#).get().tickets
  }

  @Test func aSaleIsToldWithItsEntries() async throws {
    let found = try await tickets(
      #"""
      {"id":12,"event_name":"Play","event_date":"2026-11-21","status":"paid","secret":"S1","total_quantity":9,"tickets":[
        {"ticket_id":1,"quantity":2,"entries":[{"secret":"E1","scanned_at":null},{"secret":"E2","scanned_at":"2026-11-21T18:00:00Z"}]},
        {"ticket_id":2,"quantity":4,"is_addon":true,"entries":[{"secret":"parking"}]}]}
      """#)
    func ticket(_ code: String, _ status: ListedTicket.Status, whole: Bool = false, _ quantity: Int = 1) -> ToldTicket {
      ToldTicket(
        code: code, isWholeSale: whole, status: status, day: "2026-11-21", quantity: quantity, sale: "12", event: "Play"
      )
    }
    // What is bought besides admits nobody.
    expectEqual(found, [ticket("S1", .valid, whole: true, 2), ticket("E1", .valid), ticket("E2", .used)])
  }

  @Test(
    arguments: [
      ("paid", .valid), ("unpaid", .unpaid), ("cancelled", .cancelled), ("deleted", .cancelled),
      ("refunded", .refunded),
      ("expired", .expired), ("amended", nil),
    ] as [(String, ListedTicket.Status?)])
  func statesAreUnderstoodOrUnknown(text: String, status: ListedTicket.Status?) async throws {
    let found = try await tickets(#"{"id":1,"status":"\#(text)","secret":"S","total_quantity":3}"#)
    expect(found.map(\.status) == [status] && found.map(\.quantity) == [3])
    let used = try await tickets(
      #"{"id":1,"status":"\#(text)","secret":"S","tickets":[{"quantity":1,"usage_status":"used"}]}"#)
    expectEqual(used.map(\.status), [status == .valid ? .used : status])
  }

  @Test func whatAListCannotDecideOnIsSaid() async throws {
    let hidden = try await tickets(#"{"id":1,"status":"paid","tickets":[{"quantity":1}]}"#)
    expectEqual(hidden.first?.obstacle?.contains("key"), true)
    let pass = try await tickets(#"{"id":1,"status":"paid","secret":"S","tickets":[{"quantity":1,"is_pass":true}]}"#)
    expectEqual(pass.first?.obstacle?.contains("pass"), true)
  }

  @Test func pagesGoOnUntilTheLast() async throws {
    let meta = #"{"data":[],"meta":{"current_page":2,"last_page":3}}"#
    expect(try await page(meta, number: 2).get().hasMore)
    expect(try await !page(#"{"data":[],"meta":{"current_page":3,"last_page":3}}"#, number: 3).get().hasMore)
    // A server that tells another page than the one asked for would never come to an end.
    let again = try await page(meta, number: 1)
    #expect(throws: TicketListFault.self) { try again.get() }
  }

  @Test(arguments: [("404 Not Found", "{}"), ("403 Forbidden", #"{"message":"Access denied"}"#), ("200 OK", "[]")])
  func aServerWithoutSuchAListIsSaidToHaveNone(status: String, body: String) async throws {
    let result = try await page(body, status: status)
    let fault = #expect(throws: TicketListFault.self) { try result.get() }
    expect(fault?.description.contains("import a file") == true && fault?.description.contains("test-key") == false)
  }
}
