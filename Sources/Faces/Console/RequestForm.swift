import HTTPTypes
import Hummingbird

/// Refuses what no client should send: a token in a URL, which is logged on its way, and a body that is too long.
struct RequestForm: RouterMiddleware {
  typealias Context = ConsoleContext

  /// What people call a token in a URL.
  private static let secrets: Set<String> = [
    "token", "access_token", "auth", "authorization", "bearer", "apikey", "api_key", "key", "password", "secret",
  ]

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    if request.uri.queryParameters.contains(where: { Self.secrets.contains($0.key.lowercased()) }) {
      throw ConsoleAnswer(
        .badRequest, "tokenInURL",
        "A token does not belong into a URL, which others log: send Authorization: Bearer TOKEN, and make a new token.")
    }
    if let length = request.headers[.contentLength] {
      guard let bytes = Int(length), bytes <= ConsoleLimits.maximumBody else { throw ConsoleAnswer.tooLong }
    }
    return try await next(request, context)
  }
}
