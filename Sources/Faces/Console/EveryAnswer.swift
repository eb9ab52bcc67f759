import HTTPTypes
import Hummingbird
import Logging

/// Surrounds everything: each request gets an answer, and each answer the fields that a browser heeds.
struct EveryAnswer: RouterMiddleware {
  typealias Context = ConsoleContext

  let logger: Logger

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      response = try await next(request, context)
    } catch let answer as ConsoleAnswer {
      response = answer.response
    } catch let error as any HTTPResponseError where error.status == .notFound {
      response = ConsoleAnswer.notFound.response
    } catch let error as any HTTPResponseError {
      response = ConsoleAnswer(error.status, "badRequest", "This request cannot be answered.").response
    } catch {
      logger.error("A request could not be answered: \(type(of: error))")
      response = ConsoleAnswer(.internalServerError, "internalError", "The console could not answer.").response
    }
    for (name, value) in Self.fields where response.headers[name] == nil { response.headers[name] = value }
    return response
  }

  private static let fields: [(HTTPField.Name, String)] = [
    (.cacheControl, "no-store"), (.contentSecurityPolicy, "default-src 'none'; frame-ancestors 'none'"),
    (.xContentTypeOptions, "nosniff"),
  ]
}
