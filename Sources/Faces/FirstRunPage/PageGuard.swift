internal import FirstRun
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Surrounds everything: only this machine's own names, no other origin, and what a browser heeds in each answer.
struct PageGuard: RouterMiddleware {
  typealias Context = PageContext

  let page: @Sendable (Request) -> PageHTML

  func handle(
    _ request: Request, context: PageContext, next: (Request, PageContext) async throws -> Response
  ) async throws -> Response {
    let html = page(request)
    guard let authority = request.head.authority, Self.isOwn(authority) else {
      return Self.page(
        html.words(.pageNames), .misdirectedRequest)
    }
    if request.method != .get {
      let origins = request.headers[values: .origin]
      let site = HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] } ?? "none"
      guard origins.count <= 1, origins.allSatisfy({ $0 == "http://\(authority)" }),
        ["none", "same-origin"].contains(site)
      else { return Self.page(html.words(.pageOrigin), .forbidden) }
    }
    do {
      return try await next(request, context)
    } catch let error as any HTTPResponseError where error.status == .notFound {
      return Self.page(html.words(.pageNothing), .notFound)
    } catch {
      return Self.page(html.words(.pageRequest), .badRequest)
    }
  }

  /// Whether a Host is one by which this machine knows itself; the port is no part of it, for who forwards ports may choose another.
  static func isOwn(_ authority: String) -> Bool {
    ["127.0.0.1", "localhost", "[::1]"].contains { name in
      guard authority.hasPrefix(name) else { return false }
      let rest = authority.dropFirst(name.count)
      return rest.isEmpty || rest.first == ":" && UInt16(rest.dropFirst()) != nil
    }
  }

  static func page(_ text: String, _ status: HTTPResponse.Status = .ok) -> Response {
    var headers = fields
    headers[.contentType] = "text/html; charset=utf-8"
    return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
  }

  /// To the question that is asked now.
  static func redirect() -> Response {
    var headers = fields
    headers[.location] = "/"
    return Response(status: .seeOther, headers: headers)
  }

  /// Nothing of it is kept, framed, or lent to another page; nothing is fetched but its own style and script.
  private static let fields: HTTPFields = {
    var fields: HTTPFields = [
      .cacheControl: "no-store",
      .contentSecurityPolicy:
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; "
        + "base-uri 'none'; frame-ancestors 'none'",
      .xContentTypeOptions: "nosniff",
    ]
    for (name, value) in [
      ("Referrer-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
    ] {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return fields
  }()
}
