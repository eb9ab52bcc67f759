import EventSchedule
import Expectations
import ScanModel
import ScriptedHTTP
import Testing

/// Which sale a record belongs to, and how many persons the whole sale admits.
@Suite struct SaleTests {
  private func answer(_ body: String, saleTicketID: Int64? = nil) async throws -> TicketAnswer {
    let venue = try await Venue.open(
      ScriptedServer(answer: Answers.response("201 Created", body)), saleTicketID: saleTicketID)
    let outcome = await venue.attempt()
    await venue.close()
    expect(outcome.mayHaveRedeemed)
    return outcome.answer
  }

  /// A 201 with these two identifiers and these tickets, each as JSON or absent.
  private func body(outer: String? = nil, inner: String? = nil, tickets: String? = nil) -> String {
    let outer = outer.map { #""sale_id":\#($0),"# } ?? ""
    let inner = inner.map { #","id":\#($0)"# } ?? ""
    let tickets = tickets.map { #","tickets":\#($0)"# } ?? ""
    return
      #"{"data":{\#(outer)"entry_id":7,"scanned_at":"2025-12-17T14:30:00Z","sale":{"status":"paid"\#(inner)\#(tickets)}}}"#
  }

  @Test(
    arguments: [
      ("123", "123", "123"), ("123", "\"123\"", "123"), ("\"MTIz\"", nil, "MTIz"), (nil, "5", "5"), (nil, nil, nil),
      ("null", "5", "5"), ("5", "null", "5"), ("{}", "[5]", nil),
    ] as [(String?, String?, String?)])
  func theSaleIsTold(outer: String?, inner: String?, sale: String?) async throws {
    guard case .redeemed(let redemption) = try await answer(body(outer: outer, inner: inner)) else {
      return unexpected("not redeemed")
    }
    expectEqual(redemption.sale, sale)
  }

  @Test(arguments: [("123", "124"), ("\"a\"", "\"A\""), ("1", "-1")])
  func twoSalesInOneAnswerAreNoAdmission(outer: String, inner: String) async throws {
    expectEqual(name(try await answer(body(outer: outer, inner: inner))), "undecided badAnswer")
  }

  @Test(
    arguments: [
      (nil, nil), ("null", nil), ("[]", nil), ("{}", nil), ("[null,1]", nil), (#"[{"id":1,"quantity":2}]"#, 2),
      (#"[{"id":1,"quantity":2},{"id":789,"quantity":"3"},{"id":2}]"#, 6),
      (#"[{"quantity":4},{"id":1,"quantity":-9}]"#, 5), (#"[{"id":1,"quantity":9223372036854775807}]"#, 1_000),
      ("[" + Array(repeating: #"{"id":1,"quantity":1000}"#, count: 150).joined(separator: ",") + "]", 100_000),
    ] as [(String?, Int?)])
  func theWholeSaleIsCounted(tickets: String?, persons: Int?) async throws {
    guard case .redeemed(let redemption) = try await answer(body(tickets: tickets), saleTicketID: 789) else {
      return unexpected("not redeemed")
    }
    expectEqual(redemption.saleQuantity, persons)
  }

  /// The server ignores which line was asked for where the code is an entry's: what the sale has told of it counts.
  @Test(
    arguments: [
      (nil, 5, nil), (1, 5, .undecided(.interrupted)), (2, 3, .undecided(.interrupted)), (789, 1, .refuse(.wrongKind)),
    ] as [(Int64?, Int, GateBar.Reason?)])
  func theChosenLineTellsHowManyItAdmits(chosen: Int64?, quantity: Int, bar: GateBar.Reason?) async throws {
    let tickets = #"[{"id":1,"quantity":5},{"id":2,"quantity":3}]"#
    guard case .redeemed(let redemption) = try await answer(body(tickets: tickets), saleTicketID: chosen) else {
      return unexpected("not redeemed")
    }
    expect(redemption.quantity == quantity && redemption.bar?.reason == bar, "\(redemption)")
    guard case .redeemed(let alone) = try await answer(body(tickets: #"[{"id":1,"quantity":5}]"#), saleTicketID: 1)
    else { return unexpected("not redeemed") }
    expect(alone.quantity == 5 && alone.bar == nil)
  }

  @Test(arguments: [nil, "null", "[]", "{}"] as [String?])
  func aSaleThatTellsNoTicketsAdmitsOne(tickets: String?) async throws {
    for chosen in [nil, 789] as [Int64?] {
      guard case .redeemed(let redemption) = try await answer(body(tickets: tickets), saleTicketID: chosen) else {
        return unexpected("not redeemed")
      }
      expectEqual(redemption.quantity, 1)
      // Whether it has the chosen one is not told.
      expectEqual(redemption.bar?.reason, chosen.map { _ in .undecided(.interrupted) })
    }
  }
}
