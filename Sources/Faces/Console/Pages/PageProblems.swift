import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import ScanModel

/// What goes wrong with a page is told as a page, in words; programs are told as ever.
struct PageProblems: RouterMiddleware {
  typealias Context = ConsoleContext

  let language: PageLanguage?

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    guard Self.isOfPages(request) else { return try await next(request, context) }
    do {
      return try await next(request, context)
    } catch let refusal as PageRefusal {
      return problem(refusal.status, "refusal.\(refusal.rawValue)", request, signIn: refusal.mayBeCuredBySignIn)
    } catch let answer as ConsoleAnswer {
      return problem(answer.status, Self.key(of: answer), request, answer.headers)
    } catch is HTTPParserError {
      return problem(.badRequest, "problem.malformed", request)
    } catch is NIOTooManyBytesError {
      return problem(.contentTooLarge, "problem.tooLong", request)
    } catch let error as any HTTPResponseError where error.status == .notFound {
      return problem(.notFound, "problem.notFound", request)
    }
  }

  /// Whether whoever asks is a browser that wants to show something.
  private static func isOfPages(_ request: Request) -> Bool {
    let path = request.uri.path
    if ["/api/", "/metrics", "/healthz", "/readyz", "/pages/", "/static/"].contains(where: path.hasPrefix) {
      return false
    }
    // Without the field anything is taken.
    return request.headers[.accept].map { $0.contains("text/html") || $0.contains("*/*") } ?? true
  }

  /// The words of an answer for programs.
  private static func key(of answer: ConsoleAnswer) -> String {
    let key = "problem.\(answer.error)"
    return PageTexts.of(.en).has(key) ? key : "problem.malformed"
  }

  private func problem(
    _ status: HTTPResponse.Status, _ key: String, _ request: Request, _ headers: HTTPFields = HTTPFields(),
    signIn: Bool = false
  ) -> Response {
    let texts = PageTexts.of(.choice(configured: language, accepted: request.headers[.acceptLanguage]))
    var page = PageLayout(
      "problem", title: texts["problem.title"], kind: "problem",
      ["words": .text(texts[key]), "signIn": .flag(signIn), "status": .text(String(status.code))])
    page.status = status
    var response = page.response(texts)
    for field in headers where response.headers[field.name] == nil { response.headers.append(field) }
    PageGuard.complete(&response.headers)
    return response
  }
}

extension PageRefusal {
  /// Whether a link to the page for signing in helps.
  var mayBeCuredBySignIn: Bool { self == .signIn || self == .role }
}
