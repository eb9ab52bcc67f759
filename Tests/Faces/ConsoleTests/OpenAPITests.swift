import Expectations
import Foundation
import HTTPTypes
import ScanModel
import StationProtocol
import StationReport
import StationTesting
import Testing
import WireText

@testable import Console

/// The document of the interface says what is served, and what is served is as it says.
@Suite(.timeLimit(.minutes(2))) struct OpenAPITests {
  private let document: OpenAPIDocument

  init() throws { document = try OpenAPIDocument() }

  /// Paths and methods as the document has them, such as `GET /api/v1/gates/{name}`.
  private var told: [String: JSONValue] {
    var told: [String: JSONValue] = [:]
    for (path, item) in document["paths"]?.members ?? [:] {
      for (method, operation) in item.members ?? [:] { told["\(method.uppercased()) \(path)"] = operation }
    }
    return told
  }

  private var order: JSONValue? { told["POST /api/v1/orders"]?["requestBody"]?["content"]?["application/json"] }

  @Test func everyRouteIsInItAndNoOther() {
    let served = StationAPI.routes.flatMap { route in
      let path = StationAPI.base + route.path.replacing(":name", with: "{name}")
      return route.methods.filter { $0 != .head }.map { "\($0.rawValue) \(path)" }
    }
    expectEqual(told.keys.sorted(), served.sorted())
  }

  @Test func itsNamesAreOurs() {
    let schemas = document["components"]?["schemas"]
    expectEqual(schemas?["OrderKind"]?["enum"]?.array, OrderKind.ofTokens.map { .string($0.rawValue) })
    expectEqual(schemas?["Refusal"]?["enum"]?.array, OrderRefusal.allCases.map { .string($0.rawValue) })
    expectEqual(schemas?["EventType"]?["enum"]?.array, EventTypes.known.map { .string($0) })
    for kind in OrderKind.ofTokens {
      let order = schemas?["Order.\(kind.rawValue)"]
      expectEqual(order?["properties"]?.members?.keys.sorted(), (["order", "id", "why"] + kind.members).sorted())
      expectEqual(order?["additionalProperties"], .bool(false))
    }
  }

  /// What people read has all of it as well.
  @Test func theDocumentForPeopleNamesThem() throws {
    let text = try String(contentsOf: repositoryFile("docs/api.md"), encoding: .utf8)
    for kind in OrderKind.ofTokens {
      expect(text.contains("| `\(kind.rawValue)` |"), "\(kind)")
      for member in kind.members { expect(text.contains("`\(member)`"), "\(member)") }
    }
    for refusal in OrderRefusal.allCases {
      expect(
        text.contains("`refused.\(refusal.rawValue)`") || text.contains("`.\(refusal.rawValue)`"), "\(refusal)")
    }
    for route in StationAPI.routes {
      expect(text.contains(route.path.replacing(":name", with: "NAME")), "\(route.path)")
    }
  }

  /// Each example is as its schema says; each example of an order is taken.
  @Test func itsExamplesAreTrue() throws {
    var count = 0
    for (route, operation) in told {
      for (status, response) in operation["responses"]?.members ?? [:] {
        for (type, media) in document.resolved(response)["content"]?.members ?? [:] {
          guard let schema = media["schema"], let example = media["example"] else { continue }
          expectEqual(document.faults(of: example, schema), [], "\(route) \(status) \(type)")
          count += 1
        }
      }
    }
    expect(count > 30, "\(count)")
    let schema = try #require(order?["schema"])
    for (name, example) in try #require(order?["examples"]?.members) {
      let value = try #require(example["value"])
      expectEqual(document.faults(of: value, schema), [], "\(name)")
      expectEqual(value["order"]?.string, name)
    }
    // What we take, it lets through.
    for (text, _) in OrderFormTests.orders {
      expectEqual(document.faults(of: try JSONValue([UInt8]("{\(text)}".utf8)), schema), [], "\(text)")
    }
  }

  /// A query takes what its path has in the document, and nothing else.
  @Test func queriesAreAsItSays() async throws {
    let bench = try await APIBench(APIBench.place())
    for (route, operation) in told {
      let parts = route.replacing("{name}", with: "north").split(separator: " ").map(String.init)
      let taken = operation["parameters"]?.array?.filter { $0["in"]?.string == "query" }.compactMap {
        $0["name"]?.string
      }
      expectEqual(taken ?? [], route.hasSuffix("/events") ? ["gate", "type"] : [], "\(route)")
      for query in ["unheard-of=1", "unheard-of", "gate=north&unheard-of=1"] + (taken == nil ? ["gate=north"] : []) {
        let answer = try await bench.ask(parts[0], "\(parts[1])?\(query)")
        expectEqual(answer.status, 400, "\(route) \(query): \(answer)")
        expectEqual(answer.json["type"] as? String, "urn:scangate:problem:badRequest", "\(route) \(query)")
        let response = try #require(operation["responses"]?["400"], "\(route)")
        let schema = try #require(document.resolved(response)["content"]?["application/problem+json"]?["schema"])
        expectEqual(document.faults(of: try JSONValue([UInt8](answer.body.utf8)), schema), [], "\(route)")
      }
      // Who may not ask is told that first, and an empty query is none.
      let isOpen = operation["security"]?.array?.isEmpty == true
      expectEqual(try await bench.ask(parts[0], "\(parts[1])?x=1", token: nil).status, isOpen ? 400 : 401, "\(route)")
      if isOpen {
        expectEqual(try await bench.ask(parts[0], "\(parts[1])?").status, 200, "\(route)")
        // A token that is shown has to be one.
        expectEqual(try await bench.ask(parts[0], parts[1], token: "nobody-knows-this-token").status, 401)
        expect(operation["responses"]?["401"] != nil, "\(route)")
      }
    }
    await bench.end()
  }

  /// What is answered is as the document says, of each path.
  @Test func answersAreAsItSays() async throws {
    let place = try APIBench.place()
    var snapshot = SampleStation.snapshot()
    snapshot.outbox.isHeld = true
    snapshot.control = .init()
    snapshot.counters.scans = [.init(gate: GateID("north"), verdict: "admit", reason: nil, decider: .server, count: 3)]
    let line = #"{"type":"scan","gate":"north","verdict":"admit"}"#
    let station = try ScriptedStation(at: place.socket, snapshot) { order in
      switch order.action.kind {
      case .present: .answer(.decided(line: line))
      case .search: .answer(.found([FoundTicket(code: "…et-1", system: TicketSystemID("venue"))]))
      case .openOnce: .answer(.refused(.pulsing, "Gate north is open for somebody."))
      case .annul: .answer(.unknown("The service ended in between."))
      default: .answer(.done("done as scripted"))
      }
    }
    let bench = try await APIBench(place)
    func check(_ answer: APIClient.Answer, _ route: String) throws {
      let response = try #require(told[route]?["responses"]?["\(answer.status)"], "\(route): \(answer)")
      let media = try #require(
        document.resolved(response)["content"]?[answer.fields["content-type"] ?? ""], "\(route): \(answer)")
      let value = try JSONValue([UInt8](answer.body.utf8))
      expectEqual(document.faults(of: value, try #require(media["schema"])), [], "\(route)")
    }
    for path in ["/api/v1/snapshot", "/api/v1/gates", "/api/v1/orders", "/api/v1/openapi.json"] {
      try check(try await bench.ask("GET", path), "GET \(path)")
    }
    for name in ["north", "west"] {
      try check(try await bench.ask("GET", "/api/v1/gates/\(name)"), "GET /api/v1/gates/{name}")
    }
    try check(try await bench.ask("GET", "/api/v1/gates", token: nil), "GET /api/v1/gates")
    for (text, _) in OrderFormTests.orders {
      try check(try await bench.order("{\(text)}"), "POST /api/v1/orders")
    }
    for body in ["", "{}", #"{"order":"annul","gate":"west"}"#] {
      try check(try await bench.order(body), "POST /api/v1/orders")
    }
    try check(try await bench.order("{}", type: "text/plain"), "POST /api/v1/orders")
    try check(try await bench.ask("GET", "/api/v1/events?x=1"), "GET /api/v1/events")
    let served = try await bench.ask("GET", "/api/v1/openapi.json", token: nil)
    expectEqual(served.body, try String(contentsOf: repositoryFile("docs/openapi.json"), encoding: .utf8))
    await bench.end()
    station.end()
  }
}
