import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The routes of the API, and what surrounds them.
struct Routes {
  /// The largest body taken, in bytes: what the web server before the real one takes unless told otherwise.
  static let bodyLimit = 1_048_576

  let store: VenueStore
  let configuration: VenueConfiguration
  /// What happens to the next request, by whether it is a redeeming scan.
  var manners: @Sendable (RequestKind) -> Manners = { _ in Manners() }
  /// Told of the requests of stations.
  let kioskLog: KioskLog
  /// Where the venue is reached.
  let address: @Sendable () -> String

  func responder() -> RouterResponder<VisitorContext> {
    let router = Router(context: VisitorContext.self)
    // Outermost first.
    router.add(middleware: kioskLog)
    router.add(middleware: BadManners(configuration: configuration, manners: manners))
    router.add(middleware: AnswerEverything(configuration: configuration))
    router.add(middleware: BodyLimit())

    let api = router.group().add(middleware: APIKeyMiddleware(store: store, configuration: configuration))
      .group(context: HolderContext.self)
    var handlers: [Handler] = []
    let shape = configuration.serverShape
    if shape != .upstream {
      handlers += [
        Handler("/api/tickets/scan", .post) { try await scanByCode($0, $1) },
        Handler("/api/tickets/:sale/scan", .post) { try await scanBySaleID($0, $1) },
        Handler("/api/tickets", .get) { try await list($0, $1).response(from: $0, context: $1) },
      ]
    }
    // Neither document has this list: the venue's own is as the original's, with more in it.
    if shape == nil || shape == .document {
      handlers.append(Handler("/api/sales", .get) { try await roster($0, $1).response(from: $0, context: $1) })
    }
    if let shape {
      for route in DeskRoutes.all(shape) {
        handlers.append(Handler(route.path, route.method) { try await answer(route, shape, $0, $1) })
      }
      Discovery(shape: shape, address: publicAddress).add(to: router)
    }
    for handler in handlers { api.on(RouterPath(handler.path), method: handler.method, use: handler.work) }
    // As with the real server's router, a wrong method is told before anybody asks for a key.
    for (path, handlers) in Dictionary(grouping: handlers, by: \.path) {
      let allowed = handlers.map(\.method)
      router.refuseOtherMethods(RouterPath(path), than: allowed) { request, _, method in
        let route = request.uri.path.dropFirst()
        let methods = allowed.map(\.rawValue).joined(separator: ", ")
        return .message(
          .methodNotAllowed,
          "The \(method) method is not supported for route \(route). Supported methods: \(methods).")
      }
    }
    addKiosks(to: router)
    if let shape = configuration.subscriptionShape {
      SubscriptionRoutes(store: store, configuration: configuration, shape: shape).add(to: router)
    }
    if configuration.signsTickets { SignedTicketRoutes(store: store, configuration: configuration).add(to: router) }
    if let shape = configuration.bookingShape {
      BookingRoutes(store: store, configuration: configuration, shape: shape, address: publicAddress).add(to: router)
    }
    return router.buildResponder()
  }

  var publicAddress: PublicAddress { PublicAddress(configuration: configuration, address: address) }

  /// What answers a request with a key.
  private struct Handler {
    typealias Work = @Sendable (Request, HolderContext) async throws -> Response
    let path: String
    let method: HTTPRequest.Method
    let work: Work

    init(_ path: String, _ method: HTTPRequest.Method, _ work: @escaping Work) {
      self.path = path
      self.method = method
      self.work = work
    }
  }

  /// What stations that are set up or report ask for: no key for tickets leads there, and none is wanted.
  private func addKiosks(to router: Router<VisitorContext>) {
    let controller = KioskController(store: store, configuration: configuration)
    let enrolments = KioskController(store: store, configuration: configuration)
    EnrolmentController(controller: enrolments, address: publicAddress).add(to: router)
    switch configuration.kioskShape.family {
    case .document: DocumentKiosks(controller: controller).add(to: router)
    case .cueit: CueITKiosks(controller: controller).add(to: router)
    case .nova:
      CueITKiosks(controller: controller).add(to: router)
      NovaKiosks(controller: controller).add(to: router)
    }
  }

  private func scanByCode(_ request: Request, _ context: HolderContext) async throws -> Response {
    try context.requires(.manage)
    return try await scan(request, context, requires: .code) { scanning, fields in try scanning.scan(fields) }
  }

  private func scanBySaleID(_ request: Request, _ context: HolderContext) async throws -> Response {
    try context.requires(.manage)
    let sale = try context.parameters.require("sale")
    return try await scan(request, context, requires: .saleTicketID) { scanning, fields in
      try scanning.scan(sale: sale, fields)
    }
  }

