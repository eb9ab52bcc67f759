import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1

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
    } catch is HTTPParserError {
      response = ConsoleAnswer.badRequest("The request's body is not as HTTP has it.").response
    } catch is NIOTooManyBytesError {
      response = ConsoleAnswer.tooLong.response
    } catch let error as any HTTPResponseError where error.status == .notFound {
      response = ConsoleAnswer.notFound.response
    } catch let error as any HTTPResponseError {
      response = ConsoleAnswer(error.status, "badRequest", "This request cannot be answered.").response
    } catch {
      logger.error("A request could not be answered: \(type(of: error))")
      response = ConsoleAnswer(.internalServerError, "internalError", "The console could not answer.").response
    }
    Self.complete(&response.headers)
    // A body that nobody awaits would be taken for the next answer.
    return request.method == .head ? response.createHeadResponse() : response
  }

  /// Adds what every answer has.
  static func complete(_ headers: inout HTTPFields) {
    for field in fields where headers[field.name] == nil { headers[field.name] = field.value }
  }

  /// Nothing here is for a browser to show, keep, frame or lend to another page.
  private static let fields: HTTPFields = {
    var fields: HTTPFields = [
      .cacheControl: "no-store", .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'",
      .xContentTypeOptions: "nosniff",
    ]
    for (name, value) in [
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"), ("X-Frame-Options", "DENY"),
    ] {
      if let name = HTTPField.Name(name) { fields[name] = value }
    }
    return fields
  }()
}
