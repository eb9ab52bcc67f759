import HTTPTypes
import Hummingbird
import ScanConfiguration

/// Finds out who asks: by a bearer token (RFC 6750), or that it is this machine.
struct TokenMiddleware: RouterMiddleware {
  typealias Context = ConsoleContext

  private let tokens: TokenBook

  init(_ tokens: TokenBook) { self.tokens = tokens }

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    context.caller = try caller(of: request, context)
    return try await next(request, context)
  }

  private func caller(of request: Request, _ context: ConsoleContext) throws(ConsoleAnswer) -> ConsoleCaller? {
    let shown = request.headers[values: .authorization]
    guard !shown.isEmpty else { return context.isLoopback && !Self.isForwarded(request) ? .loopback : nil }
    guard shown.count == 1, let token = Self.bearer(shown[0]) else { throw .unauthorized }
    switch tokens.judge(token, from: context.peer?.ipAddress ?? "") {
    case .known(let caller): return caller
    case .unknown: throw .unauthorized
    case .later(let seconds):
      throw ConsoleAnswer(
        .tooManyRequests, "tooManyFailures", "Too many wrong tokens came from this address. Wait \(seconds) s.",
        [.retryAfter: String(seconds)])
    }
  }

  /// The token of `Bearer TOKEN`; `nil` where it is none.
  private static func bearer(_ field: String) -> String? {
    let parts = field.split(separator: " ", omittingEmptySubsequences: true)
    guard parts.count == 2, parts[0].lowercased() == "bearer", parts[1].utf8.count <= 4_096 else { return nil }
    return String(parts[1])
  }

  /// Whether somebody stands between: who asks is then not this machine.
  static func isForwarded(_ request: Request) -> Bool {
    request.headers.contains { field in
      let name = field.name.canonicalName
      return ["forwarded", "x-real-ip", "via"].contains(name) || name.hasPrefix("x-forwarded-")
    }
  }
}
