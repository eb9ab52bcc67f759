import Foundation
import HTTPTypes
import Hummingbird
import SQLiteFile

/// What an organiser may ask for in each shape.
enum DeskRoutes {
  typealias Work = @Sendable (Desk, Desk.Asked) throws -> Answer

  /// One route, with what its key has to be good for.
  struct Route: Sendable {
    let method: HTTPRequest.Method
    let path: String
    let work: Work

    init(_ method: HTTPRequest.Method, _ path: String, _ work: @escaping Work) {
      self.method = method
      self.path = path
      self.work = work
    }

    var ability: KeyAbility { method == .get ? .view : .manage }
  }

  static func all(_ shape: ServerShape) -> [Route] {
    switch shape {
    case .document: document + schedules("/api/venues", .venue) + schedules("/api/talent", .talent) + checkIns
    case .planify: planify + schedules("/api/venues", .venue) + schedules("/api/talent", .talent) + checkIns
    case .upstream: upstream + schedules("/api/schedules", nil)
    }
  }

  private static let document = [
    Route(.get, "/api/events") { try $0.events($1) }, Route(.post, "/api/events") { try $0.createEvent($1) },
    Route(.get, "/api/events/:id") { try $0.showEvent($1) }, Route(.put, "/api/events/:id") { try $0.updateEvent($1) },
    Route(.delete, "/api/events/:id") { try $0.deleteEvent($1) }, Route(.post, "/api/tickets") { try $0.issue($1) },
    Route(.post, "/api/tickets/:sale/refund") { try $0.set(.refunded, $1) },
    Route(.post, "/api/tickets/:sale/void") { try $0.set(.cancelled, $1) },
    Route(.post, "/api/tickets/:sale/reassign") { try $0.reassign($1) },
  ]

  private static let planify = [
    Route(.get, "/api/events") { try $0.events($1) }, Route(.post, "/api/events/:id") { try $0.createEvent($1) },
    Route(.patch, "/api/events/:id") { try $0.updateEvent($1) },
    Route(.delete, "/api/events/:id") { try $0.deleteEvent($1) },
    Route(.post, "/api/events/:id/checkout") { try $0.checkOut($1) },
    Route(.patch, "/api/tickets/:sale") { try $0.changeSale($1) },
    Route(.post, "/api/tickets/:sale/reassign") { try $0.reassign($1) },
    Route(.post, "/api/tickets/:sale/notes") { try $0.note($1) },
  ]

  private static let upstream = [
    Route(.get, "/api/events") { try $0.events($1) }, Route(.get, "/api/events/:id") { try $0.showEvent($1) },
    Route(.post, "/api/events/:id") { try $0.createEvent($1) },
    Route(.put, "/api/events/:id") { try $0.updateEvent($1) },
    Route(.delete, "/api/events/:id") { try $0.deleteEvent($1) },
    Route(.get, "/api/sales") { try $0.upstreamSales($1) }, Route(.post, "/api/sales") { try $0.addUpstreamSale($1) },
    Route(.get, "/api/sales/:id") { try $0.showUpstreamSale($1) },
    Route(.put, "/api/sales/:id") { try $0.changeUpstreamSale($1) },
    Route(.delete, "/api/sales/:id") { try $0.deleteUpstreamSale($1) },
  ]

  private static let checkIns = [
    Route(.get, "/api/checkins") { try $0.checkIns($1) }, Route(.post, "/api/checkins") { try $0.addCheckIn($1) },
  ]

  private static func schedules(_ path: String, _ kind: StoredSchedule.Kind?) -> [Route] {
    [
      Route(.get, path) { try $0.schedules($1, kind) }, Route(.post, path) { try $0.createSchedule($1, kind) },
      Route(.get, path + "/:id") { try $0.showSchedule($1, kind) },
      Route(.put, path + "/:id") { try $0.updateSchedule($1, kind) },
      Route(.delete, path + "/:id") { try $0.deleteSchedule($1, kind) },
    ]
  }
}

extension Routes {
  /// Carries out one request of the desk, in one transaction.
  func answer(
    _ route: DeskRoutes.Route, _ shape: ServerShape, _ request: Request, _ context: HolderContext
  ) async throws -> Response {
    if shape == .upstream {
      // It has no abilities.
      guard context.holder.ability.includes(route.ability) else { throw Desk.notPro }
    } else {
      try context.requires(route.ability)
    }
    let query = Dictionary(
      request.uri.queryParameters.map { (String($0.key), String($0.value)) }, uniquingKeysWith: { $1 })
    let id = context.parameters.get("id") ?? context.parameters.get("sale") ?? ""
    let asked = Desk.Asked(
      id: id.removingPercentEncoding ?? id, query: query, input: try await DeskInput(of: request),
      address: publicAddress.url(for: request) + request.uri.path)
    let now = Timestamp(seconds: Timestamp(configuration.now()).seconds + Int64(context.clockError))
    let holder = context.holder
    let work: @Sendable (Database) throws -> Answer = { db in
      try route.work(Desk(db: db, holder: holder, shape: shape, now: now), asked)
    }
    do {
      let answer = try await route.method == .get ? store.read(work) : store.write(work)
      return answer.response(from: request, context: context)
    } catch let invalid as InvalidFields {
      guard shape == .upstream else { return Answer.invalid(invalid, to: request) }
      let fields = invalid.errors.map { (key: $0.field, value: JSONText.array([.string($0.message)])) }
      throw Answer(status: .unprocessableContent, body: ["error": "Validation failed", "errors": .object(fields)])
    }
  }
}
