import EventSchedule
import Expectations
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
