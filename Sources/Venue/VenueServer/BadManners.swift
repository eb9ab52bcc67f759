import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Lets requests meet the misbehaviours in force. With none it passes everything on untouched.
struct BadManners: RouterMiddleware {
  typealias Context = VisitorContext

  let configuration: VenueConfiguration
  let manners: @Sendable (RequestKind) -> Manners

  func handle(
    _ request: Request, context: VisitorContext,
    next: (Request, VisitorContext) async throws -> Response
  ) async throws -> Response {
    let manners = manners(RequestKind(request))
    guard !manners.isGood else { return try await next(request, context) }
    configuration.logger.info("A request meets a misbehaviour", metadata: ["manners": "\(manners)"])
    var context = context
    context.clockError = manners.clock
    try await Task.sleep(for: .milliseconds(manners.pauseBefore))
    var response: Response
    do {
      response = try await answer(manners.fault, request, context, next)
    } catch let broken as BrokenConnection {
      try await Task.sleep(for: .milliseconds(manners.pauseAfter))
      throw broken.dated(date(manners))
    }
    try await Task.sleep(for: .milliseconds(manners.pauseAfter))
    response.headers[.date] = date(manners)
    return response
  }

  private func date(_ manners: Manners) -> String {
    Timestamp(seconds: Timestamp(configuration.now()).seconds + Int64(manners.clock)).httpDate
  }

  private func answer(
    _ fault: Misbehaviour.Fault?, _ request: Request, _ context: VisitorContext,
    _ next: (Request, VisitorContext) async throws -> Response
  ) async throws -> Response {
    switch fault {
    case .none, .latency, .clock:
      return try await next(request, context)
    case .status(let code, let retryAfter, let moment):
      if moment == .after { _ = try await next(request, context) }
      return WrongAnswer.status(
        code, retryAfter: retryAfter, to: request, context, configuration: configuration)
    case .page(let moment):
      if moment == .after { _ = try await next(request, context) }
      return WrongAnswer.page
    case .redirect(let place, let moment):
      if moment == .after { _ = try await next(request, context) }
      return WrongAnswer.redirect(to: place)
    case .json(let json):
      let page = request.uri.queryParameters["page"].flatMap { Int64($0) } ?? 1
      let answer = try await next(json == .pages ? request.ofFirstPage : request, context)
      return try await WrongAnswer.spoilt(answer, json, page: page)
    case .end(let end, let point):
      switch point {
      case .before:
        // Read first: the kernel answers what nobody has read with a reset, which shall not pass for an end in order.
        _ = try? await request.body.collect(upTo: Routes.bodyLimit)
        throw BrokenConnection(end: end, midway: nil)
      case .midway:
        throw BrokenConnection(end: end, midway: try await next(request, context))
      case .after:
        _ = try await next(request, context)
        throw BrokenConnection(end: end, midway: nil)
      }
    }
  }
}
