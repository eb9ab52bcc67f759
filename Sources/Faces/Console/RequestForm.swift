import HTTPTypes
import Hummingbird
import WireText

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
    if Self.names(in: request.uri.query ?? "").contains(where: Self.secrets.contains) {
      throw ConsoleAnswer(
        .badRequest, "tokenInURL",
        "A token does not belong into a URL, which others log: send Authorization: Bearer TOKEN, and make a new token.")
    }
    if let length = request.headers[.contentLength] {
      guard let bytes = Int(length), bytes <= ConsoleLimits.maximumBody else { throw ConsoleAnswer.tooLong }
    }
    return try await next(request, context)
  }

  /// What a query names, in one spelling.
  private static func names(in query: String) -> [String] {
    query.split { $0 == "&" || $0 == ";" }.map { part in
      let name = part.utf8.prefix { $0 != UInt8(ascii: "=") }
      return String(decoding: PercentCoding.decode(name) ?? Array(name), as: UTF8.self).lowercased()
    }
  }
}
