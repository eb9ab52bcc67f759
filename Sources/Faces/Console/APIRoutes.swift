import HTTPTypes
import Hummingbird
import NIOCore
import ScanConfiguration
import ScanModel
import StationProtocol
import StationReport
import WireText

extension ConsoleRoutes {
  /// `/api/v1/`.
  func addAPI(to group: ConsoleGroup) {
    let api = StationAPI(mirror: mirror, version: setting.version)
    let stream = EventStreamRoute(mirror: mirror)
    for route in StationAPI.routes {
      let path = RouterPath("\(StationAPI.base)\(route.path)")
      for method in route.methods {
        group.on(path, method: method) { request, context in
          switch route.answer {
          case .events: try await stream.respond(to: request, context: context)
          case let answer: try await api.respond(to: request, context: context, by: answer)
          }
        }
      }
      group.refuse(path, but: route.methods)
    }
  }
}

/// What the console answers below `/api/v1`, of the station as it is; `docs/openapi.json` is its contract.
struct StationAPI: Sendable {
  /// What is behind a route.
  enum Answer: Sendable {
    case events
    case snapshot
    case gates
    case gate
    case orders
    /// What describes all of it; of no station in particular.
    case document
  }

  /// A path below `base`, and the methods that it takes.
  struct Route: Sendable {
    let path: String
    let methods: [HTTPRequest.Method]
    let answer: Answer
  }

  static let base = "/api/v1"
  static let routes = [
    Route(path: "/events", methods: [.get], answer: .events),
    Route(path: "/snapshot", methods: [.get, .head], answer: .snapshot),
    Route(path: "/gates", methods: [.get, .head], answer: .gates),
    Route(path: "/gates/:name", methods: [.get, .head], answer: .gate),
    Route(path: "/orders", methods: [.get, .head, .post], answer: .orders),
    Route(path: "/openapi.json", methods: [.get, .head], answer: .document),
  ]
  /// The methods of which it is told which are taken; others are not known at all.
  static let usualMethods: [HTTPRequest.Method] =
    [.get, .head, .post, .put, .patch, .delete, .options, .trace] + ["QUERY"].compactMap { HTTPRequest.Method($0) }

  /// `docs/openapi.json`.
  private static let document = ByteBuffer(bytes: CarriedFile.document)

  /// How old an answer about the station may be.
  private static let freshness: Duration = .milliseconds(100)
  /// How long an order is waited for; a code that was typed, as long as its gate may take.
  private static let orderLimit: Duration = .seconds(10)
  private static let presentLimit: Duration = .seconds(30)

  let mirror: StationMirror
  /// The program's version.
  let version: String

  func respond(to request: Request, context: ConsoleContext, by answer: Answer) async throws -> Response {
    if answer != .document { try context.requires(answer == .orders ? .orders : .events) }
    // What is not heeded is not taken: whoever asks for something by it would believe that it was.
    guard request.uri.query?.isEmpty ?? true else { throw ConsoleAnswer.badRequest("This takes no query.") }
    if answer == .orders, request.method == .post { return try await order(request, context) }
    if answer == .document { return Self.response(Self.document) }
    return Self.response(ByteBuffer(string: try await text(answer, context)))
  }

  private func text(_ answer: Answer, _ context: ConsoleContext) async throws(ConsoleAnswer) -> String {
    let station = try await station()
    switch answer {
    case .snapshot, .events, .document:
      return StatusJSON.text(station, StationJudgement.remarks(on: station, program: version))
    case .gates: return StatusJSON.gates(of: station)
    case .gate:
      let name = context.parameters.get("name").flatMap { PercentCoding.decode($0.utf8) }
      guard let text = StatusJSON.gate(String(decoding: name ?? [], as: UTF8.self), of: station) else {
        throw Self.noGate(station)
      }
      return text
    case .orders:
      var json = JSONText()
      json.add("orders", texts: await mirror.orders.filter(OrderKind.ofTokens.contains).map(\.rawValue))
      return json.text
    }
  }

  /// How the station is now.
  private func station(_ age: Duration = freshness) async throws(ConsoleAnswer) -> StationSnapshot {
    do throws(StationAbsence) {
      return try await mirror.snapshot(notOlderThan: age)
    } catch {
      throw Self.away(error)
    }
  }

  private static func away(_ absence: StationAbsence) -> ConsoleAnswer {
    ConsoleAnswer(
      .serviceUnavailable, "stationAway", TerminalText.clean(absence.description, limit: 1_000), [.retryAfter: "1"])
  }

  private static func noGate(_ station: StationSnapshot) -> ConsoleAnswer {
    let names = station.gates.map { TerminalText.clean($0.id.name, limit: 60) }.joined(separator: ", ")
    return ConsoleAnswer(.notFound, "noSuchGate", "There is no such gate; this station has \(names).")
  }

  private static func response(_ body: ByteBuffer) -> Response {
    Response(status: .ok, headers: [.contentType: "application/json"], body: .init(byteBuffer: body))
  }

  // MARK: Orders

  private func order(_ request: Request, _ context: ConsoleContext) async throws -> Response {
    let caller = try context.requires(.orders)
    guard Self.isJSON(request.headers[.contentType]) else {
      throw ConsoleAnswer(
        .unsupportedMediaType, "unsupportedMediaType", "An order is written as JSON: Content-Type: application/json.",
        [.accept: "application/json"])
    }
    let form: OrderForm
    do {
      let body = try await request.body.collect(upTo: ConsoleLimits.maximumBody)
      form = try OrderForm([UInt8](body.readableBytesView))
    } catch let fault as OrderForm.Fault {
      throw ConsoleAnswer(
        fault.isMalformed ? .badRequest : .unprocessableContent, fault.isMalformed ? "malformed" : "invalid",
        fault.words)
    } catch is NIOTooManyBytesError {
      throw ConsoleAnswer.tooLong
    }
    // Nobody there is told before anything is given: then it was surely not done.
    let station = try await station(.seconds(1))
    if let gate = form.action.gate, !station.gates.contains(where: { $0.id == gate }) { throw Self.noGate(station) }
    let order = StationOrder(form.action, who: caller.name, why: form.why, id: form.id)
    let limit = form.kind == .present ? Self.presentLimit : Self.orderLimit
    let outcome: OrderOutcome
    do throws(StationAbsence) {
      outcome = try await mirror.perform(order, within: limit)
    } catch  where !error.mayBeDone {
      throw Self.away(error)
    } catch {
      throw OrderAnswer.unknown(form, error.description)
    }
    return Self.response(ByteBuffer(string: try OrderAnswer.text(form, outcome)))
  }

  /// Whether a body is said to be JSON, in UTF-8 where it says that.
  static func isJSON(_ type: String?) -> Bool {
    let parts = (type ?? "").split(separator: ";").map {
      $0.trimmingPrefix { $0 == " " || $0 == "\t" }.lowercased().filter { $0 != " " && $0 != "\t" && $0 != "\"" }
    }
    guard parts.first == "application/json" else { return false }
    return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || $0 == "charset=utf-8" }
  }
}
