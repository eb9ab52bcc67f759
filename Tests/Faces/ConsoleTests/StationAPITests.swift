import Expectations
import Foundation
import HTTPTypes
import ScanModel
import StationProtocol
import StationTesting
import Testing

@testable import Console

/// The interface for machines, over real sockets.
@Suite(.timeLimit(.minutes(2))) struct StationAPITests {
  /// Runs `body` with a console before a station.
  private func bench(
    _ snapshot: StationSnapshot = SampleStation.snapshot(),
    react: @escaping @Sendable (StationOrder) -> ScriptedStation.Reaction = { _ in .answer(.done("done as scripted")) },
    _ body: (APIBench, ScriptedStation) async throws -> Void
  ) async throws {
    let place = try APIBench.place()
    let station = try ScriptedStation(at: place.socket, snapshot, react: react)
    let bench = try await APIBench(place)
    try await body(bench, station)
    await bench.end()
    station.end()
  }

  private func expectProblem(
    _ answer: APIClient.Answer, _ status: Int, _ type: String, line: Int = #line, fileID: String = #fileID,
    filePath: String = #filePath
  ) {
    expectEqual(answer.status, status, "\(answer)", fileID: fileID, filePath: filePath, line: line)
    expectEqual(
      answer.fields["content-type"], "application/problem+json", fileID: fileID, filePath: filePath, line: line)
    expectEqual(
      answer.json["type"] as? String, "urn:scangate:problem:\(type)", fileID: fileID, filePath: filePath, line: line)
    expectEqual(answer.json["status"] as? Int, status, fileID: fileID, filePath: filePath, line: line)
    expect((answer.json["detail"] as? String)?.isEmpty == false, fileID: fileID, filePath: filePath, line: line)
  }

  // MARK: How the station is

  @Test func theSnapshotIsThatOfStatus() async throws {
    try await bench { bench, station in
      let answer = try await bench.ask("GET", "/api/v1/snapshot")
      expectEqual(answer.status, 200)
      expectEqual(answer.fields["content-type"], "application/json")
      expect(answer.json["running"] as? Bool == true && answer.json["station"] as? String == "door")
      expectEqual((answer.json["gates"] as? [[String: Any]])?.compactMap { $0["gate"] as? String }, ["north", "south"])
      var later = SampleStation.snapshot()
      later.outbox.isHeld = true
      station.become(later)
      try await until {
        ((try await bench.ask("GET", "/api/v1/snapshot")).json["outbox"] as? [String: Any])?["held"] as? Bool == true
      }
    }
  }

  @Test func gatesAreToldOneByOne() async throws {
    var snapshot = SampleStation.snapshot()
    snapshot.gates[1].id = GateID("süd/1 & more")
    try await bench(snapshot) { bench, _ in
      let all = try await bench.ask("GET", "/api/v1/gates")
      expectEqual((all.json["gates"] as? [Any])?.count, 2)
      let north = try await bench.ask("GET", "/api/v1/gates/north")
      expect(north.json["gate"] as? String == "north" && north.json["passed"] as? Int == 412, "\(north)")
      let south = try await bench.ask("GET", "/api/v1/gates/s%C3%BCd%2F1%20%26%20more")
      expectEqual(south.json["gate"] as? String, "süd/1 & more")
      for path in ["west", "%FF", "%2", "nor%74h%00", "..", "%2e%2e"] {
        let answer = try await bench.ask("GET", "/api/v1/gates/\(path)")
        expectEqual(answer.status, 404, "\(path): \(answer)")
        expectEqual(answer.fields["content-type"], "application/problem+json", "\(path)")
      }
    }
  }

  @Test func headHasFieldsAndNoBody() async throws {
    try await bench { bench, _ in
      let get = try await bench.ask("GET", "/api/v1/gates")
      let head = try await bench.ask("HEAD", "/api/v1/gates")
      expect(head.status == 200 && head.body.isEmpty, "\(head)")
      expectEqual(head.fields["content-type"], get.fields["content-type"])
    }
  }

  @Test func whereNobodyAnswersThatIsTold() async throws {
    let bench = try await APIBench(APIBench.place())
    for path in ["/api/v1/snapshot", "/api/v1/gates", "/api/v1/gates/north", "/api/v1/orders"] {
      let answer = try await bench.ask("GET", path)
      expectProblem(answer, 503, "stationAway")
      expectEqual(answer.fields["retry-after"], "1")
    }
    // Of an order it is then known that it was not done.
    expectProblem(try await bench.order(#"{"order":"annul","gate":"north"}"#), 503, "stationAway")
    await bench.end()
  }

  // MARK: Who may

  @Test func eachScopeOpensItsOwn() async throws {
    try await bench { bench, station in
      let order = #"{"order":"annul","gate":"north"}"#
      for path in ["/api/v1/snapshot", "/api/v1/gates", "/api/v1/gates/north", "/api/v1/events"] {
        expectProblem(try await bench.ask("GET", path, token: nil), 401, "unauthorized")
        expectProblem(try await bench.ask("GET", path, token: APIBench.ordering), 403, "forbidden")
      }
      expectProblem(try await bench.order(order, token: nil), 401, "unauthorized")
      expectProblem(try await bench.order(order, token: APIBench.watching), 403, "forbidden")
      expectProblem(try await bench.ask("GET", "/api/v1/orders", token: APIBench.watching), 403, "forbidden")
      expectEqual(station.orders, [])
      expectEqual(try await bench.order(order, token: APIBench.ordering).status, 200)
      expectEqual(station.orders.map(\.who), ["button"])
    }
  }

  @Test func otherMethodsAreToldWhichThereAre() async throws {
    try await bench { bench, _ in
      for route in StationAPI.routes {
        let path = StationAPI.base + route.path.replacing(":name", with: "north")
        for method in StationAPI.usualMethods where !route.methods.contains(method) {
          let answer = try await bench.ask(method.rawValue, path)
          if method == .head {
            expect(answer.status == 405 && answer.body.isEmpty, "\(answer)")
          } else {
            expectProblem(answer, 405, "methodNotAllowed")
          }
          expectEqual(answer.fields["allow"], route.methods.map(\.rawValue).joined(separator: ", "))
        }
      }
      expectProblem(try await bench.ask("GET", "/api/v1/unheard-of"), 404, "notFound")
    }
  }

  // MARK: Orders

  @Test func anOrderIsDoneAndItsOutcomeTold() async throws {
    try await bench { bench, station in
      let id = "0123456789abcdef0123456789abcdef"
      let answer = try await bench.order(#"{"order":"annul","gate":"north","why":"nobody passed","id":"\#(id)"}"#)
      expectEqual(answer.status, 200, "\(answer)")
      expect(answer.json["outcome"] as? String == "done" && answer.json["detail"] as? String == "done as scripted")
      expect(answer.json["id"] as? String == id && answer.json["gate"] as? String == "north")
      expect(answer.json["scan"] is NSNull && answer.json["tickets"] is NSNull)
      let order = try #require(station.orders.first)
      expect(order.action == .annul(GateID("north")) && order.why == "nobody passed" && order.who == "desk")
      expectEqual(order.id.description, id)
      // Given again, it bears the same number; the station does it once.
      expectEqual(try await bench.order(#"{"order":"annul","gate":"north","id":"\#(id)"}"#).status, 200)
      expectEqual(Set(station.orders.map(\.id)).count, 1)
    }
  }

  @Test func whichOrdersThereAreIsTold() async throws {
    try await bench { bench, _ in
      let answer = try await bench.ask("GET", "/api/v1/orders")
      expectEqual(answer.json["orders"] as? [String], OrderKind.ofTokens.map(\.rawValue))
    }
  }

  @Test(arguments: OrderRefusal.allCases) func eachRefusalHasItsStatus(_ refusal: OrderRefusal) async throws {
    try await bench(react: { _ in .answer(.refused(refusal, "Not now.\u{1B}[2J")) }) { bench, _ in
      let answer = try await bench.order(#"{"order":"openOnce","gate":"north"}"#)
      expectProblem(answer, OrderAnswer.status(refusal).code, "refused.\(refusal.rawValue)")
      expect(answer.json["refusal"] as? String == refusal.rawValue && answer.json["outcome"] as? String == "refused")
      expectEqual((answer.json["id"] as? String)?.utf8.count, 32)
      expect(!answer.body.contains("\\u001b") && !answer.body.contains("\u{1B}"))
    }
  }

  @Test func whatNobodyKnowsIsNotCalledDone() async throws {
    try await bench(react: { _ in .answer(.unknown("The service ended in between.")) }) { bench, _ in
      let answer = try await bench.order(#"{"order":"openOnce","gate":"north"}"#)
      expectProblem(answer, 504, "outcomeUnknown")
      expectEqual(answer.json["outcome"] as? String, "unknown")
    }
  }

  @Test func aTypedCodeIsAnsweredWithItsScan() async throws {
    let line = #"{"type":"scan","gate":"north","code":"…et-1","verdict":"admit"}"#
    try await bench(react: { _ in .answer(.decided(line: line)) }) { bench, station in
      let answer = try await bench.order(#"{"order":"present","gate":"north","code":"good-ticket-1"}"#)
      expectEqual((answer.json["scan"] as? [String: Any])?["verdict"] as? String, "admit", "\(answer)")
      expect(!answer.body.contains("good-ticket"))
      expectEqual(station.orders.map(\.action), [.present(GateID("north"), Code("good-ticket-1"))])
    }
  }

  @Test func aSearchIsAnsweredWithItsTickets() async throws {
    let found = FoundTicket(code: "…et-1", system: TicketSystemID("venue"), event: SampleStation.hostile, admitted: 1)
    try await bench(react: { _ in .answer(.found([found])) }) { bench, _ in
      let answer = try await bench.order(#"{"order":"search","text":"good-ticket-1"}"#)
      let tickets = try #require(answer.json["tickets"] as? [[String: Any]])
      expect(tickets.count == 1 && tickets[0]["admitted"] as? Int == 1 && tickets[0]["holder"] is NSNull)
      expect(!answer.body.unicodeScalars.contains { !TerminalText.isHarmless($0) }, "\(answer.body.debugDescription)")
    }
  }

  @Test func whatIsNoOrderReachesNoStation() async throws {
    try await bench { bench, station in
      let order = #"{"order":"annul","gate":"north"}"#
      expectProblem(try await bench.order(order, type: nil), 415, "unsupportedMediaType")
      for type in [
        "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1", "application/jsonp",
      ] {
        expectProblem(try await bench.order(order, type: type), 415, "unsupportedMediaType")
      }
      expectProblem(try await bench.order("{"), 400, "malformed")
      expectProblem(try await bench.order(""), 400, "malformed")
      expectProblem(try await bench.order(#"{"order":"annul"}"#), 422, "invalid")
      expectProblem(try await bench.order(#"{"order":"annul","gate":"west"}"#), 404, "noSuchGate")
      let long = #"{"order":"search","text":""# + String(repeating: "x", count: 20_000) + "\"}"
      expectEqual(try await bench.order(long).status, 413)
      expectEqual(station.orders, [])
      expectEqual(try await bench.order(order, type: "Application/JSON; charset=UTF-8").status, 200)
    }
  }
}
