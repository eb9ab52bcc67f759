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
    let scan: RouterPath = "/api/tickets/scan"
    let scanBySale: RouterPath = "/api/tickets/:sale/scan"
    let tickets: RouterPath = "/api/tickets"
    let sales: RouterPath = "/api/sales"
    api.on(scan, method: .post) { try await scanByCode($0, $1) }
    api.on(scanBySale, method: .post) { try await scanBySaleID($0, $1) }
    api.on(tickets, method: .get) { try await list($0, $1) }
    api.on(sales, method: .get) { try await roster($0, $1) }
    // As with the real server's router, a wrong method is told before anybody asks for a key.
    for (path, allowed) in [(scan, HTTPRequest.Method.post), (scanBySale, .post), (tickets, .get), (sales, .get)] {
      router.refuseOtherMethods(path, than: allowed) { request, _, method in
        let route = request.uri.path.dropFirst()
        return .message(
          .methodNotAllowed,
          "The \(method) method is not supported for route \(route). Supported methods: \(allowed).")
      }
    }
    addKiosks(to: router)
    return router.buildResponder()
  }

  /// What stations that are set up or report ask for: no key for tickets leads there, and none is wanted.
  private func addKiosks(to router: Router<VisitorContext>) {
    let controller = KioskController(store: store, configuration: configuration)
    let enrolments = KioskController(store: store, configuration: configuration)
    EnrolmentController(controller: enrolments, address: address).add(to: router)
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
    let input = ScanInput(body: body, contentType: request.headers[.contentType])
    let fields: ScanFields
    do {
      fields = try ScanFields(input, requires: required)
    } catch {
      return Answer.invalid(error, to: request)
    }
    let now = Timestamp(configuration.now())
    let stamp = Timestamp(seconds: now.seconds + Int64(context.clockError))
    let (holder, ignoresCase) = (context.holder, configuration.ignoresCase)
    let answer = try await store.write { db in
      try work(Scanning(db: db, holder: holder, now: now, stamp: stamp, ignoresCase: ignoresCase), fields)
    }
    return answer.response(from: request, context: context)
  }

  private func list(_ request: Request, _ context: HolderContext) async throws -> Answer {
    try context.requires(.view)
    let query = request.uri.queryParameters
    let (event, text, page) = (query["event_id"], query["query"], query["page"])
    let holder = context.holder
    return try await store.read { db in
      try TicketList(db: db, holder: holder)
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
        KioskWords.notFound(request, configuration)
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