  private func scan(
    _ request: Request, _ context: HolderContext, requires required: ScanFields.Required,
    _ work: @escaping @Sendable (Scanning, ScanFields) throws -> Answer
  ) async throws -> Response {
    let body = try await request.body.collect(upTo: Self.bodyLimit)
    let input = ScanInput(
      body: body, contentType: request.headers[.contentType], names: configuration.serverShape.codeNames)
    let fields: ScanFields
    do {
      fields = try ScanFields(input, requires: required)
    } catch {
      return Answer.invalid(error, to: request)
    }
    let now = Timestamp(configuration.now())
    let stamp = Timestamp(seconds: now.seconds + Int64(context.clockError))
    let (holder, ignoresCase, shape) = (context.holder, configuration.ignoresCase, configuration.serverShape)
    let answer = try await store.write { db in
      try work(
        Scanning(db: db, holder: holder, now: now, stamp: stamp, ignoresCase: ignoresCase, shape: shape), fields)
    }
    return answer.response(from: request, context: context)
  }

  private func list(_ request: Request, _ context: HolderContext) async throws -> Answer {
    try context.requires(.view)
    let query = request.uri.queryParameters
    let (event, text, page) = (query["event_id"], query["query"], query["page"])
    let (holder, shape) = (context.holder, configuration.serverShape)
    return try await store.read { db in
      try TicketList(db: db, holder: holder, shape: shape)
        .page(event: event.map { String($0) }, query: text.map { String($0) }, page: page.map { String($0) })
    }
  }

  private func roster(_ request: Request, _ context: HolderContext) async throws -> Answer {
    try context.requires(.view)
    let query = request.uri.queryParameters
    func text(_ name: Substring) -> String? { query[name].map { String($0) } }
    let wanted = SalesList.Query(
      event: text("event_id"), day: text("event_date"), status: text("status"), page: text("page"),
      size: text("per_page"))
    let holder = context.holder
    return try await store.read { db in try SalesList(db: db, holder: holder).page(wanted) }
  }
}

/// Turns what routes throw into answers, so that every request gets JSON, and writes one line a request: method, path
/// and status. Queries, headers and bodies, where keys and codes are, stay out of it.
struct AnswerEverything: RouterMiddleware {
  typealias Context = VisitorContext
  let configuration: VenueConfiguration
  private var logger: Logger { configuration.logger }

  func handle(
    _ request: Request, context: VisitorContext,
    next: (Request, VisitorContext) async throws -> Response
  ) async throws -> Response {
    let response: Response
    do {
      response = try await next(request, context)
    } catch let answer as Answer {
      response = answer.response(from: request, context: context)
    } catch is NIOTooManyBytesError {
      response = BodyLimit.answer.response(from: request, context: context)
    } catch let error as any HTTPResponseError where error.status == .notFound {
      response =
        KioskWords.notFound(request, configuration) ?? SubscriptionWords.notFound(request, configuration)
        ?? BookingWords.notFound(request, configuration)
        ?? Self.page(request, configuration)
        ?? Answer.message(.notFound, "The route \(request.uri.path.dropFirst()) could not be found.")
        .response(from: request, context: context)
    } catch let error as any HTTPResponseError {
      response = Answer.message(error.status, error.status.reasonPhrase).response(from: request, context: context)
    } catch {
      logger.error("A request failed", metadata: ["reason": "\(error)"])
      response = Answer.message(.internalServerError, "Server Error").response(from: request, context: context)
    }
    logger.info("\(request.method) \(context.endpointPath ?? "elsewhere") \(response.status.code)")
    return response
  }
}

extension AnswerEverything {
  /// What the real server's framework shows a browser, outside its API; without a shape nothing but the API is there.
  fileprivate static func page(_ request: Request, _ configuration: VenueConfiguration) -> Response? {
    let path = request.uri.path
    guard configuration.serverShape != nil, path != "/api", !path.hasPrefix("/api/"), !Answer.wantsJSON(request) else {
      return nil
    }
    return Response(
      .notFound, "<!DOCTYPE html>\n<html><head><title>Not Found</title></head><body>404 Not Found</body></html>\n",
      of: "text/html; charset=UTF-8")
  }
}

/// Refuses a body that announces itself as too large before anything else is looked at.
struct BodyLimit: RouterMiddleware {
  typealias Context = VisitorContext
  static let answer = Answer.message(.contentTooLarge, "The POST data is too large.")

  func handle(
    _ request: Request, context: VisitorContext,
    next: (Request, VisitorContext) async throws -> Response
  ) async throws -> Response {
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > Routes.bodyLimit {
      throw Self.answer
    }
    return try await next(request, context)
  }
}
