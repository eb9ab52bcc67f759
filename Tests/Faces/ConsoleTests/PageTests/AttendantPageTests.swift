import Expectations
import Foundation
import ScanConfiguration
import ScanModel
import ScanTesting
import StationProtocol
import StationTesting
import Testing

@testable import Console

/// What an attendant orders from a page, over real sockets.
@Suite(.timeLimit(.minutes(2))) struct AttendantPageTests {
  private static let path = "/attendant/north"

  private func order(
    _ kind: String, _ bench: PageBench, as visitor: PageBench.Visitor, _ more: [String: String] = [:]
  ) async throws -> (form: [String: String], answer: APIClient.Answer) {
    let page = try await bench.get(Self.path, as: visitor)
    let form = try PageBench.fields(of: kind, in: page.body).merging(more) { $1 }
    return (form, try await bench.post(Self.path, as: visitor, form))
  }

  /// The page to which an order's answer leads.
  private func after(
    _ answer: APIClient.Answer, _ bench: PageBench, as visitor: PageBench.Visitor
  ) async throws -> APIClient.Answer {
    expectEqual(answer.status, 303, "\(answer)")
    let place = try #require(answer.fields["location"])
    expect(place.hasPrefix("\(Self.path)?done="), "\(place)")
    return try await bench.get(place, as: visitor)
  }

  @Test func anOrderIsDoneOnceAndSaid() async throws {
    try await withPages { bench in
      let anna = try await bench.signIn("attendant")
      for (kind, more, action, words) in [
        (
          "annul", ["why": "nobody passed"], StationOrder.Action.annul(GateID("north")),
          "The last admission is taken back"
        ),
        ("openOnce", ["why": "wheelchair"], .openOnce(GateID("north")), "The gate has opened once"),
        ("maintenance", [:], .maintenance(GateID("north"), isOn: true), "The gate is out of service"),
      ] as [(String, [String: String], StationOrder.Action, String)] {
        let (form, answer) = try await order(kind, bench, as: anna, more)
        expectEqual(bench.station.orders.last?.action, action)
        expectEqual(bench.station.orders.last?.who, "attendant")
        expectEqual(bench.station.orders.last?.why, more["why"] ?? "")
        expectEqual(bench.station.orders.last?.id.description, form["id"])
        let page = try await after(answer, bench, as: anna)
        expect(page.body.contains(words), "\(page.body)")
        // A reload, and somebody who taps twice: the number stays, and so it is done once.
        let again = try await bench.post(Self.path, as: anna, form)
        expectEqual(again.fields["location"], answer.fields["location"])
        expectEqual(Set(bench.station.orders.map(\.id)).count, Set(bench.station.orders.map(\.action)).count)
      }
    }
  }

  @Test func aTypedCodeIsNowhereAfterwards() async throws {
    let line = "{\"type\":\"scan\",\"gate\":\"north\",\"verdict\":\"admit\",\"code\":\"…et-1\",\"reader\":\"console\"}"
    try await withPages(react: { _ in .answer(.decided(line: line)) }) { bench in
      let anna = try await bench.signIn("attendant")
      let (_, answer) = try await order("present", bench, as: anna, ["code": " good-ticket-1 "])
      expectEqual(bench.station.orders.map(\.action), [.present(GateID("north"), Code("good-ticket-1"))])
      let page = try await after(answer, bench, as: anna)
      expect(page.body.contains("ADMIT") && page.body.contains("…et-1") && page.body.contains("typed"), "\(page.body)")
      expect(!"\(answer)".contains("good-ticket") && !page.body.contains("good-ticket"))
    }
  }

  @Test func aSearchIsAnsweredInWords() async throws {
    let found = FoundTicket(
      code: "whole-code-et-1", system: TicketSystemID("venue"), holder: "<b>Ada</b>", event: SampleStation.hostile,
      admitted: 1, allowance: 2, firstAdmitted: SampleStation.now, gate: GateID("B"), words: "refunded")
    try await withPages(react: { _ in .answer(.found([found])) }) { bench in
      let anna = try await bench.signIn("technician")
      let (_, answer) = try await order("search", bench, as: anna, ["text": "\u{A0}et-1 "])
      expectEqual(bench.station.orders.map(\.action), [.search("et-1")])
      let page = try await after(answer, bench, as: anna)
      for word in ["…et-1", "&lt;b&gt;Ada", "1 of 2 in", "gate B", "refunded"] {
        expect(page.body.contains(word), "\(word): \(page.body)")
      }
      expect(!page.body.contains("whole-code") && !page.body.contains("<b>"))
      // Somebody else does not see it.
      let other = try await bench.signIn("attendant")
      let theirs = try await bench.get(answer.fields["location"] ?? "", as: other)
      expect(!theirs.body.contains("refunded") && theirs.body.contains("no longer shown"))
    }
  }

  @Test(arguments: OrderRefusal.allCases) func aRefusalHasItsWords(_ refusal: OrderRefusal) async throws {
    try await withPages(language: .de, react: { _ in .answer(.refused(refusal, "because <i>so</i>")) }) { bench in
      let anna = try await bench.signIn("attendant")
      let page = try await after(try await order("annul", bench, as: anna).answer, bench, as: anna)
      let words = PageTexts.of(.de).named("refused", refusal.rawValue)
      expect(page.body.contains("Nicht ausgeführt") && page.body.contains(PageEscaping.escape(words)), "\(page.body)")
      // What failed besides is told where the text cannot tell it; else there is one reason.
      let isOfDevice = refusal == .outOfService || refusal == .notWritten
      expectEqual(page.body.contains("because &lt;i&gt;so"), isOfDevice)
      expect(!page.body.contains("<i>"))
    }
  }

  @Test func whereNobodyKnowsThatIsSaid() async throws {
    try await withPages(react: { _ in .answer(.unknown("lost")) }) { bench in
      let anna = try await bench.signIn("attendant")
      let page = try await after(try await order("openOnce", bench, as: anna, ["why": "x"]).answer, bench, as: anna)
      expect(page.body.contains("Nobody knows whether it was done"))
      let form = try PageBench.fields(of: "annul", in: page.body)
      bench.station.end()
      await until { (try? await bench.get("/").status) == 503 }
      let away = try await after(try await bench.post(Self.path, as: anna, form), bench, as: anna)
      expect(away.body.contains("The gateway does not answer. Nothing was done."), "\(away.body)")
    }
  }

  @Test func whoMayNotOrdersNothing() async throws {
    try await withPages { bench in
      let anna = try await bench.signIn("attendant")
      let organiser = try await bench.signIn("organiser")
      let page = try await bench.get(Self.path, as: anna)
      let form = try PageBench.fields(of: "annul", in: page.body)
      // Nobody, somebody of another role, another session, another page's origin, and forms that are none.
      for (visitor, fields, origin) in [
        (PageBench.Visitor.loopback, form, nil), (organiser, form, nil),
        (try await bench.signIn("technician"), form, nil), (anna, form, "http://evil.example"),
        (anna, form, "http://127.0.0.1:1"), (anna, form.merging(["form": ""]) { $1 }, nil),
        (anna, form.filter { $0.key != "form" }, nil), (anna, form.merging(["order": "reboot"]) { $1 }, nil),
        (anna, form.merging(["order": "journalAccept"]) { $1 }, nil), (anna, form.merging(["id": "7"]) { $1 }, nil),
        (anna, form.filter { $0.key != "id" }, nil),
        (anna, form.merging(["order": "maintenance", "on": "maybe"]) { $1 }, nil),
      ] as [(PageBench.Visitor, [String: String], String?)] {
        let answer = try await bench.post(Self.path, as: visitor, fields, origin: origin)
        expect(
          [303, 400, 401, 403].contains(answer.status) && answer.fields["location"]?.contains("done=") != true,
          "\(answer)")
      }
      expectEqual(bench.station.orders, [])
      for path in [Self.path] {
        expect([401, 403].contains(try await bench.get(path, as: organiser).status))
      }
    }
  }

  @Test func onlyWhatTheFileAllowsIsOffered() async throws {
    try await withPages(orders: [.annul, .journalAccept]) { bench in
      let anna = try await bench.signIn("attendant")
      let page = try await bench.get(Self.path, as: anna)
      for kind in OrderKind.allCases {
        expectEqual(page.body.contains("value=\"\(kind.rawValue)\""), kind == .annul, "\(kind)")
      }
      var form = try PageBench.fields(of: "annul", in: page.body)
      form["order"] = "openOnce"
      let refused = try await after(try await bench.post(Self.path, as: anna, form), bench, as: anna)
      expect(refused.body.contains("You may not order this here."))
      expectEqual(bench.station.orders, [])
    }
    try await withPages(orders: []) { bench in
      let page = try await bench.get(Self.path, as: try await bench.signIn("attendant"))
      expect(page.body.contains("No orders may be given from here"))
    }
  }

  @Test func whatIsTooLongOrNoCodeIsSaid() async throws {
    try await withPages { bench in
      let anna = try await bench.signIn("attendant")
      for (kind, more) in [
        ("present", ["code": ""]), ("present", ["code": "\u{1}\u{2}"]), ("search", ["text": "  "]),
        ("present", ["code": String(repeating: "x", count: 5_000)]),
        ("search", ["text": String(repeating: "x", count: 300)]),
        ("annul", ["why": String(repeating: "x", count: 500)]),
      ] {
        let page = try await after(try await order(kind, bench, as: anna, more).answer, bench, as: anna)
        expect(page.body.contains("Nothing was done"), "\(kind) \(more)")
      }
      expectEqual(bench.station.orders, [])
    }
  }

  /// What the control service is told, and admissions that were not confirmed: only where there is somebody, and something.
  @Test func statusAndConflictsAreThereWhereTheStationHasThem() async throws {
    var station = SampleStation.snapshot()
    var control = StationSnapshot.Control()
    (control.isActivated, control.board.manualStatus) = (true, .lunch)
    station.control = control
    let conflict = StationSnapshot.Conflict(
      id: AttemptID(), system: TicketSystemID("venue"), gate: GateID("north"), code: "whole-code-d8vd",
      admitted: SampleStation.now, state: "contradicted", reason: "refunded", words: "<u>money back</u>")
    station.outbox.open = [conflict]
    try await withPages(station) { bench in
      let anna = try await bench.signIn("attendant")
      let page = try await bench.get(Self.path, as: anna)
      expect(page.body.contains("<option value=\"lunch\" selected>At lunch</option>"), "\(page.body)")
      for word in ["…d8vd", "refused by the ticket system", "Refunded", "&lt;u&gt;money back"] {
        expect(page.body.contains(word), "\(word): \(page.body)")
      }
      expect(!page.body.contains("whole-code"))
      let (_, told) = try await order("status", bench, as: anna, ["status": "brb"])
      expect(try await after(told, bench, as: anna).body.contains("The control service is told."))
      _ = try await order("status", bench, as: anna, ["status": "own"])
      let (form, seen) = try await order("acknowledge", bench, as: anna)
      expectEqual(form["conflict"], conflict.id.description)
      expect(try await after(seen, bench, as: anna).body.contains("It is acknowledged."))
      expectEqual(bench.station.orders.map(\.action), [.status(.brb), .status(nil), .acknowledge(conflict.id)])
      for (kind, more) in [("status", ["status": "asleep"]), ("acknowledge", ["conflict": "7"])] {
        expectEqual(try await order(kind, bench, as: anna, more).answer.status, 400)
      }
    }
    try await withPages { bench in
      let page = try await bench.get(Self.path, as: try await bench.signIn("attendant"))
      expect(!page.body.contains("value=\"status\"") && !page.body.contains("value=\"acknowledge\""))
    }
  }

  /// Outcomes are kept for whoever gave the order, for a while, and so many.
  @Test func outcomesAreBounded() {
    let time = ManualTime()
    let outcomes = PageOutcomes(time: time)
    let anna = PageCaller(name: "anna", role: .attendant, sign: .session("1"))
    let ids = (0..<(PageOutcomes.most + 10)).map { _ in OrderID() }
    for id in ids { outcomes.keep(.away, of: id, for: anna) }
    expectEqual(ids.count { outcomes.outcome(of: $0, for: anna) != nil }, PageOutcomes.most)
    expectEqual(outcomes.outcome(of: ids[300 % ids.count], for: .loopback), nil)
  }
}
